"""What translated expressions are made of: texts of the language, and what kinds of values they have."""

from dataclasses import dataclass

from wireloom_generator.importers.ksy.structure import Attribute, Enum, Type

COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
LEVELS = {"or": 1, "and": 2, **dict.fromkeys(COMPARISONS, 4), "|": 5, "^": 6, "&": 7, "<<": 8, ">>": 8, "+": 9,
          "-": 9, "*": 10, "/": 10, "%": 10}  # fmt: skip
"""How tightly each operator holds together."""
NOT, COMPARED, UNARY, WHOLE = 3, 4, 11, 12


class CannotSayError(Exception):
    """The language has no words for it; the argument is the reason."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What a value is: ``int``, ``float``, ``bool``, ``str``, ``bytes``, ``struct``, ``list``, ``switch`` or ``io``."""

    base: str
    type: Type | None = None
    enum: Enum | None = None
    item: "Kind | None" = None
    attribute: Attribute | None = None
    inner: str = ""
    """If a struct was made for it, or for each item of a list: the field of the struct that has the value."""


INT, FLOAT, BOOL, STR, BYTES, IO = (Kind(base) for base in ("int", "float", "bool", "str", "bytes", "io"))


@dataclass(frozen=True, slots=True)
class Phrase:
    """An expression of the language, how tightly it holds together, and what it is."""

    text: str
    kind: Kind
    level: int = WHOLE
    is_optional: bool = False
    """Whether it is a field that may be absent."""

    def within(self, level: int) -> str:
        """The text, in parentheses if it would fall apart beside an operator of that level."""
        return self.text if self.level >= level else f"({self.text})"
