"""The fields of a FlatBuffers table have a slot each, a known type and a default it can have.

The bytes of a table say which slots are filled, and nothing else: a wrong slot or type reads another field's bytes.

``id`` counts the slots of the table's vtable from 0, in the order of the FlatBuffers schema unless that says otherwise.
``default`` is what a reader sees when the field is not stored; text has none.

Bad::

    fields:
      - {name: uid, type: u64, id: 0, default: 0}
      - {name: name, type: string, id: 0}

Good::

    fields:
      - {name: uid, type: u64, id: 0, default: 0}
      - {name: name, type: text, id: 1}
"""

from collections.abc import Iterator

from wireloom_generator import naming
from wireloom_generator.model import Resolved, TableField
from wireloom_generator.problems import Problem, closest, seen_from
from wireloom_generator.reading.vocabulary import TABLE_TYPES
from wireloom_generator.types import Text, parse

_MOST = 32765
"""A vtable is at most 65535 bytes long."""


def check(spec: Resolved) -> Iterator[Problem]:
    """Table fields that FlatBuffers cannot have."""
    for shared in spec.shared:
        for table in shared.tables:
            slots: dict[int, TableField] = {}
            names: dict[str, TableField] = {}
            for field in table.fields:
                yield from _field(field, slots)
                known = names.setdefault(field.name.casefold(), field)
                if known.name != field.name:
                    place = seen_from(field.where("name"), known.where("name"))
                    what = f"{field.name!r} and {known.name!r}, {place}, are one column to Spark, whatever the capitals"
                    yield Problem(field.where("name"), "table-fields", what)


def _field(field: TableField, slots: dict[int, TableField]) -> Iterator[Problem]:
    if naming.word_fault(field.name) is not None:
        yield Problem(field.where("name"), "table-fields", f"{field.name!r} cannot name a column")
    if not 0 <= field.id <= _MOST:
        yield Problem(field.where("id"), "table-fields", f"no table has a slot {field.id}", f"slots are 0 to {_MOST}")
    known = slots.setdefault(field.id, field)
    if known is not field:
        place = seen_from(field.where("id"), known.where("id"))
        yield Problem(field.where("id"), "table-fields", f"slot {field.id} is already {known.name!r}, {place}")
    wire = parse(field.type) if field.type in TABLE_TYPES else None
    if wire is None:
        hint = {"string": "did you mean 'text'?", "bytes": "only numbers, bool and text are"}.get(field.type)
        what = f"{field.type!r} is not a type of a table's field"
        yield Problem(field.where("type"), "table-fields", what, hint or closest(field.type, TABLE_TYPES))
    elif field.default is not None and isinstance(wire, Text):
        yield Problem(field.where("default"), "table-fields", "text can have no default in FlatBuffers")
    elif field.default is not None and (fault := wire.misfit(field.default, None)):
        yield Problem(field.where("default"), "table-fields", fault[0])
