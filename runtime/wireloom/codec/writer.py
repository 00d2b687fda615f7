"""Where a record's bytes go: a writer that can leave room and fill it in later."""

from collections.abc import Iterable
from enum import Enum
from heapq import heappop, heappush
from typing import Any, Protocol

from wireloom.codec.deferred_checks import AtSpot, Claim, Claimant, Followed, OpenEnd, Refuser, Spot
from wireloom.codec.deferred_values import Awaiting, Derivation, Path
from wireloom.codec.errors import EncodeError
from wireloom.codec.frames import Frame, Values
from wireloom.codec.places import Waiting
from wireloom.expressions import Expression
from wireloom.options import U64Type

Reservation = tuple["Reserved", Values, int, Path, bool, bytearray]
"""Room from that byte on, what fills it, in which byte order, and whose bytes they are: the record's, or what is
packed in it.
"""
Standing = tuple["Place", Values, Frame, Path, bool]
"""A field that is not in sequence, the struct it is in, and whether that is little-endian."""
Lent = tuple["Shared", Values, Frame, Path, bool]
"""The same of a field whose bytes belong to others."""
Region = tuple[int, int, "Waiting[Standing] | None"]
"""A region that is being written: its first byte, the number of its first open end, and what waits around it."""

_FAR = 2
"""A field may be written at most this many times as far as the length of the previous attempt."""


class Trust(Enum):
    """How far given numbers are trusted that are derived, and whose size varies with their value.

    The bytes of a record can be consistent in several ways: a length of 127 that counts its own byte may also be one of
    128 that counts two. The given value is tried first, then the smallest.
    """

    VALUES = "their values and raw bytes"
    BYTES = "their raw bytes"
    NOTHING = "nothing"


