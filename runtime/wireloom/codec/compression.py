"""Compressed bytes: how each format is packed, and unpacked to no more bytes than are allowed.

The standard library has some of the formats; the others need the package ``cramjam``.
"""

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

from wireloom.codec.errors import counted
from wireloom.extras import needed


class DamagedError(Exception):
    """Bytes that are not in their format."""


class OverflowingError(Exception):
    """More bytes than are allowed."""


class Compressor(NamedTuple):
    """How bytes are packed, and expanded to at most so many."""

    pack: Callable[[bytes], bytes]
    expand: Callable[[bytes, int], bytes]

    def unpack(self, data: bytes, most: int) -> bytes:
        """The unpacked ``data``. No bytes unpack to no bytes: senders leave out a value but still name its packing.

        Raises ``DamagedError`` and ``OverflowingError``.
        """
        return self.expand(data, most) if data else b""


_MOST_MEMORY = 128 << 20
"""The most memory that unpacking xz may take beside its output; its tools request 65 MiB at most."""
_BROKEN = (zlib.error, OSError, EOFError, ValueError, lzma.LZMAError)


def _by_steps(
    begin: Callable[[], Any], *, several: bool = False, open_ended: bool = False
) -> Callable[[bytes, int], bytes]:
    """Unpacks with an object of the standard library, which can stop at any size.

    ``several`` streams may follow one another. Anything may follow one that is ``open_ended``.
    """

    def unpack(data: bytes, most: int) -> bytes:
        found, place, stream, size = bytearray(), 0, begin(), _PIECE
        while True:
            piece = data[place : place + size]
            try:
                found += stream.decompress(piece, most - len(found) + 1)
            except _BROKEN as error:
                raise DamagedError(str(error)) from None
            if len(found) > most:
                raise OverflowingError
            place += len(piece) - len(stream.unused_data)
            if not stream.eof and place == len(data):
                raise DamagedError("it ends too early")
            if stream.eof and (place == len(data) or open_ended):
                return bytes(found)
            if stream.eof and not several:
                raise DamagedError(f"{counted(len(data) - place, 'byte')} behind it")
            stream, size = (begin(), _PIECE) if stream.eof else (stream, 2 * size)

    return unpack


_PIECE = 512
"""How many bytes are given to a stream at first; those after its end are copied."""


def _deflated(bits: int) -> Compressor:
    def pack(data: bytes) -> bytes:
        stream = zlib.compressobj(wbits=bits)
        return stream.compress(data) + stream.flush()

    return Compressor(pack, _by_steps(lambda: zlib.decompressobj(bits), open_ended=bits < 0))


def has_library() -> bool:
    """Whether there is what unpacks the formats that the standard library lacks."""
    try:
        _library()
    except ModuleNotFoundError:
        return False
    return True


@cache
def _library() -> Any:
    with needed("this compression", "compression"):
        import cramjam
    return cramjam


def _growing(into: Callable[[Any], Callable[[bytes, bytearray], int]], ratio: int) -> Callable[[bytes, int], bytes]:
    """Unpacks into ever larger buffers, because the size is unknown; a byte becomes ``ratio`` bytes at most."""

    def unpack(data: bytes, most: int) -> bytes:
        function, known = into(_library()), min(most, ratio * len(data))
        size = min(known, max(4 * len(data), _FIRST))
        while True:
            buffer = bytearray(size)
            try:
                return bytes(memoryview(buffer)[: function(data, buffer)])
            except Exception as error:  # its own class, whatever is wrong
                if not any(words in str(error) for words in _TOO_SMALL):
                    raise DamagedError(str(error)) from None
            if size == known:
                raise OverflowingError if known == most else DamagedError("it ends too early")
            size = min(known, 4 * size)

    return unpack


_FIRST = 1 << 16
_TOO_SMALL = ("failed to write whole buffer", "isn't large enough", "too long?")


def _lz4_frame(data: bytes) -> bytes:
    return bytes(_library().lz4.compress(data))


def _lz4_block(data: bytes) -> bytes:
    return bytes(_library().lz4.compress_block(data, store_size=False))


