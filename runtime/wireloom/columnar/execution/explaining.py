"""Which checks reject records: numpy follows a program again for these alone, and keeps what its reasons tell of."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from wireloom.backends.numpy.reader import METHODS, TILE, calls_of
from wireloom.backends.numpy.tile import Calls, Register, Tile, both, mask_of
from wireloom.buffers import Array
from wireloom.columnar.execution.executable import Executable
from wireloom.columnar.execution.output_memory import OutputMemory
from wireloom.programs import opcodes as op
from wireloom.programs.assembler import Assembler, Instruction
from wireloom.programs.reasons import Check


class Rejection(NamedTuple):
    """Some ``rows`` that a check rejects, with the values that its registers have there. ``path`` is its field's, and
    ``at`` is the place of its instruction.
    """

    at: int
    check: Check
    path: tuple[str, ...]
    rows: Array
    values: Mapping[int, Array]


class Followed(NamedTuple):
    """Rows from the ``first`` one on that were followed: which of them are sound, what was written, and rejections."""

    first: int
    sound: Array
    written: OutputMemory
    rejections: Sequence[Rejection]


class Explaining:
    """The form of a program that keeps what its reasons need, and writes where its ``lists`` are. It is made when it is
    first asked for.
    """

    def __init__(self, asm: Assembler, lists: Sequence[Instruction]) -> None:
        self._asm = asm
        self._lists = lists

    @cached_property
    def stored(self) -> Mapping[int, int]:
        """The places of the instructions that write where lists are, by the places of outputs."""
        code = self._program[0].code.tolist()
        return {numbers[4]: at for at, numbers in enumerate(code) if numbers[0] == op.STORE_LIST}

    @cached_property
    def _program(self) -> tuple[Executable, Calls, Mapping[int, Check]]:
        program = self._asm.assembled(outputs=self._lists, explaining=True)
        executable = Executable.of(program)
        return executable, calls_of(executable.code, METHODS), program.checks

    def follow(
        self, start: Array, stop: Array, end: int, given: Mapping[int, Array] = {}, size: int | None = None
    ) -> Iterator[Followed]:
        """Follow it for records from each ``start`` to each ``stop``, in bytes that end at ``end``. ``given`` are
        numbers of each that come from elsewhere, by the places of outputs; ``size`` is as in ``Program.run``.
        """
        executable, calls, checks = self._program
        zeros = np.zeros(executable.reach, np.uint8)
        size = int((stop - start).sum()) if size is None else size
        for first in range(0, len(start), TILE):
            mine = slice(first, first + TILE)
            count = len(start[mine])
            written = OutputMemory(executable.buffers, count, count, size)
            held = {place: np.ascontiguousarray(numbers[mine]) for place, numbers in given.items()}
            for place, numbers in held.items():
                written.addresses[place] = numbers.ctypes.data
            outputs = np.arange(count), written.addresses, written.amounts
            tile = _ExplainedTile(start[mine], stop[mine], *outputs, zeros.ctypes.data, end)
            tile.checks = checks
            with np.errstate(all="ignore"):
                sound = np.broadcast_to(mask_of(tile.follow(calls)), count)
            rejections = [Rejection(at, checks[at], executable.fields[at], *told) for at, told in tile.rejected]
            yield Followed(first, sound, written, rejections)


class _ExplainedTile(Tile):
    """Rows of which it is kept by which instruction they are rejected, and the registers that its reason needs."""

    checks: Mapping[int, Check] = {}

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.rejected: list[tuple[int, tuple[Array, dict[int, Array]]]] = []

    def some(self, rows: Array, known: Mapping[int, Register]) -> Tile:
        """Reasons may need any register."""
        every = {each: value[rows] if value.ndim else value for each, value in self.registers.items()}
        return super().some(rows, {**every, op.SOUND: np.True_, **known})

    def like(self, *arguments: Any) -> Tile:
        found = _ExplainedTile(*arguments)
        found.checks = self.checks
        return found

    def refuse(self, part: Tile, rows: Array, taken: Array) -> None:
        super().refuse(part, rows, taken)
        assert isinstance(part, _ExplainedTile)
        for at, (which, values) in part.rejected:
            mine = taken[which]
            if mine.any():
                told = {register: each[mine] for register, each in values.items()}
                self.rejected.append((at, (rows[which[mine]], told)))

    def refuse_unless(self, holds: Register) -> None:
        rows = self.rows(both(self.registers[op.SOUND], ~mask_of(holds)))
        super().refuse_unless(holds)
        if len(rows):
            values = {register: self.values(register, rows) for register in self.checks[self.at].registers()}
            self.rejected.append((self.at, (rows, values)))
