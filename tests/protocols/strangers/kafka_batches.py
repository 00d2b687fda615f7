"""Record batches as the package ``kafka-python`` writes and reads them."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from io import BytesIO
from random import Random
from types import SimpleNamespace
from typing import Any
from unittest import mock

import kafka.codec
import pyarrow as pa
from kafka.record import default_records
from kafka.record.default_records import DefaultRecordBatch, DefaultRecordBatchBuilder
from kafka.record.util import calc_crc32c

from protocols.strangers import Capture

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LEAST = 61
"""How many bytes a batch without records has."""


def captures() -> Iterator[Capture]:
    """A log segment: batches with few and many records, with and without keys, values and headers, and compressed."""
    random = Random("kafka")
    made = ((1, 0), (2, 0), (12, 0), (5, 1), (3, 0), (1, 2), (300, 2), (4, 3), (40, 3), (4, 4), (40, 4), (40, 1))
    with _compressions():
        batches = [_batch(random, count, compression) for count, compression in made]
        yield Capture("segment", b"".join(batches), tuple(map(_read, batches)))


@contextmanager
def _compressions() -> Iterator[None]:
    """Let the package compress, for which it wants others: here by Arrow. Blocks of snappy it puts together itself."""
    has = dict.fromkeys(("has_snappy", "has_lz4", "has_zstd"), lambda: True)
    snappy = SimpleNamespace(compress=lambda data: _packed("snappy", bytes(data)), decompress=_unsnappy)
    both = {f"{name}_encode": lambda data, name=name: _packed(name, bytes(data)) for name in ("lz4", "zstd")}
    both |= {f"{name}_decode": lambda data, name=name: _unpacked(name, data) for name in ("lz4", "zstd")}
    with mock.patch.multiple(kafka.codec, snappy=snappy, **has), mock.patch.multiple(default_records, **both):
        yield


def _packed(name: str, data: bytes) -> bytes:
    return bytes(pa.compress(data, codec=name, asbytes=True))


def _unpacked(name: str, data: bytes) -> bytes:
    return bytes(pa.input_stream(BytesIO(data), compression=name).read())


def _unsnappy(data: bytes) -> bytes:
    end = next(number for number, byte in enumerate(data) if byte < 128) + 1
    size = sum((byte & 127) << 7 * number for number, byte in enumerate(data[:end]))
    return bytes(pa.decompress(data, size, codec="snappy", asbytes=True))


def _batch(random: Random, count: int, compression: int) -> bytes:
    builder = DefaultRecordBatchBuilder(2, compression, count > 2, random.getrandbits(40), 3, 7, 1 << 20)
    begin = 1_700_000_000_000
    for offset in range(count):
        key, value = (random.choice((None, b"", random.randbytes(random.randrange(200)))) for _ in "kv")
        headers = [(name, random.choice((None, b"v" * 100))) for name in random.choice(((), ("a", "näh")))]
        builder.append(offset, timestamp=begin + random.randrange(-5, 10**6), key=key, value=value, headers=headers)
    return bytes(builder.build())


def _read(data: bytes) -> dict[str, Any]:
    """What the package reads in a batch."""
    batch = DefaultRecordBatch(data)
    assert batch.validate_crc()
    header = {"base_offset": batch.base_offset, "magic": 2, "crc": batch.crc, "batch_length": batch.size_in_bytes - 12}
    own: dict[str, Any] = {
        "is_control_batch": batch.is_control_batch,
        "is_transactional": batch.is_transactional,
        "timestamp_type": batch.timestamp_type,
        "compression": batch.compression_type,
        "last_offset_delta": batch.last_offset_delta,
        **_time("base_timestamp", batch.first_timestamp),
        **_time("max_timestamp", batch.max_timestamp),
        "producer_id": batch.producer_id,
        "producer_epoch": batch.producer_epoch,
        "base_sequence": batch.base_sequence,
        "records_count": batch.records_count,
    }
    own["compressed_records"] = data[LEAST:] if batch.compression_type else None
    own["records"] = [_record(batch, record) for record in batch]
    return {**header, "batch": own}


def _time(name: str, milliseconds: int) -> dict[str, Any]:
    """A point in time, or the number if that is none of the years 1 to 9999."""
    try:
        return {name: EPOCH + timedelta(milliseconds=milliseconds), f"{name}_ms": None}
    except OverflowError:
        return {name: None, f"{name}_ms": milliseconds}


def _record(batch: DefaultRecordBatch, record: Any) -> dict[str, Any]:
    return {
        "timestamp_delta": record.timestamp - batch.first_timestamp,
        "offset_delta": record.offset - batch.base_offset,
        "key": record.key,
        "value": record.value,
        "headers": [{"header_key": key, "header_value": value} for key, value in record.headers],
    }


def varied(random: Random) -> Iterator[Capture]:
    """Batches of every compression, bare Snappy blocks among them, and of transactions, with times that are missing."""
    while True:
        with _compressions():
            data = _any_batch(random)
            yield Capture(f"{len(data)} bytes", data, (_read(data),))


def _any_batch(random: Random) -> bytes:
    compression, count = random.randrange(5), random.choice((1, 2, 40))
    is_transactional = random.random() < 0.3
    builder = DefaultRecordBatchBuilder(
        2,
        compression,
        is_transactional,
        random.choice((-1, 5)),
        random.choice((-1, 3)),
        random.choice((-1, 9)),
        1 << 20,
    )
    begin = random.choice((0, 1_700_000_000_000, -1, 2**62))
    for offset in range(count):
        key, value = (random.choice((None, b"", b"x" * 40, random.randbytes(9))) for _ in "kv")
        headers = [("h", random.choice((None, b"", b"v")))] * random.randrange(3)
        builder.append(offset, timestamp=begin, key=key, value=value, headers=headers)
    data = bytearray(builder.build())
    attributes = int.from_bytes(data[21:23], "big")
    if attributes & 7 == 2 and random.random() < 0.5:
        data[LEAST:] = _packed("snappy", kafka.codec.snappy_decode(bytes(data[LEAST:])))
    data[21:23] = (attributes | random.choice((0, 8))).to_bytes(2, "big")  # 8: the time is the broker's
    data[0:8], data[8:12] = random.getrandbits(40).to_bytes(8, "big"), (len(data) - 12).to_bytes(4, "big")
    data[12:16] = random.randrange(99).to_bytes(4, "big")
    data[17:21] = calc_crc32c(bytes(data[21:])).to_bytes(4, "big")
    return bytes(data)
