"""The numpy back end: a program followed for a batch of records, each instruction for all of its rows at once.

It gives the same rows, columns and refusals as the loops that LLVM compiles. What an instruction means is said in
``opcodes``. A register here is an array with a value for each row, or a numpy scalar if all rows have the same; a
mask is one of booleans.

Programs say where bytes are by their addresses, in buffers that need not have anything to do with each other. So numpy
is given one view of the whole address space, from which it gathers as from any array. Programs check that bytes are
there before they read them, and numpy reads nothing else.
"""

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from wireloom.codec.checksums import Totals
from wireloom.codec.compression import COMPRESSORS, DamagedError, OverflowingError
from wireloom.columnar import buffers, checksums, crc_loops
from wireloom.columnar.buffers import LARGEST, Array, ragged
from wireloom.columnar.meanings import texts_of
from wireloom.programs import opcodes as op
from wireloom.programs import write_opcodes as write_op
from wireloom.programs.octets import lowest, masked, sought_in, transcoded, without
from wireloom.programs.values import MEANINGS, SIZES

TILE = 1 << 14
"""Rows that are followed together: enough to forget what a call of numpy costs, and few enough for the cache."""
FIRST_ADDRESS = 1 << 12
"""No buffer is in the first page."""
_SPAN = (1 << 47) - (1 << 14)
_FEW, _TURNS = 64, 64
"""After so many turns of a loop, rows that go on are given up if turns were of so few rows that they do not pay."""
_CLOSE = 64
"""Numbers that lie within so many bytes are gathered together."""
_SPARSE, _SEARCHED = 4, 1 << 24
"""Records are searched together if the bytes from the first to the last are so many times theirs, and so many, at most.
"""
_FEW_TEXTS = 256
"""The bytes of so many texts are gathered one by one, of more of them text by text."""
_NOWHERE = 1 << 62
"""An address behind all others."""
_MEMORY = np.ctypeslib.as_array((ctypes.c_uint8 * _SPAN).from_address(FIRST_ADDRESS))
_DIGITS = np.full((2, 256), 255, np.uint8)
"""What each byte is as a digit, with small letters and with capital ones."""
_DIGITS[:, ord("0") : ord("9") + 1] = range(10)
_DIGITS[0, ord("a") : ord("z") + 1] = _DIGITS[1, ord("A") : ord("Z") + 1] = range(10, 36)

Register = Any
"""An array of 64-bit integers or booleans, or a numpy scalar of them."""


def addressed(kind: str) -> Array:
    """The values of a type at each address from ``FIRST_ADDRESS`` on."""
    return np.ndarray((_SPAN - max(2 * _CLOSE, np.dtype(kind).itemsize),), kind, _MEMORY, strides=(1,))


_LOADS = {
    op.LOAD_1: "u1",
    op.LOAD_2: "<u2",
    op.LOAD_2_BIG: ">u2",
    op.LOAD_4: "<u4",
    op.LOAD_4_BIG: ">u4",
    op.LOAD_8: "<i8",
    op.LOAD_8_BIG: ">i8",
}
ADDRESSED = {kind: addressed(kind) for kind in _LOADS.values()}
_TRUE, _ZERO = np.True_, np.int64(0)


def memory(address: int, count: int, kind: str) -> Array:
    """So many values of a type from an address on."""
    return np.ndarray((count,), kind, _MEMORY, offset=int(address) - FIRST_ADDRESS)


def mask_of(value: Register) -> Register:
    """A register as a mask."""
    return value if value.dtype == bool else value != 0


def number_of(value: Register) -> Register:
    """A register as numbers."""
    return value.astype(np.int64) if value.dtype == bool else value


def is_set(mask: Register) -> bool:
    """Whether a mask is set in all rows."""
    return bool(np.count_nonzero(mask) == mask.size)


def both(one: Register, other: Register) -> Register:
    """Where both masks are set."""
    if not one.ndim:
        return other if one else np.False_
    if not other.ndim:
        return one if other else np.False_
    return one & other


Calls = list[tuple[Callable[..., int | None], tuple[Any, ...]]]
"""The method that follows each instruction, and its operands."""
Methods = Mapping[int, Callable[..., int | None]]
"""What follows each instruction."""


