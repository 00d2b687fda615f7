"""A protocol is not too large for tables and their readers.

A type is put into every place that uses it, with the types it uses itself: a few types that each hold the next one
twice are more columns than there are atoms. So there is a limit to the fields of all messages together, each counted
wherever it is used, and to how deeply types stand in types.

Bad::

    types:
      - {name: One, fields: [{name: first, type: Two}, {name: second, type: Two}]}
      - {name: Two, fields: [{name: first, type: Three}, {name: second, type: Three}]}
      # and so on, down to Thirty

Good::

    types:
      - {name: One, fields: [{name: parts_count, type: u8}, {name: parts, type: Two, repeat: {count: parts_count}}]}
"""

from collections.abc import Iterable, Iterator

from wireloom_generator.problems import Location, Problem
from wireloom_generator.reading import syntax
from wireloom_generator.reading.spec import Spec

MOST = 50_000
"""The most fields of a protocol, each counted as often as it is used."""
DEEPEST = 32
"""The deepest nesting of types."""


class _TooLargeError(Exception):
    """Something is too large; ``args`` are the place and the message."""


def check(spec: Spec) -> Iterator[Problem]:
    """The first place at which a protocol becomes too large; then this is the only problem reported."""
    sizes = _Sizes(spec)
    try:
        for type_ in spec.types.values():
            sizes.of_type(type_.name, type_.where("name"), 1)
        total = 0
        for entries in (spec.protocol.record.fields, *_sections(spec.messages)):
            total = sizes.of(entries, 1, total)
    except _TooLargeError as error:
        yield Problem(error.args[0], "too-large", *error.args[1:])


def _sections(messages: Iterable[syntax.Message]) -> Iterator[tuple[syntax.Entry, ...]]:
    for message in messages:
        yield from message.sections.values()
        for variant in message.variants:
            yield from variant.sections.values()


class _Sizes:
    """Counts fields. Each type is counted once; recursive types are another rule's concern."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
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
                case _:
                    continue
            if used in self.spec.types:
                total += self.of_type(used, at, depth + 1)
            if total > MOST:
                what = f"more than {MOST} fields, each counted wherever it is used"
                raise _TooLargeError(at, what, "a list of a type counts once")
        return total

    def of_type(self, name: str, at: Location, depth: int) -> int:
        """The number of fields in a type. Raises ``_TooLargeError``."""
        if depth <= DEEPEST and name not in self.known:
            self.known[name] = 0, 0
            outer, self.deepest = self.deepest, depth
            self.known[name] = self.of(self.spec.types[name].fields, depth), self.deepest - depth
            self.deepest = max(outer, self.deepest)
        count, height = self.known.get(name, (0, 0))
        self.deepest = max(self.deepest, depth + height)
        if self.deepest > DEEPEST:
            raise _TooLargeError(at, f"more than {DEEPEST} types inside each other", "keep the inner part as bytes")
        return count
