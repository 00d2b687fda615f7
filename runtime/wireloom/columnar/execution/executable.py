"""Programs in memory, and the back ends that execute them."""

from dataclasses import dataclass, field
from functools import cache

import numpy as np

from wireloom.backends.interface import GROUP, WIDTH, Backend, Memory, Runner
from wireloom.backends.llvm.backend import LlvmBackend
from wireloom.backends.numpy.backend import NumpyBackend
from wireloom.buffers import Array
from wireloom.columnar.execution.program_buffers import ProgramBuffers
from wireloom.loops import accel
from wireloom.programs.assembler import Assembled

_NUMPY = NumpyBackend()
_UNUSED = (0,) * WIDTH


@cache
def backends() -> tuple[Backend, ...]:
    """All that are installed, the fastest first."""
    from importlib.metadata import entry_points  # slow to import

    found: list[Backend] = [_NUMPY, LlvmBackend(), *(entry.load() for entry in entry_points(group=GROUP))]
    return tuple(sorted(found, key=lambda each: each.rank, reverse=True))


@dataclass(frozen=True, slots=True)
class Executable:
    """A program: a table with an instruction a row, the paths of their fields, how many registers it takes, what it
    writes to and reads from, and how many zeros it reads at most where nothing is.
    """

    code: Array
    fields: tuple[tuple[str, ...], ...]
    registers: int
    buffers: ProgramBuffers
    reach: int
    kinds: frozenset[int]
    """The kinds of its instructions."""
    _runners: dict[Backend, Runner] = field(default_factory=dict)

    @classmethod
    def of(cls, program: Assembled) -> "Executable":
        """The same program in memory."""
        rows = [(*numbers, *_UNUSED[len(numbers) :]) for numbers in program.code]
        code = np.array(rows, np.int64).reshape(-1, WIDTH)
        buffers, kinds = ProgramBuffers(program.memory), frozenset(code[:, 0].tolist())
        return cls(code, program.fields, program.registers, buffers, program.reach, kinds)

    @property
    def runner(self) -> Runner:
        """The program, loaded by the fastest back end. Only numpy is asked until a process has read so much that it
        pays to look for others.
        """
        ready = backends() if accel.WORTH.reached else (_NUMPY,)
        best = next(each for each in ready if each.can_load(self.kinds))
        found = self._runners.get(best)
        if found is None:
            found = self._runners[best] = best.load(self.code, self.registers)
        return found

    def memory(self, addresses: Array, amounts: Array) -> Memory:
        """What it writes to and reads from."""
        return Memory(addresses, amounts, np.zeros(self.reach, np.uint8))

    @property
    def identity(self) -> tuple[object, ...]:
        """The same for programs that do the same."""
        return self.code.tobytes(), *self.buffers.identity
