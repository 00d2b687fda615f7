"""A capture split at records, so that its parts can be decoded separately with the same result.

Any bytes that mark a frame could also be in a payload. So places are found by following the lengths from the start,
at the speed of the scan; or, if a record can be recognised at any position, by searching for one and following it,
and the reader of the part before must arrive at the same place.
"""

import sys
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from wireloom.codec import DecodeError
from wireloom.columnar import decoder
from wireloom.columnar.scanning import Cuts, Scanner, Window
from wireloom.columnar.windows import Pieces
from wireloom.kinds import ReadInto, into

BEFORE_BYTES = 1024 * 1024
"""How far before a cut the search for records begins; further than a terminator is long."""
_LAST = 32
"""What begins in the last of so many parts of a window is left to the next one, where most such records are whole."""


class UnfitError(ValueError):
    """No record begins where one should: notes about a capture, or earlier results, do not fit it."""


class Place(NamedTuple):
    """The start of a sound record, and how many records and malformed ranges are before it."""

    offset: int
    number: int


def places(scanner: Scanner, readinto: ReadInto, size: int, every: int) -> Iterator[Place]:
    """A record after each multiple of ``every`` in a capture of ``size`` bytes, which are read by ``readinto``."""
    wanted, passed = every, 0
    pieces = _OnePlace(readinto, min(every, decoder.PIECE_BYTES))  # larger ones leave the processor's cache
    for window in pieces:
        at, end = 0, len(window.buffer)
        for cuts, after in scanner.scan(window, limit=end if window.final else end - end // _LAST):
            at, starts = after, cuts.start
            while wanted < size and (row := int(starts.searchsorted(wanted - window.base))) < len(starts):
                while row < len(starts) and not scanner.begins(cuts, row):
                    row += 1
                if row == len(starts):
                    break
                found = Place(window.base + int(starts[row]), passed + row)
                yield found
                wanted = (found.offset // every + 1) * every
            passed += len(starts)
        pieces.keep(at)


class _OnePlace:
    """Windows over a capture, as ``Pieces`` gives them, but all in the same memory, to which nothing is copied but what
    is kept. A window is gone when the next one comes.
    """

    def __init__(self, readinto: ReadInto, size: int) -> None:
        self.readinto = readinto
        self.memory = bytearray(size)
        self.base = self.held = 0

    def __iter__(self) -> Iterator[Window]:
        final = False
        while not final:
            final = not self._filled()
            buffer = bytes(memoryview(self.memory)[: self.held]) if final else self.memory
            yield Window(buffer, self.base, final)

    def _filled(self) -> bool:
        """Read until the memory is full; whether it is."""
        view = memoryview(self.memory)
        while self.held < len(view) and (count := self.readinto(view[self.held :])):
            self.held += count
        return self.held == len(view)

    @property
    def rest(self) -> bytes:
        """The bytes that are kept."""
        return bytes(memoryview(self.memory)[: self.held])

    def keep(self, position: int) -> None:
        """As ``Pieces.keep``."""
        kept = memoryview(self.memory)[position : self.held]
        if not position:
            self.memory = bytearray(2 * len(self.memory))
        self.held = len(kept)
        memoryview(self.memory)[: self.held] = kept
        self.base += position


class Front:
    """The records before byte ``start`` of a capture that is read by ``readinto`` from its beginning on.

    Each batch is only valid until the next one. After all of them, a decoder continues with ``behind``.
    """

    def __init__(self, decoding: decoder.Decoder, readinto: ReadInto, start: int) -> None:
        self.decoding = decoding
        self.readinto = readinto
        self.start = start
        self.position = 0
        self.scanner = decoding.scanner()

    def __iter__(self) -> Iterator[Cuts]:
        if not self.start:
            return
        scanner = self.decoding.looking(self.decoding.cutter())
        pieces = _OnePlace(self.readinto, min(decoder.PIECE_BYTES, self.start))
        for window in pieces:
            at, limit = 0, self.start - window.base
            for cuts, after in scanner.scan(window, limit=limit):
                yield cuts
                at = after
            pieces.keep(at)
            if at >= limit and not scanner.cutter.lost:
                break
        self.position, self.readinto = pieces.base, into(pieces.rest, self.readinto)
        self.scanner = self.decoding.scanner(scanner.parameters)
        self.scanner.cutter.order = scanner.cutter.order

    def behind(self, stop: int | None) -> Iterator[Cuts]:
        """The records that begin from ``start`` to before ``stop``."""
        yield from self.decoding.cut(self.readinto, start=self.position, stop=stop, scanner=self.scanner)


def followed(decoding: decoder.Decoder, readinto: ReadInto, start: int, stop: int | None) -> Iterator[Cuts]:
    """The records that begin from ``start`` to before ``stop`` of a capture that is read from its beginning on."""
    front = Front(decoding, readinto, start)
    for _ in front:
        pass
    yield from front.behind(stop)


def begun(
    scanner: Scanner,
    readinto: ReadInto,
    base: int,
    start: int,
    limit: int,
    size: int,
    *,
    first: int = 0,
    final: bool = True,
) -> int | None:
    """Where the part of a capture begins that was cut at any place, ``start``.

    It is ``size``, that of the capture in bytes, if no record begins at ``start`` or later, and None if there are none
    from ``base`` to ``limit``.

    The first record from ``base`` on that is recognised is followed to a record from ``start`` on. ``base`` is
    ``before(start)`` or where the ``first`` record begins, and ``readinto`` reads the capture from there on. So all
    callers get the same place, and records in a payload, whose chain ends with the payload, are passed. Unless the
    capture is ``final``, those in an incomplete record at its end are also passed.
    """
    pieces, told = Pieces(upto(readinto, size - base), 2 * BEFORE_BYTES, base, final=final), base == first
    for window in pieces:
        at = 0
        if not told:
            at, told = _told(scanner, window, limit - window.base, (size if final else sys.maxsize) - window.base)
            if window.base + at >= limit:
                return None
        if told:
            for cuts, after in scanner.scan(window, at):
                at, row = after, int(cuts.start.searchsorted(start - window.base))
                while row < len(cuts.start):
                    if scanner.begins(cuts, row):
                        return window.base + int(cuts.start[row])
                    row += 1
        pieces.keep(at)
    return size if told else None


def before(start: int) -> int:
    """The place from which records are looked at, to find one at ``start`` or later."""
    return max(0, start - BEFORE_BYTES)


def _told(scanner: Scanner, window: Window, limit: int, size: int) -> tuple[int, bool]:
    """Where in a window the first whole record begins that depends on none before it, in a capture of ``size`` bytes.

    Such a record is valid in one byte order only, or follows a terminator. If there is none: the position before which
    none begins, and false.
    """
    buffer, end, final, at = window.buffer, len(window.buffer), window.final, 0
    search, parameters, bound = scanner.cutter.search, dict(scanner.parameters), scanner.bound
    while at < limit:
        at, proven = search.next(buffer, at, end, base=window.base, final=final, order=None)
        if not proven or scanner.codec.ends:
            return at, proven
        try:
            length = scanner.codec.alone(buffer, at, end, parameters, final=final, bound=bound)
        except DecodeError:  # more bytes are needed
            return at, False
        if length is not None and 0 < length <= min(bound, size - at):
            return at, True
        at += 1
    return at, False


def checked(cuts: Iterable[Cuts], start: int, stop: int | None) -> Iterator[Cuts]:
    """The records of a part, which must end where the next part begins.

    As the first part begins where the capture does, all of them are right if each ends where the next begins. Raises
    ``UnfitError``.
    """
    at = start
    for each in cuts:
        at = each.window.base + int(each.stop[-1])
        if stop is not None and at > stop:
            break
        yield each
    if stop is not None and at != stop:
        raise UnfitError(f"no record begins at byte {stop}")


def upto(readinto: ReadInto, size: int) -> ReadInto:
    """Reads the first ``size`` bytes by ``readinto`` and then nothing."""
    left = size

    def bounded(memory: memoryview) -> int:
        nonlocal left
        found = readinto(memory[:left]) or 0
        left -= found
        return found

    return bounded
