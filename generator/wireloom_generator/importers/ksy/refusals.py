"""What ``wireloom check`` refused of what was written before, and what is written instead."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from wireloom_generator.importers.ksy.spelling import Entry
from wireloom_generator.problems import Location
from wireloom_generator.spec_text import Noted, YamlValue, todo


@dataclass(slots=True)
class Written:
    """The entries of a type, and why some of them are not what the file means."""

    entries: list[YamlValue] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    lacks_bytes: bool = False
    """Whether one of the reasons is about more than a computed value."""
    above: list[str] = field(default_factory=list)
    """Comments for the next entry."""

    def todo(self, reason: str, *, is_value: bool = False) -> None:
        """Tell why the next entry is not what the file means or, of a computed value, why it is left out."""
        self.reasons.append(reason)
        self.lacks_bytes = self.lacks_bytes or not is_value
        self.above.append(todo(reason))

    def add(self, entry: Entry, at: Location | None) -> None:
        self.entries.append(Noted(entry, "\n".join(self.above), at))
        self.above.clear()


@dataclass(frozen=True, slots=True)
class Refusals:
    """The reasons, by places in the source."""

    reasons: Mapping[Location, str]

    def at(self, at: Location, stage: int) -> str | None:
        """Why what was written for a place in that way was refused."""
        return self.reasons.get(stage_at(at, stage))


def stage_at(at: Location, stage: int) -> Location:
    """The place of an attribute, told apart by how it is said."""
    return Location(at.path, at.line, at.column + stage)
