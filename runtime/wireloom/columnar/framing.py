"""How long records are, proven many at a time; ``hopping`` finds where they may be."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from wireloom.backends.numpy import checksums
from wireloom.buffers import Array, flags_after, windows
from wireloom.codec.checksums import Algorithm
from wireloom.codec.lengths import BetweenFlags, Ends, Terminated
from wireloom.codec.matching import Match
from wireloom.columnar import matching
from wireloom.columnar.batch import Batch
from wireloom.columnar.expressions import Vectorised
from wireloom.columnar.fields import Checksum, Number, number
from wireloom.columnar.rows import Rows
from wireloom.columnar.vectors import true
from wireloom.expressions.linear import choosing_parameters

Probe = tuple[str, int, Number]
"""A number that is read before its record is: name, offset, and how it is read."""


Proof = Callable[[Array, Array, Array], Array]
"""Finds stretches of a buffer, from where they start to where they stop, that are whole records; not all of them."""


HeadLength = Callable[[Batch, Array, Array], tuple[Array, Array, Array]]
"""Finds how long those records of a batch are that begin at these places, which are refuted, and of which both are
known.
"""


class Lengths(NamedTuple):
    """The length of some records, and when it can be trusted. ``said`` is the codec's counterpart.

    Without a ``length``, a record is all there is, or ends at a terminator. The numbers that determine it are
    ``probes``; or a program finds it in the ``head``, the beginning of the record.
    """

    said: Ends
    probes: Sequence[Probe]
    length: Vectorised | None
    valid: Vectorised | None
    doubts: Sequence[Vectorised] = ()
    checksum: tuple[str, Checksum] | None = None
    stored: tuple[Number, Vectorised] | None = None
    head: "HeadLength | None" = None

    @property
    def match(self) -> Match:
        """The header values of the records that it is for."""
        return self.said.match

    @property
    def size(self) -> int:
        """The first bytes of a record, which determine its length."""
        return self.said.size

    def tell(self, at: Rows, raw: Array | None = None) -> tuple[Array, Array]:
        """The length of each record, and which records break ``valid``. Nothing is known of rows in doubt.

        ``raw`` are their first bytes, if these are at hand.
        """
        if self.head is not None:
            length, refuted, sure = self.head(at.batch, at.index, at.start)
            at.doubt(~sure)
            return length, refuted
        if raw is None:
            at.need(self.size)
            raw = windows(at.batch.buffer, at.start, max(self.size, 1))
        for name, offset, kind in self.probes:
            at.numbers[name] = kind.check(at, kind.of(raw, at.little, offset))
        refuted = np.zeros(len(at), bool)
        if self.valid is not None:
            refuted |= np.logical_not(true(self.valid(at)))
        if isinstance(self.said, BetweenFlags):
            return self._to_flag(at, self.said.until)
        if isinstance(self.said, Terminated):
            return self._to_terminator(at, self.said)
        if self.length is None:
            return at.stop - at.start, refuted
        length, valid = number(self.length(at), at)
        if valid is not None and not valid.all():
            at.doubt(~valid)
        return length, refuted

    def doubted(self, at: Rows) -> Array:
        """Which of the records whose length ``tell`` has found are trusted only if another one follows."""
        found = np.zeros(len(at), bool)
        for doubt in self.doubts:
            found |= true(doubt(at))
        return found

    @staticmethod
    def _to_terminator(at: Rows, said: Terminated) -> tuple[Array, Array]:
        """The length of each record that ends with its first terminator, and which records have none."""
        start, stops = at.start, []
        for end in said.ends:
            found = np.append(at.batch.places(end), len(at.batch.buffer))
            stops.append(found[found.searchsorted(start)] + len(end))
        stop: Array = np.minimum.reduce(stops)
        if said.unterminated:
            at.doubt(stop > at.stop)
        return stop - start, stop > at.stop

    @staticmethod
    def _to_flag(at: Rows, flag: bytes) -> tuple[Array, Array]:
        """The length of each record that ends with a flag after another byte, and which records have none."""
        start, found = at.start, np.append(flags_after(at.batch.buffer, flag), len(at.batch.buffer))
        stop = found[found.searchsorted(start, "right").clip(max=len(found) - 1)] + 1
        return stop - start, stop > at.stop

    def checksums(self, at: Rows) -> "Checksums":
        """The place and the range of each row's checksum."""
        assert self.checksum is not None
        name, checksum = self.checksum
        first, last = (_amount(bound(at), at) for bound in (checksum.start, checksum.stop))
        if self.stored is None:
            place, kind = next((offset, kind) for probe, offset, kind in self.probes if probe == name)
            return Checksums(checksum.algorithm, kind, first, last, place)
        kind, offset_of = self.stored
        return Checksums(checksum.algorithm, kind, first, last, _amount(offset_of(at), at))

    def measure(self, at: Rows, *, doubting: bool = True) -> tuple[Array, Array]:
        """As ``tell``; records with a wrong checksum are also refuted."""
        length, refuted = self.tell(at)
        if doubting:
            at.doubt(self.doubted(at) & ~refuted)
        if self.checksum is not None:
            sums, start = self.checksums(at), at.start
            at.doubt(sums.impossible | (start + sums.needed > at.stop))
            rows = np.flatnonzero(~at.doubtful & ~refuted)
            refuted[rows[sums.wrong(at.batch.buffer, start, rows, at.little, checksums.of_ranges)]] = True
        return length, refuted


