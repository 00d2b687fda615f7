"""Where a record's bytes go to: a writer that comes back to what it left room for."""

from typing import Any, Protocol

from wireloom.codec.errors import EncodeError
from wireloom.codec.frames import Frame, Values
from wireloom.options import wide

Path = tuple["Path", str | int] | None
"""Where a struct stands in the row: what it is in, and its name or its number there; None is the row itself."""


Awaited = tuple[Values, str, "Derivation", Frame, Path]
"""A value that follows from others: the struct it is in, its name, and what tells it once the rest is written."""
Claim = tuple["Claimant", Values, Frame, object, Path]
"""What was taken for granted of a struct, and the state that was taken for its own."""
Tail = tuple["Refuser", Values, int, bool, Path]
"""That from that byte on there are more bytes in a region, or none."""
Reservation = tuple["Reserved", Values, int, Path]
"""Room in the record from that byte on, and what is to stand there."""


class Writer:
    """The record being built. Parts whose values depend on later ones are reserved and written again at the end.

    ``path`` leads to the struct that is being written. ``claims`` is what was taken for granted on the way, ``tails``
    that of the regions not ended yet. ``known`` is what an attempt before found awaited values to be.
    """

    __slots__ = (
        "awaited",
        "buffer",
        "claims",
        "frame",
        "frames",
        "known",
        "little",
        "path",
        "record",
        "reserved",
        "tails",
        "wide",
    )

    def __init__(self, parameters: Values | None = None, *, little: bool = False) -> None:
        self.buffer = bytearray()
        self.little = little
        self.record: Values = {}
        self.frame = Frame(parameters or {})
        self.wide = wide(self.frame.parameters)
        self.frames: list[Frame] = []
        self.path: Path = None
        self.reserved: list[Reservation] = []
        self.claims: list[Claim] = []
        self.tails: list[Tail] = []
        self.awaited: list[Awaited] = []
        self.known: dict[Path, Values] = {}

    def restart(self, record: Values) -> None:
        """Begin the record anew, with these values for its header."""
        self.record = record
        self.path = None
        self.frame.clear()
        self.buffer.clear()
        self.frames, self.reserved, self.claims, self.tails, self.awaited = [], [], [], [], []

    def mark(self) -> tuple[int, ...]:
        """How far the record is written."""
        return len(self.buffer), len(self.reserved), len(self.claims), len(self.tails), len(self.awaited)

    def rewind(self, mark: tuple[int, ...]) -> None:
        """Forget what was written since the mark."""
        kept: tuple[bytearray | list[Any], ...] = (self.buffer, self.reserved, self.claims, self.tails, self.awaited)
        for written, length in zip(kept, mark, strict=True):
            del written[length:]

    def nest(self) -> Frame:
        """Go into a struct with a frame of its own; the frame to come back to."""
        outer = self.frame
        self.frame = Frame(outer.parameters)
        self.frames.append(self.frame)
        return outer

    def await_(self, this: Values, name: str, source: "Derivation") -> None:
        """Have a value told in the end; until then it is what an attempt before has found."""
        self.awaited.append((this, name, source, self.frame, self.path))

    def reserve(self, part: "Reserved", this: Values, size: int) -> None:
        """Leave room for bytes that ``part`` packs in the end."""
        self.reserved.append((part, this, len(self.buffer), self.path))
        self.buffer += bytes(size)

    def claim(self, part: "Claimant", this: Values, taken: object) -> None:
        """Take it that ``part`` has the state ``taken`` when all values are known."""
        self.claims.append((part, this, self.frame, taken, self.path))

    def follow(self, part: "Refuser", this: Values, *, followed: bool) -> None:
        """Take it that there are more bytes in this region, or that there are none."""
        self.tails.append((part, this, len(self.buffer), followed, self.path))

    def placed(self, error: EncodeError) -> EncodeError:
        """The error, told as where ``path`` leads."""
        path = self.path
        while path is not None:
            path, step = path
            error.within(step if isinstance(step, str) else f"[{step}]")
        return error

    def end(self, tails: int) -> None:
        """A region ends here, and so it shows which of its ``tails``, those from that number on, have bytes behind."""
        for part, this, start, followed, path in self.tails[tails:]:
            if followed != (start < len(self.buffer)):
                self.path = path
                raise part.refusal(this, followed, not followed)
        del self.tails[tails:]

    def write(self, data: bytes) -> int:
        """As a stream's ``write``, at the end."""
        self.buffer += data
        return len(data)

    def tell(self) -> int:
        """Bytes from the record's start."""
        return len(self.buffer)


class Derivation(Protocol):
    """What an awaited value follows from: what else the record has, or even its bytes, and so the others (``last``).

    A ``located`` one is awaited only where it has been written.
    """

    last: bool
    located: bool

    def expected(self, this: Values, record: Values, frame: Frame, buffer: bytes | bytearray) -> Any:
        """The value, given everything else in the record."""
        ...


class Refuser(Protocol):
    """Something that was written on an assumption."""

    def refusal(self, this: Values, taken: Any, found: Any) -> EncodeError:
        """Why values that say ``found`` cannot be written as ``taken``."""
        ...


class Claimant(Refuser, Protocol):
    """An assumption about values: that it is there, that it has so many bytes, that it is valid."""

    def state(self, this: Values, record: Values, frame: Frame) -> object:
        """What a reader of these values would find."""
        ...


class Reserved(Protocol):
    """Something that left room in a ``Writer`` and fills it once everything else stands."""

    def pack(self, writer: Writer, this: Values) -> bytes:
        """The bytes that belong there, as many as were reserved."""
        ...

    def misfit(self, writer: Writer, this: Values) -> EncodeError | None:
        """What is wrong with a value that was given, if anything is."""
        ...
