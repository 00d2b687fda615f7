"""Checks that must wait for the end of a record that is written: of fields, and of the ends of regions."""

from typing import Any, NamedTuple, Protocol

from wireloom.codec.accepted_values import shown
from wireloom.codec.deferred_values import Path
from wireloom.codec.errors import EncodeError
from wireloom.codec.frames import Frame, Values
from wireloom.expressions import Expression


class Refuser(Protocol):
    """Something that was written on an assumption."""

    def refusal(self, this: Values, taken: Any, found: Any) -> EncodeError:
        """The error if the values turn out to be ``found`` although ``taken`` was assumed."""
        ...


class Claimant(Refuser, Protocol):
    """An assumption about values: that one is present, has a certain size, or is valid."""

    def state(self, this: Values, record: Values, frame: Frame) -> object:
        """The state that a reader of these values would find."""
        ...


Claim = tuple[Claimant, Values, Frame, object, Path]
"""An assumption about a struct, and the state that was assumed."""


class Validity(NamedTuple):
    """The claim that the field called ``name`` is valid, made when it is written."""

    name: str
    rule: Expression

    def state(self, this: Values, record: Values, frame: Frame) -> bool:
        return self.rule.holds(this, record, frame)

    def refusal(self, this: Values, taken: bool, found: bool) -> EncodeError:
        return EncodeError(f"{shown(this[self.name])} does not satisfy {self.rule.written}", self.name)


class Settled(NamedTuple):
    """The claim that a value is still what it was when its bytes were written."""

    name: str

    def state(self, this: Values, record: Values, frame: Frame) -> object:
        return this[self.name]

    def refusal(self, this: Values, taken: object, found: object) -> EncodeError:
        return EncodeError(f"was taken to be {shown(taken)}, and turns out to be {shown(found)}", self.name)


class Spot:
    """A place in the record, and how many bytes are ``left`` after it in its region, once that has ended.

    ``index`` is the number of the item of a list at this place.
    """

    __slots__ = ("at", "index", "left")

    def __init__(self, at: int, index: int) -> None:
        self.at = at
        self.index = index
        self.left: int | None = None


class AtSpot:
    """A claim that depends on how many bytes are left after its ``spot``, or on which item is there."""

    __slots__ = ("claimant", "spot")

    def __init__(self, claimant: Claimant, spot: Spot) -> None:
        self.claimant = claimant
        self.spot = spot

    def state(self, this: Values, record: Values, frame: Frame) -> object:
        """What the claimant finds there."""
        frame.left, frame.index = self.spot.left, self.spot.index
        return self.claimant.state(this, record, frame)

    def refusal(self, this: Values, taken: Any, found: Any) -> EncodeError:
        """The claimant's error."""
        return self.claimant.refusal(this, taken, found)


class Followed:
    """A place in the record that these bytes must follow, unless its region may end there (``may_end``).

    They must not begin earlier, in the ``before`` bytes preceding it, at a multiple of ``unit`` bytes from there.
    """

    __slots__ = ("at", "before", "begins", "data", "end", "may_end", "path", "unit")

    def __init__(self, at: int, begins: bytes, before: int, unit: int, path: Path, *, may_end: bool) -> None:
        self.at = at
        self.begins = begins
        self.before = before
        self.unit = unit
        self.path = path
        self.may_end = may_end
        self.data = bytearray()
        self.end = 0

    def stop(self, data: bytearray) -> None:
        """Note that the region ends where the data does now. Bytes in it may still be filled in."""
        self.data, self.end = data, len(data)

    def holds(self) -> bool:
        """Whether the assumption is true of the region that has ended."""
        if self.may_end and self.at == self.end:
            return True
        places = range(self.at - self.before, self.at + 1, self.unit)
        found = (place for place in places if self.data.startswith(self.begins, place, self.end))
        return next(found, None) == self.at


OpenEnd = tuple[Refuser, Values, int, bool, Path]
"""The assumption that a region continues after that byte, or that it ends there."""
