"""One record explained: the tree of its fields, and where and why it is malformed.

Every byte is in a leaf of the tree. Bit fields share bytes, and the parts of a FlatBuffers table can.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from wireloom.codec import DecodeError, Protocol
from wireloom.codec.errors import counted
from wireloom.codec.frames import Values
from wireloom.codec.tracing import Span, SpanKind, Trace
from wireloom.inspection.wording import Wording, worded
from wireloom.options import resolve

ITEMS = 32
"""How many items of a list are shown one by one."""
_MISSING = 1 << 16
"""How many missing bytes of a record are read as zeros, to find the fields in which it ends."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A part of a record, as it is shown.

    ``start`` and ``end`` delimit its bytes, counted from the record's start; they are equal if it has none. ``path`` is
    that of its column, or empty; ``label`` the name of a number; ``note`` a remark. Values of the kinds ``COMPUTED``
    and ``DEFAULT`` are not in the bytes; those of the kind ``SHARED`` are in bytes of other fields, and those of the
    kind ``UNPACKED`` in the unpacked bytes of other fields.
    """

    name: str
    path: str
    kind: SpanKind
    start: int
    end: int
    text: str = ""
    label: str = ""
    note: str = ""
    opaque: bool = False
    """Whether it is plain bytes, which are shown as characters."""
    children: tuple["Shown", ...] = ()

    def leaves(self) -> Iterator["Shown"]:
        """The innermost parts: this one, or those inside."""
        if not self.children:
            yield self
        for child in self.children:
            yield from child.leaves()


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a record is malformed, as in ``DecodeError``, and the bytes that show it.

    ``offset``, ``start`` and ``end`` count from the record's start. If bytes are missing at the end of the record, both
    ``start`` and ``end`` are the record's end; if a value without bytes is wrong, both are its position. They are None
    if nothing in the record shows the error.
    """

    code: str
    field: str
    offset: int
    detail: str
    start: int | None
    end: int | None

    def covers(self, start: int, end: int) -> bool:
        """Whether any of the bytes from ``start`` to before ``end`` shows the error."""
        return self.start is not None and self.end is not None and self.start < end and start < self.end


@dataclass(frozen=True, slots=True)
class Inspected:
    """A record, or a malformed range, at ``offset`` in its capture.

    ``byte_order`` is that of its numbers, if the protocol leaves it to a parameter. ``error`` is None if it is not
    malformed.
    """

    data: bytes
    offset: int
    message: str | None
    variant: str | None
    byte_order: str | None
    fields: tuple[Shown, ...]
    error: Failure | None

    @property
    def reason(self) -> str:
        """Why it is malformed, as in ``_corrupt_reason`` with an offset of the capture; else empty."""
        error = self.error
        if error is None:
            return ""
        return DecodeError(error.code, error.detail, self.offset + error.offset, error.field).reason

    def headline(self, number: int | None = None) -> str:
        """A line that describes it; ``number`` is its number in the capture."""
        which = "" if number is None else f"record {number} at {self.offset:#x}: "
        message = [" ".join(name for name in (self.message, self.variant) if name)] if self.message else []
        order = [f"{self.byte_order} byte order"] if self.byte_order and self.message else []
        malformed = ["malformed"] if self.error else []
        return which + ", ".join([*message, counted(len(self.data), "byte"), *order, *malformed])

    def leaves(self) -> Iterator[Shown]:
        """The innermost parts, in order."""
        for part in self.fields:
            yield from part.leaves()

    def is_bad(self, leaf: Shown) -> bool:
        """Whether a leaf shows the error: with some of its bytes, or as the value without bytes that it names."""
        error = self.error
        if error is None:
            return False
        if leaf.start < leaf.end:
            return error.covers(leaf.start, leaf.end)
        at_it = (leaf.start, leaf.end) == (error.start, error.end)
        return at_it and leaf.path in _paths(error.field, self.message)

    @property
    def ends_early(self) -> bool:
        """Whether the error is that bytes are missing at the end of the record."""
        error, size = self.error, len(self.data)
        if error is None or not error.start == error.end == size:
            return False
        return not any(leaf.kind in _WITHOUT_BYTES and self.is_bad(leaf) for leaf in self.leaves())


_WITHOUT_BYTES = (SpanKind.COMPUTED, SpanKind.DEFAULT, SpanKind.SHARED, SpanKind.UNPACKED)


def _paths(field: str, message: str | None) -> tuple[str, ...]:
    """The possible paths of the field that an error names, which may lack the name of the message."""
    return (field, f"{message}.{field}") if field else ()


