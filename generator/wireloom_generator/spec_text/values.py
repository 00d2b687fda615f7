"""The values of spec files, with what importers say of them and what files have around them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from wireloom_generator.problems import Location


class Hex(int):
    """A number that is written in hex."""


class Verbatim(str):
    """A single value as a file has it, such as a number in its notation or an alias."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Lines:
    """A text as the lines of a file have it, below an indicator such as ``|``.

    If line breaks are only blanks, it is ``text``.
    """

    indicator: str
    lines: tuple[str, ...]
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Noted:
    """A value with a comment of some lines above it, and the place in the source that it says.

    ``instead`` is what may stand in its place; it is below the comment, as a comment.
    """

    value: "YamlValue"
    comment: str = ""
    at: Location | None = None
    instead: "Mapping[str, YamlValue] | Sequence[YamlValue] | None" = None


def todo(reason: str) -> str:
    """The comment for what cannot be said; empty if there is no reason."""
    return f"TODO: {reason}" if reason else ""


@dataclass(frozen=True, slots=True)
class Surrounded:
    """A value with what a file has around it.

    ``above`` are comments, and an empty string for empty lines. ``beside`` is a comment at the end of its first line,
    ``below`` are comments after its last entry. ``anchor`` is what is before the value, such as ``&name``. What
    ``is_flow`` is in brackets; if that is not said, what fits. If these are on several lines, ``rows`` are the entries
    with which lines begin. The keys ``aligned`` are below each other in the mappings of a list.
    """

    value: "YamlValue"
    above: tuple[str, ...] = ()
    beside: str = ""
    below: tuple[str, ...] = ()
    anchor: str = ""
    is_flow: bool | None = None
    rows: frozenset[int] = frozenset()
    aligned: frozenset[str] = frozenset()


YamlValue = str | int | float | Lines | Sequence["YamlValue"] | Mapping[str, "YamlValue"] | Noted | Surrounded


def is_list(value: YamlValue) -> TypeGuard[Sequence[YamlValue]]:
    return not isinstance(value, str | int | float | Lines | Mapping | Noted | Surrounded)


def bare(value: YamlValue) -> YamlValue:
    """The value without what is around it."""
    while isinstance(value, Noted | Surrounded):
        value = value.value
    return value


def has_structs(value: YamlValue) -> bool:
    """Whether a value is a list of mappings."""
    inner = bare(value)
    return is_list(inner) and any(isinstance(bare(each), Mapping) for each in inner)
