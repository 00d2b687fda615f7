"""The LLVM back end: a compiled interpreter of all programs, and a loop specialised for one when that pays."""

import ast
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from threading import local
from typing import Any

import numpy as np

from wireloom.backends.interface import Memory, RecordLengths, RecordsToRead, RowsToWrite, Runner
from wireloom.backends.llvm import kernel, write_kernel
from wireloom.backends.llvm.specialization import UNSOUND, Fused, framed
from wireloom.backends.llvm.tiles import TILE
from wireloom.buffers import Array
from wireloom.loops import accel, memory
from wireloom.loops.compiled import term
from wireloom.programs import opcodes as op

PAYS = 1 << 18
"""A loop is made for a program that was followed for so many rows."""
KEPT_PAYS = 1 << 14
"""The same if it is kept from an earlier process."""

Loop = Callable[..., int]

_FOLLOW = """
def follow(
    starts: Array, stops: Array, places: Array, records: int, sound: int, out: Array, written: Amounts, safe: int,
    end: int,
) -> None:
    begin
    for row in range(records):
        r0, r1, r2, r3 = starts[row], stops[row], 1, 1
        its_place = places[row]
        body
        put1(sound + row, 1)
    keep
    finish
"""
_REFUSE = """
put1(sound + row, 0)
continue
"""
_FIND = """
def find(
    data: int, extent: int, place: int, last: int, bound: int, most: int, starts: Array, select: Array, out: Array,
    written: Amounts, safe: int, end: int,
) -> int:
    begin
    its_place = 0
    while its_place < most and place <= last:
        length = 0
        measure
        if length <= 0 or length > bound or length > extent - place:
            break
        r0, r1, r2, r3 = data + place, data + place + length, 1, 1
        body
        keep
        starts[its_place] = place
        its_place += 1
        place += length
    starts[its_place] = place
    finish
    return its_place
"""
_WRITE = """
def write(
    rows: Array, places: Array, ends: Array, sound: int, out: Array, written: Amounts, safe: int, first: int, last: int,
) -> None:
    begin
    for row in range(first, last):
        its_rows, its_place = rows[row], places[row]
        r0, r1, r2, r3 = ends[its_rows], ends[its_rows + 1], 1, 1
        body
        put1(sound + its_rows, 1)
    keep
    finish
"""
_REFUSE_WRITTEN = """
put1(sound + its_rows, 0)
continue
"""


class _Scratch(local):
    """Registers of a thread, which no program expects to begin as anything."""

    registers = np.zeros((0, TILE), np.int64)


_SCRATCH = _Scratch()


def _registers(count: int) -> Array:
    if len(_SCRATCH.registers) < count:
        _SCRATCH.registers = np.zeros((count, TILE), np.int64)
    return _SCRATCH.registers