def inspect_record(protocol: Protocol, data: bytes, offset: int = 0, **parameters: object) -> Inspected:
    """Explain the bytes of exactly one record.

    Parameters
    ----------
    protocol : Protocol
        The protocol: ``PROTOCOL`` of a generated module.
    data : bytes
        The record. It may be malformed, cut off, or followed by other bytes.
    offset : int, default 0
        Where it begins in its capture, for the offsets that are shown.
    **parameters
        The protocol's parameters.

    Returns
    -------
    Inspected
        The tree of its fields, in which every byte is in a leaf, and the error if it is malformed. ``fragment`` and
        ``page`` make HTML of it.

    Raises
    ------
    OptionError
        If a parameter is unknown, missing, or has a wrong value.

    Examples
    --------
    >>> from wireloom.inspection import inspect_record
    >>> from wireloom_protocols import couchbase_dcp
    >>> frame = couchbase_dcp.build({"vbucket": 3, "seqno_advanced": {"by_seqno": 7}})
    >>> inspected = inspect_record(couchbase_dcp.PROTOCOL, frame)
    >>> inspected.headline()
    'seqno_advanced, 32 bytes'
    >>> [(part.name, part.start, part.end, part.text) for part in inspected.leaves()][-1]
    ('by_seqno', 24, 32, '7')
    """
    return explained(protocol, data, offset, resolve(protocol.parameters, parameters))


def explained(
    protocol: Protocol, data: bytes, offset: int, parameters: Values, told: DecodeError | None = None
) -> Inspected:
    """As ``inspect_record``, for resolved ``parameters``.

    ``told`` is the error that a reader of the whole capture found about the record's length; its offset is from the
    capture's start.
    """
    trace = Trace(ITEMS, cut_off=True)
    if told is not None and told.offset < offset:
        return _continued(data, offset, told)
    traced = protocol.decode_traced(data, parameters, trace)
    framed, found = traced.misfit, traced.error
    if told is not None:
        framed = _moved(told, offset)
    if framed is not None and framed.code == "truncated":
        cut_off = _cut_off(protocol, data, parameters)
        trace, found = (cut_off, None) if cut_off else (trace, found)
    elif framed is not None and framed.code not in _LENGTH_IS_KNOWN:
        trace.message = trace.variant = None
        _read_no_further(trace.root, max(lengths.window for lengths in protocol.framing.lengths))
    error, spans = framed or found, trace.root.spans
    until, envelope = protocol.record.until, protocol.record.envelope
    ends, start, end = "(terminator)", 0, len(data) - len(until) * data.endswith(until)
    if envelope is not None:
        ends, start, end = envelope.around(data)
    inside = _Tree(data, error).parts(spans, start, end, whole=error is None)
    parts = (*_around(ends, 0, start), *inside, *_around(ends, end, len(data)))
    failure = _failure(parts, data, framed, found, trace)
    order = ("little" if trace.little else "big") if protocol.framing.byte_order else None
    return Inspected(data, offset, trace.message, trace.variant, order, parts, failure)


def _around(name: str, start: int, end: int) -> Iterator[Shown]:
    """The bytes of a record that are not its contents."""
    if start < end:
        yield Shown(name, "", SpanKind.PADDING, start, end, counted(end - start, "byte"))


def _continued(data: bytes, offset: int, told: DecodeError) -> Inspected:
    """A later piece of a malformed range. It has no fields, and nothing in it shows the error."""
    error = _moved(told, offset)
    parts = _Tree(data, error).parts([], 0, len(data), whole=False)
    failure = Failure(error.code, error.field, error.offset, error.detail, None, None)
    return Inspected(data, offset, None, None, None, parts, failure)


def _moved(error: DecodeError, offset: int) -> DecodeError:
    """The error with its offset moved by ``offset``."""
    return DecodeError(error.code, error.detail, error.offset - offset, error.field)


_LENGTH_IS_KNOWN = frozenset({"checksum", "trailing-bytes", "too-long"})
"""Errors of records whose fields are still shown; of other records only the fields that give the length are."""


def _cut_off(protocol: Protocol, data: bytes, parameters: Values) -> Trace | None:
    """The trace of a truncated record; None if its length is unknown or it is not truncated."""
    try:
        length, _ = protocol.framing.first(data, 0, len(data), parameters)
    except DecodeError:
        length, _ = protocol.framing.likely(data, parameters)
    if not len(data) < length <= len(data) + _MISSING:
        return None
    trace = Trace(ITEMS)
    protocol.decode_traced(data.ljust(length, b"\0"), parameters, trace)
    trace.variant = None  # the zeros may have determined it
    _read_no_further(trace.root, len(data))
    return trace


def _read_no_further(span: Span, end: int) -> None:
    """Cut the spans inside a span as if reading had failed at ``end``."""
    kept: list[Span] = []
    for inner in span.spans:
        if inner.start < end or (inner.start == end and inner.kind is SpanKind.COMPUTED):
            kept.append(inner)
        if inner.start < end and (inner.end is None or inner.end > end):
            inner.end = inner.held = None
            _read_no_further(inner, end)
    span.spans = kept


