"""Captures cut into records as their bytes arrive, so that the first are there at once, however much follows."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from wireloom.cli import captures
from wireloom.cli.diagnostics import MisuseError
from wireloom.codec import Protocol
from wireloom.codec.framing import Cutter, Record
from wireloom.options import ReadOptions
from wireloom.views import Row

_READ = 64 * 1024
"""Bytes asked for at once, and more for a record that is longer."""
_PROMPT = 1024 * 1024
"""A record that is longer is looked at again only when twice as much is there."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A record or a malformed range: its number, where it stands in the capture, and its bytes."""

    number: int
    offset: int
    data: bytes
    record: Record


@contextmanager
def opened(source: str, *, from_hex: bool, offset: int = 0) -> Iterator[Callable[[int], bytes]]:
    """What reads the next bytes of a source from its byte ``offset`` on, some of them at least until there are none.

    Raises ``MisuseError`` if there are not so many.
    """
    with captures.byte_stream(source, from_hex=from_hex) as stream:
        _skip(stream.read1, source, offset)
        yield stream.read1


def _skip(read: Callable[[int], bytes], source: str, offset: int) -> None:
    skipped = 0
    while skipped < offset:
        data = read(min(_PROMPT, offset - skipped))
        if not data:
            name = captures.name_of(source)
            raise MisuseError(f"{name} has {skipped} bytes; --offset is one of them, counted from 0, not {offset}")
        skipped += len(data)


def cuts(read: Callable[[int], bytes], cutter: Cutter, base: int) -> Iterator[Cut]:
    """The records of what ``read`` gives, which stands at ``base`` in the capture, together covering every byte."""
    held, start, final, number = b"", 0, False, 0
    while start < len(held) or not final:
        record = cutter.cut(held, start, len(held), base=base, final=final) if start < len(held) else None
        if record is None:
            base, held, start = base + start, held[start:], 0
            more = _more(read, len(held))
            final = not more
            held += more
            continue
        data = held[record.offset : record.offset + record.length]
        yield Cut(number, base + record.offset, data, record)
        number += 1
        start += record.length


def _more(read: Callable[[int], bytes], held: int) -> bytes:
    """What comes next, no more than is there unless a lot is held already; nothing at the end."""
    wanted = held if held >= _PROMPT else 1
    pieces: list[bytes] = []
    while wanted > 0:
        piece = read(max(_READ, wanted))
        if not piece:
            break
        pieces.append(piece)
        wanted -= len(piece)
    return b"".join(pieces)


def rows(read: Callable[[int], bytes], protocol: Protocol, options: ReadOptions) -> Iterator[Row]:
    """The rows of what ``read`` gives, with their positions; see ``Protocol.iter_records``."""
    parameters = dict(options.parameters)
    cutter = Cutter(protocol.framing, parameters, options.max_record_bytes)
    for cut in cuts(read, cutter, 0):
        row = protocol.row(cut.record, cut.data, cut.offset, parameters, options.mode, options.message)
        if row is not None:
            row["_offset"], row["_length"] = cut.offset, len(cut.data)
            yield row
