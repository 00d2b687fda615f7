"""Record batches as the package ``kafka-python`` writes and reads them."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from kafka.record.default_records import DefaultRecordBatch, DefaultRecordBatchBuilder

from strangers import Capture

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LEAST = 61
"""How many bytes a batch without records has."""


def captures() -> Iterator[Capture]:
    """A log segment: batches with few and many records, with and without keys, values and headers, and compressed."""
    random = Random("kafka")
    batches = [_batch(random, count, compression) for count, compression in ((1, 0), (2, 0), (12, 0), (5, 1), (3, 0))]
    yield Capture("segment", b"".join(batches), tuple(map(_read, batches)))


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
        "base_timestamp": EPOCH + timedelta(milliseconds=batch.first_timestamp),
        "max_timestamp": EPOCH + timedelta(milliseconds=batch.max_timestamp),
        "producer_id": batch.producer_id,
        "producer_epoch": batch.producer_epoch,
        "base_sequence": batch.base_sequence,
        "records_count": batch.records_count,
    }
    if batch.compression_type:
        own |= {"records": None, "compressed_records": data[LEAST:]}
    else:
        own["records"] = [_record(batch, record) for record in batch]
    return {**header, "batch": own}


def _record(batch: DefaultRecordBatch, record: Any) -> dict[str, Any]:
    return {
        "timestamp_delta": record.timestamp - batch.first_timestamp,
        "offset_delta": record.offset - batch.base_offset,
        "key": record.key,
        "value": record.value,
        "headers": [{"header_key": key, "header_value": value} for key, value in record.headers],
    }
