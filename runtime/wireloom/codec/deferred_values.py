"""Values that are computed when the rest of a record is written."""

from typing import Any, Protocol

from wireloom.codec.frames import Frame, Values

Path = tuple["Path", str | int] | None
"""The place of a struct in the row: the path of its parent, and its name or number there. None is the row itself."""


class Derivation(Protocol):
    """What an awaited value is computed from: the other values of the record, or (if ``last``) its bytes, which include
    them.

    If it is ``stored``, the value is awaited only where it was written.
    """

    last: bool
    stored: bool

    def expected(self, this: Values, record: Values, frame: Frame, buffer: bytes | bytearray) -> Any:
        """The value, given everything else in the record."""
        ...


Awaited = tuple[Values, str, Derivation, Frame, Path]
"""A derived value: the struct it is in, its name, and what computes it when the rest is written."""


class Awaiting(list[Awaited]):
    """The awaited values in the order in which they were met. It grows and is cut off at its end alone."""

    __slots__ = ("_first", "_known")

    def __init__(self) -> None:
        super().__init__()
        self._first: dict[tuple[int, str], int] = {}
        self._known = 0

    def has(self, this: Values, name: str) -> bool:
        """Whether that value of the struct is among them."""
        for number, (values, awaited, *_) in enumerate(self[self._known :], self._known):
            self._first.setdefault((id(values), awaited), number)
        self._known = len(self)
        return (id(this), name) in self._first

    def cut(self, length: int) -> None:
        """Forget all but the first ``length``."""
        for number, (values, awaited, *_) in enumerate(self[length : self._known], length):
            if self._first.get((id(values), awaited)) == number:
                del self._first[id(values), awaited]
        self._known = min(self._known, length)
        del self[length:]
