"""What numpy does for instructions that judge bytes, look for them, or put others in their place."""

import ctypes
from collections.abc import Callable

import numpy as np

from wireloom import buffers
from wireloom.backends.numpy import checksums
from wireloom.backends.numpy.escapes import unescaped
from wireloom.backends.numpy.tile import (
    ADDRESSED,
    CLOSE,
    FIRST_ADDRESS,
    Register,
    Tile,
    addressed,
    both,
    is_set,
    mask_of,
    memory,
    number_of,
)
from wireloom.buffers import LARGEST, Array, ragged
from wireloom.codec.checksums import Totals
from wireloom.codec.compression import COMPRESSORS, DamagedError, OverflowingError
from wireloom.loops import crc_loops
from wireloom.programs import opcodes as op
from wireloom.programs.escapes import PAIRS, PAIRS_SIZE, escaping_of
from wireloom.programs.octets import lowest, masked, sought_in, transcoded, without

_SPARSE, _SEARCHED = 4, 1 << 24
"""Records are searched together if the bytes from the first to the last are so many times theirs, and so many, at most.
"""
_NOWHERE = 1 << 62
"""An address behind all others."""


def need(tile: Tile, d: int, a: int, b: int, c: int, size: int) -> None:
    at, where = tile.registers[a], mask_of(tile.registers[c])
    where = _there(tile, where, at + size <= tile.registers[b])
    tile.registers[d] = tile.place_where(where, at)


def take(tile: Tile, d: int, e: int, a: int, b: int, c: int, f: int) -> None:
    at, size, where = tile.registers[a], number_of(tile.registers[b]), mask_of(tile.registers[f])
    where = _there(tile, where, (size >= 0) & (size <= tile.registers[c] - at))
    tile.registers[d], tile.registers[e] = tile.place_where(where, at), tile.place_where(where, at + size)


def _there(tile: Tile, where: Register, fits: Register) -> Register:
    """Reject the rows of a mask in which bytes do not fit; in which rows they may be read. Places that follow from
    where records stop may be before those that are rejected.
    """
    if not is_set(fits):
        tile.refuse_unless(fits | ~where)
        where = both(where, fits)
    return both(where, tile.registers[op.SOUND])


def check(tile: Tile, a: int, b: int) -> None:
    holds = mask_of(tile.registers[a])
    if not is_set(holds):
        tile.refuse_unless(holds | ~mask_of(tile.registers[b]))


def check_text(tile: Tile, a: int, b: int, c: int, is_ascii: int) -> None:
    rows = tile.wanted(c, tile.registers[a] < tile.registers[b])
    start, stop = tile.values(a, rows), tile.values(b, rows)
    octets, ends = tile.gathered(start, stop), (stop - start).cumsum()
    high = (octets >= 0x80).nonzero()[0]
    if not len(high) or (not is_ascii and _is_text(bytes(octets)) and is_set(octets[ends[:-1]] & 0xC0 != 0x80)):
        return
    good = np.ones(len(rows), bool)
    for row in np.unique(ends.searchsorted(high, "right")).tolist():
        good[row] = not is_ascii and _is_text(ctypes.string_at(int(start[row]), int(stop[row] - start[row])))
    tile.sound_where(rows, good)


def check_bytes(tile: Tile, a: int, b: int, c: int, d: int, f: int) -> None:
    rows = tile.wanted(f)
    at, stop, other, end = (tile.values(each, rows) for each in (a, b, c, d))
    good = stop - at == end - other
    sizes = (stop - at) * good
    differs = np.flatnonzero(
        ADDRESSED["u1"][ragged(at - FIRST_ADDRESS, sizes)] != ADDRESSED["u1"][ragged(other - FIRST_ADDRESS, sizes)]
    )
    good[np.searchsorted(np.cumsum(sizes), differs, "right")] = False
    tile.sound_where(rows, good)


def same(tile: Tile, d: int, a: int, b: int, n: int, size: int) -> None:
    rows = tile.wanted(op.ONES, np.equal(tile.registers[b] - tile.registers[a], size))
    octets = addressed(f"V{size}")[tile.values(a, rows) - FIRST_ADDRESS].view(np.uint8).reshape(-1, size)
    good = np.ones(len(rows), bool)
    for place, byte in enumerate(memory(tile.out[n], size, "u1").tolist()):
        good &= octets[:, place] == byte
    tile.registers[d] = tile.whole(rows, good, np.False_)


