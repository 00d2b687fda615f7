"""Captures cut into records as their bytes arrive, so that the first records do not wait for the rest."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from wireloom.cli import captures
from wireloom.cli.diagnostics import MisuseError
from wireloom.codec import DecodeError, Protocol, cutting
from wireloom.codec.cutting import Cut, Cutter
from wireloom.codec.errors import broken_off
from wireloom.codec.frames import Values
from wireloom.compressed import DamagedFileError
from wireloom.kinds import ReadSome, Recording, behind, detect, filling
from wireloom.options import CaptureKind, ReadOptions
from wireloom.views import Row

_READ = 64 * 1024
"""How many bytes are read at once; more for longer records."""
_PROMPT = 1024 * 1024
"""A record longer than this is tried again only when twice as many bytes are there."""


class Piece(NamedTuple):
    """A record or a malformed range: its number, its offset in the capture, and its bytes."""

    number: int
    offset: int
    data: bytes
    cut: Cut


@contextmanager
def opened(
    source: str, protocol: Protocol, parameters: Values, offset: int = 0, *, from_hex: bool
) -> Iterator[tuple[ReadSome, Values]]:
    """A function that reads the next bytes of a source from byte ``offset`` on; it returns none only at the end.

    Also gives the parameters of records there, which may come from earlier parts of the capture. Raises
    ``MisuseError`` if the source is shorter, its header is malformed, or ``offset`` is inside the header.
    """
    with captures.byte_stream(source, from_hex=from_hex) as stream:
        preamble, skipped, ahead = protocol.preamble, 0, b""
        if offset and preamble is not None and preamble.awaited(parameters):
            try:
                skipped, parameters, ahead = preamble.opened(stream.read, parameters)
            except DecodeError as error:
                raise MisuseError(f"{captures.name_of(source)}: its header is malformed: {error.reason}") from None
            if offset < skipped:
                raise MisuseError(f"--offset must be 0, or at least {skipped}, the size of the header, not {offset}")
        if offset:
            parameters, ahead = cutting.discover(
                Cutter(protocol.framing, parameters), stream.read1, ahead=ahead, base=skipped
            )
        _skip(stream.read1, source, offset, skipped + len(ahead))
        yield behind(ahead[offset - skipped :], stream.read1), parameters


def _skip(read: ReadSome, source: str, offset: int, skipped: int) -> None:
    while skipped < offset:
        data = read(min(_READ, offset - skipped))
        if not data:
            name = captures.name_of(source)
            raise MisuseError(f"{name} has {skipped} bytes; --offset must be less, not {offset}")
        skipped += len(data)


def pieces(read: ReadSome, cutter: Cutter, base: int) -> Iterator[Piece]:
    """The records of the bytes from ``read``, which begin at ``base`` in the capture; they cover every byte. Where a
    compressed file is damaged, there is a malformed one, which may have no bytes.
    """
    held, start, final, number = b"", 0, False, 0
    damage: DamagedFileError | None = None
    while start < len(held) or not final:
        cut = cutter.cut(held, start, len(held), base=base, final=final) if start < len(held) else None
        if cut is None:
            base, held, start = base + start, held[start:], 0
            try:
                more = _more(read, len(held))
            except DamagedFileError as error:
                damage, more = error, b""
            final = not more
            held += more
            continue
        start += cut.length
        if damage is not None and start == len(held) and (cut.error is not None or cutter.framing.to_the_end):
            cut, damage = cut._replace(error=broken_off(damage.reason, base + cut.offset)), None
        yield Piece(number, base + cut.offset, held[cut.offset : start], cut)
        number += 1
    if damage is not None:
        end = base + start
        yield Piece(number, end, b"", Cut(start, 0, error=broken_off(damage.reason, end)))


def _more(read: ReadSome, held: int) -> bytes:
    """The next bytes: only those already there, unless many are held; none at the end."""
    wanted = held if held >= _PROMPT else 1
    found: list[bytes] = []
    while wanted > 0:
        try:
            data = read(max(_READ, wanted))
        except DamagedFileError:  # which is raised again
            if not found:
                raise
            break
        if not data:
            break
        found.append(data)
        wanted -= len(data)
    return b"".join(found)


def rows(read: ReadSome, protocol: Protocol, options: ReadOptions, file: str) -> Iterator[Row]:
    """The rows of the bytes from ``read``, with their positions; see ``Protocol.iter_records``."""
    kind, ahead = detect(options.capture, protocol.name, read)
    read = behind(ahead, read)
    if kind is CaptureKind.RAW:
        yield from _rows(read, protocol, options)
        return
    from wireloom.columnar.traffic import record_by_record  # needs Arrow, which records end to end do not

    yield from record_by_record.rows([Recording(file, kind, filling(read))], protocol, options)


def _rows(read: ReadSome, protocol: Protocol, options: ReadOptions) -> Iterator[Row]:
    framing = protocol.framing.resyncing(options.resync)
    cutter = Cutter(framing, dict(options.parameters), options.max_record_bytes)
    for piece in pieces(read, cutter, 0):
        row = protocol.row(piece.cut, piece.data, piece.offset, cutter.parameters, options.mode, options.only)
        if row is not None:
            row["_offset"], row["_length"] = piece.offset, len(piece.data)
            yield row
