"""From record to record by their lengths, which nothing proves on the way, or by their terminators."""

import struct
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from hashlib import sha256
from typing import Any

import numpy as np

from wireloom import codec
from wireloom.buffers import Array, flags_after, places_after
from wireloom.codec.frames import Frame
from wireloom.codec.framing import Framing as CodecFraming
from wireloom.codec.length_sums import Chain, Term, chain, selected_sums
from wireloom.codec.varints import Varint
from wireloom.columnar import matching
from wireloom.columnar.fields import Number
from wireloom.columnar.framing import Framing
from wireloom.columnar.speculative_framing import MANY, SpeculativeFraming
from wireloom.expressions.scalar import function
from wireloom.expressions.tree import Expr
from wireloom.loops import accel, compiled


class Hop:
    """Follows records without proving them: up to their terminator, or by lengths that are sums of numbers.

    One byte must show which of several lengths applies, or which alternative of one; otherwise nothing is followed.
    """

    def __init__(self, framing: Framing, parameters: Mapping[str, Any], *, little: bool) -> None:
        self.ends = framing.ends
        self.possible = bool(self.ends)
        self.flagged = framing.flagged
        self.reach = max((lengths.size for lengths in framing.lengths), default=0)
        self.selector = -1
        self.select = np.zeros(256, np.int64)
        self.abreast: list[SpeculativeFraming | None] = []
        if len(framing.lengths) > 1:
            names = {name for lengths in framing.lengths for name in lengths.match}
            probes = [probe for probe in framing.match if probe[0] in names]
            if len(probes) != 1 or probes[0][2].size != 1 or probes[0][2].kind != "u":
                return
            name, self.selector, kind = probes[0]
            self.reach = max(self.reach, self.selector + 1)
            self.select[:] = -1
            bits = kind.bits(np.arange(256))
            for index, lengths in reversed(list(enumerate(framing.lengths))):
                self.select[matching.numbers(bits, lengths.match[name])] = index
        frame = Frame(dict(parameters))

        def holds(test: Expr) -> bool:
            return bool(function(test)({}, {}, frame))

        chains = [found for lengths in framing.lengths if (found := chain(lengths.said, holds)) is not None]
        if len(chains) < len(framing.lengths):
            selected = selected_sums(framing.lengths[0].said, holds) if len(framing.lengths) == 1 else None
            if selected is None:
                return
            self.selector, self.select[:], chains = selected.offset, selected.select, list(selected.chains)
            self.reach = max(self.reach, self.selector + 1)
        if not chains:
            return
        self.possible = True
        self.reach = max(self.reach, *(_least(each.terms) for each in chains))
        rows = [[_row(term, little=little) for term in each.terms] for each in chains]
        self.constants = [each.constant for each in chains]
        if all(pair == (self.constants[0], rows[0]) for pair in zip(self.constants, rows, strict=True)):
            chains, rows, self.selector = chains[:1], rows[:1], -1  # which of them it is decides who proves it
        self.readers = [_reader(each.terms, little=little) for each in chains]
        self.abreast = [self._abreast(index, each, little=little) for index, each in enumerate(chains)]
        every = [(index, *row) for index, some in enumerate(rows) for row in some]
        self.table = np.array(every, np.int64).reshape(-1, 10)

    def _abreast(self, index: int, lengths: Chain, *, little: bool) -> SpeculativeFraming | None:
        """Follows many records at once whose lengths are all found in the same way, if they are plain numbers."""
        plain = _plain(lengths.terms)
        if plain is None or plain[0].size > _NARROW:
            return None
        return SpeculativeFraming(
            *plain, lengths.constant, self.reach, self.selector, self.select == index, little=little
        )

    @cached_property
    def terms(self) -> compiled.LengthTerms:
        """The description of these lengths for the accelerator."""
        constants, terms = np.array(self.constants, np.int64), self.table
        begins = np.searchsorted(terms[:, 0], np.arange(len(constants) + 1))
        return self.selector, self.select, constants, begins, terms

    @cached_property
    def digest(self) -> str:
        """The key of a loop made for these lengths."""
        _, _, constants, _, terms = self.terms
        return sha256(repr((self.selector, constants.tolist(), terms.tolist())).encode()).hexdigest()[:16]

    def follow(self, buffer: Any, at: int, end: int, room: int) -> tuple[Array, int]:
        """The starts of up to ``room`` records from ``at`` on, and where the last would end, perhaps past ``end``."""
        if self.flagged:
            return _flagged(np.frombuffer(buffer, np.uint8), self.ends[0], at, end, room)
        if self.ends:
            return _terminated(np.frombuffer(buffer, np.uint8), self.ends, at, end, room)
        last = end - self.reach
        if accel.WORTH:
            return compiled.follow(buffer, at, last, room, self)
        starts, stop = self._many(buffer, at, last, room)
        accel.WORTH.add(min(stop, end) - at)
        return starts, min(stop, end + 1)  # a length may be larger than numpy's numbers

    def _many(self, buffer: Any, at: int, last: int, room: int) -> tuple[Array, int]:
        """Follows records many at once as long as they begin alike, and the others one by one."""
        parts: list[Array] = []

        def singly(at: int, last: int) -> tuple[Array, int]:
            return self._singly(buffer, at, last, 4 * _FEW)

        while room >= MANY and at <= last:
            known, at = self._singly(buffer, at, last, _FEW)
            parts.append(known)
            if at == known[-1]:
                return np.concatenate(parts), at
            room -= len(known)
            abreast = self.abreast[0 if self.selector < 0 else int(self.select[buffer[int(known[0]) + self.selector]])]
            if abreast is None:
                break
            found, at = abreast.follow(np.frombuffer(buffer, np.uint8), known, at, last, room, singly)
            parts.append(found)
            room -= len(found)
            if len(found) < MANY:
                break
        rest, at = self._singly(buffer, at, last, room)
        return np.concatenate([*parts, rest]), at

    def _singly(self, buffer: Any, at: int, last: int, room: int) -> tuple[Array, int]:
        offsets = [0] * room
        count, stop = (self._one if self.selector < 0 else self._several)(buffer, at, last, offsets)
        return np.array(offsets[:count], np.int64), stop

    def _one(self, buffer: Any, at: int, last: int, offsets: list[int]) -> tuple[int, int]:
        """Follows records whose lengths are all found alike."""
        read, constant = self.readers[0], self.constants[0]
        for count in range(len(offsets)):
            if at > last:
                return count, at
            offsets[count] = at
            (length,) = read(buffer, at)
            length += constant
            if length <= 0:
                return count + 1, at
            at += length
        return len(offsets), at

    def _several(self, buffer: Any, at: int, last: int, offsets: list[int]) -> tuple[int, int]:
        """Follows records one of whose bytes selects how their lengths are found."""
        select, selector, readers = self.select.tolist(), self.selector, self.readers
        for count in range(len(offsets)):
            if at > last:
                return count, at
            offsets[count] = at
            index = select[buffer[at + selector]]
            if index < 0:
                return count + 1, at
            (length,) = readers[index](buffer, at)
            length += self.constants[index]
            if length <= 0:
                return count + 1, at
            at += length
        return len(offsets), at


