"""Programs as the back ends of batches follow them."""

from dataclasses import dataclass

import numpy as np

from wireloom.columnar import accel
from wireloom.columnar.buffers import Array
from wireloom.columnar.machine.loops import Loops
from wireloom.columnar.machine.program_buffers import Rooms
from wireloom.columnar.machine.tiles import WIDTH
from wireloom.programs.assembler import Assembled


@dataclass(frozen=True, slots=True)
class Executable:
    """A program: a table with an instruction a row, the paths of their fields, how many registers it takes, what it
    writes to and reads from, how many zeros it reads at most where nothing is, and the loops of its own.
    """

    code: Array
    fields: tuple[tuple[str, ...], ...]
    registers: int
    rooms: Rooms
    reach: int
    loops: Loops

    @classmethod
    def of(cls, program: Assembled) -> "Executable":
        """The same program in memory."""
        code = np.zeros((len(program.code), WIDTH), np.int64)
        for row, numbers in zip(code, program.code, strict=True):
            row[: len(numbers)] = numbers
        return cls(code, program.fields, program.registers, Rooms(program.memory), program.reach, Loops(code))

    @property
    def compiles(self) -> bool:
        """Whether compiled loops follow it."""
        return bool(accel.WORTH) and not self.loops.foreign

    @property
    def identity(self) -> tuple[object, ...]:
        """The same for programs that do the same."""
        return self.code.tobytes(), *self.rooms.identity
