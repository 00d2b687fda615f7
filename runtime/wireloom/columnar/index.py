"""The index beside a capture, ``<file>.wlx``: where records begin, so that the capture is split without being read.

It is text, a JSON value a line. The first line says what the index is of, the others ``[offset, number]`` of a record
each few MiB; records are counted from the capture's start, malformed ranges among them.
"""

import json
import sys
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from itertools import pairwise
from typing import Any, BinaryIO
from zlib import crc32

from wireloom.codec import Protocol
from wireloom.columnar import arrow_schema, splits
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.scanning import Cuts, Scanner
from wireloom.columnar.splits import Place, UnfitError, places
from wireloom.files import INDEX, INDEX_EVERY, CaptureFile, created, opened, replacing
from wireloom.options import SOUGHT, U64, ParameterValue, ReadOptions

EVERY = INDEX_EVERY
VERSION = 1
"""Of the format, and of how captures are cut into records: where either changes, older indexes do not fit."""
_ENDS = 4096
"""How many of the first and the last bytes of a capture identify it."""
_LINE = 64
"""No line of a record is longer."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What decides how a capture falls into records: ``framing`` is a digest of the protocol's description."""

    protocol: str
    framing: str
    parameters: Mapping[str, ParameterValue]
    max_record_bytes: int
    resync: str

    @classmethod
    def of(cls, protocol: str, framing: str, options: ReadOptions) -> "Reading":
        """What the options of a reader decide."""
        parameters = {name: value for name, value in options.parameters.items() if name not in (U64.name, SOUGHT)}
        return cls(protocol, framing, parameters, options.max_record_bytes, options.resync)


def scanner_of(protocol: Protocol, options: ReadOptions) -> Scanner:
    """What finds the records of captures that are read with these options."""
    decoder = Decoder(protocol, options, arrow_schema(()))
    return decoder.looking(decoder.cutter())


class ForeignError(UnfitError):
    """The index of a capture is of another protocol."""


def ensure(file: CaptureFile, reading: Reading, scanner: Callable[[], Scanner]) -> tuple[int, bool]:
    """How many records the index of a capture notes, and whether it was made now; one that fits stays.

    Raises ``ForeignError`` if there is one of another protocol, which may be right about the capture.
    """
    try:
        return len(read(file, reading)), False
    except ForeignError:
        raise
    except (UnfitError, OSError):
        return write(file, reading, scanner()), True


def write(file: CaptureFile, reading: Reading, scanner: Scanner) -> int:
    """Create the index of a capture, reading it once; returns how many records it notes. An old one is replaced."""
    with opened(file.path, ahead=0) as stream:
        noted = tuple(places(scanner, stream.readinto, file.size, EVERY))
    content = _content(file, reading, noted)
    with replacing(file.path + INDEX) as target:
        target.write(content)
    return len(noted)


def put(path: str, file: CaptureFile, reading: Reading, noted: Sequence[Place]) -> None:
    """Make a new file that is the index of a capture, which has these places."""
    content = _content(file, reading, noted)
    with created(path) as target:
        target.write(content)


def _content(file: CaptureFile, reading: Reading, noted: Sequence[Place]) -> bytes:
    body = "".join(f"{json.dumps([place.offset, place.number])}\n" for place in noted).encode()
    head = {**_head(file, reading), "places": len(noted), "crc32": crc32(body)}
    return json.dumps(head).encode() + b"\n" + body


def copied(
    chunks: Iterator[bytes | memoryview], target: BinaryIO, scanner: Callable[[], Scanner]
) -> tuple[int, tuple[Place, ...]]:
    """Write a capture that comes in chunks, and give its size and what its index is to note.

    That is what ``write`` would note; nothing, if the capture is too small.
    """
    copy = _Copy(chunks, target)
    copy.fill(EVERY + 1)
    if copy.left <= EVERY:
        return copy.size, ()
    noted = tuple(places(scanner(), copy.readinto, sys.maxsize, EVERY))
    return copy.size, noted