class _Tree:
    """Turns spans, and the bytes between them, into parts to show."""

    def __init__(self, data: bytes, error: DecodeError | None) -> None:
        self.data = data
        self.error = error

    def parts(self, spans: list[Span], start: int, end: int, *, whole: bool) -> tuple[Shown, ...]:
        """The parts from ``start`` to ``end``; with ``whole``, all bytes were read."""
        found: list[Shown] = []
        for span in sorted(spans, key=lambda span: (span.kind is SpanKind.DEFAULT, span.start)):
            if span.start > start and span.end != span.start:
                found.append(self._between(start, span.start, whole=True))
            if span.kind is SpanKind.SECTION and span.start == span.end and span.source is None:
                continue
            part = self._part(span, end)
            if span.kind is SpanKind.FIELD and span.bits is None and part.start < start:
                part = replace(part, start=start, end=start, children=(), note="on bytes that others have")
            found.append(part)
            if part.start < part.end:  # parts without bytes may be anywhere
                start = max(start, part.end)
        if start < end:
            found.append(self._between(start, end, whole=whole))
        return tuple(found)

    def _part(self, span: Span, outer: int) -> Shown:
        failed = span.end is None or span.held is None
        end = outer if span.end is None else span.end
        if span.kind is SpanKind.PADDING:
            return self._between(span.start, end, whole=True)
        if failed and not span.spans and span.kind is not SpanKind.SECTION:
            return Shown(span.name, span.path, SpanKind.UNREAD, span.start, end, note="not read", opaque=True)
        children = self.parts(span.spans, span.start, end, whole=not failed) if span.spans or failed else ()
        if span.kind is SpanKind.SECTION:
            children = children or self.parts([], span.start, end, whole=True)
            first, last = span.source or (span.start, end)
            size = counted(last - first, "byte")
            return Shown(span.name, "", span.kind, span.start, end, size, children=children)
        value = span.value
        words = worded(value, span.field)
        if span.kind is SpanKind.OMITTED:
            words = Wording(f"… {counted(value, 'more item') if isinstance(value, int) else 'more items'}")
        path = "" if span.kind is SpanKind.PART else span.path
        opaque = isinstance(value, bytes)
        text, label, note = words.text, words.label, _note(span)
        return Shown(span.name, path, span.kind, span.start, end, text, label, note, opaque, children)

    def _between(self, start: int, end: int, *, whole: bool) -> Shown:
        """Bytes that no field was read from."""
        if not whole and self.error is not None:
            name = "(left over)" if self.error.code == "trailing-bytes" else "(not read)"
            return Shown(name, "", SpanKind.UNREAD, start, end, counted(end - start, "byte"), opaque=True)
        padding = not any(self.data[start:end])
        name, kind = ("(padding)", SpanKind.PADDING) if padding else ("(not used)", SpanKind.UNREAD)
        return Shown(name, "", kind, start, end, counted(end - start, "byte"), opaque=not padding)


def _note(span: Span) -> str:
    if span.bits is not None:
        high, low = span.bits
        return f"bit {high}" if high == low else f"bits {high}-{low}"
    if span.source is not None:
        what = "the bytes" if span.kind is SpanKind.SHARED else "unpacked,"
        return f"{what} from {span.source[0]:#x} to {span.source[1]:#x}" if span.source[0] < span.source[1] else ""
    return {SpanKind.COMPUTED: "computed", SpanKind.DEFAULT: "default, not stored"}.get(span.kind, "")


def _failure(
    parts: tuple[Shown, ...], data: bytes, framed: DecodeError | None, found: DecodeError | None, trace: Trace
) -> Failure | None:
    """The error with its bytes: those of the field it names, or else those at its offset."""
    error = framed or found
    if error is None:
        return None
    placed = found if found is not None and not error.field and found.code == error.code else error
    if placed is found and placed.field == trace.message:  # it is about the record as a whole
        return Failure(error.code, error.field, error.offset, error.detail, 0, len(data))
    start = end = min(max(placed.offset, 0), len(data))
    ends_early = placed.code == "truncated" or (placed.code == "unterminated" and not placed.field)
    if placed is framed and ends_early:
        last = next(reversed([leaf for part in parts for leaf in part.leaves() if leaf.start < leaf.end]), None)
        end = len(data)
        start = last.start if last is not None and last.kind is SpanKind.UNREAD else end
        return Failure(error.code, error.field, error.offset, error.detail, start, end)
    named = _paths(placed.field, trace.message)
    part = next((part for part in _all(parts) if (part.path or _path_of(part, trace)) in named), None)
    if part is not None and part.start <= start <= part.end:
        left_over = placed.code == "trailing-bytes" and start < part.end
        start, end = start if left_over else part.start, part.end
    elif start < len(data):
        end = start + 1
        if placed.code in ("truncated", "overrun", "trailing-bytes"):
            end = next((leaf.end for top in parts for leaf in top.leaves() if leaf.start == start < leaf.end), end)
    return Failure(error.code, error.field, error.offset, error.detail, start, end)


def _path_of(part: Shown, trace: Trace) -> str:
    """The path by which errors name a section of a message, which is not a column."""
    return f"{trace.message}.{part.name}" if part.kind is SpanKind.SECTION else ""


def _all(parts: tuple[Shown, ...]) -> Iterator[Shown]:
    for part in parts:
        yield part
        yield from _all(part.children)
