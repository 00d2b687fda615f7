"""The last step of writing a record: derived values are computed and written into the room reserved for them."""

from wireloom.codec.awaiting import Awaited, Path
from wireloom.codec.errors import EncodeError
from wireloom.codec.fields import Field
from wireloom.codec.frames import Values
from wireloom.codec.writer import Writer

ATTEMPTS = 64
"""How often a record is written at most until all claims hold. Few need more than three: a longer length makes room for
itself, and that can make another one longer.
"""


def settle(writer: Writer) -> EncodeError | None:
    """Fill in derived values, then checksums. Returns the error if a claim does not hold.

    Raises ``EncodeError`` for errors that another attempt could not mend.
    """
    for frame in (writer.frame, *writer.frames):
        frame["record"] = (0, len(writer.buffer))
    sums = tell(writer)
    for part, this, frame, taken, path in writer.claims:
        found = part.state(this, writer.record, frame)
        if found != taken:
            writer.path = path
            return part.refusal(this, taken, found)
    for this, name, source, _, _ in sums:
        assert isinstance(source, Field), "only fields follow from bytes"
        this[name] = source.placeholder(this[name])
    _pack(writer)
    for _ in sums:
        if not _computed(writer, sums):
            break
        _pack(writer)
    return _misread(writer) if writer.shared else None


def tell(writer: Writer) -> list[Awaited]:
    """Compute the derived values again and again until none changes; those computed from bytes are left as given.

    Raises ``EncodeError`` if they never settle.
    """
    values: list[Awaited] = []
    sums: list[Awaited] = []
    for item in writer.awaited:
        this, name, source, frame, _ = item
        if source.stored and frame.span(name) is None:
            this[name] = None  # given, but not written
        else:
            (sums if source.last else values).append(item)
    for _ in range(len(values) + 1):
        if not _computed(writer, values):
            return sums
    _, name, _, _, writer.path = next(item for item in values if _computed(writer, [item]))
    raise EncodeError("follows from itself through others, and never comes to rest", name)


def learn(writer: Writer) -> bool:
    """Remember what another attempt can know, the awaited values above all; returns whether this attempt knew other."""
    found: dict[Path, Values] = {}
    for this, name, _, _, path in writer.awaited:
        found.setdefault(path, {})[name] = this[name]
    changed = found != writer.known
    writer.known = found
    if writer.moved and writer.length != len(writer.buffer):
        writer.length, changed = len(writer.buffer), True
    return changed


def misfit(writer: Writer) -> EncodeError | None:
    """The error for the first given value that its field cannot hold; ``path`` leads there."""
    outer = writer.little
    for part, this, _, path, little in writer.reserved:
        writer.little = little
        error = part.misfit(writer, this)
        writer.little = outer
        if error is not None:
            writer.path = path
            return error
    return None


def _misread(writer: Writer) -> EncodeError | None:
    """The error for the first value that is not what others wrote in its place; ``path`` leads there."""
    data = bytes(writer.buffer)
    for item in writer.shared:
        error = item[0].misread(writer, data, item)
        if error is not None:
            writer.path = item[3]
            return error
    return None


def _computed(writer: Writer, awaited: list[Awaited]) -> bool:
    """Compute the values once; returns whether any has changed."""
    changed = False
    for this, name, source, frame, _ in awaited:
        value = source.expected(this, writer.record, frame, writer.buffer)
        if this[name] != value:
            this[name] = value
            changed = True
    return changed


def _pack(writer: Writer) -> None:
    outer = writer.little
    for part, this, start, path, little in writer.reserved:
        writer.path, writer.little = path, little
        data = part.pack(writer, this)
        writer.buffer[start : start + len(data)] = data
    writer.little = outer
