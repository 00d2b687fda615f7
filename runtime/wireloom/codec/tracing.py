"""Traces: where each value of a record was read from, for explaining its bytes.

A ``Reader`` with a trace notes spans in it. Plain decoding has no trace, so it is not slower. The trace of a malformed
record contains everything that was read before the error.
"""

import dataclasses
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from construct import Container

from wireloom.codec.errors import DecodeError, join
from wireloom.codec.fields import Field
from wireloom.codec.frames import Values


class SpanKind(StrEnum):
    """How a span relates to its record."""

    FIELD = "field"
    """A value; if it has spans inside, a struct or a list."""
    SECTION = "section"
    COMPUTED = "computed"
    """A value without bytes."""
    PADDING = "padding"
    PART = "part"
    """Something inside the bytes of one value, such as a length before it."""
    SHARED = "shared"
    """A value whose bytes belong to others; the span is where it is declared."""
    UNPACKED = "unpacked"
    """A value in packed bytes; the span is the place of those."""
    DEFAULT = "default"
    """A value that is not stored, and so has no bytes either."""
    OMITTED = "omitted"
    """Items of a list that are not traced one by one; the value is how many."""
    UNREAD = "unread"
    """Bytes that no field was read from. Traces do not contain them; they are the rest of the record."""


@dataclasses.dataclass(slots=True)
class Span:
    """A range of a record's bytes, from ``start`` to before ``end``; ``end`` is None if it is not known, as reading
    failed inside.

    ``path`` is the path of its column. Its value is in ``held`` under ``name``, which may still change while more is
    read; ``held`` is None if reading failed. ``bits`` are the highest and the lowest bit of a bit field.
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
    """The beginning of the paths of the spans inside."""
    region: bool = False
    """Whether fields at offsets in it are inside it."""
    source: tuple[int, int] | None = None
    """The bytes of a shared value; the place of an unpacked one in the unpacked bytes."""
    spans: list["Span"] = dataclasses.field(default_factory=list)

    @property
    def value(self) -> object:
        """The value, or None if it is not known."""
        return None if self.held is None else self.held.get(self.name)


class _Inside(NamedTuple):
    """Where bytes are unpacked from, if they are: the place of the packed ones in the record, or of unchanged ones."""

    packed: int | None = None
    shift: int = 0


class Trace:
    """The spans of one record.

    Only the first ``items`` of a list are noted one by one; None means all of them. With ``cut_off``, the complete
    fields of an incomplete run of fields are also noted.
    """

    def __init__(self, items: int | None = None, *, cut_off: bool = False) -> None:
        self.items = items
        self.cut_off = cut_off
        self.little = False
        self.message: str | None = None
        self.variant: str | None = None
        self.root = Span("", "", SpanKind.SECTION, 0, region=True)
        self._open = [self.root]
        self._shared: list[bool] = []
        self._inside: list[_Inside] = [_Inside()]

    def open(self, start: int, data: bytes, *, same: bool) -> None:
        """The following spans are unpacked from the ``data`` there, or are the ``same`` bytes."""
        around = self._inside[-1]
        if same and around.packed is None:
            self._inside.append(_Inside(shift=around.shift + start))
            return
        self.note(_PACKED, start, start + len(data), {_PACKED: data}, kind=SpanKind.PART)
        self._inside.append(_Inside(around.shift + start if around.packed is None else around.packed))

    def close(self) -> None:
        """The following spans are not packed."""
        self._inside.pop()

    def _add(self, span: Span) -> Span:
        """A span where it is. An item is shown as its list's field says."""
        if span.field is None and span.name.startswith("["):
            span.field = self._open[-1].field
        inside = self._inside[-1]
        if inside.packed is not None:
            span.source = span.start, span.start if span.end is None else span.end
            span.start = span.end = inside.packed
            span.kind = SpanKind.UNPACKED if span.kind is SpanKind.FIELD else span.kind
        elif inside.shift:
            span.start, span.end = span.start + inside.shift, None if span.end is None else span.end + inside.shift
        self._open[-1].spans.append(span)
        return span

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
        if self._inside[-1].packed is None or kind is not SpanKind.PADDING:
            self._add(Span(name, self._path(name), kind, start, end, held, field, bits))

    def begin(
        self,
        name: str,
        start: int,
        kind: SpanKind = SpanKind.FIELD,
        *,
        end: int | None = None,
        field: Field | None = None,
        bits: tuple[int, int] | None = None,
    ) -> None:
        """Note the following spans inside a span, until ``finish``."""
        path = self._path(name)
        inner = self._open[-1].inner if kind is SpanKind.SECTION else path
        is_region = kind is SpanKind.SECTION
        span = Span(name, path, kind, start, end, field=field, bits=bits, inner=inner, region=is_region)
        self._open.append(self._add(span))

    def bound(self) -> None:
        """The span begun last is a region."""
        self._open[-1].region = True

    def leave(self, *, shared: bool) -> None:
        """Note the following spans at their place in the region, or, if ``shared``, where reading comes back."""
        inner = self._open[-1].inner
        around = [] if shared else next(span.spans for span in reversed(self._open) if span.region)
        self._open.append(Span("", "", SpanKind.FIELD, 0, inner=inner, spans=around, region=shared))
        self._shared.append(shared)

    def come_back(self, pos: int) -> None:
        """Continue in sequence."""
        away = self._open.pop()
        if self._shared.pop():
            _borrow(away.spans, pos)
            self._open[-1].spans += away.spans

    def _path(self, name: str) -> str:
        outer = self._open[-1].inner
        return join(outer, name) if outer else name

    def of_message(self, name: str) -> None:
        """The fields in the section just begun belong to the message."""
        self._open[-1].inner = name

    def finish(self, end: int, value: object = None) -> None:
        """End the span begun last, and set its value."""
        span = self._open.pop()
        self._end(span, end)
        span.held = {span.name: value}

    def fail(self, end: int) -> None:
        """If the span begun last is a value whose bytes were taken, and then refused, it ends with them."""
        span = self._open[-1]
        inside = self._inside[-1]
        if not span.spans and (inside.packed is not None or span.start < end + inside.shift):
            self._end(span, end)

    def _end(self, span: Span, end: int) -> None:
        """End a span here; unpacked spans have no bytes in the record."""
        inside = self._inside[-1]
        if inside.packed is not None and span.source is not None:
            span.source = span.source[0], end
        else:
            span.end = end + inside.shift

    def flat(self) -> list[tuple[str, Span]]:
        """The innermost fields in the order they were read, each with its section of the record."""
        return [
            (top.name if top.kind is SpanKind.SECTION else "", span) for top in self.root.spans for span in _flat([top])
        ]


def _borrow(spans: list[Span], pos: int) -> None:
    """Let spans be those of shared values that are declared at ``pos``."""
    for span in spans:
        span.source = (span.start, span.end or span.start)
        span.start = span.end = pos
        span.kind = SpanKind.SHARED if span.kind is SpanKind.FIELD else span.kind
        _borrow(span.spans, pos)


_PACKED = "(packed)"


def _flat(spans: list[Span]) -> Iterator[Span]:
    for span in spans:
        packed = next((inner for inner in span.spans if inner.name == _PACKED), None)
        if span.kind is SpanKind.SECTION and packed is not None:
            held = {span.name: packed.value}
            yield dataclasses.replace(packed, name=span.name, path=span.path, kind=SpanKind.FIELD, held=held)
            continue
        if span.kind in (SpanKind.FIELD, SpanKind.SECTION):
            inner = list(_flat(span.spans))
            yield from inner or ([span] if span.kind is SpanKind.FIELD and span.held is not None else [])


class Traced(NamedTuple):
    """What became of a record that was decoded with a trace.

    ``misfit`` is the error about its length, ``error`` the one from decoding it; ``row`` is there if decoding
    succeeded.
    """

    row: Container | None
    misfit: DecodeError | None
    error: DecodeError | None
