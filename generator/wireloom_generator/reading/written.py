"""Mappings of a file as they were written: where each stands, and the keys that it may have."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
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


@cache
def _keys(kind: type) -> tuple[str, ...]:
    return tuple(key.name for key in fields(kind) if "doc" in key.metadata)


def within(part: object) -> Iterator[Written]:
    """Every mapping in a part of a spec, each before those inside of it."""
    pending = [part]
    while pending:
        match pending.pop():
            case None | str() | int() | float():
                pass
            case Written() as found:
                yield found
                kind: type = type(found)
                pending += [getattr(found, key) for key in reversed(_keys(kind))]
            case tuple() as found:
                pending += reversed(found)
            case Mapping() as found:
                pending += reversed(tuple(found.values()))
