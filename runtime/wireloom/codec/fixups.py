"""The last step of writing a record: derived values are computed and written into the bytes reserved for them."""

from collections.abc import Sequence
from contextlib import suppress
from operator import or_

from wireloom.codec.accepted_values import is_same
from wireloom.codec.deferred_values import Awaited, Path
from wireloom.codec.errors import EncodeError
from wireloom.codec.fields import Field
from wireloom.codec.frames import Values
from wireloom.codec.reader import Reader
from wireloom.codec.writer import Reservation, Writer

ATTEMPTS = 64
"""How often a record is written at most until all claims hold. Few need more than three: a longer length makes room for
itself, and that can make another one longer.
"""


def settle(writer: Writer, terminator: int) -> EncodeError | None:
    """Fill in derived values, then checksums, and take missing values from bytes that others wrote.

    Returns the error if a claim does not hold. The record ends with a ``terminator`` of so many bytes. Raises
    ``EncodeError`` for errors that another attempt cannot fix.
    """
    for frame in (writer.frame, *writer.frames):
        frame["record"] = (0, len(writer.buffer))
    error = _filled(writer)
    if not writer.shared:
        return error
    if error is not None and not _mended(writer, terminator):
        return error
    if not _reread(writer, terminator):
        return None
    written = bytes(writer.buffer)
    error = _filled(writer)
    if error is None and writer.buffer != written:
        return EncodeError("follows from bytes that it is read from, and never comes to rest")
    return error


def _mended(writer: Writer, terminator: int) -> bool:
    """Whether all claims hold once it is known what others wrote, and where. If not, another attempt may know it."""
    path = writer.path
    with suppress(EncodeError):
        _summed(writer, tell(writer), writer.reserved)
        _reread(writer, terminator)
        if _filled(writer) is None:
            return True
    writer.path = path
    return False


def _filled(writer: Writer) -> EncodeError | None:
    """Fill in derived values; returns the error if a claim does not hold, at its ``path``."""
    sums = tell(writer)
    for part, this, frame, taken, path in writer.claims:
        found = part.state(this, writer.record, frame)
        if found != taken:
            writer.path = path
            return part.refusal(this, taken, found)
    if (error := _excess(writer, sums)) is not None:
        return error
    _summed(writer, sums, writer.reserved)
    for each in writer.followed:
        if not each.holds():
            writer.path = each.path
            return EncodeError(f"what follows does not begin with its terminator {each.begins.hex()}")
    return None


def _excess(writer: Writer, sums: list[Awaited]) -> EncodeError | None:
    """The error if the checksums of structs are over more bytes than a reader sums; ``path`` leads to the first that
    is too much.
    """
    count = 0
    for this, name, source, frame, path in sums:
        assert isinstance(source, Field), "only fields follow from bytes"
        count += 0 if frame is writer.frame else source.summed(this, writer.record, frame)
        if count > Reader.SHARED * len(writer.buffer):
            writer.path = path
            return EncodeError(f"checksums over more than {Reader.SHARED} times the bytes of the record", name)
    return None


def _summed(writer: Writer, sums: list[Awaited], reserved: list[Reservation]) -> None:
    """Fill in what was ``reserved``, and the checksums in it."""
    for this, name, source, _, _ in sums:
        assert isinstance(source, Field), "only fields follow from bytes"
        this[name] = source.placeholder(this[name])
    pack(writer, reserved)
    for _ in sums:
        if not _computed(writer, sums):
            break
        pack(writer, reserved)


def seal(writer: Writer, reserved: int, awaited: int, around: Sequence[Awaited]) -> None:
    """Fill in what will be packed, as far as it is known: everything ``reserved`` and ``awaited`` from these
    numbers on,
    and values of the struct ``around`` it. Its checksums are then final.
    """
    mine = writer.awaited[awaited:]
    values = [item for item in (*around, *mine) if not item[2].last and _is_written(item)]
    sums = [item for item in mine if item[2].last]
    for item in sums:
        if not _is_written(item):
            item[0][item[1]] = None  # given, but not written
    for _ in values:
        if not _computed(writer, values):
            break
    sums = [item for item in sums if _is_written(item)]
    if (error := _excess(writer, sums)) is not None:
        raise error
    with suppress(EncodeError):  # its value may still be unknown
        _summed(writer, sums, writer.reserved[reserved:])
    writer.awaited.cut(awaited)
    writer.awaited.extend(item for item in mine if not item[2].last)


def _is_written(item: Awaited) -> bool:
    _, name, source, frame, _ = item
    return not source.stored or frame.span(name) is not None


def tell(writer: Writer) -> list[Awaited]:
    """Compute the derived values again and again until none changes; those computed from bytes are left as given.

    Raises ``EncodeError`` if they never settle.
    """
    values: list[Awaited] = []
    sums: list[Awaited] = []
    for item in writer.awaited:
        this, name, source, *_ = item
        if _is_written(item):
            (sums if source.last else values).append(item)
        else:
            this[name] = None  # given, but not written
    for _ in range(len(values) + 1):
        if not _computed(writer, values):
            return sums
    _, name, _, _, writer.path = next(item for item in values if _computed(writer, [item]))
    raise EncodeError("follows from itself through others, and never comes to rest", name)


def learn(writer: Writer) -> bool:
    """Remember what another attempt can know, the awaited values above all. Returns whether this attempt knew something
    else.
    """
    found: dict[Path, Values] = {}
    for this, name, _, _, path in writer.awaited:
        found.setdefault(path, {})[name] = this[name]
    for part, this, _, path, _ in writer.shared:
        found.setdefault(path, {}).update((name, this[name]) for name in part.names)
    changed = not is_same(found, writer.known)
    writer.known = found
    if writer.moved and writer.length != len(writer.buffer):
        writer.length, changed = len(writer.buffer), True
    return changed


def misfit(writer: Writer) -> EncodeError | None:
    """The error for the first given value that its field cannot hold; ``path`` leads there."""
    outer = writer.little
    for part, this, _, path, little, _ in writer.reserved:
        writer.little = little
        error = part.misfit(writer, this)
        writer.little = outer
        if error is not None:
            writer.path = path
            return error
    return None


def _reread(writer: Writer, terminator: int) -> bool:
    """Take what others wrote in the place of values; returns whether any is other than was taken.

    Raises ``EncodeError`` for the first that is other than was given; ``path`` leads there.
    """
    reader = Reader(bytes(writer.buffer), writer.frame.parameters, terminator=terminator)
    reader.borrowed = Reader.STEP * writer.empty
    reader.record = writer.record
    news = False
    for part, this, frame, path, little in writer.shared:
        writer.path, reader.frame, reader.little = path, frame, little
        news |= part.reread(reader, this)
    return news


def _computed(writer: Writer, awaited: list[Awaited]) -> bool:
    """Compute the values once; returns whether any has changed."""
    changed = False
    for this, name, source, frame, _ in awaited:
        given, value = this[name], source.expected(this, writer.record, frame, writer.buffer)
        is_other = not is_same(given, value)
        if is_other or type(given) is not type(value):
            this[name] = value
        changed |= is_other
    return changed


def pack(writer: Writer, reserved: list[Reservation]) -> None:
    """Fill in the reserved bytes."""
    outer = writer.little
    for part, this, start, path, little, buffer in reserved:
        writer.path, writer.little = path, little
        data = part.pack(writer, this)
        if part.over:
            data = bytes(map(or_, data, buffer[start : start + len(data)]))
        buffer[start : start + len(data)] = data
    writer.little = outer
