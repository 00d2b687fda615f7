"""Mappings of a file as they were written: where each stands, and the keys that it may have."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wireloom_generator.problems import Location


def required(doc: str, key: str | None = None) -> Any:
    """A key that must be given; ``key`` is how it is written where that is a Python word."""
    return field(metadata={"doc": doc, "key": key})


def optional(doc: str, default: object = None, key: str | None = None) -> Any:
    """A key that may be left out; a mapping left out is empty, whatever ``default`` says."""
    return field(default=default, metadata={"doc": doc, "key": key})


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A mapping of a file: where it stands, and where each of its values does."""

    at: Location
    places: Mapping[str, Location] = field(repr=False, compare=False)

    def where(self, key: str) -> Location:
        """Where the value of ``key`` stands, or for ``key.name`` that name in it; the mapping itself if not given."""
        return self.places.get(key, self.at)
