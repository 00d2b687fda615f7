"""What of a protocol's records no program says, and why. The codec reads and writes these records row by row."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from wireloom.codec import Everything, Protocol, Terminated
from wireloom.codec.columns import Column, StructOf
from wireloom.codec.length_sums import Holds, chain, selected_sums
from wireloom.codec.lengths import Ends
from wireloom.programs.records import RecordLowering
from wireloom.programs.values import NoProgramError
from wireloom.programs.writing.outlines import outline_of
from wireloom.programs.writing.records import write_record

Reasons = Mapping[str, tuple[str, ...]]
"""What records of each message, by its name, may have that no program says."""


class Support(NamedTuple):
    """What no program says when records are read, and when they are written. Records are ``chained`` if their lengths
    are sums of numbers, or one of several that one byte selects, before which only numbers vary in size, or if they end
    at a terminator or are all there is.
    """

    unread: Reasons
    unwritten: Reasons
    chained: bool

    @classmethod
    def of(cls, protocol: Protocol) -> "Support":
        return cls(unread(protocol), unwritten(protocol), all(map(_is_chained, protocol.framing.lengths)))


def unread(protocol: Protocol) -> Reasons:
    """What programs that read records do not say."""
    records = _records(protocol)
    untold: dict[str, None] = {}
    with _noting(untold):
        at = records.head()
        records.message_number(at.asm, at.record.columns)
    found: dict[str, tuple[str, ...]] = {}
    for number, said in enumerate(records.messages):
        left = dict(untold)
        with _noting(left):
            at = records.head()
            at.left = left
            records.message(number, at)
        found[said.name] = tuple(left)
    return found


def unwritten(protocol: Protocol) -> Reasons:
    """What programs do not say that write records from a table with all columns, any value of which may be missing."""
    records = _records(protocol)
    found: dict[str, tuple[str, ...]] = {}
    for number, said in enumerate(records.messages):
        columns = (*protocol.record.columns, Column(said.name, StructOf(said.columns)))
        left: dict[str, None] = {}
        with _noting(left):
            written = write_record(
                records, number, {each.name: outline_of(each.type, missing=True) for each in columns}
            )
            left |= written.laid.left | written.read.left
        found[said.name] = tuple(left)
    return found


def _records(protocol: Protocol) -> RecordLowering:
    """The programs of a protocol, with the parameters that are assumed."""
    return RecordLowering(protocol, {each.name: each.assumed for each in protocol.parameters}, little=False)


@contextmanager
def _noting(left: dict[str, None]) -> Iterator[None]:
    """Note why there is no program, if there is none."""
    try:
        yield
    except NoProgramError as error:
        left[str(error)] = None


def _is_chained(ends: Ends) -> bool:
    """Whether records can be followed by their lengths, whatever parameters choose between."""
    choices: tuple[Holds, ...] = (lambda _: True, lambda _: False)
    return isinstance(ends, Everything | Terminated) or all(
        chain(ends, holds) is not None or selected_sums(ends, holds) is not None for holds in choices
    )