def hop_of(framing: Framing, parameters: Mapping[str, Any], *, little: bool) -> Hop:
    """How records in that byte order are followed, computed again for each capture."""
    return _hop_of(framing, tuple((name, parameters[name]) for name in framing.choosing_parameters), little)


@lru_cache(maxsize=256)
def _hop_of(framing: Framing, parameters: tuple[tuple[str, Any], ...], little: bool) -> Hop:
    return Hop(framing, dict(parameters), little=little)


class Walk:
    """Follows records without validating them if no ``Hop`` can: one by one, by the codec's lengths."""

    def __init__(self, framing: CodecFraming, parameters: Mapping[str, Any], *, little: bool) -> None:
        self.possible = not framing.to_the_end
        self.framing = framing
        self.parameters = dict(parameters)
        self.little = little

    def follow(self, buffer: Any, at: int, end: int, room: int) -> tuple[Array, int]:
        """As ``Hop.follow``."""
        starts: list[int] = []
        while at < end and len(starts) < room:
            starts.append(at)
            length = self.framing.guess(buffer, at, end, self.parameters, little=self.little)
            if length <= 0:
                break
            at += length
        return np.array(starts, np.int64), min(at, end + 1)


_FEW = 64
"""How many records show how all may begin."""
_NARROW = 4
"""Sums of numbers of so many bytes stay small."""
_LIKELY = 128
"""How many bytes a terminated record is looked for in at first."""


def _terminated(buffer: Array, ends: Sequence[bytes], at: int, end: int, room: int) -> tuple[Array, int]:
    """As ``Hop.follow``: the starts of records that end at a terminator, and where the last of them ends."""
    size = room * _LIKELY
    found = places_after(buffer[at : min(at + size, end)], ends)
    while not len(found) and at + size < end:
        size *= 4
        found = places_after(buffer[at : min(at + size, end)], ends)
    stop = ((found if len(ends) > 1 else _apart(found, len(ends[0])))[:room] + at).astype(np.int64)
    return np.append(at, stop)[: len(stop)], int(stop[-1]) if len(stop) else at


def _flagged(buffer: Array, flag: bytes, at: int, end: int, room: int) -> tuple[Array, int]:
    """As ``_terminated``, for records that end with a flag after another byte."""
    size = room * _LIKELY
    found = flags_after(buffer[at : min(at + size, end)], flag)
    while not len(found) and at + size < end:
        size *= 4
        found = flags_after(buffer[at : min(at + size, end)], flag)
    stop = (found[:room] + (at + 1)).astype(np.int64)
    return np.append(at, stop)[: len(stop)], int(stop[-1]) if len(stop) else at


