"""The beginnings of records that determine their end, as in the codec, for many at once."""

from collections.abc import Sequence

from wireloom.columnar.fields import Field
from wireloom.columnar.frames import Values
from wireloom.columnar.parts import Enclosing, Slot
from wireloom.columnar.rows import Rows


class Opened:
    """The beginning of a section, whose content is read after it; ``outer`` are the ends of the regions around it."""

    derived: Sequence[Field] = ()
    fixed = None

    def __init__(self, slot: Slot, outer: list[Enclosing]) -> None:
        self.slot = slot
        self.outer = outer

    def read(self, at: Rows, this: Values) -> None:
        self.outer.append(self.slot.enter(at, this))


class Closed:
    """The end of a section, wherever its content ended."""

    derived: Sequence[Field] = ()
    fixed = None

    def __init__(self, outer: list[Enclosing]) -> None:
        self.outer = outer

    def read(self, at: Rows, this: Values) -> None:
        at.move(at.limit)
        at.limit, at.scattered = self.outer.pop()


class Reached:
    """The place where something begins that need not be read."""

    derived: Sequence[Field] = ()
    fixed = None

    def __init__(self, name: str) -> None:
        self.name = name

    def read(self, at: Rows, this: Values) -> None:
        at.frame.put(self.name, at.at, at.at)
