"""A checksum has a known algorithm, an integer of its width, and a place in the record itself.

The range ``from``–``to`` counts bytes of the record, so a checksum cannot stand in a type that is used as a field: the
record is not complete when that is written. Include the type instead.

Bad::

    - {name: crc, type: u16, checksum: {algorithm: crc32, from: 0, to: offset(crc)}}

Good::

    - {name: crc, type: u32, checksum: {algorithm: crc32, from: 0, to: offset(crc)}}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.analysis.scopes import fields, structs
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
                hint = "include the type, or declare the checksum in the record or the message"
                what = "a checksum over the record cannot stand in a type that is a field"
                yield Problem(visit.item.where("checksum"), "checksum-algorithm", what, hint)


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