def _apart(found: Array, size: int) -> Array:
    """Places behind terminators of so many bytes without those that begin in the one before."""
    if not (np.diff(found) < size).any():
        return found
    apart, free = [], 0
    for place in found.tolist():
        if place >= free:
            apart.append(place)
            free = place + size
    return np.array(apart)


_NUMBER, _LEB128, _VLQ, _QUIC = range(4)
_FORMS: dict[type[Varint], int] = {codec.Leb128: _LEB128, codec.Vlq: _VLQ, codec.Quic: _QUIC}


def _row(term: Term, *, little: bool) -> tuple[int, ...]:
    """A term for the accelerator."""
    said, amounts = term.kind, (term.factor, term.of_size, term.shift, term.mask)
    if isinstance(said, Varint):
        return (_FORMS[type(said)], term.offset, said.longest, 0, 0, *amounts)
    kind = Number.from_construct(said)
    return (_NUMBER, term.offset, kind.size, kind.kind == "i", kind.is_little(little=little), *amounts)


def _least(terms: Sequence[Term]) -> int:
    """The least number of bytes of a record that determine a sum."""
    at = least = 0
    for term in terms:
        if isinstance(term.kind, Varint):
            at += term.offset + 1
            least = max(least, at)
        else:
            least = max(least, at + term.offset + Number.from_construct(term.kind).size)
    return least


_Summed = Callable[[Any, int], tuple[int]]
"""Reads the variable part of a length, as a tuple of one, like ``struct``."""
_Amount = Callable[[Any, int], tuple[int, int]]
"""Reads the value of a term, and the place from which the next offset counts."""


def _plain(terms: Sequence[Term]) -> tuple[Number, int] | None:
    """The kind and the offset of a single plain number, which is the fast case."""
    match terms:
        case [Term(offset, said, 1, 0, 0, -1)] if (
            not isinstance(said, Varint) and not (kind := Number.from_construct(said)).odd
        ):
            return kind, offset
    return None


def _reader(terms: Sequence[Term], *, little: bool) -> _Summed:
    """The reader of a sum."""
    if (plain := _plain(terms)) is not None:
        return _unpacker(*plain, little=little)
    steps = [_step(term, little=little) for term in terms]

    def total(buffer: Any, at: int) -> tuple[int]:
        found = 0
        try:
            for step in steps:
                amount, at = step(buffer, at)
                found += amount
        except (IndexError, struct.error):  # it continues after the buffer
            return (0,)
        return (found,)

    return total


_CODES = {1: "b", 2: "h", 4: "i", 8: "q"}


def _unpacker(kind: Number, offset: int, *, little: bool) -> Callable[[Any, int], tuple[int]]:
    letter = _CODES[kind.size] if kind.kind == "i" else _CODES[kind.size].upper()
    unpack: Any = struct.Struct(f"{'<' if kind.is_little(little=little) else '>'}{offset}x{letter}").unpack_from
    found: Callable[[Any, int], tuple[int]] = unpack
    return found


def _step(term: Term, *, little: bool) -> _Amount:
    offset, said, factor, of_size, shift, mask = term
    if isinstance(said, Varint):
        return _varying(said, offset, factor, of_size)
    kind = Number.from_construct(said)
    if not kind.odd:
        unpack = _unpacker(kind, offset, little=little)
        return lambda buffer, at: (factor * (unpack(buffer, at)[0] >> shift & mask), at)
    size, signed = kind.size, kind.kind == "i"
    order: Any = "little" if kind.is_little(little=little) else "big"

    def odd(buffer: Any, at: int) -> tuple[int, int]:
        found = int.from_bytes(buffer[at + offset : at + offset + size], order, signed=signed)
        return factor * (found >> shift & mask), at

    return odd


def _varying(kind: Varint, offset: int, factor: int, of_size: int) -> _Amount:
    read = _quic if isinstance(kind, codec.Quic) else _groups
    highest_first, longest = isinstance(kind, codec.Vlq), kind.longest

    def step(buffer: Any, at: int) -> tuple[int, int]:
        at += offset
        value, size = buffer[at], 1
        if value > 0x3F:
            value, size = read(buffer, at, longest, highest_first)
        return factor * value + of_size * size, at + size

    return step


def _groups(buffer: Any, at: int, longest: int, highest_first: bool) -> tuple[int, int]:
    """A number of seven bits a byte, and its size."""
    value = 0
    for place in range(longest):
        byte = buffer[at + place]
        value = value << 7 | byte & 0x7F if highest_first else value | (byte & 0x7F) << 7 * place
        if byte < 0x80:
            break
    return value, place + 1


def _quic(buffer: Any, at: int, longest: int, highest_first: bool) -> tuple[int, int]:
    """A number as QUIC has it, and its size."""
    size = 1 << (buffer[at] >> 6)
    return int.from_bytes(buffer[at : at + size]) & (1 << 8 * size - 2) - 1, size
