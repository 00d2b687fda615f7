"""A value without bytes is empty, however it is said to be packed: senders leave values out and keep what says how."""

import struct
from itertools import product
from typing import Any

import pytest
from support import accelerator, compiled
from support.lockstep import Pair, capture_alike, captures_alike, rows_alike

from wireloom.cdc import couchbase
from wireloom.codec.compression import COMPRESSORS
from wireloom_protocols import couchbase_dcp

pytest.importorskip("cramjam")

PACKED = """
protocol: packed
byte_order: big
record:
  length: 2 + size
  fields:
    - {name: size, type: u8, derive: size(body)}
    - {name: codec, type: u8}
    - {section: body, size: rest}
---
message: packed
match: {}
sections:
  body:
    - {name: title, type: text, prefix: u8, through: "%s", limit: 100, raw: title_packed}
    - section: content
      size: rest
      through: "%s"
      limit: 100
      raw: content_packed
      fields:
        - {name: data, type: bytes, size: rest}
"""
NAMES = (*COMPRESSORS, "none")
WAYS = "[" + ", ".join(f"'{name}'" for name in NAMES) + "][codec]"


@accelerator.off_and_on
def test_no_bytes_are_an_empty_value_through_any_compression(accelerated: bool) -> None:
    found = compiled.of(PACKED % (WAYS, WAYS))
    records = []
    for codec, name in enumerate(NAMES):
        pack = COMPRESSORS[name].pack if name in COMPRESSORS else bytes
        for title, content in product([b"", pack(b"a")], [b"", pack(b"b"), pack(b"")]):
            body = bytes([len(title)]) + title + content
            records.append(bytes([len(body), codec]) + body)
    for record in records:
        row = found.codec.parse(record)
        assert row["packed"]["title"] == ("a" if record[2] else "")
        assert row["packed"]["data"] in (b"", b"b")
        assert found.codec.build(row) == record
    table = captures_alike(Pair.of(found.columnar), b"".join(records))
    assert table["_corrupt_reason"].null_count == len(table) == len(records)


DCP = {
    "mutation": (0x57, struct.pack(">QQIIIHB", 5, 1, 0, 0, 0, 0, 0)),
    "deletion v1": (0x58, struct.pack(">QQH", 5, 1, 0)),
    "deletion v2": (0x58, struct.pack(">QQIB", 5, 1, 0, 0)),
    "expiration": (0x59, struct.pack(">QQI", 5, 1, 0)),
    "prepare": (0x60, struct.pack(">QQIIIBBB", 5, 1, 0, 0, 0, 0, 0, 1)),
    "not my vbucket": (0x50, b""),
    "error": (0x5E, b""),
}
"""Frames that may have a value, each with the opcode and the extras that kv_engine's headers give it."""
STATUS = {"not my vbucket": 7, "error": 0x84}


def frame(kind: str, datatype: int) -> bytes:
    """A frame without a value: on connections with NoValueWithUnderlyingDatatype documents keep their datatype."""
    opcode, extras = DCP[kind]
    magic, key = (0x81, b"") if kind in STATUS else (0x80, b"\0k")
    header = (magic, opcode, len(key), len(extras), datatype, STATUS.get(kind, 1), len(extras) + len(key), 7, 9)
    return struct.pack(">BBHBBHIIQ", *header) + extras + key


@accelerator.off_and_on
def test_frames_of_dcp_without_a_value_are_sound_whatever_their_datatype_says(accelerated: bool) -> None:
    frames = [frame(kind, datatype) for kind in DCP for datatype in range(8)]
    for one in frames:
        row = couchbase_dcp.parse(one)
        values: dict[str, Any] = row[row["message"]]
        assert not any(values.get(name) for name in ("json", "body", "xattrs", "error", "cluster_map"))
        assert couchbase_dcp.build(row) == one
    table = capture_alike(Pair.of(couchbase_dcp), b"".join(frames), in_pieces=False)
    assert table["_corrupt_reason"].null_count == len(table) == len(frames)
    rows_alike(Pair.of(couchbase_dcp), table)


def test_documents_without_a_value_are_among_the_latest() -> None:
    frames = [
        frame("mutation", datatype).replace(b"\0k", bytes([0, 97 + datatype])).replace(b"\5", bytes([datatype + 1]))
        for datatype in range(8)
    ]
    rows = couchbase.latest(couchbase_dcp.decode_columnar(b"".join(frames), mode="PERMISSIVE")).to_pylist()
    assert [(row["document_key"], row["by_seqno"]) for row in rows] == [
        (chr(97 + datatype), datatype + 1) for datatype in range(8)
    ]