class Tile:
    """Some rows of a batch while a program is followed.

    ``place`` are theirs among the rows of the outputs, which are at the addresses ``out``; ``written`` is how much of
    each output is. At ``safe`` are zeros; the buffer of the records ends at ``end``.
    """

    def __init__(
        self, start: Array, stop: Array, place: Array, out: Array, written: Array, safe: int, end: int
    ) -> None:
        self.count = len(start)
        self.place = place
        self.first, self.after = (int(place[0]), int(place[-1]) + 1) if self.count else (0, 0)
        self.targets: slice | Array = slice(None) if self.after - self.first == self.count else place - self.first
        """Their places behind the first one."""
        self.out = out
        self.written = written
        self.safe = np.int64(safe)
        self.size = int((stop - start).sum())
        self.begin, self.last = (int(start.min()), min(int(stop.max()), end)) if self.count else (0, 0)
        self.end = end
        self.regions = [(self.begin, end)]
        """Ranges of addresses, each within one buffer: from the first record to the end of all, and what was written
        in place of other bytes. Between two of them memory may not be read.
        """
        self.registers: dict[int, Register] = {op.START: start, op.STOP: stop, op.SOUND: _TRUE, op.ONES: _TRUE}
        self._gathered: dict[int, tuple[Array, int, Array]] = {}
        self._copied: tuple[Array, Array, Array] | None = None
        self.at = 0
        """The instruction that is followed."""
        self.lists: list[tuple[int, Array, Array, Array]] | None = None
        """In a turn of a loop, the places of lists to write, with their rows, and where they start and stop."""
        self._found: dict[bytes, Array] = {}

    def follow(self, calls: Calls, first: int = 0) -> Register:
        """Follow instructions of a program, from its ``first`` on; returns the mask of the rows that are sound."""
        self.at, last = first, first + len(calls)
        while self.at < last:
            do, operands = calls[self.at - first]
            self.at += 1 + (do(self, *operands) or 0)
        return self.registers[op.SOUND]

    def forget(self) -> None:
        """Bytes that were read are written."""
        self._gathered.clear()
        self._copied = None
        self._found.clear()

    def refuse_unless(self, holds: Register) -> None:
        """Rows in which it does not hold are not sound."""
        if not is_set(holds):
            self.registers[op.SOUND] = both(self.registers[op.SOUND], holds)

    def wanted(self, when: int, *also: Register) -> Array:
        """The sound rows in which a mask is set, and others are."""
        found = both(mask_of(self.registers[when]), self.registers[op.SOUND])
        return self.rows(found, *also)

    def rows(self, found: Register, *also: Register) -> Array:
        """The rows in which masks are set."""
        for each in also:
            found = both(found, each)
        if not found.ndim:
            return buffers.row_numbers(self.count if found else 0)
        return buffers.row_numbers(self.count) if is_set(found) else found.nonzero()[0]

    def values(self, register: int, rows: Array) -> Array:
        """The values of some rows."""
        found = number_of(self.registers[register])
        if not found.ndim:
            return np.full(len(rows), found)
        values: Array = found if len(rows) == self.count else found.take(rows)
        return values

    def whole(self, rows: Array, values: Array, other: Register) -> Array:
        """Values of some rows, and those of another register in all others."""
        if len(rows) == self.count:
            return values
        found = np.full(self.count, other)
        found[rows] = values
        return found

    def sound_where(self, rows: Array, good: Array) -> None:
        """Some rows are sound where that is ``good``."""
        if not is_set(good):
            self.refuse_unless(self.whole(rows, good, np.True_))

    # what computes

    def number(self, d: int, number: int) -> None:
        """See ``opcodes``, as for the other methods that instructions have."""
        self.registers[d] = np.int64(number)

    def divide(self, d: int, a: int, b: int) -> None:
        self._quotient(np.floor_divide, d, a, b)

    def modulo(self, d: int, a: int, b: int) -> None:
        self._quotient(np.remainder, d, a, b)

    def _quotient(self, function: np.ufunc, d: int, a: int, b: int) -> None:
        by = number_of(self.registers[b])
        there = by != 0
        self.registers[d] = np.where(there, function(number_of(self.registers[a]), np.where(there, by, 1)), 0)

    def negate(self, d: int, a: int) -> None:
        self.registers[d] = ~mask_of(self.registers[a])

    def choose(self, d: int, a: int, b: int, c: int) -> None:
        mask = mask_of(self.registers[a])
        one, other = self.registers[b], self.registers[c]
        if is_set(mask):
            self.registers[d] = one
        else:
            self.registers[d] = np.where(mask, one, other) if np.count_nonzero(mask) else other

    def look_up(self, d: int, a: int, n: int, size: int) -> None:
        number = number_of(self.registers[a])
        table = memory(self.out[n], size, "<u4")
        inside = (number >= 0) & (number < size)
        if is_set(inside):
            self.registers[d] = table[number].astype(np.int64)
        else:
            found = table[np.where(inside, number, 0)].astype(np.int64) if size else number
            self.registers[d] = np.where(inside, found, -1)

    def sign(self, d: int, a: int, bits: int) -> None:
        high = 1 << bits - 1
        self.registers[d] = ((number_of(self.registers[a]) & (high + high - 1)) ^ high) - high

    # what reads

    def load(self, d: int, a: int, offset: int, kind: int, least: int, most: int) -> None:
        """Numbers that lie near each other, from ``least`` to before ``most``, are gathered together, once."""
        base, name = self.registers[a], _LOADS[kind]
        if most - least > _CLOSE or most - least == np.dtype(name).itemsize:
            self.registers[d] = ADDRESSED[name][base + (offset - FIRST_ADDRESS)].astype(np.int64)
            return
        known = self._gathered.get(a)
        if known is None or known[0] is not base or known[1] != least or known[2].shape[1] != most - least:
            octets = (
                addressed(f"V{most - least}")[base + (least - FIRST_ADDRESS)]
                .view(np.uint8)
                .reshape(self.count, most - least)
            )
            known = self._gathered[a] = base, least, octets
        octets = known[2]
        found = np.ndarray((self.count,), name, octets, offset - least, (most - least,))
        self.registers[d] = found.astype(np.int64)

    def load_odd(self, d: int, a: int, offset: int, size: int, big: int) -> None:
        at = self.registers[a] + (offset - FIRST_ADDRESS)
        value: Register = _ZERO
        for byte in range(size) if big else range(size - 1, -1, -1):
            value = value << 8 | ADDRESSED["u1"][at + byte].astype(np.int64)
        self.registers[d] = value

    def given(self, d: int, n: int) -> None:
        self.registers[d] = memory(self.out[n], self.after, "<i8")[self.place]

    # what judges

    def need(self, d: int, a: int, b: int, c: int, size: int) -> None:
        at, where = self.registers[a], mask_of(self.registers[c])
        where = self._there(where, at + size <= self.registers[b])
        self.registers[d] = self._at(where, at)

    def take(self, d: int, e: int, a: int, b: int, c: int, f: int) -> None:
        at, size, where = self.registers[a], number_of(self.registers[b]), mask_of(self.registers[f])
        where = self._there(where, (size >= 0) & (size <= self.registers[c] - at))
        self.registers[d], self.registers[e] = self._at(where, at), self._at(where, at + size)

    def _there(self, where: Register, fits: Register) -> Register:
        """Reject the rows of a mask in which bytes do not fit; in which rows they may be read. Places that follow from
        where records stop may be before those that are rejected.
        """
        if not is_set(fits):
            self.refuse_unless(fits | ~where)
            where = both(where, fits)
        return both(where, self.registers[op.SOUND])

    def _at(self, where: Register, at: Register) -> Register:
        """A place where that is wanted, else that of zeros."""
        if is_set(where):
            return at
        return np.where(where, at, self.safe) if where.ndim else np.full(self.count, self.safe)

    def varint(self, d: int, e: int, a: int, b: int, c: int, bits: int, form: int) -> None:
        rows = self.wanted(c)
        at, limit = self.values(a, rows), self.values(b, rows)
        value, size, good = self._quic(at, limit, bits) if form == op.QUIC else self._groups(at, limit, bits, form)
        self.sound_where(rows, good)
        self.registers[d], self.registers[e] = self.whole(rows, value, _ZERO), self.whole(rows, at + size, self.safe)

    def _groups(self, at: Array, limit: Array, bits: int, form: int) -> tuple[Array, Array, Array]:
        """Numbers in groups of seven bits, how many bytes they have, and whether they are as they must be."""
        value, size = np.zeros(len(at), np.int64), np.zeros(len(at), np.int64)
        byte, last = np.full(len(at), 0x80, np.uint8), np.zeros(len(at), np.uint8)
        going, good = np.ones(len(at), bool), np.ones(len(at), bool)
        for place in range(10):
            going &= at + place < limit
            if not going.any():
                break
            last = np.where(going, byte, last)
            byte = np.where(going, self._octets(at + place, going), byte)
            group = (byte & 0x7F).astype(np.int64)
            if form == op.VLQ:
                good &= ~going | ((byte != 0x80) if place == 0 else value >> 57 == 0)
                value = np.where(going, value << 7 | group, value)
            else:
                value |= np.where(going, group << 7 * place, 0)
            size += going
            going &= byte >= 0x80
        good &= byte < 0x80
        if form == op.SIGNED_LEB128:
            value |= np.where((byte & 0x40 != 0) & (size < 10), np.int64(-1) << 7 * size, 0)
            good &= (size == 1) | (byte != np.where(last & 0x40, 0x7F, 0))
            good &= (size < 10) | (byte == 0) | (byte == 0x7F)
            return value, size, good & (value >> bits - 1 == value >> 63)
        if form == op.LEB128:
            good &= (size == 1) | (byte != 0)
            good &= (size < 10) | (byte == 1)
        return value, size, good if bits == 64 else good & (value >> bits == 0)

    def _quic(self, at: Array, limit: Array, bits: int) -> tuple[Array, Array, Array]:
        """The same for the form of QUIC, in which the two highest bits say how many bytes there are."""
        first = self._octets(at, at < limit).astype(np.int64)
        size = np.int64(1) << (first >> 6)
        good, value = (at < limit) & (at + size <= limit), first & 0x3F
        for place in range(1, 8):
            mine = good & (place < size)
            value = np.where(mine, value << 8 | self._octets(at + place, mine), value)
        good &= (size == 1) | (value >> 4 * size - 2 != 0)
        return value, size, good & (value >> bits == 0)

    def _octets(self, at: Array, there: Array) -> Array:
        """The bytes at some places, 0 where they are not ``there``."""
        found: Array = ADDRESSED["u1"][np.where(there, at, self.safe) - FIRST_ADDRESS]
        return found

    def find(self, d: int, a: int, b: int, c: int, wanted: int, size: int, needed: int, unit: int) -> None:
        rows = self.wanted(c, self.registers[a] <= self.registers[b])
        at, stop = self.values(a, rows), self.values(b, rows)
        sought = lowest(wanted, size)
        if unit == 1:
            found = self._next(sought, at, stop)
        else:
            spans = zip(at.tolist(), stop.tolist(), strict=True)
            offsets = [sought_in(ctypes.string_at(begin, end - begin), sought, unit) for begin, end in spans]
            places = np.array(offsets, np.int64)
            found = np.where(places < 0, _NOWHERE, at + places)
        missing = found + size > stop
        if needed:
            self.sound_where(rows, ~missing)
        self.registers[d] = self.whole(rows, np.where(missing, stop, found), self.safe)

    def _next(self, wanted: bytes, start: Array, stop: Array) -> Array:
        """Where some bytes are next from each ``start`` on, behind ``stop`` if they are not before it. No range is
        negative.
        """
        if not len(start):
            return start
        widest = max(int((stop - start).max()), len(wanted))
        if widest <= _CLOSE:
            octets, begins, _ = self._buffer(start, stop)
            near = buffers.windows(octets, begins, widest).view(np.uint8).reshape(-1, widest)
            hits = near[:, : widest - len(wanted) + 1] == wanted[0]
            for offset, byte in enumerate(wanted[1:], start=1):
                hits &= near[:, offset : offset + hits.shape[1]] == byte
            first = hits.argmax(axis=1)
            return np.where(hits[np.arange(len(start)), first], start + first, _NOWHERE)
        low, high = int(start.min()), int(stop.max())
        found: Array
        if self.begin <= low and high <= self.last and self.last - self.begin <= min(_SPARSE * self.size, _SEARCHED):
            if wanted not in self._found:
                self._found[wanted] = _following(memory(self.begin, self.last - self.begin, "u1"), wanted)
            found = self._found[wanted][start - self.begin] + np.int64(self.begin)
        else:
            octets, begins, _ = self._buffer(start, stop)
            places = np.append(buffers.places(octets, wanted), _NOWHERE)
            found = places[places.searchsorted(begins)] + (start - begins)
        return found

    def check(self, a: int, b: int) -> None:
        holds = mask_of(self.registers[a])
        if not is_set(holds):
            self.refuse_unless(holds | ~mask_of(self.registers[b]))

    def check_text(self, a: int, b: int, c: int, is_ascii: int) -> None:
        rows = self.wanted(c, self.registers[a] < self.registers[b])
        start, stop = self.values(a, rows), self.values(b, rows)
        octets, ends = self.gathered(start, stop), (stop - start).cumsum()
        high = (octets >= 0x80).nonzero()[0]
        if not len(high) or (not is_ascii and _is_text(bytes(octets)) and is_set(octets[ends[:-1]] & 0xC0 != 0x80)):
            return
        good = np.ones(len(rows), bool)
        for row in np.unique(ends.searchsorted(high, "right")).tolist():
            good[row] = not is_ascii and _is_text(ctypes.string_at(int(start[row]), int(stop[row] - start[row])))
        self.sound_where(rows, good)

    def check_bytes(self, a: int, b: int, c: int, d: int, f: int) -> None:
        rows = self.wanted(f)
        at, stop, other, end = (self.values(each, rows) for each in (a, b, c, d))
        good = stop - at == end - other
        sizes = (stop - at) * good
        differs = np.flatnonzero(
            ADDRESSED["u1"][ragged(at - FIRST_ADDRESS, sizes)] != ADDRESSED["u1"][ragged(other - FIRST_ADDRESS, sizes)]
        )
        good[np.searchsorted(np.cumsum(sizes), differs, "right")] = False
        self.sound_where(rows, good)

    def crc(self, d: int, a: int, b: int, n: int, register: int) -> None:
        """The tables say whether bits are reversed."""
        rows = self.wanted(op.ONES, self.registers[a] < self.registers[b])
        found = np.full(len(rows), register)
        if len(rows):
            buffer, start, stop = self._buffer(self.values(a, rows), self.values(b, rows))
            summed = checksums.registers(crc_loops.ALGORITHMS[int(self.out[n])], buffer, start, stop)
            found = summed.astype(np.uint64).view(np.int64)
        self.registers[d] = self.whole(rows, found, np.int64(register))

    def digits(self, d: int, a: int, b: int, c: int, base: int, least: int, form: int) -> None:
        rows = self.wanted(c)
        at, stop = self.values(a, rows), self.values(b, rows)
        sizes = stop - at
        good = (sizes >= max(1, least)) & (sizes <= 1 + op.MOST_DIGITS)
        value, sign = np.zeros(len(rows), np.int64), np.zeros(len(rows), bool)
        width = int(sizes[good].max(initial=0))
        if width:
            octets, begins, _ = self._buffer(at, np.maximum(at, stop))
            digits = buffers.windows(octets, begins, width).view(np.uint8).reshape(-1, width)
            if form & 1:
                sign = digits[:, 0] == ord("-")
            first = np.where(sign, digits[:, min(1, width - 1)], digits[:, 0])
            good &= (first != ord("0")) | (sizes == least)
            digits = _DIGITS[form >> 1].take(digits)
            for place in range(width):
                inside = (place < sizes) & ~(sign & (place == 0))
                good &= (digits[:, place] < base) | ~inside
                value = np.where(inside, value * base + digits[:, place], value)
        count = sizes - sign
        good &= (count > 0) & (count <= op.MOST_DIGITS) & ~(sign & (value == 0))
        self.sound_where(rows, good)
        self.registers[d] = self.whole(rows, np.where(sign, -value, value), _ZERO)

    def same(self, d: int, a: int, b: int, n: int, size: int) -> None:
        rows = self.wanted(op.ONES, np.equal(self.registers[b] - self.registers[a], size))
        octets = addressed(f"V{size}")[self.values(a, rows) - FIRST_ADDRESS].view(np.uint8).reshape(-1, size)
        good = np.ones(len(rows), bool)
        for place, byte in enumerate(memory(self.out[n], size, "u1").tolist()):
            good &= octets[:, place] == byte
        self.registers[d] = self.whole(rows, good, np.False_)

    def trim(self, d: int, a: int, b: int, c: int, padding: int, size: int) -> None:
        rows = self.wanted(c, self.registers[a] < self.registers[b])
        at, stop = self.values(a, rows), self.values(b, rows)
        if size > 1:
            removed = lowest(padding, size)
            spans = zip(at.tolist(), stop.tolist(), strict=True)
            sizes = [len(without(ctypes.string_at(begin, end - begin), removed)) for begin, end in spans]
            trimmed = at + np.array(sizes, np.int64)
        else:
            octets, ends = self.gathered(at, stop), np.cumsum(stop - at)
            others = np.flatnonzero(octets != padding) + 1
            last = np.append(0, others)[np.searchsorted(others, ends, "right")]  # after the last one up to each end
            trimmed = np.maximum(at, stop - (ends - last))
        self.registers[d] = self.whole(rows, trimmed, number_of(self.registers[a]))

    def total(self, d: int, a: int, b: int, c: int, modulus: int, initial: int, shift: int) -> None:
        rows = self.wanted(c, self.registers[a] < self.registers[b])
        algorithm = Totals(2 * shift, modulus, twice=shift != 0, initial=initial)
        found = np.zeros(0, np.int64)
        if len(rows):
            buffer, start, stop = self._buffer(self.values(a, rows), self.values(b, rows))
            found = checksums.totals(algorithm, buffer, start, stop)
        self.registers[d] = self.whole(rows, found, np.int64(initial % modulus))

    def unpack(self, d: int, e: int, a: int, b: int, c: int, n: int, most: int) -> None:
        expand = COMPRESSORS["snappy"].unpack
        self._changed(d, e, a, b, c, n, lambda octets, room: expand(octets, min(room, most)))

    def mask(self, d: int, e: int, a: int, b: int, c: int, f: int, n: int, size: int) -> None:
        keys = iter(self.values(f, self.wanted(c)).tolist())
        self._changed(d, e, a, b, c, n, lambda octets, room: _roomy(masked(octets, next(keys), size), room))

    def expand(self, d: int, e: int, a: int, b: int, c: int, n: int, most: int, kind: int) -> None:
        unpack = tuple(COMPRESSORS.values())[kind].unpack
        self._changed(d, e, a, b, c, n, lambda octets, room: unpack(octets, min(room, most)))

    def transcode(self, d: int, e: int, a: int, b: int, c: int, n: int, m: int, size: int) -> None:
        encoding = memory(self.out[m], size, "u1").tobytes().decode()
        self._changed(d, e, a, b, c, n, lambda octets, room: _roomy(transcoded(octets, encoding), room))

    def translate(self, d: int, e: int, a: int, b: int, c: int, n: int, m: int) -> None:
        rows = self.wanted(c, self.registers[a] < self.registers[b])
        start, stop = self.values(a, rows), self.values(b, rows)
        octets, ends = self.gathered(start, stop), np.cumsum(stop - start)
        table = memory(self.out[m], 4 * 256, "u1").reshape(256, 4)
        sizes = table[:, 3][octets]
        used, room = self.written[n].tolist()
        good = np.ones(len(rows), bool)
        good[np.searchsorted(ends, np.flatnonzero(sizes == 0), "right")] = False
        if (sizes == 1).all():
            text = table[:, 0][octets]
        else:
            behind = np.append(0, np.cumsum(sizes, dtype=np.int64))
            text = np.empty(int(behind[-1]), np.uint8)
            for place in range(int(sizes.max())):
                longer = np.flatnonzero(sizes > place)
                text[behind[longer] + place] = table[:, place][octets[longer]]
            ends = behind[ends]
        good &= used + ends <= room
        text = text[: room - used]
        memory(self.out[n] + used, len(text), "u1")[:] = text
        self._become(d, e, a, b, n, rows, ends, good)

    def _changed(self, d: int, e: int, a: int, b: int, c: int, n: int, change: Callable[[bytes, int], bytes]) -> None:
        """Write what becomes of bytes to an output, which has so much room left."""
        rows = self.wanted(c)
        used, room = self.written[n].tolist()
        good, pieces = np.ones(len(rows), bool), []
        spans = zip(self.values(a, rows).tolist(), self.values(b, rows).tolist(), strict=True)
        for place, (start, stop) in enumerate(spans):
            try:
                octets = change(ctypes.string_at(start, stop - start), room - used)
            except (DamagedError, OverflowingError, ValueError):
                good[place], octets = False, b""
            pieces.append(octets)
            used += len(octets)
        ends = np.cumsum(np.fromiter(map(len, pieces), np.int64, len(pieces)))
        text = b"".join(pieces)
        ctypes.memmove(int(self.out[n]) + int(self.written[n, 0]), text, len(text))
        self._become(d, e, a, b, n, rows, ends, good)

    def _become(self, d: int, e: int, a: int, b: int, n: int, rows: Array, ends: Array, good: Array) -> None:
        """Let what was written to an output, up to each of the ``ends``, be in place of the bytes of some rows."""
        begin = int(self.out[n]) + int(self.written[n, 0])
        if len(ends):
            self.regions.append((begin, begin + int(ends[-1])))
        self.sound_where(rows, good)
        sound = self.registers[op.SOUND]
        for to, given, found in ((d, a, np.append(0, ends)[:-1]), (e, b, ends)):
            place = self.whole(rows, begin + found, number_of(self.registers[given]))
            self.registers[to] = self._at(sound, place)
        if len(ends):
            self.written[n, 0] = min(self.written[n, 0] + ends[-1], self.written[n, 1])

    def fill(self, d: int, e: int, a: int, b: int, c: int, n: int, size: int) -> None:
        """Bytes that are enough stay where they are."""
        start, stop = number_of(self.registers[a]), number_of(self.registers[b])
        rows = self.wanted(c, stop - start < size)
        used, room = self.written[n].tolist()
        fits = np.arange(1, len(rows) + 1) * size <= room - used
        self.sound_where(rows, fits)
        rows = rows[fits]
        many, begin = len(rows), int(self.out[n]) + used
        if many:
            octets, begins, ends = self._buffer(self.values(a, rows), self.values(b, rows))
            filled = memory(begin, many * size, "u1").reshape(many, size)
            filled[:] = buffers.windows(octets, begins, size).view(np.uint8).reshape(many, size)
            filled[np.arange(size) >= (ends - begins)[:, None]] = 0
            self.regions.append((begin, begin + filled.size))
        self.written[n, 0] = used + many * size
        at = begin + size * np.arange(many)
        sound = self.registers[op.SOUND]
        self.registers[d] = self._at(sound, self.whole(rows, at, start))
        self.registers[e] = self._at(sound, self.whole(rows, at + size, stop))

    def skip(self, a: int, count: int) -> int:
        return 0 if np.count_nonzero(self.registers[a]) else count

    def repeat(
        self, a: int, body: Calls, first: int, reads: Sequence[int], carried: Sequence[int], guesses: bool
    ) -> None:
        """All further turns of a loop, each for those rows alone that go on. Its instructions are those from ``first``
        on. It ``reads`` some registers that are set before it, and others are ``carried`` from one turn to the next.

        If it ``guesses``, several turns of a row are taken at once, as if what is carried changed by as much in each of
        them as in the one before. They count up to the first that ends with something else than the next began with.
        """
        rows = self.wanted(a)
        for each in carried:
            self.registers[each] = np.full(self.count, number_of(self.registers[each]))
        steps = {each: np.zeros(self.count, np.int64) for each in carried}
        ahead, turns, done = 1, 0, 0
        while len(rows):
            if turns >= _TURNS and done < _FEW * turns:
                self.sound_where(rows, np.zeros(len(rows), bool))
                return
            several, nth = rows.repeat(ahead), np.tile(np.arange(ahead), len(rows))
            before = {each: self.registers[each][several] + nth * steps[each][several] for each in carried}
            known = {each: value[several] if (value := self.registers[each]).ndim else value for each in reads}
            part = self.some(several, {**known, **before})
            sound = np.broadcast_to(mask_of(part.follow(body, first)), len(several))
            after = {each: part.registers[each] for each in carried}
            counts = _sure(ahead, both(sound, after[a] != 0), before, after)
            last = np.arange(len(rows)) * ahead + counts - 1
            for each in carried:
                self.registers[each][rows] = after[each][last]
                steps[each][rows] = after[each][last] - before[each][last]
            self._take(part, several, nth < counts.repeat(ahead))
            turns, done = turns + 1, done + int(counts.sum())
            rows = rows[sound[last] & (after[a][last] != 0)]
            if guesses and len(rows):
                ahead = max(1, min(2 * int(counts.sum()) // len(counts), TILE // len(rows)))

    def some(self, rows: Array, known: Mapping[int, Register]) -> "Tile":
        """Some of the rows in a turn of a loop, with registers of these values."""
        start, stop = self.registers[op.START][rows], self.registers[op.STOP][rows]
        found = self.like(start, stop, self.place[rows], self.out, self.written, int(self.safe), self.end)
        found.registers |= known
        found.regions = self.regions
        found.lists = []
        return found

    def like(self, *arguments: Any) -> "Tile":
        """A tile of the same kind."""
        return Tile(*arguments)

    def _take(self, part: "Tile", rows: Array, taken: Array) -> None:
        """Let what was found in a turn be, where that is ``taken``. It was of these rows."""
        for n, which, start, stop in part.lists or ():
            mine = taken[which]
            self._put_lists(n, rows[which[mine]], start[mine], stop[mine])
        self.refuse(part, rows, taken)

    def refuse(self, part: "Tile", rows: Array, taken: Array) -> None:
        """Rows are not sound in which they are not in a turn, where that is ``taken``."""
        wrong = taken & ~np.broadcast_to(mask_of(part.registers[op.SOUND]), len(rows))
        if wrong.any():
            sound = np.ones(self.count, bool)
            sound[rows[wrong]] = False
            self.registers[op.SOUND] = both(self.registers[op.SOUND], sound)

    # what writes

    def store(self, a: int, n: int, kind: int) -> None:
        self._put(n, number_of(self.registers[a]), _STORES[kind], 1)

    def store_unsigned(self, a: int, n: int) -> None:
        self._put(n, number_of(self.registers[a]), "<i8", 2)
        self._put(n, _ZERO, "<i8", 2, 1)

    def store_signed(self, a: int, n: int) -> None:
        number = number_of(self.registers[a])
        self._put(n, number, "<i8", 2)
        self._put(n, number >> 63, "<i8", 2, 1)

    def _put(self, n: int, value: Register, kind: str, width: int, part: int = 0) -> None:
        first, count = self.first * width, (self.after - self.first) * width
        to = memory(self.out[n] + first * np.dtype(kind).itemsize, count, kind)
        to[part::width][self.targets] = value

    def store_bit(self, a: int, n: int) -> None:
        self._set_bits(n, mask_of(self.registers[a]))

    def _set_bits(self, n: int, mask: Register) -> None:
        first, skipped = divmod(self.first, 8)
        bits = np.zeros(skipped + self.after - self.first, bool)
        bits[skipped:][self.targets] = mask
        packed = np.packbits(bits, bitorder="little")
        memory(self.out[n] + first, len(packed), "u1")[:] |= packed

    def store_bytes(self, a: int, b: int, c: int, n: int) -> None:
        rows = self.wanted(c, self.registers[a] < self.registers[b])
        start, stop = self.values(a, rows), self.values(b, rows)
        self.append(n, rows, stop - start, self.gathered(start, stop))

    def store_spelled(self, a: int, b: int, n: int, way: int) -> None:
        rows = self.wanted(b)
        octets = addressed(f"V{SIZES[way]}")[self.values(a, rows) - FIRST_ADDRESS]
        texts, start, stop = buffers.octets_of(texts_of(MEANINGS[way], octets))
        self.append(n, rows, stop - start, texts[: int(stop[-1]) if len(rows) else 0])

    def store_label(self, a: int, b: int, n: int, m: int, known: int, room: int) -> None:
        codes = number_of(self.registers[a])
        there = both(mask_of(self.registers[b]), (codes >= 0) & (codes < known))
        rows = self.rows(there)
        sizes, octets = self._texts(self.values(a, rows), m, known, room)
        self.append(n, rows, sizes, octets)
        self._set_bits(n + 2, there)

    def store_flags(self, a: int, b: int, n: int, m: int, known: int, room: int, every: int) -> None:
        rows = self.rows(both(mask_of(self.registers[b]), number_of(self.registers[a]) & every != 0))
        codes, numbers = buffers.grouped(self.values(a, rows) & every)
        there = np.array(numbers, np.int64)[:, None] & memory(self.out[m], known, "<i8") != 0
        counts = there.sum(axis=1)
        ends = counts.cumsum()
        items, size = self.written[n : n + 2, 0].tolist()
        self.append(n, rows, counts[codes], None)
        sizes, octets = self._texts(there.nonzero()[1], m + 1, known, room)  # of each number that occurs
        places = np.append(0, sizes.cumsum())
        sizes = sizes[ragged((ends - counts)[codes], counts[codes])]
        first, last = places[ends - counts], places[ends]
        if len(codes) < _FEW_TEXTS:
            octets = octets[ragged(first[codes], (last - first)[codes])]
        else:
            octets, _, _ = buffers.octets_of(buffers.picked(octets, first, last - first, codes))
        memory(self.out[n + 1] + 4 * items, len(sizes), "<i4")[:] = size + sizes.cumsum() - sizes
        memory(self.out[n + 2] + size, len(octets), "u1")[:] = octets
        self.written[n + 1, 0] = size + len(octets)

    def store_list(self, a: int, b: int, c: int, n: int) -> None:
        rows = self.wanted(c, self.registers[a] < self.registers[b])
        self._put_lists(n, rows, self.values(a, rows), self.values(b, rows))

    def _put_lists(self, n: int, rows: Array, start: Array, stop: Array) -> None:
        if self.lists is not None:
            self.lists.append((n, rows, start, stop))
            return
        before = int(self.written[n, 0])
        for number, values in enumerate((start, stop, self.place[rows])):
            memory(self.out[n + number] + 8 * before, len(rows), "<i8")[:] = values
        self.written[n, 0] = before + len(rows)

    def append(self, n: int, rows: Array, sizes: Array, octets: Array | None) -> None:
        """Values of some rows, of so many bytes or items: the offsets of all rows up to the last of them, and bytes."""
        if not len(rows):
            return
        size, done = self.written[n].tolist()
        places = self.place.take(rows)
        last = int(places[-1]) + 1
        ends = size + sizes.cumsum()
        begins = ends - sizes
        if last - done > len(rows):  # a row between two of these begins where the next one does
            begins = begins.repeat(places - np.concatenate(((done - 1,), places[:-1])))
        memory(self.out[n] + 4 * done, last - done, "<i4")[:] = begins
        if octets is not None:
            memory(self.out[n + 1] + size, len(octets), "u1")[:] = octets
        self.written[n] = int(ends[-1]), last

    def _texts(self, codes: Array, m: int, known: int, room: int) -> tuple[Array, Array]:
        """The sizes of texts by their numbers, and their bytes."""
        sizes = memory(self.out[m], known, "<i4").astype(np.int64)
        table = memory(self.out[m + 1], known * room, "u1")
        if len(codes) < _FEW_TEXTS:
            return sizes[codes], table[ragged(codes * room, sizes[codes])]
        if (codes == codes[0]).all():
            first = room * int(codes[0])
            octets = np.tile(table[first : first + int(sizes[codes[0]])], len(codes))
        else:
            octets, _, _ = buffers.octets_of(buffers.picked(table, room * np.arange(known), sizes, codes))
        return sizes[codes], octets

    def gathered(self, start: Array, stop: Array) -> Array:
        """The bytes of ranges that are not empty, one behind the other. Those of a text are checked and then copied, so
        the last ones are kept.
        """
        if self._copied is not None and _are_same(self._copied[0], start) and _are_same(self._copied[1], stop):
            return self._copied[2]
        found = self._gather(start, stop)
        self._copied = start, stop, found
        return found

    def _gather(self, start: Array, stop: Array) -> Array:
        if not len(start):
            return np.zeros(0, np.uint8)
        buffer, start, stop = self._buffer(start, stop)
        octets, begins, ends = buffers.octets_of(buffers.octets(buffer, start, stop, None, None))
        return octets[int(begins[0]) : int(ends[-1])]

    def _buffer(self, start: Array, stop: Array) -> tuple[Array, Array, Array]:
        """A buffer that has the bytes of some ranges, and where it has each. They are copied unless all are in one
        region: what lies between two buffers may not be read.
        """
        low, high = int(start.min()), int(stop.max())
        if high - low < LARGEST and any(begin <= low and high <= end for begin, end in self.regions):
            return memory(low, high - low, "u1"), start - low, stop - low
        sizes = stop - start
        ends = np.cumsum(sizes)
        return ADDRESSED["u1"][ragged(start - FIRST_ADDRESS, sizes)], ends - sizes, ends


def _roomy(octets: bytes, room: int) -> bytes:
    """The same bytes. Raises ``OverflowingError`` if there is no room for them."""
    if len(octets) > room:
        raise OverflowingError
    return octets


def _following(octets: Array, wanted: bytes) -> Array:
    """Where some bytes are next from each place on, or far behind all of them."""
    places = buffers.places(octets, wanted).astype(np.int32)
    counts = np.diff(places, prepend=-1, append=len(octets))
    return np.append(places, np.int32(LARGEST)).repeat(counts)


def _are_same(one: Array, other: Array) -> bool:
    return one is other or np.array_equal(one, other)


def _sure(ahead: int, goes_on: Array, before: Mapping[int, Array], after: Mapping[int, Array]) -> Array:
    """How many of the turns of each row count, of so many that were taken at once."""
    right = goes_on.reshape(-1, ahead)[:, :-1]
    for each, ended in after.items():
        right = right & (ended.reshape(-1, ahead)[:, :-1] == before[each].reshape(-1, ahead)[:, 1:])
    found: Array = 1 + np.logical_and.accumulate(right, axis=1).sum(axis=1)
    return found


def _is_text(octets: bytes) -> bool:
    try:
        octets.decode()
    except UnicodeDecodeError:
        return False
    return True


def _binary(function: np.ufunc) -> Callable[..., None]:
    def do(tile: Tile, d: int, a: int, b: int) -> None:
        tile.registers[d] = function(number_of(tile.registers[a]), number_of(tile.registers[b]))

    return do


def _logical(function: np.ufunc) -> Callable[..., None]:
    """As ``_binary``; what masks have in common is a mask."""

    def do(tile: Tile, d: int, a: int, b: int) -> None:
        tile.registers[d] = function(tile.registers[a], tile.registers[b])

    return do


def _with_number(function: np.ufunc) -> Callable[..., None]:
    def do(tile: Tile, d: int, a: int, n: int) -> None:
        tile.registers[d] = function(number_of(tile.registers[a]), n)

    return do


_STORES = {op.STORE_1: "u1", op.STORE_2: "<i2", op.STORE_4: "<i4", op.STORE_8: "<i8"}
METHODS: Methods = {
    op.NUMBER: Tile.number,
    op.ADD: _binary(np.add),
    op.SUBTRACT: _binary(np.subtract),
    op.MULTIPLY: _binary(np.multiply),
    op.DIVIDE: Tile.divide,
    op.MODULO: Tile.modulo,
    op.AND: _logical(np.bitwise_and),
    op.OR: _logical(np.bitwise_or),
    op.XOR: _logical(np.bitwise_xor),
    op.SHIFT_LEFT: _binary(np.left_shift),
    op.SHIFT_RIGHT: _binary(np.right_shift),
    op.EQUAL: _logical(np.equal),
    op.LESS: _binary(np.less),
    op.LESS_EQUAL: _binary(np.less_equal),
    op.ADD_NUMBER: _with_number(np.add),
    op.MULTIPLY_NUMBER: _with_number(np.multiply),
    op.AND_NUMBER: _with_number(np.bitwise_and),
    op.EQUAL_NUMBER: _with_number(np.equal),
    op.LESS_NUMBER: _with_number(np.less),
    op.MORE_NUMBER: _with_number(np.greater),
    op.NOT: Tile.negate,
    op.CHOOSE: Tile.choose,
    op.LOOK_UP: Tile.look_up,
    op.SIGN: Tile.sign,
    **dict.fromkeys(_LOADS, Tile.load),
    op.LOAD_ODD: Tile.load_odd,
    op.NEED: Tile.need,
    op.TAKE: Tile.take,
    op.VARINT: Tile.varint,
    op.FIND: Tile.find,
    op.CHECK: Tile.check,
    op.CHECK_TEXT: Tile.check_text,
    op.CHECK_BYTES: Tile.check_bytes,
    op.CRC: Tile.crc,
    op.DIGITS: Tile.digits,
    op.SAME: Tile.same,
    op.TRIM: Tile.trim,
    op.SUM: Tile.total,
    op.SKIP: Tile.skip,
    op.REPEAT: Tile.repeat,
    op.GIVEN: Tile.given,
    **dict.fromkeys(_STORES, Tile.store),
    op.STORE_UNSIGNED: Tile.store_unsigned,
    op.STORE_SIGNED: Tile.store_signed,
    op.STORE_BIT: Tile.store_bit,
    op.UNPACK: Tile.unpack,
    op.FILL: Tile.fill,
    op.TRANSLATE: Tile.translate,
    op.MASK: Tile.mask,
    op.EXPAND: Tile.expand,
    op.TRANSCODE: Tile.transcode,
    op.STORE_BYTES: Tile.store_bytes,
    op.STORE_SPELLED: Tile.store_spelled,
    op.STORE_LABEL: Tile.store_label,
    op.STORE_FLAGS: Tile.store_flags,
    op.STORE_LIST: Tile.store_list,
}


SETS = {kind: len(each.sets) for kind, each in write_op.OPCODES.items()}
"""How many registers each instruction sets."""


def calls_of(code: Array, methods: Methods) -> Calls:
    """The calls of a program, with the operands that methods have.

    Loads from one place, of the same block, are told what all of them read.
    """
    rows = code.tolist()
    ends: list[int] = []
    """Where the blocks end that an instruction is in."""
    defined: dict[int, int] = {}
    """Where each register was last set."""
    near: dict[tuple[int, int, tuple[int, ...]], list[tuple[int, int]]] = {}
    keys: dict[int, tuple[int, int, tuple[int, ...]]] = {}
    for place, (kind, *operands) in enumerate(rows):
        while ends and ends[-1] <= place:
            ends.pop()
        if kind in _LOADS:
            register, offset = operands[1:3]
            keys[place] = register, defined.get(register, -1), tuple(ends)
            near.setdefault(keys[place], []).append((offset, offset + np.dtype(_LOADS[kind]).itemsize))
        if kind == op.SKIP:
            ends.append(place + 1 + operands[1])
        defined.update(dict.fromkeys(operands[: SETS[kind]], place))
    found: Calls = []
    for place, (kind, *operands) in enumerate(rows):
        method = methods[kind]
        given = operands[: method.__code__.co_argcount - 1]
        if kind in _LOADS:
            reads = near[keys[place]]
            given = *operands[:3], kind, min(least for least, _ in reads), max(most for _, most in reads)
        elif kind in _STORES:
            given = *operands[:2], kind
        elif kind == op.REPEAT:
            first = place - operands[1]
            body = rows[first:place]
            given = operands[0], found[first:], first, *_lasting(body), all(kind in _GUESSED for kind, *_ in body)
        found.append((method, tuple(given)))
    return found


_GUESSED = {kind for kind, known in op.OPCODES.items() if known.sets or kind in op.JUDGING} - op.CHANGING
_GUESSED |= {op.SKIP, op.REPEAT, op.STORE_LIST}
"""Instructions that may be followed for what is not known to be there."""


def _lasting(body: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    """The registers that the instructions of a loop read before they set them: those that they never set, and those
    that they do.
    """
    found: dict[int, None] = {}
    done = {op.SOUND, op.ONES}
    for kind, *operands in body:
        known = write_op.OPCODES[kind]
        sets = operands[: len(known.sets)]
        found |= dict.fromkeys(each for each in operands[len(sets) :][: len(known.reads)] if each not in done)
        done.update(sets)
    return [each for each in found if each not in done], [each for each in found if each in done]


def follow(
    calls: Calls, start: Array, stop: Array, end: int, places: Array, out: Array, written: Array, zeros: Array
) -> Array:
    """Follow a program for records from each ``start`` to each ``stop``; returns the mask of those that are sound."""
    sound = np.empty(len(places), bool)
    with np.errstate(all="ignore"):
        for first in range(0, len(places), TILE):
            mine = slice(first, first + TILE)
            tile = Tile(start[mine], stop[mine], places[mine], out, written, zeros.ctypes.data, end)
            sound[mine] = tile.follow(calls)
    return sound
