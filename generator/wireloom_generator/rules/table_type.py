"""``table_type: long`` is for a u64 that the document bounds below 2^63.

A u64 is a decimal(20,0) in tables, which holds every value and costs two to three times a long. Where the document, or
the server, bounds it below 2^63, ``table_type: long`` says so; a larger value makes the record malformed.

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


def check(spec: Resolved) -> Iterator[Problem]:
    """Table types that are unknown or not needed."""
    for node in fields(spec):
        given = node.written.table_type if isinstance(node, model.Field) else None
        if given is None:
            continue
        at, type_ = node.where("table_type"), node.written.type
        if given != "long":
            yield Problem(at, "table-type", f"unknown table type {given!r}", "there is long, for a u64")
        elif type_ != "u64":
            yield Problem(at, "table-type", f"{type_} needs no table type", "only a u64 can have table_type: long")
        elif isinstance(node, model.Field) and node.repeat is not None:
            yield Problem(at, "table-type", "a list can have no table type", "put the u64 into a type, and repeat that")