def _lz4_block_into(library: Any) -> Callable[[bytes, bytearray], int]:
    """As the size of the output is given, it expects no size before the block."""
    into = library.lz4.decompress_block_into
    return lambda data, buffer: int(into(data, buffer, len(buffer)))


def _zstd(data: bytes) -> bytes:
    return bytes(_library().zstd.compress(data))


def _snappy(data: bytes) -> bytes:
    return bytes(_library().snappy.compress_raw(data))


_DENSEST = 32
"""Snappy makes no more than so many bytes of one."""


def _unsnappy(data: bytes, most: int) -> bytes:
    snappy = _library().snappy
    try:
        size = snappy.decompress_raw_len(data)
        if size > _DENSEST * len(data):
            raise DamagedError("it is too short for the size that it tells")
        if size > most:
            raise OverflowingError
        buffer = bytearray(size)  # given its size, it is called in half the time
        snappy.decompress_raw_into(data, buffer)
        return bytes(buffer)
    except (DamagedError, OverflowingError):
        raise
    except Exception as error:  # its own class, whatever is wrong
        raise DamagedError(str(error)) from None


_SNAPPY_STREAM = bytes.fromhex("ff060000734e61507059")


def _framed(data: bytes) -> bytes:
    return bytes(_library().snappy.compress(data)) or _SNAPPY_STREAM


def _unframed(data: bytes, most: int) -> bytes:
    if not data.startswith(_SNAPPY_STREAM):
        raise DamagedError("it does not begin with the name of its format")
    return _growing(lambda library: library.snappy.decompress_into, _DENSEST)(data, most)


_XERIAL = bytes.fromhex("82534e41505059000000000100000001")
_BLOCK = 32 * 1024


def _xerial(data: bytes) -> bytes:
    blocks = (_snappy(data[start : start + _BLOCK]) for start in range(0, len(data), _BLOCK))
    return _XERIAL + b"".join(len(block).to_bytes(4, "big") + block for block in blocks)


def _unxerial(data: bytes, most: int) -> bytes:
    """What does not begin with the header is one block, as some clients of Kafka write it."""
    if data[:8] != _XERIAL[:8]:
        return _unsnappy(data, most)
    found = bytearray()
    for block in _blocks(data, len(_XERIAL)):
        found += _unsnappy(block, most - len(found))
    return bytes(found)


def _blocks(data: bytes, place: int) -> Iterator[bytes]:
    while place < len(data):
        end = place + 4 + int.from_bytes(data[place : place + 4], "big")
        if not place + 4 < end <= len(data):
            raise DamagedError("it ends too early")
        yield data[place + 4 : end]
        place = end


def _snappy_crc32(data: bytes) -> bytes:
    return _snappy(data) + zlib.crc32(data).to_bytes(4, "big")


def _unsnappy_crc32(data: bytes, most: int) -> bytes:
    found = _unsnappy(data[:-4], most)
    if data[-4:] != zlib.crc32(found).to_bytes(4, "big"):
        raise DamagedError("its CRC-32 is wrong")
    return found


COMPRESSORS: dict[str, Compressor] = {
    "zlib": _deflated(15),
    "deflate": _deflated(-15),
    "gzip": Compressor(
        lambda data: gzip.compress(data, mtime=0), _by_steps(lambda: zlib.decompressobj(31), several=True)
    ),
    "bzip2": Compressor(bz2.compress, _by_steps(bz2.BZ2Decompressor, several=True)),
    "xz": Compressor(
        lzma.compress,
        _by_steps(lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MOST_MEMORY), several=True),
    ),
    "zstd": Compressor(_zstd, _growing(lambda library: library.zstd.decompress_into, 1 << 16)),
    "lz4": Compressor(_lz4_frame, _growing(lambda library: library.lz4.decompress_into, 256)),
    "lz4_block": Compressor(_lz4_block, _growing(_lz4_block_into, 256)),
    "snappy": Compressor(_snappy, _unsnappy),
    "snappy_crc32": Compressor(_snappy_crc32, _unsnappy_crc32),
    "snappy_framed": Compressor(_framed, _unframed),
    "snappy_xerial": Compressor(_xerial, _unxerial),
}
"""By the names that specs have for them."""
