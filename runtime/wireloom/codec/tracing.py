"""Traces: where everything that a record was read from stands, for whoever explains its bytes.

A ``Reader`` with a trace notes spans in it as it goes; plain decoding has none, and pays nothing. What was read of a
malformed record before it failed is in the trace, too.
"""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from construct import Container

from wireloom.codec.errors import DecodeError, join
from wireloom.codec.fields import Field
from wireloom.codec.frames import Values


class SpanKind(StrEnum):
    """What a span is to its record."""

    FIELD = "field"
    """A value; one with spans inside is a struct or a list."""
    SECTION = "section"
    COMPUTED = "computed"
    """A value without bytes."""
    PADDING = "padding"
    PART = "part"
    """Something inside the bytes of one value, such as a length in front of it."""
    DEFAULT = "default"
    """A value that is not stored, and so has no bytes either."""
    OMITTED = "omitted"
    """Items of a list that are not traced one by one; the value is how many."""
    UNREAD = "unread"
    """Bytes that no field was read from. No trace has these, as they are what is left of the record."""


@dataclasses.dataclass(slots=True)
class Span:
    """Something in a record, from ``start`` to before ``end`` in bytes; ``end`` is None if reading failed inside.

    ``path`` is its column's. Its value is found in ``held`` under ``name``, where it is still changed while more is
    read. ``bits`` are the highest and the lowest bit of a bit field.
    """

    name: str
    path: str
    kind: SpanKind
    start: int
    end: int | None = None
    held: Values | None = None
    field: Field | None = None
    bits: tuple[int, int] | None = None
    inner: str = ""
    """What the paths of the spans inside begin with."""
    spans: list["Span"] = dataclasses.field(default_factory=list)

    @property
    def value(self) -> object:
        """The value, or None if it is not known."""
        return None if self.held is None else self.held.get(self.name)


class Trace:
    """The spans of one record.

    Of a list, the first ``items`` are noted one by one; None: all of them. With ``cut_off``, so are the fields that are
    whole in a run of fields that is not.
    """

    def __init__(self, items: int | None = None, *, cut_off: bool = False) -> None:
        self.items = items
        self.cut_off = cut_off
        self.little = False
        self.message: str | None = None
        self.variant: str | None = None
        self.root = Span("", "", SpanKind.SECTION, 0)
        self._open = [self.root]

    def note(
        self,
        name: str,
        start: int,
        end: int,
        held: Values,
        *,
        kind: SpanKind = SpanKind.FIELD,
        field: Field | None = None,
        bits: tuple[int, int] | None = None,
    ) -> None:
        """A span with nothing inside."""
        self._open[-1].spans.append(Span(name, self._path(name), kind, start, end, held, field, bits))

    def begin(self, name: str, start: int, kind: SpanKind = SpanKind.FIELD, *, end: int | None = None) -> None:
        """Note what follows inside a span, until ``finish``."""
        path = self._path(name)
        inner = self._open[-1].inner if kind is SpanKind.SECTION else path
        span = Span(name, path, kind, start, end, inner=inner)
        self._open[-1].spans.append(span)
        self._open.append(span)

    def _path(self, name: str) -> str:
        outer = self._open[-1].inner
        return join(outer, name) if outer else name

    def of_message(self, name: str) -> None:
        """The fields in the section that was just begun are the message's."""
        self._open[-1].inner = name

    def finish(self, end: int, value: object = None) -> None:
        """The span begun last ends here, and this is its value."""
        span = self._open.pop()
        span.end = end
        span.held = {span.name: value}

    def flat(self) -> list[tuple[str, Span]]:
        """The fields without fields inside, in the order in which they were read, each with the record's section."""
        return [
            (top.name if top.kind is SpanKind.SECTION else "", span) for top in self.root.spans for span in _flat([top])
        ]


def _flat(spans: list[Span]) -> Iterator[Span]:
    for span in spans:
        if span.kind in (SpanKind.FIELD, SpanKind.SECTION):
            inner = list(_flat(span.spans))
            yield from inner or ([span] if span.kind is SpanKind.FIELD and span.end is not None else [])


@dataclass(frozen=True, slots=True)
class Traced:
    """What became of a record that was decoded with a trace.

    ``misfit`` is what is wrong with its length, ``error`` what failed in decoding it; there is a ``row`` if nothing
    did.
    """

    row: Container | None
    misfit: DecodeError | None
    error: DecodeError | None
