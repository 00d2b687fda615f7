"""Mappings of a file as written: their places, and the keys that they allow."""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field
from typing import Any, NewType

from wireloom_generator.problems import Location

Prose = NewType("Prose", str)
"""Text for people, in which a line break is a space."""


@dataclass(frozen=True, slots=True)
class KeyDoc:
    """The description of a key, for error messages, editors and the reference."""

    about: str
    """A phrase, in Markdown without links."""
    example: str
    """A value as specs write it."""
    name: str | None
    """The key as written, if it is a Python keyword."""
    unset: str
    """The meaning of its absence, if its default does not say it."""
    see: str
    """The page, or its heading, that explains it, below ``docs/reference``."""


def required(about: str, example: str, *, key: str | None = None, see: str = "") -> Any:
    """A key that must be given."""
    return field(metadata={"key": KeyDoc(about, example, key, "", see)})


def optional(
    about: str, example: str, default: object = None, *, key: str | None = None, unset: str = "", see: str = ""
) -> Any:
    """A key that may be left out; a mapping left out is empty, whatever ``default`` says."""
    return field(default=default, metadata={"key": KeyDoc(about, example, key, unset, see)})


def default_of(written: Any) -> str:
    """The default of a dataclass field that is a key, in Markdown; empty if there is none to name."""
    key: KeyDoc = written.metadata["key"]
    if written.default is MISSING:
        return "required"
    if isinstance(written.default, bool | int | str) and written.default != "":
        return f"`{str(written.default).lower()}`"
    return key.unset


def among(*, without: tuple[str, ...] = ()) -> Any:
    """A mapping whose keys, except for some, are written among those of the mapping around it."""
    return field(metadata={"without": without})


class Expression(str):
    """The text of an expression, and its place; a bare number or true/false is one too."""

    __slots__ = ("at",)
    at: Location

    def __new__(cls, text: str, at: Location) -> "Expression":
        found = super().__new__(cls, text)
        found.at = at
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A mapping of a file, with its place and those of its values."""

    at: Location = field(compare=False)
    places: Mapping[str, Location] = field(repr=False, compare=False)

    def where(self, key: str) -> Location:
        """The place of the value of ``key``, or for ``key.name`` of that name in it; the mapping's own if not given."""
        return self.places.get(key, self.at)

    def gives(self, key: str) -> bool:
        return key in self.places
