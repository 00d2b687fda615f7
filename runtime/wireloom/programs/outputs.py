"""What programs write to, and the tables that they read from."""

from array import array
from collections.abc import Iterable
from typing import NamedTuple


class Output(NamedTuple):
    """What a program writes: ``bits`` a row and ``more`` bytes a record, and as many bytes as all records have if it
    ``holds`` some of theirs, or ``each`` bytes for each one of these. It begins as zeros if it is ``cleared``. If it
    ``unpacks``, bytes of records are decompressed to it. If its values are of fixed size, they are of a type ``like``
    this.
    """

    bits: int = 0
    more: int = 0
    holds: bool = False
    each: int = 0
    cleared: bool = False
    unpacks: bool = False
    like: str = ""


class Table(NamedTuple):
    """Numbers of ``size`` bytes each, in the byte order of the machine, that instructions look into."""

    data: bytes
    size: int = 1

    @classmethod
    def of(cls, numbers: Iterable[int], code: str = "i") -> "Table":
        """Numbers as a table, of the type that ``array`` has for that code: 4 bytes, signed, unless it says another."""
        found = array(code, list(numbers))  # as bytes would be taken for several numbers each
        return cls(found.tobytes(), found.itemsize)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers, of which those of more than a byte are signed."""
        return tuple(array({1: "B", 4: "i", 8: "q"}[self.size], self.data))