def _amount(value: Any, at: Rows) -> Array | int:
    """The value of an expression for each row, or for all rows alike."""
    if isinstance(value, int):
        return value
    found, valid = number(value, at)
    if valid is not None and not valid.all():
        at.doubt(~valid)
    return found


Summed = Callable[[Algorithm, Array, Array, Array], Array]
"""The checksums of ranges of a buffer: algorithm, buffer, where they start and stop."""


class Checksums(NamedTuple):
    """The checksums of some records: each covers the bytes from ``first`` to ``last``, and is at ``place``."""

    algorithm: Algorithm
    kind: Number
    first: Array | int
    last: Array | int
    place: Array | int

    @property
    def needed(self) -> Array | int:
        """How many bytes of each record must be there to check it."""
        needed: Array | int = np.maximum(self.last, self.place + self.kind.size)
        return needed

    @property
    def range(self) -> tuple[Array | int, Array | int, Array | int]:
        """Where they begin and end, and their place."""
        return self.first, self.last, self.place

    @property
    def impossible(self) -> Array | bool:
        """The records whose checksum has an impossible range."""
        wrong: Array | bool = np.minimum(self.first, self.place) < 0
        return wrong | (self.last < self.first)

    def sums(
        self, buffer: Array, start: Array, rows: Array, little: bool | Array, summed: Summed
    ) -> tuple[Array, Array]:
        """The checksums of ``rows``, in which all bytes are there, as ``summed`` gives them, and what is found."""
        start = start[rows]
        first, last, place = (each if isinstance(each, int) else each[rows] for each in self.range)
        order = little if isinstance(little, bool) else little[rows]
        found = self.kind.of(windows(buffer, start + place, self.kind.size), order)
        return summed(self.algorithm, buffer, start + first, start + last), found

    def wrong(self, buffer: Array, start: Array, rows: Array, little: bool | Array, summed: Summed) -> Array:
        """Which of ``rows`` have another checksum; as ``sums``."""
        expected, found = self.sums(buffer, start, rows, little, summed)
        differing: Array = expected != found
        return differing


