"""A field of a FlatBuffers table keeps its id, its type and its default.

The id is where it is found, and a value equal to the default is not stored at all. New fields get new ids, at the end;
readers skip ids that they do not know.

Bad::

    tables:
      - name: Scope
        fields:
          - {name: uid, type: u64, id: 0}
          - {name: flags, type: u32, id: 1}      # new
          - {name: scopeId, type: u32, id: 2}    # 1 before

Good::

    tables:
      - name: Scope
        fields:
          - {name: uid, type: u64, id: 0}
          - {name: scopeId, type: u32, id: 1}
          - {name: flags, type: u32, id: 2}      # new
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.compat import walks
from wireloom_generator.compat.changes import BACKWARD, BOTH, NEITHER, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Fields of FlatBuffers tables that are read differently."""
    for old, new in comparison.tables.kept:
        after = {field.name: field for field in new.fields}
        for field in old.fields:
            path = f"{comparison.new.name}.{new.name}.{field.name}"
            if field.name in after:
                yield from _field(path, field, after[field.name])
            elif not any(field.id == other.id for other in new.fields):
                yield Change(path, "removed", BACKWARD)
        yield from _added(comparison.new.name, old, new)


def _field(path: str, old: model.TableField, new: model.TableField) -> Iterator[Change]:
    for what, before, after in (
        ("id", old.id, new.id),
        ("type", old.type, new.type),
        ("default", old.default, new.default),
    ):
        if before != after:
            yield Change(path, f"{what} {walks.was(before, after)}", BOTH)


def _added(protocol: str, old: model.Table, new: model.Table) -> Iterator[Change]:
    names, ids = {field.name for field in old.fields}, {field.id: field.name for field in old.fields}
    for field in new.fields:
        if field.name not in names:
            path = f"{protocol}.{new.name}.{field.name}"
            taken = ids.get(field.id)
            yield Change(path, f"has the id of {taken}, {field.id}" if taken else "added", BOTH if taken else NEITHER)
