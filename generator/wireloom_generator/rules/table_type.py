"""``table_type: long`` is for a u64 that the document bounds below 2^63.

A u64 is a decimal(20,0) in tables, which holds every value and costs two to three times a long. Where the document, or
the server, bounds it below 2^63, ``table_type: long`` says so; a larger value makes the record malformed.

Bad::

    - {name: seqno, type: u32, table_type: long}

Good::

    - {name: seqno, type: u64, table_type: long}
"""

from collections.abc import Iterator

from wireloom_generator.analysis.scopes import fields
from wireloom_generator.problems import Problem
from wireloom_generator.reading import syntax
from wireloom_generator.reading.spec import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Table types that are unknown or not needed."""
    for entry in fields(spec):
        if not isinstance(entry, syntax.Field) or entry.table_type is None or entry.compute is not None:
            continue
        at = entry.where("table_type")
        if entry.table_type != "long":
            yield Problem(at, "table-type", f"unknown table type {entry.table_type!r}", "there is long, for a u64")
        elif entry.type != "u64":
            yield Problem(at, "table-type", f"{entry.type} needs no table type", "only a u64 can have table_type: long")
        elif entry.repeat is not None:
            yield Problem(at, "table-type", "a list can have no table type", "put the u64 into a type, and repeat that")