class Framing:
    """How a protocol's captures are cut into records; ``match`` are the probes that select one of ``lengths``.

    All records end with one of the terminators ``ends``, if there are any. They are between such flags if they are
    ``flagged``.
    """

    def __init__(
        self, lengths: Sequence[Lengths], match: Sequence[Probe], ends: Sequence[bytes], *, flagged: bool = False
    ) -> None:
        self.lengths = lengths
        self.match = match
        self.ends = ends
        self.flagged = flagged
        matched = (offset + kind.size for _, offset, kind in match)
        self.reach = max([1, *(each.size for each in lengths), *matched])
        """The first bytes of a record that determine its length, and which kind it is."""

    @cached_property
    def choosing_parameters(self) -> tuple[str, ...]:
        """The parameters that choose between alternatives of a length."""
        said = (lengths.said.length for lengths in self.lengths)
        return tuple(
            dict.fromkeys(name for each in said if each is not None for name in choosing_parameters(each.tree))
        )

    @property
    def doubts(self) -> bool:
        """Whether records can be in doubt until another one follows."""
        return any(lengths.doubts for lengths in self.lengths)

    def proven(
        self,
        buffer: Array,
        start: Array,
        stop: Array,
        parameters: Mapping[str, Any],
        *,
        little: bool,
        doubting: bool = True,
    ) -> tuple[Array, Array]:
        """The length of the record at each ``start``, read in that byte order, and at which starts there can be none.

        The length is -1 if it is not valid; then it may be in doubt. No check looks beyond ``stop``.
        """
        return self._proven(Batch(buffer, start, stop, parameters, little), doubting=doubting)

    def _proven(self, batch: Batch, *, doubting: bool) -> tuple[Array, Array]:
        found = np.zeros(len(batch.start), np.int64)
        refuted = np.ones(len(batch.start), bool)
        every = Rows.all(batch)
        for lengths, at in self.divided(every):
            mine = slice(None) if at is every else at.index
            found[mine], refuted[mine] = lengths.measure(at, doubting=doubting)
        refuted &= ~batch.doubtful
        return np.where(batch.doubtful | refuted, -1, found), refuted

    def whole(self, batch: Batch, *, bound: int) -> Array:
        """Which records of a batch, which nobody has read, have the length that they say, ``bound`` at most."""
        size = batch.stop - batch.start
        found: Array = (size > 0) & (size <= bound)
        return found if self.ends else found & (self._proven(batch, doubting=False)[0] == size)

    def sound(
        self,
        buffer: Array,
        start: Array,
        stop: Array,
        ends: Array,
        parameters: Mapping[str, Any],
        *,
        bound: int,
        little: bool,
        proof: Proof | None = None,
    ) -> Array:
        """Whether each stretch that a ``Hop`` has found from ``start`` to ``stop`` is a record of that byte order.

        None has more than ``bound`` bytes, or ends after its ``ends``. One in doubt is sound if another one follows.
        """
        size = stop - start
        if self.ends:
            return size <= bound
        found: Array = (size > 0) & (size <= bound) & (stop <= ends)
        left = whole = np.flatnonzero(found)
        if proof is not None and len(whole):
            left = whole[~proof(buffer, start[whole], stop[whole])]
        if len(left):
            rows = slice(None) if len(left) == len(found) else left
            length, _ = self.proven(buffer, start[rows], ends[rows], parameters, little=little, doubting=False)
            found[rows] = length == size[rows]
        if self.doubts:
            followed = np.append(found[1:] & (start[1:] == stop[:-1]), False)
            if len(alone := np.flatnonzero(found & ~followed)):
                length, _ = self.proven(buffer, start[alone], ends[alone], parameters, little=little)
                found[alone] = length >= 0
        return found

    def refuted(
        self, buffer: Array, start: Array, ends: Array, parameters: Mapping[str, Any], *, orders: tuple[bool, ...]
    ) -> Array:
        """Whether no record begins at each ``start`` in any of these byte orders."""
        found = np.ones(len(start), bool)
        for little in orders:
            found &= self.proven(buffer, start, ends, parameters, little=little)[1]
        return found

    def divided(self, every: Rows) -> Iterator[tuple[Lengths, Rows]]:
        """The rows that each of the lengths is for; there may be others."""
        free = np.ones(len(every), bool)
        for lengths in self.lengths:
            mine = free & self._selects(every, lengths) if self.match else free
            free = free & ~mine
            if mine.all():
                yield lengths, every
            elif mine.any():
                yield lengths, every.only(np.flatnonzero(mine))

    def _selects(self, at: Rows, lengths: Lengths) -> Array:
        holds = np.ones(len(at), bool)
        for name, offset, kind in self.match:
            at.need(offset + kind.size)
            data = kind.of(windows(at.batch.buffer, at.start + offset, kind.size), at.little)
            holds &= matching.numbers(data, lengths.match[name]) if name in lengths.match else True
        return holds