def find(tile: Tile, d: int, a: int, b: int, c: int, wanted: int, size: int, needed: int, unit: int) -> None:
    inside = tile.registers[a] <= tile.registers[b]
    tile.refuse_unless(inside | ~mask_of(tile.registers[c]))  # in turns that were guessed, it may begin anywhere
    rows = tile.wanted(c, inside)
    at, stop = tile.values(a, rows), tile.values(b, rows)
    sought = lowest(wanted, size)
    if unit == 1:
        found = _next(tile, sought, at, stop)
    else:
        spans = zip(at.tolist(), stop.tolist(), strict=True)
        offsets = [sought_in(ctypes.string_at(begin, end - begin), sought, unit) for begin, end in spans]
        places = np.array(offsets, np.int64)
        found = np.where(places < 0, _NOWHERE, at + places)
    missing = found + size > stop
    if needed:
        tile.sound_where(rows, ~missing)
    tile.registers[d] = tile.whole(rows, np.where(missing, stop, found), tile.safe)


def _next(tile: Tile, wanted: bytes, start: Array, stop: Array) -> Array:
    """Where some bytes are next from each ``start`` on, behind ``stop`` if they are not before it. No range is
    negative.
    """
    if not len(start):
        return start
    widest = max(int((stop - start).max()), len(wanted))
    if widest <= CLOSE:
        octets, begins, _ = tile.buffer_of(start, stop)
        near = buffers.windows(octets, begins, widest).view(np.uint8).reshape(-1, widest)
        hits = near[:, : widest - len(wanted) + 1] == wanted[0]
        for offset, byte in enumerate(wanted[1:], start=1):
            hits &= near[:, offset : offset + hits.shape[1]] == byte
        first = hits.argmax(axis=1)
        return np.where(hits[np.arange(len(start)), first], start + first, _NOWHERE)
    low, high = int(start.min()), int(stop.max())
    found: Array
    if tile.begin <= low and high <= tile.last and tile.last - tile.begin <= min(_SPARSE * tile.size, _SEARCHED):
        if wanted not in tile.following:
            tile.following[wanted] = _following(memory(tile.begin, tile.last - tile.begin, "u1"), wanted)
        found = tile.following[wanted][start - tile.begin] + np.int64(tile.begin)
    else:
        octets, begins, _ = tile.buffer_of(start, stop)
        places = np.append(buffers.places(octets, wanted), _NOWHERE)
        found = places[places.searchsorted(begins)] + (start - begins)
    return found


def crc(tile: Tile, d: int, a: int, b: int, n: int, register: int) -> None:
    """The tables say whether bits are reversed."""
    rows = tile.wanted(op.ONES, tile.registers[a] < tile.registers[b])
    found = np.full(len(rows), register)
    if len(rows):
        buffer, start, stop = tile.buffer_of(tile.values(a, rows), tile.values(b, rows))
        summed = checksums.registers(crc_loops.ALGORITHMS[int(tile.out[n])], buffer, start, stop)
        found = summed.astype(np.uint64).view(np.int64)
    tile.registers[d] = tile.whole(rows, found, np.int64(register))


def total(tile: Tile, d: int, a: int, b: int, c: int, modulus: int, initial: int, shift: int) -> None:
    rows = tile.wanted(c, tile.registers[a] < tile.registers[b])
    algorithm = Totals(2 * shift, modulus, twice=shift != 0, initial=initial)
    found = np.zeros(0, np.int64)
    if len(rows):
        buffer, start, stop = tile.buffer_of(tile.values(a, rows), tile.values(b, rows))
        found = checksums.totals(algorithm, buffer, start, stop)
    tile.registers[d] = tile.whole(rows, found, np.int64(initial % modulus))


