"""Captures made to hurt the columnar decoder: what they cost stays in proportion, and nothing is read out of bounds."""

import io
import subprocess
import sys
import tracemalloc
from typing import Any
from zlib import crc32

import pyarrow as pa
import pytest
from support import compiled
from support.lockstep import Pair

from wireloom.codec import DecodeError
from wireloom.columnar import cells, decoder
from wireloom.views import View
from wireloom_protocols import databus

RECORD = """\
protocol: hostile
byte_order: big
types:
  - name: Word
    fields: [{name: word, type: bytes, until: "00"}]
  - name: Words
    fields: [{name: count, type: u8}, {name: words, type: Word, repeat: {count: count}}]
record:
  length: length
  fields: [{name: length, type: u32, derive: size(record)}, {name: kind, type: u8}, {section: body, size: rest}]
---
message: plain
match: {kind: 0}
sections: {body: [{name: data, type: bytes, size: rest}]}
---
message: deep
match: {kind: 1}
sections: {body: [{name: count, type: u8}, {name: lists, type: Words, repeat: {count: count}}]}
"""

WHOLE = """\
protocol: hostile
byte_order: big
record:
  length: length
  proof: {valid: "magic == 0xa5 and length >= 9", checksum: check}
  resync: true
  fields:
    - {name: magic, type: u8, const: 0xa5}
    - {name: length, type: u32, derive: size(record)}
    - {name: check, type: u32, checksum: {algorithm: crc32, from: 9, to: length}}
    - {section: body, size: rest}
---
message: text
match: {}
sections: {body: [{name: data, type: bytes, size: rest}]}
"""


def of_kind(kind: int, body: bytes) -> bytes:
    return (5 + len(body)).to_bytes(4, "big") + bytes([kind]) + body


def summed(body: bytes, length: int | None = None) -> bytes:
    return b"\xa5" + (length or len(body) + 9).to_bytes(4, "big") + crc32(body).to_bytes(4, "big") + body


def event(order: str) -> bytes:
    fields = {"attributes": 1, "sequence": 5, "physical_partition_id": 1, "logical_partition_id": 2, "src_id": 15}
    fields |= {"nano_timestamp": 7, "schema_id": bytes(16), "key": 1, "value": b"a" * 40}
    return databus.build({"message": "dbus_event", "byte_order": order, "version": 0, "dbus_event": fields})


def test_a_length_beyond_the_bound_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoder, "PIECE_BYTES", 1 << 20)
    pair = Pair.of(compiled.of(WHOLE).columnar)
    size = 1 << 20
    capture = summed(b"hello", 2**31) + summed(b"x" * 1000) * 16000
    stream = io.BytesIO(capture)
    decoding = pair.decoder(pair.options({"maxRecordBytes": str(size)}))
    first = next(decoding.stream(lambda memory: stream.readinto(memory[:size])))
    assert (
        first["_corrupt_reason"][0].as_py().startswith("too-long: record at byte 0: 2147483648 bytes to be summed up")
    )
    assert stream.tell() < len(capture)


@pytest.mark.parametrize("final", [False, True])
def test_a_stream_that_grows_says_at_once_that_a_record_is_too_long(final: bool) -> None:
    pair = Pair.of(compiled.of(WHOLE).columnar)
    from wireloom.codec.cutting import Cutter

    capture = summed(b"hello", 2**31) + summed(b"there") * 3
    record = Cutter(pair.codec.framing, {}, 1000).cut(capture, 0, len(capture), final=final)
    assert record is not None
    assert record.length == len(summed(b"hello"))


@pytest.mark.program
@pytest.mark.skipif(sys.maxsize < 2**32, reason="more than 2 GiB of addresses")
def test_places_behind_two_gibibytes_are_no_crash() -> None:
    """Needs no memory to speak of: numpy's zeros are not there before they are read."""
    script = """
import numpy as np, pyarrow as pa
from wireloom.buffers import octets
buffer = np.zeros(2**31 + 200, np.uint8)
buffer[2**31 + 10 : 2**31 + 60] = 65
try:
    found = octets(buffer, np.array([0, 2**31 + 10]), np.array([13, 2**31 + 60]), None, None)
    assert found.to_pylist() == [bytes(13), b"A" * 50]
except (OSError, ValueError) as error:
    assert str(error)
"""
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_the_first_malformed_value_is_the_one_that_is_told() -> None:
    pair = Pair(databus.PROTOCOL)
    wrong = bytearray(event("big"))
    wrong[-1] ^= 1
    chosen = pair.options({"positions": False, "mode": "FAILFAST"})
    values = pa.array([event("big")[:-1], bytes(wrong)])
    reason = refusal(lambda: [list(View(pair.codec, chosen).rows(value.as_py(), "")) for value in values])
    assert refusal(lambda: cells.many(pair.decoder(chosen), values)) == reason


def refusal(work: Any) -> str:
    with pytest.raises(DecodeError) as raised:
        work()
    return raised.value.reason


def test_a_malformed_range_is_not_copied_for_each_piece_it_comes_in() -> None:
    pair = Pair(databus.PROTOCOL)
    capture = event("big") + b"\xff" * (1 << 21) + event("big")
    stream = io.BytesIO(capture)
    tracemalloc.start()
    rows = sum(batch.num_rows for batch in pair.decoder(pair.options({})).stream(stream.readinto, start=0, stop=4096))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert rows == 2
    assert most < 8 * len(capture)
