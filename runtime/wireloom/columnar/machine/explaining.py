"""Why a program rejects records: numpy follows it once more for these alone, and keeps what its reasons tell of."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from wireloom.columnar import judging
from wireloom.columnar.arrays import Numbers
from wireloom.columnar.buffers import Array
from wireloom.columnar.machine.executable import Executable
from wireloom.columnar.machine.filled import Filled
from wireloom.columnar.machine.numpy_backend import (
    METHODS,
    TILE,
    Calls,
    Register,
    Tile,
    both,
    mask_of,
    memory,
)
from wireloom.columnar.refusals import MessageName, Refusal, Unit, Words
from wireloom.programs import opcodes as op
from wireloom.programs.assembler import Assembler
from wireloom.programs.reasons import (
    Check,
    Distance,
    Hexadecimal,
    Missing,
    Reason,
    Rule,
    SectionName,
    Shown,
    Word,
)
from wireloom.programs.values import WORD, Number


class Rejection(NamedTuple):
    """Some ``rows`` that a check rejects, with the values that its registers have there. ``path`` is its field's."""

    check: Check
    path: tuple[str, ...]
    rows: Array
    values: Mapping[int, Array]

    def refusals(self, limit: Array, base: int, parameters: Mapping[str, Any]) -> Iterator[Refusal]:
        """What the codec says of these records of captures with some ``parameters``, of which each ends at its
        ``limit``, in a buffer at the address ``base``. Nothing if it is not known.
        """
        match self.check.reason:
            case Reason(code, position, words):
                told = [each for word in words for each in self._words(word)]
                yield self._refusal(slice(None), code, self.values[position] - base, *told)
            case Missing() as missing:
                yield from self._missing(missing, limit, base)
            case Rule() as rule:
                yield from self._broken(rule, parameters, base)

    def _refusal(
        self, which: Array | slice, code: str, place: Array, *words: Words, name: str | None = None
    ) -> Refusal:
        """Some of them; words are of these, and places of all."""
        names = [*self.path] if name is None else [*self.path, name]
        steps = [step for step in names[:-1] if not isinstance(step, SectionName)] + names[-1:]
        message = [] if self.check.message is None else [MessageName(self.check.message)]
        return Refusal(self.rows[which], code, (*message, *steps), place[which], words)

    def _words(self, word: Word) -> Iterator[Words]:
        match word:
            case Shown(register, field, unsigned):
                numbers = self.values[register]
                numbers = numbers.view(np.uint64) if unsigned else numbers
                shown = None if field is None or not field.digits else map(field.shown, numbers.tolist())
                yield numbers if shown is None else list(shown)
            case Distance(start, stop):
                yield from (self.values[stop] - self.values[start], Unit("byte"))
            case Hexadecimal(position, size):
                yield [memory(at, size, "u1").tobytes().hex() for at in self.values[position].tolist()]
            case _:
                yield word

    def _missing(self, missing: Missing, limit: Array, base: int) -> Iterator[Refusal]:
        place, last = self.values[missing.position] + missing.shift, self.values[missing.limit]
        if missing.register is not None:
            counts = self.values[missing.register]
            if (negative := counts < 0).any():
                words = "a size of ", counts[negative], Unit("byte")
                yield self._refusal(negative, "invalid-size", place - base, *words)
            yield from self._short(~negative, place, counts, last, limit, base)
            return
        sizes = np.array([size for _, size in missing.sizes])
        which = np.searchsorted(sizes.cumsum(), last - place, "right")
        for number in np.unique(which).tolist():
            (name, size), before = missing.sizes[number], int(sizes[:number].sum())
            counts = np.full(len(place), size)
            yield from self._short(which == number, place + before, counts, last, limit, base, name)

    def _short(
        self, which: Array, place: Array, counts: Array, last: Array, limit: Array, base: int, name: str | None = None
    ) -> Iterator[Refusal]:
        whole = last == limit[self.rows]
        for code, mine, behind in (("truncated", which & whole, ""), ("overrun", which & ~whole, " in its section")):
            if mine.any():
                words = "needs ", counts[mine], Unit("byte"), ", ", (last - place)[mine], f" left{behind}"
                yield self._refusal(mine, code, place - base, *words, name=name)

    def _broken(self, rule: Rule, parameters: Mapping[str, Any], base: int) -> Iterator[Refusal]:
        """The codec is asked once for all records that are alike in what the conditions mention."""
        start = self.values[op.START]
        spans = {name: np.stack([self.values[each] for each in span]) - start for name, span in rule.spans.items()}
        numbers = {name: self._numbers(number) for name, number in rule.numbers.items()}
        told = judging.told(rule.message, parameters, numbers, spans, self.values[rule.variant])
        for region, rows, errors in told:
            place, details = start - base, [error.detail for error in errors]
            place[rows] += np.array([error.offset for error in errors])
            message = [MessageName(rule.message.name)]
            path = (*message, region) if region else tuple(message)
            yield Refusal(self.rows[rows], "invalid", path, place[rows], (details,))

    def _numbers(self, number: Number) -> Numbers:
        data, valid = self.values[number.register], self.values[number.valid].astype(bool)
        if number.truth:
            data = data.astype(bool)
        elif number.most >= WORD:
            data = data.view(np.uint64)
        return Numbers(data, None if valid.all() else valid)


class Explaining:
    """The form of a program that keeps what its reasons need, made when it is first asked for."""

    def __init__(self, asm: Assembler) -> None:
        self._asm = asm

    @cached_property
    def _program(self) -> tuple[Executable, Calls, Mapping[int, Check]]:
        program = self._asm.assembled(outputs=[], explaining=True)
        executable = Executable.of(program)
        return executable, executable.loops.calls(METHODS), program.checks

    def rejections(self, start: Array, stop: Array, end: int) -> Iterator[Rejection]:
        """What the program rejects of records from each ``start`` to each ``stop``, in bytes that end at ``end``."""
        executable, calls, checks = self._program
        size = int((stop - start).sum())
        zeros = np.zeros(executable.reach, np.uint8)
        with np.errstate(all="ignore"):
            for first in range(0, len(start), TILE):
                mine = slice(first, first + TILE)
                places = np.arange(len(start[mine]))
                written = Filled(executable.rooms, len(places), len(places), size)
                memory_of = places, written.addresses, written.amounts, zeros.ctypes.data, end
                tile = _ExplainedTile(start[mine], stop[mine], *memory_of)
                tile.checks = checks
                tile.follow(calls)
                for at, rows, values in tile.rejected:
                    yield Rejection(checks[at], executable.fields[at], rows + first, values)


class _ExplainedTile(Tile):
    """Rows of which it is kept by which instruction they are rejected, and the registers that its reason needs."""

    checks: Mapping[int, Check] = {}

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.rejected: list[tuple[int, Array, dict[int, Array]]] = []

    def refuse_unless(self, holds: Register) -> None:
        rows = self.rows(both(self.registers[op.SOUND], ~mask_of(holds)))
        super().refuse_unless(holds)
        if len(rows):
            values = {register: self.values(register, rows) for register in self.checks[self.at].registers()}
            self.rejected.append((self.at, rows, values))
