"""Limits on the size of a protocol, so that a small file cannot expand into millions of fields."""

from collections.abc import Iterable, Mapping
from typing import assert_never

from wireloom_generator.problems import Location, Problem
from wireloom_generator.reading import syntax

MOST = 50_000
"""The most fields of a protocol, each counted as often as it is used."""
DEEPEST = 32
"""The deepest nesting of structs."""


class _TooLargeError(Exception):
    """A limit is exceeded; ``args`` are the place and the message."""


def exceeded(structs: Mapping[str, syntax.Struct], lists: Iterable[Iterable[syntax.Entry]]) -> Problem | None:
    """The first place at which a protocol becomes too large: one of its structs, or of the ``lists`` in its records."""
    sizes = _Sizes(structs)
    try:
        for struct in structs.values():
            sizes.of_struct(struct.name, struct.where("name"), 1)
        total = 0
        for entries in lists:
            total = sizes.of(entries, 1, total)
    except _TooLargeError as error:
        return Problem(error.args[0], "too-large", *error.args[1:])
    return None


class _Sizes:
    """Counts fields. Each struct is counted once; recursive structs are another rule's concern."""

    def __init__(self, structs: Mapping[str, syntax.Struct]) -> None:
        self.structs = structs
        self.known: dict[str, tuple[int, int]] = {}
        self.deepest = 0

    def of(self, entries: Iterable[syntax.Entry], depth: int, total: int = 0) -> int:
        """The number of fields, added to ``total``. Raises ``_TooLargeError``."""
        for entry in syntax.walk(entries):
            total += 1
            match entry:
                case syntax.Field(type=used):
                    at = entry.where("type")
                case syntax.Include(include=used):
                    at = entry.where("include")
                case syntax.Section() | syntax.Choice() | syntax.Bits() | syntax.Pad() | syntax.Align():
                    continue
                case _:
                    assert_never(entry)
            if used in self.structs:
                total += self.of_struct(used, at, depth + 1)
            if total > MOST:
                what = f"more than {MOST} fields, each counted wherever it is used"
                raise _TooLargeError(at, what, "a list of a type counts once; a smaller depth gives fewer")
        return total

    def of_struct(self, name: str, at: Location, depth: int) -> int:
        """The number of fields in a struct. Raises ``_TooLargeError``."""
        if depth <= DEEPEST and name not in self.known:
            self.known[name] = 0, 0
            outer, self.deepest = self.deepest, depth
            self.known[name] = self.of(self.structs[name].fields, depth), self.deepest - depth
            self.deepest = max(outer, self.deepest)
        count, height = self.known.get(name, (0, 0))
        self.deepest = max(self.deepest, depth + height)
        if self.deepest > DEEPEST:
            raise _TooLargeError(
                at,
                f"more than {DEEPEST} types inside each other",
                "keep the inner part as bytes, or reduce its depth",
            )
        return count
