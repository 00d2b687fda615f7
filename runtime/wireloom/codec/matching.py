"""Which values of a header field select a message."""

from collections.abc import Mapping
from typing import NamedTuple

Literal = bool | int | str | bytes


class Between(NamedTuple):
    """The whole numbers from ``least`` to ``most``."""

    least: int
    most: int


class Selection(NamedTuple):
    """The values that select: those ``listed``, and the numbers in ``spans``.

    ``first`` is written if none is given; None if that would be an arbitrary number of a range.
    """

    listed: frozenset[Literal]
    spans: tuple[Between, ...]
    first: Literal | None

    @property
    def any(self) -> Literal:
        """One of the values."""
        return self.spans[0].least if self.first is None else self.first

    def __contains__(self, value: object) -> bool:
        if value in self.listed:
            return True
        return isinstance(value, int) and any(least <= value <= most for least, most in self.spans)


Given = Mapping[str, tuple[Literal | Between, ...]]
"""The values that select something by field, as generated code has them."""
Match = Mapping[str, Selection]


def selections(given: Given) -> Match:
    """The values that select something, by field."""
    return {name: _selection(values) for name, values in given.items()}


def _selection(values: tuple[Literal | Between, ...]) -> Selection:
    spans = tuple(value for value in values if isinstance(value, Between))
    listed = frozenset(value for value in values if not isinstance(value, Between))
    return Selection(listed, spans, None if isinstance(values[0], Between) else values[0])
