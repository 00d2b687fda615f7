"""``table_type`` is for a u64: whether it is below 2^63.

A u64 is a decimal(20,0) in tables, which holds every value and costs two to three times a long. Where the document, or
the server, bounds it below 2^63, ``table_type: long`` says so; a larger value makes the record malformed. Readers may
want others as longs, too. Where the document has a meaning for larger values, ``table_type: decimal`` says so, and the
field is no long for any reader.

Bad::

    - {name: seqno, type: u32, table_type: long}

Good::

    - {name: seqno, type: u64, table_type: long}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.analysis.scopes import fields
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem
from wireloom_generator.types import Integer, whole


def check(spec: Resolved) -> Iterator[Problem]:
    """Table types that are unknown or not needed."""
    for node in fields(spec):
        if not isinstance(node, model.Field) or not node.gives("table_type"):
            continue
        at, unknown = node.where("table_type"), node.stray.get("table_type")
        if unknown is not None:
            yield Problem(at, "table-type", f"unknown table type {unknown!r}", "there are long and decimal, for a u64")
        elif whole(node.type) != Integer(64, signed=False):
            what, hint = f"{node.type.word} needs no table type", "only a u64 can have one"
            yield Problem(at, "table-type", what, hint)
        elif node.repeat is not None:
            yield Problem(at, "table-type", "a list can have no table type", "put the u64 into a type, and repeat that")
