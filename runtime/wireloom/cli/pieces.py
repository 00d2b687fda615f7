"""Captures cut into records as their bytes arrive, so that the first are there at once, however much follows."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from typing import BinaryIO, Protocol, cast

from wireloom.cli import captures
from wireloom.cli.diagnostics import MisuseError
from wireloom.codec import DecodeError
from wireloom.codec.framing import Cutter

_READ = 64 * 1024
"""Bytes asked for at once, and more for a record that is longer."""
_PROMPT = 1024 * 1024
"""A record that is longer is looked at again only when twice as much is there."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A record, or a malformed range with its ``error``: its number, where it stands in the capture, and its bytes."""

    number: int
    offset: int
    data: bytes
    error: DecodeError | None


class _Arriving(Protocol):
    """A stream that can be asked for what is there."""

    def read1(self, size: int, /) -> bytes: ...


@contextmanager
def opened(source: str, *, from_hex: bool, offset: int) -> Iterator[Callable[[int], bytes]]:
    """What reads the next bytes of a source from its byte ``offset`` on, some of them at least until there are none.

    Raises ``MisuseError`` if there are not so many.
    """
    if from_hex:
        with captures.buffer(source, from_hex=True) as data:
            yield _reading(BytesIO(data), source, offset)
    else:
        with captures.byte_stream(source) as stream:
            yield _reading(stream, source, offset)


def _reading(stream: BinaryIO, source: str, offset: int) -> Callable[[int], bytes]:
    read = cast(_Arriving, stream).read1 if hasattr(stream, "read1") else stream.read
    skipped = 0
    while skipped < offset:
        data = read(min(_PROMPT, offset - skipped))
        if not data:
            name = captures.name_of(source)
            raise MisuseError(f"{name} has {skipped} bytes; --offset is one of them, counted from 0, not {offset}")
        skipped += len(data)
    return read


def cut(read: Callable[[int], bytes], cutter: Cutter, base: int) -> Iterator[Cut]:
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
        yield Cut(number, base + record.offset, data, record.error)
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