class _Copy:
    """Chunks of bytes, read as a stream and written to another one meanwhile; ``left`` of these are not read yet."""

    def __init__(self, chunks: Iterator[bytes | memoryview], target: BinaryIO) -> None:
        self.chunks = chunks
        self.target = target
        self.held: deque[memoryview] = deque()
        self.left = 0
        self.size = 0

    def fill(self, size: int) -> None:
        """Hold so many bytes, or all that are left."""
        while self.left < size and (chunk := next(self.chunks, b"")):
            self.target.write(chunk)
            self.size += len(chunk)
            self.left += len(chunk)
            self.held.append(memoryview(chunk))

    def readinto(self, memory: memoryview) -> int:
        """As of a stream."""
        self.fill(len(memory))
        found = min(len(memory), self.left)
        self.left -= found
        at = 0
        while at < found:
            chunk = self.held.popleft()
            part = chunk[: found - at]
            memory[at : at + len(part)] = part
            at += len(part)
            if len(part) < len(chunk):
                self.held.appendleft(chunk[len(part) :])
        return found


def read(file: CaptureFile, reading: Reading) -> tuple[Place, ...]:
    """The records that the index of a capture notes.

    Raises ``UnfitError`` if it is torn, of another file or of another reading, ``OSError`` if there is none.
    """
    most = 4 * _ENDS + _LINE * (file.size // EVERY + 1)
    with opened(file.path + INDEX, ahead=0) as stream:
        data = stream.read(most)
    first, _, body = data.partition(b"\n")
    try:
        head = json.loads(first)
        lines = [json.loads(line) for line in body.splitlines()]
    except (ValueError, RecursionError):
        raise UnfitError("it is not whole") from None
    if not isinstance(head, dict) or (head.pop("places", None), head.pop("crc32", None)) != (len(lines), crc32(body)):
        raise UnfitError("it is not whole")
    if not _ascend(lines, file.size):
        raise UnfitError("it notes what cannot be")
    expected = _head(file, reading)
    if wrong := [name for name in expected if head.get(name) != expected[name]]:
        of_this_capture = "protocol" in wrong and not {"size", "content"} & set(wrong)
        raise (ForeignError if of_this_capture else UnfitError)(f"it is of another {wrong[0]}")
    return tuple(Place(*line) for line in lines)


def _head(file: CaptureFile, reading: Reading) -> dict[str, Any]:
    """What an index is of."""
    digest = blake2b(digest_size=16)
    with opened(file.path, ahead=0) as stream:
        for offset in (0, max(0, file.size - _ENDS)):
            stream.seek(offset)
            digest.update(stream.read(_ENDS))
    return {"version": VERSION, **asdict(reading), "size": file.size, "content": digest.hexdigest()}


def _ascend(lines: Sequence[Any], size: int) -> bool:
    """Whether offsets and numbers of records are such, and ascend."""
    if not all(isinstance(line, list) and list(map(type, line)) == [int, int] for line in lines):
        return False
    ordered = all(a < b and m < n for (a, m), (b, n) in pairwise([[0, 0], *lines]))
    return ordered and (not lines or lines[-1][0] < size)


def parts(noted: Iterable[Place], size: int, every: int) -> Iterator[tuple[int, int]]:
    """(start, end) of parts of a capture of ``size`` bytes, each ending with a noted place behind a multiple of
    ``every``.
    """
    offsets = [place.offset for place in noted]
    begun = 0
    while (at := bisect_left(offsets, (begun // every + 1) * every)) < len(offsets):
        yield begun, offsets[at]
        begun = offsets[at]
    yield begun, size


def checked(cuts: Iterable[Cuts], scanner: Scanner, start: int, stop: int | None) -> Iterator[Cuts]:
    """As ``splits.checked``, of a part that an index gave, which must also begin with a sound record."""
    for number, each in enumerate(splits.checked(cuts, start, stop)):
        if start and not number and not scanner.begins(each, 0):
            raise UnfitError(f"no sound record begins at byte {start}")
        yield each
