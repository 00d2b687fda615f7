"""The table of a FlatBuffers field is declared.

FlatBuffers bytes say nothing of their own fields: a table lists them, with the slot each has in the schema.

Bad::

    - {name: collection, type: flatbuffers, table: Colection, raw: collection_bytes, size: rest}

Good::

    - {name: collection, type: flatbuffers, table: Collection, raw: collection_bytes, size: rest}
"""

from collections.abc import Iterator

from wireloom_generator.analysis.scopes import written
from wireloom_generator.problems import Problem, closest
from wireloom_generator.reading import syntax
from wireloom_generator.reading.spec import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Tables that nothing declares."""
    for entry in written(spec):
        if isinstance(entry, syntax.Field) and entry.table is not None and entry.table not in spec.tables:
            what, hint = f"unknown table {entry.table!r}", closest(entry.table, spec.tables)
            yield Problem(entry.where("table"), "known-table", what, hint)