class LlvmRunner:
    """A program executed by the compiled interpreter, and by loops of its own, each made when it pays."""

    def __init__(self, code: Array, registers: int) -> None:
        self.code = code
        self.registers = registers
        self._rows = 0
        self._made: dict[str, Loop | None] = {}

    def read(self, records: RecordsToRead, memory: Memory) -> None:
        count = len(records.places)
        ranges = records.start, records.stop, records.places, count, records.sound.ctypes.data
        buffers = memory.addresses, memory.amounts, memory.zeros.ctypes.data, records.end
        if (loop := self.reading(count)) is not None:
            loop(*ranges, *buffers)
        else:
            kernel.compiled()(self.code, len(self.code), *ranges, _registers(self.registers), *buffers)

    def write(self, rows: RowsToWrite, memory: Memory) -> Callable[[int, int], object]:
        given = rows.rows, rows.places, rows.ends, rows.sound.ctypes.data
        buffers = memory.addresses, memory.amounts, memory.zeros.ctypes.data
        if (loop := self.writing(len(rows.rows))) is not None:
            return accel.bound(loop, *given, *buffers)
        interpreter = write_kernel.compiled()
        return accel.bound(interpreter, self.code, len(self.code), _registers(self.registers), *given, *buffers)

    def reading(self, rows: int) -> Loop | None:
        """Reads records; None as long as the interpreter is to read these ``rows``."""
        return self._loop("follow", rows, lambda: self._framed(_FOLLOW, kernel.step, {UNSOUND: _REFUSE}))

    def scan(self, rows: int, lengths: RecordLengths) -> Loop | None:
        """Frames records one behind the other, and reads them up to the first that is not sound."""
        if lengths.ends:
            return None

        def source() -> ast.FunctionDef:
            return self._framed(_FIND, kernel.step, {UNSOUND: "break", "measure": _measured(lengths)})

        return self._loop(f"find.{lengths.digest}", rows, source)

    def writing(self, rows: int) -> Loop | None:
        """Writes rows of a table."""
        return self._loop("write", rows, lambda: self._framed(_WRITE, write_kernel.step, {UNSOUND: _REFUSE_WRITTEN}))

    def _loop(self, kind: str, rows: int, source: Callable[[], ast.FunctionDef]) -> Loop | None:
        self._rows += rows
        if kind not in self._made and self._rows >= min(PAYS, KEPT_PAYS):
            name = f"{kind}.{sha256(self.code.tobytes()).hexdigest()[:32]}"
            if self._rows >= PAYS or accel.is_kept(name):
                try:
                    self._made[kind] = compiled_loop(name, source)
                except (OSError, RuntimeError):  # another version was installed meanwhile, in place of this one
                    self._made[kind] = None
        return self._made.get(kind)

    def _framed(self, frame: str, step: Any, parts: Mapping[str, str]) -> ast.FunctionDef:
        fused = Fused(self.code, step)
        amounts = [(f"{number}_{part}", f"written[{number}, {part}]") for number, part in sorted(fused.amounts)]
        keep = [f"k{name} = w{name}" for name, _ in amounts]
        begin = [f"o{number} = out[{number}]" for number in sorted(fused.outputs)]
        begin += [f"w{name} = {place}" for name, place in amounts]
        lines: dict[str, list[str]] = {
            "begin": begin + keep,
            "keep": keep,
            "finish": [f"{place} = k{name}" for name, place in amounts],
        }
        texts = {**parts, **{name: "\n".join(each) for name, each in lines.items()}}
        return framed(frame, {"body": fused.body, **{name: ast.parse(text).body for name, text in texts.items()}})


class LlvmBackend:
    """Machine code. It is ready when a process has read so much that loading LLVM pays."""

    rank = 10

    def can_load(self, kinds: frozenset[int]) -> bool:
        return bool(accel.WORTH) and op.FOREIGN.isdisjoint(kinds)

    def load(self, code: Array, registers: int) -> Runner:
        return LlvmRunner(code, registers)


def compiled_loop(name: str, source: Callable[[], ast.FunctionDef]) -> Loop:
    """The loop of a source, which is asked for if no code of that name is kept."""
    return accel.loaded(name, source, NAMES, vectorized=False)


NAMES: Mapping[str, Any] = {**vars(memory), "term": term, **vars(write_kernel), **vars(kernel)}
"""What the names stand for that loops do not say themselves."""


def _measured(lengths: RecordLengths) -> str:
    """How the length of a record is found."""
    _, _, constants, begins, terms = lengths.terms
    if lengths.selector < 0:
        return "\n".join(_lengths(int(constants[0]), terms.tolist()))
    lines = [f"which = select[u1(data + place + {lengths.selector})]"]
    for index, constant in enumerate(constants.tolist()):
        lines.append(f"if which == {index}:")
        lines += [f"    {line}" for line in _lengths(constant, terms[begins[index] : begins[index + 1]].tolist())]
    return "\n".join(lines)


def _lengths(constant: int, terms: list[list[int]]) -> Iterator[str]:
    yield f"length = {constant}"
    yield "first = place"
    for _, form, offset, size, signed, little, factor, of_size, shift, mask in terms:
        yield f"number, taken = term(data, extent, first + {offset}, {form}, {size}, {signed}, {little})"
        if form > 0:
            yield f"first += {offset} + taken"
        yield f"length += (number >> {shift} & {mask}) * {factor} + taken * {of_size}"
