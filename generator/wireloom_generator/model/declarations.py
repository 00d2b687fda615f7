"""Parts of a spec that have a place or a description; parameters."""

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
    """A part of a file: ``written`` has its places; ``via`` is the include that brought it."""

    written: Written = field(compare=False, repr=False)
    via: Location | None = field(default=None, compare=False, repr=False)

    @property
    def at(self) -> Location:
        return self.written.at

    @property
    def places(self) -> Mapping[str, Location]:
        """The places of the values of its keys."""
        return self.written.places

    def where(self, key: str) -> Location:
        return self.written.where(key)

    def gives(self, key: str) -> bool:
        return self.written.gives(key)


@dataclass(frozen=True, slots=True, kw_only=True)
class Described(Sourced):
    doc: Doc


@dataclass(frozen=True, slots=True)
class Included(Described):
    """An include of the fields of the struct ``name``."""

    name: str


@dataclass(frozen=True, slots=True)
class FoundInCapture(Sourced):
    """The ``message`` of a capture that sets a parameter: to true if a value at the path ``field`` is one of the
    ``values``. The layouts of the messages ``asked`` depend on it.
    """

    message: str
    field: str
    values: tuple[Selector, ...]
    asked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Parameter(Described):
    """A fact that is not in the records' bytes; without a ``default``, a value of the capture's header.

    If it has ``found``, captures can set it themselves.
    """

    name: str
    type: str
    default: Literal | None
    choices: tuple[str, ...] = ()
    column: bool = False
    found: FoundInCapture | None = None

    @property
    def bounds(self) -> tuple[int, int] | None:
        """The least and the greatest number that it can be; None if it is not a number."""
        found = parse(self.type)
        return (found.values.least, found.values.most) if isinstance(found, Integer) else None

    def can_be(self, number: object) -> bool:
        least, most = self.bounds or (0, -1)
        return isinstance(number, int) and not isinstance(number, bool) and least <= number <= most
