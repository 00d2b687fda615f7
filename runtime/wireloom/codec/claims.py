"""Claims about fields, made when these are written, which must still hold when the record is."""

from dataclasses import dataclass

from wireloom.codec.errors import EncodeError
from wireloom.codec.frames import Frame, Values
from wireloom.codec.givens import shown
from wireloom.expressions import Expression


@dataclass(frozen=True, slots=True)
class Validity:
    """The claim that the field called ``name`` is valid, made when it is written."""

    name: str
    rule: Expression

    def state(self, this: Values, record: Values, frame: Frame) -> bool:
        return self.rule.holds(this, record, frame)

    def refusal(self, this: Values, taken: bool, found: bool) -> EncodeError:
        return EncodeError(f"{shown(this[self.name])} does not satisfy {self.rule.written}", self.name)


@dataclass(frozen=True, slots=True)
class Settled:
    """The claim that a value is still what it was when its bytes were written."""

    name: str

    def state(self, this: Values, record: Values, frame: Frame) -> object:
        return this[self.name]

    def refusal(self, this: Values, taken: object, found: object) -> EncodeError:
        return EncodeError(f"was taken to be {shown(taken)}, and turns out to be {shown(found)}", self.name)
