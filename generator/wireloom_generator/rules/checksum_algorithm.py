"""A checksum has a known algorithm, an integer of its width, and a range of bytes.

In a type that is used as a field, the range begins and ends at fields of the type: ``offset(x)``, or ``offset(x) +
size(x)``. A list can have many items; if each had a checksum over the record, all bytes would be read again for each.

Bad::

    - {name: crc, type: u16, checksum: {algorithm: crc32, from: 0, to: offset(crc)}}

Good::

    - {name: crc, type: u32, checksum: {algorithm: crc32, from: 0, to: offset(crc)}}
"""

from collections.abc import Iterator
from typing import assert_never

from wireloom_generator import model
from wireloom_generator.analysis.scopes import fields, structs
from wireloom_generator.expressions import (
    Among,
    Binary,
    Call,
    Compare,
    Conditional,
    Expr,
    Function,
    Logical,
    Name,
    Unary,
    Value,
)
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem, closest
from wireloom_generator.reading.vocabulary import ALGORITHMS
from wireloom_generator.types import Integer


def check(spec: Resolved) -> Iterator[Problem]:
    """Checksums that cannot be computed, or do not fit."""
    for node in fields(spec):
        if isinstance(node, model.Field) and node.checksum is not None:
            yield from _fits(node, node.checksum)
    for scope in structs(spec):
        for visit in scope.visits:
            if isinstance(visit.item, model.Field) and visit.item.checksum is not None:
                yield from _bounded(visit.item.checksum)


def _bounded(checksum: model.Checksum) -> Iterator[Problem]:
    """Ends of a range in a type that are not at its own fields."""
    for bound in (checksum.start, checksum.end):
        if bound.tree is not None and not _at_field(bound.tree):
            what, hint = "a checksum in a type is over fields of the type", "write offset(x), or offset(x) + size(x)"
            yield Problem(bound.at, "checksum-algorithm", what, hint)


def _at_field(bound: Expr) -> bool:
    """Whether an end of a range is where a field begins or ends."""
    match bound:
        case Call(Function.OFFSET, (Name(),)):
            return True
        case Binary("+", Call(Function.OFFSET, (Name(name=one),)), Call(Function.SIZE, (Name(name=other),))):
            return one == other
        case Value() | Name() | Unary() | Binary() | Compare() | Among() | Logical() | Conditional() | Call():
            return False
        case _:
            assert_never(bound)


def _fits(field: model.Field, checksum: model.Checksum) -> Iterator[Problem]:
    known = ALGORITHMS.get(checksum.algorithm)
    if known is None:
        what, hint = f"unknown checksum {checksum.algorithm!r}", closest(checksum.algorithm, ALGORITHMS)
        yield Problem(checksum.where("algorithm"), "checksum-algorithm", what, hint)
    elif field.type != Integer(known.width, signed=False):
        what = f"{checksum.algorithm} has {known.width} bits and does not fit {field.type.word}"
        yield Problem(field.where("type"), "checksum-algorithm", what, f"write type: u{known.width}")
    start, end = checksum.start.constant, checksum.end.constant
    if start is not None and end is not None and start >= end:
        yield Problem(checksum.end.at, "checksum-algorithm", f"the range from {start} to {end} has no bytes")
