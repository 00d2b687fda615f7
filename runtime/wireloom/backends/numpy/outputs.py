"""What numpy does for instructions that write outputs."""

import numpy as np

from wireloom import buffers
from wireloom.backends.numpy.meanings import texts_of
from wireloom.backends.numpy.tile import (
    FIRST_ADDRESS,
    ZERO,
    Register,
    Tile,
    addressed,
    both,
    mask_of,
    memory,
    number_of,
)
from wireloom.buffers import Array, ragged
from wireloom.programs import opcodes as op
from wireloom.programs.values import MEANINGS, SIZES

_FEW_TEXTS = 256
"""The bytes of so many texts are gathered one by one, of more of them text by text."""
STORES = {op.STORE_1: "u1", op.STORE_2: "<i2", op.STORE_4: "<i4", op.STORE_8: "<i8"}


def store(tile: Tile, a: int, n: int, kind: int) -> None:
    _put(tile, n, number_of(tile.registers[a]), STORES[kind], 1)


def store_unsigned(tile: Tile, a: int, n: int) -> None:
    _put(tile, n, number_of(tile.registers[a]), "<i8", 2)
    _put(tile, n, ZERO, "<i8", 2, 1)


def store_signed(tile: Tile, a: int, n: int) -> None:
    number = number_of(tile.registers[a])
    _put(tile, n, number, "<i8", 2)
    _put(tile, n, number >> 63, "<i8", 2, 1)


def _put(tile: Tile, n: int, value: Register, kind: str, width: int, part: int = 0) -> None:
    first, count = tile.first * width, (tile.after - tile.first) * width
    to = memory(tile.out[n] + first * np.dtype(kind).itemsize, count, kind)
    to[part::width][tile.targets] = value


def store_bit(tile: Tile, a: int, n: int) -> None:
    _set_bits(tile, n, mask_of(tile.registers[a]))


def _set_bits(tile: Tile, n: int, mask: Register) -> None:
    first, skipped = divmod(tile.first, 8)
    bits = np.zeros(skipped + tile.after - tile.first, bool)
    bits[skipped:][tile.targets] = mask
    packed = np.packbits(bits, bitorder="little")
    memory(tile.out[n] + first, len(packed), "u1")[:] |= packed


def store_bytes(tile: Tile, a: int, b: int, c: int, n: int) -> None:
    rows = tile.wanted(c, tile.registers[a] < tile.registers[b])
    start, stop = tile.values(a, rows), tile.values(b, rows)
    _append(tile, n, rows, stop - start, tile.gathered(start, stop))


def store_spelled(tile: Tile, a: int, b: int, n: int, way: int) -> None:
    rows = tile.wanted(b)
    octets = addressed(f"V{SIZES[way]}")[tile.values(a, rows) - FIRST_ADDRESS]
    texts, start, stop = buffers.octets_of(texts_of(MEANINGS[way], octets))
    _append(tile, n, rows, stop - start, texts[: int(stop[-1]) if len(rows) else 0])


def store_label(tile: Tile, a: int, b: int, n: int, m: int, known: int, room: int) -> None:
    codes = number_of(tile.registers[a])
    there = both(mask_of(tile.registers[b]), (codes >= 0) & (codes < known))
    rows = tile.rows(there)
    sizes, octets = _texts(tile, tile.values(a, rows), m, known, room)
    _append(tile, n, rows, sizes, octets)
    _set_bits(tile, n + 2, there)


def store_flags(tile: Tile, a: int, b: int, n: int, m: int, known: int, room: int, every: int) -> None:
    rows = tile.rows(both(mask_of(tile.registers[b]), number_of(tile.registers[a]) & every != 0))
    codes, numbers = buffers.grouped(tile.values(a, rows) & every)
    there = np.array(numbers, np.int64)[:, None] & memory(tile.out[m], known, "<i8") != 0
    counts = there.sum(axis=1)
    ends = counts.cumsum()
    items, size = tile.written[n : n + 2, 0].tolist()
    _append(tile, n, rows, counts[codes], None)
    sizes, octets = _texts(tile, there.nonzero()[1], m + 1, known, room)  # of each number that occurs
    places = np.append(0, sizes.cumsum())
    sizes = sizes[ragged((ends - counts)[codes], counts[codes])]
    first, last = places[ends - counts], places[ends]
    if len(codes) < _FEW_TEXTS:
        octets = octets[ragged(first[codes], (last - first)[codes])]
    else:
        octets, _, _ = buffers.octets_of(buffers.picked(octets, first, last - first, codes))
    memory(tile.out[n + 1] + 4 * items, len(sizes), "<i4")[:] = size + sizes.cumsum() - sizes
    memory(tile.out[n + 2] + size, len(octets), "u1")[:] = octets
    tile.written[n + 1, 0] = size + len(octets)


def _texts(tile: Tile, codes: Array, m: int, known: int, room: int) -> tuple[Array, Array]:
    """The sizes of texts by their numbers, and their bytes."""
    sizes = memory(tile.out[m], known, "<i4").astype(np.int64)
    table = memory(tile.out[m + 1], known * room, "u1")
    if len(codes) < _FEW_TEXTS:
        return sizes[codes], table[ragged(codes * room, sizes[codes])]
    if (codes == codes[0]).all():
        first = room * int(codes[0])
        octets = np.tile(table[first : first + int(sizes[codes[0]])], len(codes))
    else:
        octets, _, _ = buffers.octets_of(buffers.picked(table, room * np.arange(known), sizes, codes))
    return sizes[codes], octets


def store_list(tile: Tile, a: int, b: int, c: int, n: int) -> None:
    rows = tile.wanted(c, tile.registers[a] < tile.registers[b])
    put_lists(tile, n, rows, tile.values(a, rows), tile.values(b, rows))


def put_lists(tile: Tile, n: int, rows: Array, start: Array, stop: Array) -> None:
    """Write where lists of some rows start and stop, or keep it until the turn of a loop counts."""
    if tile.lists is not None:
        tile.lists.append((n, rows, start, stop))
        return
    before = int(tile.written[n, 0])
    for number, values in enumerate((start, stop, tile.place[rows])):
        memory(tile.out[n + number] + 8 * before, len(rows), "<i8")[:] = values
    tile.written[n, 0] = before + len(rows)


def _append(tile: Tile, n: int, rows: Array, sizes: Array, octets: Array | None) -> None:
    """Values of some rows, of so many bytes or items: the offsets of all rows up to the last of them, and bytes."""
    if not len(rows):
        return
    size, done = tile.written[n].tolist()
    places = tile.place.take(rows)
    last = int(places[-1]) + 1
    ends = size + sizes.cumsum()
    begins = ends - sizes
    if last - done > len(rows):  # a row between two of these begins where the next one does
        begins = begins.repeat(places - np.concatenate(((done - 1,), places[:-1])))
    memory(tile.out[n] + 4 * done, last - done, "<i4")[:] = begins
    if octets is not None:
        memory(tile.out[n + 1] + size, len(octets), "u1")[:] = octets
    tile.written[n] = int(ends[-1]), last
