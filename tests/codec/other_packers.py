"""What other tools make of the same bytes, for each compression."""

import bz2
import gzip
import lzma
import zlib
from types import SimpleNamespace
from unittest import mock

import cramjam
import kafka.codec


def deflated(data: bytes) -> bytes:
    stream = zlib.compressobj(wbits=-15)
    return stream.compress(data) + stream.flush()


def xerial(data: bytes) -> bytes:
    """As Kafka's client for Python writes it, by way of another library for the blocks in it."""
    raw = SimpleNamespace(compress=lambda block: bytes(cramjam.snappy.compress_raw(bytes(block))))
    with mock.patch.multiple(kafka.codec, snappy=raw, has_snappy=lambda: True):
        return kafka.codec.snappy_encode(data)


OTHERS = {
    "zlib": zlib.compress,
    "deflate": deflated,
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": lambda data: bytes(cramjam.zstd.compress(data)),
    "lz4": lambda data: bytes(cramjam.lz4.compress(data)),
    "lz4_block": lambda data: bytes(cramjam.lz4.compress_block(data, store_size=False)),
    "snappy": lambda data: bytes(cramjam.snappy.compress_raw(data)),
    "snappy_framed": lambda data: bytes(cramjam.snappy.compress(data)) or bytes.fromhex("ff060000734e61507059"),
    "snappy_xerial": xerial,
    "snappy_crc32": lambda data: bytes(cramjam.snappy.compress_raw(data)) + zlib.crc32(data).to_bytes(4, "big"),
}
