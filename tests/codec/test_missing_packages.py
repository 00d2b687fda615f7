"""Records that a package which is not installed would read: malformed, for the same reason in every engine."""

import sys
from collections.abc import Iterator
from typing import Any

import pytest
from support import accelerator, compiled
from support.compiled import Compiled

from wireloom.codec import DecodeError, EncodeError, compression

SPEC = """
protocol: parcels
byte_order: big
record:
  length: 3 + size
  fields:
    - {name: packed, type: u8}
    - {name: size, type: u16, derive: size(body)}
    - {section: body, size: rest}
---
message: parcel
match: {}
sections:
  body: [{name: note, type: text, size: rest, through: "NAME if packed == 1 else none", limit: 100, raw: note_packed}]
"""
REASON = "missing-package: parcel.note at byte 3: this compression needs cramjam; pip install 'wireloom[compression]'"
PLAIN = bytes.fromhex("00 0003 616263")
PACKED = {"snappy": "0308616263", "lz4_block": "30616263", "zstd": "28b52ffd2003190000616263"}
"""The text abc, as their documents have it: in one literal, or one raw block."""


@pytest.fixture
def without_cramjam(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    compression._library.cache_clear()
    monkeypatch.setitem(sys.modules, "cramjam", None)
    yield
    compression._library.cache_clear()


def parcels(name: str) -> tuple[Compiled, bytes]:
    """The protocol, and a record that is packed; what it unpacks to is seen first."""
    found = compiled.of(SPEC.replace("NAME", name))
    packed = bytes.fromhex(PACKED[name])
    record = b"\1" + len(packed).to_bytes(2, "big") + packed
    return found, record


@pytest.mark.parametrize("name", PACKED)
def test_the_records_are_sound(name: str) -> None:
    found, record = parcels(name)
    assert found.codec.parse(record)["parcel"]["note"] == "abc"


@pytest.mark.usefixtures("without_cramjam")
@pytest.mark.parametrize("name", PACKED)
def test_the_codec_says_what_is_missing_each_time(name: str) -> None:
    found, record = parcels(name)
    for _ in range(100):  # also once records of that kind have a function of their own
        with pytest.raises(DecodeError) as refused:
            found.codec.parse(record)
        assert refused.value.reason == REASON
        with pytest.raises(EncodeError, match=r"^parcel\.note: this compression needs cramjam"):
            found.codec.build({"message": "parcel", "packed": 1, "parcel": {"note": "abc"}})
    (row,) = found.codec.iter_records(record, mode="PERMISSIVE")
    assert found.codec.build(row) == record


@pytest.mark.usefixtures("without_cramjam")
@pytest.mark.parametrize("name", PACKED)
@accelerator.off_and_on
def test_so_do_columns(name: str, accelerated: bool) -> None:
    found, record = parcels(name)
    data = b"".join([PLAIN, record] * 50)
    table = found.columnar.decode_columnar(data, mode="PERMISSIVE")
    wanted = [row["_corrupt_reason"] for row in found.codec.iter_records(data, mode="PERMISSIVE")]
    assert table["_corrupt_reason"].to_pylist() == wanted
    assert wanted.count(None) == 50
    assert found.columnar.encode_columnar(table).to_pybytes() == data
    with pytest.raises(DecodeError, match="needs cramjam"):
        found.columnar.decode_columnar(data)
    rows: list[dict[str, Any]] = [{"message": "parcel", "packed": 1, "parcel": {"note": "abc"}}]
    with pytest.raises(EncodeError, match=r"note: this compression needs cramjam"):
        found.columnar.encode_columnar(found.columnar.to_batches(rows))
