"""The table of a FlatBuffers field is declared.

FlatBuffers bytes say nothing of their own fields: a table lists them, with the slot each has in the schema.

Bad::

    - {name: collection, type: flatbuffers, table: Colection, raw: collection_bytes, size: rest}

Good::

    - {name: collection, type: flatbuffers, table: Collection, raw: collection_bytes, size: rest}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.analysis.scopes import nodes
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem, closest
from wireloom_generator.types import FlatBuffers


def check(spec: Resolved) -> Iterator[Problem]:
    """Undeclared tables."""
    for node in nodes(spec):
        if not isinstance(node, model.Field | model.Computed) or not node.gives("table"):
            continue
        table = node.type.table if isinstance(node.type, FlatBuffers) else node.stray.get("table")
        if table is not None and table not in spec.tables:
            what, hint = f"unknown table {table!r}", closest(table, spec.tables)
            yield Problem(node.where("table"), "known-table", what, hint)