class Writer:
    """The record being built. Parts whose values depend on later ones are reserved and written again at the end.

    ``path`` leads to the struct being written, ``inner`` is the frame of the one that was written last. ``claims`` are
    the assumptions made so far, ``open_ends`` those about regions that have not ended yet, ``followed`` those about
    bytes that are complete only at the end. ``known`` has the awaited values that an earlier attempt found, ``length``
    how long its record was. ``trusted`` is true if anything was taken as given that ``trust`` allows.

    ``waiting`` are the fields that are written after those in sequence in the region; ``shared`` are those whose bytes
    others write. With ``keeps``, places that follow from awaited values are taken from these. If a field is not at its
    place, it is ``moved``. ``empty`` counts the items of lists without bytes.
    """

    __slots__ = (
        "awaited",
        "buffer",
        "claims",
        "empty",
        "followed",
        "frame",
        "frames",
        "inner",
        "keeps",
        "known",
        "length",
        "little",
        "moved",
        "open_ends",
        "path",
        "record",
        "reserved",
        "shared",
        "trust",
        "trusted",
        "u64",
        "waiting",
    )

    def __init__(self, parameters: Values | None = None, *, little: bool = False) -> None:
        self.buffer = bytearray()
        self.little = little
        self.record: Values = {}
        self.frame = self.inner = Frame(parameters or {})
        self.u64 = U64Type.of(self.frame.parameters)
        self.frames: list[Frame] = []
        self.path: Path = None
        self.reserved: list[Reservation] = []
        self.claims: list[Claim] = []
        self.open_ends: list[OpenEnd | Spot | Followed] = []
        self.followed: list[Followed] = []
        self.awaited = Awaiting()
        self.shared: list[Lent] = []
        self.empty = 0
        self.waiting: Waiting[Standing] | None = None
        self.keeps = self.moved = False
        self.known: dict[Path, Values] = {}
        self.trust = Trust.NOTHING
        self.trusted = False
        self.length: int | None = None

    def restart(self, record: Values) -> None:
        """Start the record again, with these values for its header."""
        self.record = record
        self.path = None
        self.frame.clear()
        self.frame.left = self.frame.listed = self.frame.structs = None
        self.buffer = bytearray()
        self.frames, self.reserved, self.claims, self.open_ends, self.shared = [], [], [], [], []
        self.awaited, self.waiting, self.moved, self.empty = Awaiting(), None, False, 0
        self.followed = []
        if self.length is not None:
            self.frame["record"] = (0, self.length)

    def mark(self) -> tuple[int, ...]:
        """How far the record is written."""
        return len(self.awaited), *map(len, self._made())

    def rewind(self, mark: tuple[int, ...]) -> None:
        """Forget what was written since the mark."""
        self.awaited.cut(mark[0])
        for written, length in zip(self._made(), mark[1:], strict=True):
            del written[length:]

    def _made(self) -> tuple[bytearray | list[Any], ...]:
        return self.buffer, self.reserved, self.claims, self.open_ends, self.followed, self.shared

    def open(self) -> bytearray:
        """Continue in what will be packed here; returns the state around it."""
        outside, self.buffer = self.buffer, bytearray()
        return outside

    def nest(self) -> Frame:
        """Enter a struct with a frame of its own; returns the frame to come back to."""
        outer = self.frame
        self.frame = Frame(outer.parameters)
        if self.length is not None:
            self.frame["record"] = (0, self.length)
        self.frames.append(self.frame)
        return outer

    def await_(self, this: Values, name: str, source: "Derivation") -> None:
        """Let a value be computed at the end; until then it is what an earlier attempt found, if there was one."""
        self.awaited.append((this, name, source, self.frame, self.path))
        known = self.known.get(self.path)
        if known is not None:
            this[name] = known.get(name)

    def guess(self, this: Values, name: str) -> Any:
        """The assumed value of a derived number, as far as it is known when its size must be."""
        value = this[name]
        if value is not None and not self.known:
            value = value if self.trust is Trust.VALUES else None
            self.trusted |= value is not None
        return 0 if value is None else value

    def reserve(self, part: "Reserved", this: Values, size: int) -> None:
        """Leave room for bytes that ``part`` packs in the end."""
        self.reserved.append((part, this, len(self.buffer), self.path, self.little, self.buffer))
        self.buffer += bytes(size)

    def overlay(self, part: "Reserved", this: Values, size: int) -> None:
        """Let ``part`` pack bits of its own into the last bytes, which are reserved, in the end."""
        self.reserved.append((part, this, len(self.buffer) - size, self.path, self.little, self.buffer))

    def claim(self, part: "Claimant", this: Values, taken: object, *, spot: Spot | None = None) -> None:
        """Assume that ``part`` will have the state ``taken`` when all values are known.

        The number of bytes left that it uses is that after ``spot``.
        """
        self.claims.append((part if spot is None else AtSpot(part, spot), this, self.frame, taken, self.path))

    def spot(self) -> Spot:
        """This place, for an expression that uses how many bytes are left here, or which item is here."""
        found = Spot(len(self.buffer), self.frame.index)
        self.open_ends.append(found)
        return found

    def spot_of(self, asked: Expression | int | None) -> Spot | None:
        """This place, if an expression asks how many bytes are left here."""
        return self.spot() if isinstance(asked, Expression) and asked.asks_left else None

    def follow(self, part: "Refuser", this: Values, *, followed: bool) -> None:
        """Assume that the region continues from here, or that it ends here."""
        self.open_ends.append((part, this, len(self.buffer), followed, self.path))

    def precede(self, begins: bytes, before: int, unit: int, *, may_end: bool) -> None:
        """Assume that these bytes follow here, or, if it ``may_end``, that the region ends here."""
        self.open_ends.append(Followed(len(self.buffer), begins, before, unit, self.path, may_end=may_end))

    def within(self, error: EncodeError) -> EncodeError:
        """The error with ``path`` before its own."""
        path = self.path
        while path is not None:
            path, step = path
            error.within(step if isinstance(step, str) else f"[{step}]")
        return error

    def enter(self) -> Region:
        """Begin a region."""
        region = len(self.buffer), len(self.open_ends), self.waiting
        self.waiting = None
        return region

    def defer(self, part: "Place", this: Values, place: int | None) -> None:
        """Let a field wait that should be at ``place``, if that is known."""
        self.waiting = self.waiting or Waiting()
        self.waiting.add(place, (part, this, self.frame, self.path, self.little))

    def share(self, part: "Shared", this: Values) -> None:
        """Let the value of a field be compared with what others wrote."""
        self.shared.append((part, this, self.frame, self.path, self.little))

    def leave(self, region: Region, spare: bytes = b"") -> None:
        """End a region: write what waits in it, with ``spare`` bytes in the gaps and after it, and check its open ends
        against the bytes that followed them.
        """
        if self.waiting is not None:
            little = self.little
            try:
                spare = self._placed(spare)
            finally:
                self.little = little
        if spare:
            self.buffer += spare
        _, first, self.waiting = region
        if len(self.open_ends) > first:
            self._end(first)

    def _end(self, first: int) -> None:
        """Check the open ends from the ``first`` against the bytes that followed them."""
        for each in self.open_ends[first:]:
            if isinstance(each, tuple):
                part, this, start, followed, path = each
                if followed != (start < len(self.buffer)):
                    self.path = path
                    raise part.refusal(this, followed, not followed)
            elif isinstance(each, Spot):
                each.left = len(self.buffer) - each.at
            else:
                each.stop(self.buffer)
                self.followed.append(each)
        del self.open_ends[first:]

    def _placed(self, spare: bytes) -> bytes:
        """Write what waits, at its place if possible; returns the bytes that no gap took."""
        frame, path, used = self.frame, self.path, 0
        ahead: list[tuple[int, int, bytes, Standing]] = []
        while self.waiting or ahead:
            self._write_ahead(ahead)
            other = None if self._reached(ahead) or self.waiting is None else self.waiting.other()
            if other is not None:
                place, item = other
                self._put(item, place)
            elif ahead:
                start, _, data, (part, this, *_, self.path, _) = heappop(ahead)
                gap = start - len(self.buffer)
                if gap > len(spare) - used or (gap < 0 and data):
                    raise part.refusal(this, len(self.buffer), start)
                self.buffer += spare[used : used + max(gap, 0)] + data
                used += max(gap, 0)
        self.frame, self.path = frame, path
        return spare[used:]

    def _put(self, item: Standing, place: int | None) -> None:
        part, this, self.frame, self.path, self.little = item
        part.put(self, this, place)

    def _reached(self, ahead: list[tuple[int, int, bytes, Standing]]) -> bool:
        return bool(ahead) and ahead[0][0] <= len(self.buffer)

    def _write_ahead(self, ahead: list[tuple[int, int, bytes, Standing]]) -> None:
        """Write what has a place, with room before it, and keep its bytes until everything before them is there."""
        start, last = len(self.buffer), -1 if self.length is None else _FAR * self.length
        while self.waiting and (found := self.waiting.placed(start, last)):
            place, item = found
            del self.buffer[place:]
            self.buffer += bytes(place - len(self.buffer))
            self._put(item, place)
            heappush(ahead, (place, len(self.claims), bytes(self.buffer[place:]), item))
        del self.buffer[start:]

    def write(self, data: bytes) -> int:
        """As a stream's ``write``, at the end."""
        self.buffer += data
        return len(data)


class Place(Refuser, Protocol):
    """A field that is not in sequence."""

    def put(self, writer: Writer, this: Values, place: int | None) -> None:
        """Write it where the writer is, although it should be at ``place``, if that is known."""
        ...


class Shared(Protocol):
    """A field whose bytes belong to others."""

    @property
    def names(self) -> Iterable[str]:
        """The columns that another attempt can know."""
        ...

    def reread(self, reader: Any, this: Values) -> bool:
        """Take the value that a ``Reader`` finds in these bytes; returns whether it differs from the one taken before.

        Raises ``EncodeError`` if it differs from the one given.
        """
        ...


class Reserved(Protocol):
    """Something that left room in a ``Writer``, and fills it once everything else is written, or adds to it if
    its bytes
    are ``over`` those of others.
    """

    over: bool

    def pack(self, writer: Writer, this: Values) -> bytes:
        """The bytes that belong there, as many as were reserved."""
        ...

    def misfit(self, writer: Writer, this: Values) -> EncodeError | None:
        """The error for a given value that does not fit, if there is one."""
        ...
