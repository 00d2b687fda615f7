"""What has a place in a spec, and a description; parameters."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from wireloom_generator.expressions import Literal
from wireloom_generator.model.matching import Selector
from wireloom_generator.problems import Location
from wireloom_generator.reading.declarations import Doc
from wireloom_generator.reading.written import Written
from wireloom_generator.types import Integer, parse


@dataclass(frozen=True, slots=True, kw_only=True)
class Sourced:
    """Something from a file: ``written`` has its places; ``via`` is the include that brought it."""

    written: Written = field(compare=False, repr=False)
    via: Location | None = field(default=None, compare=False, repr=False)

    @property
    def at(self) -> Location:
        """Where it begins."""
        return self.written.at

    @property
    def places(self) -> Mapping[str, Location]:
        """Where the values of its keys stand."""
        return self.written.places

    def where(self, key: str) -> Location:
        """The place of the value of ``key``."""
        return self.written.where(key)

    def gives(self, key: str) -> bool:
        """Whether ``key`` is given."""
        return self.written.gives(key)


@dataclass(frozen=True, slots=True, kw_only=True)
class Described(Sourced):
    """Something that the spec can describe."""

    doc: Doc


@dataclass(frozen=True, slots=True)
class Included(Described):
    """An include: the fields of the struct ``name`` stand in its place."""

    name: str


@dataclass(frozen=True, slots=True)
class Told(Sourced):
    """The ``message`` by which captures tell a parameter: it is true if one of the values at the path ``field`` is one
    of the ``values``. The messages ``asked`` are read by it.
    """

    message: str
    field: str
    values: tuple[Selector, ...]
    asked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Parameter(Described):
    """A fact that is not in the bytes; or, without a ``default``, what the header of a capture says of its records.

    Captures may tell it themselves where it is ``found``.
    """

    name: str
    type: str
    default: Literal | None
    choices: tuple[str, ...] = ()
    column: bool = False
    found: Told | None = None

    @property
    def bounds(self) -> tuple[int, int] | None:
        """The least and the greatest number that it can be; None if it is none."""
        found = parse(self.type)
        return (found.values.least, found.values.most) if isinstance(found, Integer) else None

    def can_be(self, number: object) -> bool:
        """Whether it can be that number."""
        least, most = self.bounds or (0, -1)
        return isinstance(number, int) and not isinstance(number, bool) and least <= number <= most
