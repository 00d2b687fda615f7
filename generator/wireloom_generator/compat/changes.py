"""A change between two versions of a spec: what it breaks, for which readers, and where it is."""

from dataclasses import dataclass
from enum import StrEnum

from wireloom_generator.problems import Location, Problem, Severity


class Category(StrEnum):
    """What is broken. Each category includes those before it: keeping TABLE means also keeping CODEC and WIRE."""

    WIRE = "WIRE"
    """The bytes: new decoders read old bytes differently or not at all, or old decoders new bytes."""
    CODEC = "CODEC"
    """The Python API: names of fields, messages, variants, enums and parameters, and what ``build`` fills in."""
    TABLE = "TABLE"
    """The Spark and Arrow schema: whether existing tables accept the new rows."""
    DOCS = "DOCS"
    """The descriptions."""

    @property
    def kept(self) -> "frozenset[Category]":
        """The categories whose rules apply if this category is to be kept."""
        order = tuple(Category)
        return frozenset(order[: order.index(self) + 1])


class Side(StrEnum):
    """Who is broken."""

    BACKWARD = "BACKWARD"
    """The new version with what the old one made: bytes, code, tables."""
    FORWARD = "FORWARD"
    """The old version with what the new one makes."""


class Direction(StrEnum):
    """The direction of compatibility, as schema registries call it; transitive ones apply to all earlier versions."""

    BACKWARD = "BACKWARD"
    BACKWARD_TRANSITIVE = "BACKWARD_TRANSITIVE"
    FORWARD = "FORWARD"
    FORWARD_TRANSITIVE = "FORWARD_TRANSITIVE"
    FULL = "FULL"
    FULL_TRANSITIVE = "FULL_TRANSITIVE"

    @property
    def sides(self) -> frozenset[Side]:
        """The sides that must not be broken."""
        name = self.removesuffix("_TRANSITIVE")
        return frozenset(Side) if name == "FULL" else frozenset({Side(name)})

    @property
    def transitive(self) -> bool:
        """Whether every earlier version counts, not only the last one."""
        return self.endswith("_TRANSITIVE")


BACKWARD = frozenset({Side.BACKWARD})
FORWARD = frozenset({Side.FORWARD})
BOTH = frozenset(Side)
NEITHER: frozenset[Side] = frozenset()
"""A change that breaks nobody; it is reported as a note."""


@dataclass(frozen=True, slots=True)
class Change:
    """A finding of a rule: the dotted path of the element, its change, and the readers that it breaks."""

    element: str
    what: str
    breaks: frozenset[Side]
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """A change with the rule that found it, and its place in the new version of the spec."""

    at: Location
    rule: str
    category: Category
    change: Change

    def concerns(self, category: Category, direction: Direction) -> bool:
        """Whether it matters for keeping the category in the direction; notes matter to both sides."""
        breaks = self.change.breaks
        return self.category in category.kept and (not breaks or bool(breaks & direction.sides))

    @property
    def problem(self) -> Problem:
        """The finding in the form of a spec's problems; a note if it breaks nobody."""
        change = self.change
        sides = " and ".join(sorted(change.breaks))
        told = f"{change.element}: {change.what}" + (f" ({self.category}, {sides})" if sides else "")
        severity = Severity.ERROR if change.breaks else Severity.NOTE
        return Problem(self.at, self.rule, told, change.hint, severity)

    @property
    def order(self) -> tuple[Location, str, str, str]:
        """The sort key of findings."""
        return self.at, self.rule, self.change.element, self.change.what
