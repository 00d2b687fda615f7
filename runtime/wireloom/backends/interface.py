"""Back ends: what executes programs for batches of records.

Those of this package are numpy and LLVM. Other packages name theirs under the entry-point group ``wireloom.backends``:
``name = "package.module:BACKEND"``. A back end knows instructions (``programs.opcodes``, ``programs.write_opcodes``),
memory and no layouts.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from wireloom.buffers import Array
from wireloom.loops.compiled import LengthTerms

GROUP = "wireloom.backends"
WIDTH = 11
"""Numbers of an instruction at most, with the operation itself."""


class Memory(NamedTuple):
    """What a program writes to and reads from: the address of each output or table, ``amounts`` of two numbers for
    each (bytes written and rows written, or the room there is), and ``zeros`` to read where nothing is.
    """

    addresses: Array
    amounts: Array
    zeros: Array


class RecordsToRead(NamedTuple):
    """Records from each ``start`` to each ``stop``, which are addresses, in bytes up to the address ``end``. What is
    written of each goes to its number in ``places``; ``sound`` becomes a mask of the records that are accepted.
    """

    start: Array
    stop: Array
    end: int
    places: Array
    sound: Array


class RowsToWrite(NamedTuple):
    """Rows of a table, by their numbers. The record of row ``n`` goes to the addresses from ``ends[n]`` to
    ``ends[n + 1]``, other outputs to the row's number in ``places``; ``sound`` becomes a mask over the table.
    """

    rows: Array
    places: Array
    ends: Array
    sound: Array


class RecordLengths(Protocol):
    """How a loop finds the next record: by a length that stands in it, or by bytes that it ``ends`` with."""

    ends: Sequence[bytes]
    selector: int
    """The place of the byte that selects one of several lengths; -1 where there is one."""

    @property
    def terms(self) -> LengthTerms:
        """The lengths."""

    @property
    def digest(self) -> str:
        """The key of a loop that is made for these lengths."""


class Runner(Protocol):
    """A program, as a back end executes it."""

    def read(self, records: RecordsToRead, memory: Memory) -> None:
        """Execute it for records."""

    def write(self, rows: RowsToWrite, memory: Memory) -> Callable[[int, int], object]:
        """A function that executes it for those of the rows from one to before another."""

    def scan(self, rows: int, lengths: RecordLengths) -> Callable[..., int] | None:
        """A loop that frames up to so many records and reads them; None if there is none."""


class Backend(Protocol):
    """Loads programs. That of the highest ``rank`` that can load a program executes it; numpy has 0, LLVM 10."""

    rank: int

    def can_load(self, kinds: frozenset[int]) -> bool:
        """Whether it has all these kinds of instructions, and is ready."""

    def load(self, code: Array, registers: int) -> Runner:
        """A program: a table with an instruction a row, of ``WIDTH`` numbers."""