def trim(tile: Tile, d: int, a: int, b: int, c: int, padding: int, size: int) -> None:
    rows = tile.wanted(c, tile.registers[a] < tile.registers[b])
    at, stop = tile.values(a, rows), tile.values(b, rows)
    if size > 1:
        removed = lowest(padding, size)
        spans = zip(at.tolist(), stop.tolist(), strict=True)
        sizes = [len(without(ctypes.string_at(begin, end - begin), removed)) for begin, end in spans]
        trimmed = at + np.array(sizes, np.int64)
    else:
        octets, ends = tile.gathered(at, stop), np.cumsum(stop - at)
        others = np.flatnonzero(octets != padding) + 1
        last = np.append(0, others)[np.searchsorted(others, ends, "right")]  # after the last one up to each end
        trimmed = np.maximum(at, stop - (ends - last))
    tile.registers[d] = tile.whole(rows, trimmed, number_of(tile.registers[a]))


def fill(tile: Tile, d: int, e: int, a: int, b: int, c: int, n: int, size: int) -> None:
    """Bytes that are enough stay where they are."""
    start, stop = number_of(tile.registers[a]), number_of(tile.registers[b])
    rows = tile.wanted(c, stop - start < size)
    used, room = tile.written[n].tolist()
    fits = np.arange(1, len(rows) + 1) * size <= room - used
    tile.sound_where(rows, fits)
    rows = rows[fits]
    many, begin = len(rows), int(tile.out[n]) + used
    if many:
        octets, begins, ends = tile.buffer_of(tile.values(a, rows), tile.values(b, rows))
        filled = memory(begin, many * size, "u1").reshape(many, size)
        filled[:] = buffers.windows(octets, begins, size).view(np.uint8).reshape(many, size)
        filled[np.arange(size) >= (ends - begins)[:, None]] = 0
        tile.regions.append((begin, begin + filled.size))
    tile.written[n, 0] = used + many * size
    at = begin + size * np.arange(many)
    sound = tile.registers[op.SOUND]
    tile.registers[d] = tile.place_where(sound, tile.whole(rows, at, start))
    tile.registers[e] = tile.place_where(sound, tile.whole(rows, at + size, stop))


def unpack(tile: Tile, d: int, e: int, a: int, b: int, c: int, n: int, most: int) -> None:
    expand = COMPRESSORS["snappy"].unpack
    _changed(tile, d, e, a, b, c, n, lambda octets, room: expand(octets, min(room, most)))


def mask(tile: Tile, d: int, e: int, a: int, b: int, c: int, f: int, n: int, size: int) -> None:
    keys = iter(tile.values(f, tile.wanted(c)).tolist())
    _changed(tile, d, e, a, b, c, n, lambda octets, room: _roomy(masked(octets, next(keys), size), room))


def unescape(tile: Tile, d: int, e: int, a: int, b: int, c: int, n: int, m: int) -> None:
    size = PAIRS_SIZE if memory(tile.out[m], 1, "i4")[0] == PAIRS else 1
    escaping = escaping_of(memory(tile.out[m], size, "i4").tolist())
    rows = tile.wanted(c)
    start, stop = tile.values(a, rows), tile.values(b, rows)
    has_bytes = start < stop
    data = tile.gathered(start[has_bytes], stop[has_bytes])
    text, ends, good = unescaped(escaping, data, np.cumsum(stop - start))
    _replace(tile, d, e, a, b, n, rows, text, ends, good)


def expand(tile: Tile, d: int, e: int, a: int, b: int, c: int, n: int, most: int, kind: int) -> None:
    unpack = tuple(COMPRESSORS.values())[kind].unpack
    _changed(tile, d, e, a, b, c, n, lambda octets, room: unpack(octets, min(room, most)))


def transcode(tile: Tile, d: int, e: int, a: int, b: int, c: int, n: int, m: int, size: int) -> None:
    encoding = memory(tile.out[m], size, "u1").tobytes().decode()
    _changed(tile, d, e, a, b, c, n, lambda octets, room: _roomy(transcoded(octets, encoding), room))


def _changed(tile: Tile, d: int, e: int, a: int, b: int, c: int, n: int, change: Callable[[bytes, int], bytes]) -> None:
    """Write what becomes of bytes to an output, which has so much room left."""
    rows = tile.wanted(c)
    used, room = tile.written[n].tolist()
    good, pieces = np.ones(len(rows), bool), []
    spans = zip(tile.values(a, rows).tolist(), tile.values(b, rows).tolist(), strict=True)
    for place, (start, stop) in enumerate(spans):
        try:
            octets = change(ctypes.string_at(start, stop - start), room - used)
        except (DamagedError, OverflowingError, ValueError):
            good[place], octets = False, b""
        pieces.append(octets)
        used += len(octets)
    ends = np.cumsum(np.fromiter(map(len, pieces), np.int64, len(pieces)))
    _replace(tile, d, e, a, b, n, rows, np.frombuffer(b"".join(pieces), np.uint8), ends, good)


def translate(tile: Tile, d: int, e: int, a: int, b: int, c: int, n: int, m: int) -> None:
    rows = tile.wanted(c, tile.registers[a] < tile.registers[b])
    start, stop = tile.values(a, rows), tile.values(b, rows)
    octets, ends = tile.gathered(start, stop), np.cumsum(stop - start)
    table = memory(tile.out[m], 4 * 256, "u1").reshape(256, 4)
    sizes = table[:, 3][octets]
    good = np.ones(len(rows), bool)
    good[np.searchsorted(ends, np.flatnonzero(sizes == 0), "right")] = False
    if (sizes == 1).all():
        text = table[:, 0][octets]
    else:
        behind = np.append(0, np.cumsum(sizes, dtype=np.int64))
        text = np.empty(int(behind[-1]), np.uint8)
        for place in range(int(sizes.max())):
            longer = np.flatnonzero(sizes > place)
            text[behind[longer] + place] = table[:, place][octets[longer]]
        ends = behind[ends]
    _replace(tile, d, e, a, b, n, rows, text, ends, good)


def spread(
    tile: Tile, d: int, e: int, a: int, b: int, c: int, n: int, bits: int, order: int, before: int, behind: int
) -> None:
    rows = tile.wanted(c, tile.registers[a] < tile.registers[b])
    start, stop = tile.values(a, rows), tile.values(b, rows)
    octets = np.append(tile.gathered(start, stop), np.uint8(0)).astype(np.int64)
    sizes = stop - start
    counts, left = np.divmod(8 * sizes - before - behind, bits)
    ends, behind_bytes = np.cumsum(counts), np.cumsum(sizes)
    place = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - counts, counts)
    if order & 2:
        place = np.repeat(counts, counts) - 1 - place
    bit = before + bits * place
    first = np.repeat(behind_bytes - sizes, counts) + (bit >> 3)
    pair = octets[first] | octets[first + 1] << 8 if order & 1 else octets[first] << 8 | octets[first + 1]
    codes = pair >> (bit & 7 if order & 1 else 16 - bits - (bit & 7)) & (1 << bits) - 1
    last = octets[behind_bytes - 1]
    good = (last >> 8 - left if order & 1 else last & (1 << left) - 1) == 0
    _replace(tile, d, e, a, b, n, rows, codes.astype(np.uint8), ends, good)


def _replace(
    tile: Tile, d: int, e: int, a: int, b: int, n: int, rows: Array, text: Array, ends: Array, good: Array
) -> None:
    """Write values, each up to one of the ``ends`` of a text, to an output, and let them be in place of the bytes of
    some rows. Rows are rejected that are not good, or for which the output has no room.
    """
    used, room = tile.written[n].tolist()
    begin, good = int(tile.out[n]) + used, good & (ends <= room - used)
    text = text[: room - used]
    memory(begin, len(text), "u1")[:] = text
    if len(text):
        tile.regions.append((begin, begin + len(text)))
    tile.sound_where(rows, good)
    sound = tile.registers[op.SOUND]
    for to, given, found in ((d, a, np.append(0, ends)[:-1]), (e, b, ends)):
        place = tile.whole(rows, begin + found, number_of(tile.registers[given]))
        tile.registers[to] = tile.place_where(sound, place)
    tile.written[n, 0] = used + len(text)


def _roomy(octets: bytes, room: int) -> bytes:
    """The same bytes. Raises ``OverflowingError`` if there is no room for them."""
    if len(octets) > room:
        raise OverflowingError
    return octets


def _following(octets: Array, wanted: bytes) -> Array:
    """Where some bytes are next from each place on, or far behind all of them."""
    places = buffers.places(octets, wanted).astype(np.int32)
    counts = np.diff(places, prepend=-1, append=len(octets))
    return np.append(places, np.int32(LARGEST)).repeat(counts)


def _is_text(octets: bytes) -> bool:
    try:
        octets.decode()
    except UnicodeDecodeError:
        return False
    return True
