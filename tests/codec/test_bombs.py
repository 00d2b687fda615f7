"""What is small and unpacks to much is stopped, in one record and in many."""

import tracemalloc
import zlib
from unittest import mock

import pytest
from support import compiled
from support.lockstep import Pair, captures_alike

from codec.other_packers import OTHERS
from wireloom.codec import DecodeError
from wireloom.codec.reader import Reader

BOMB = """
protocol: bomb
byte_order: big
record:
  length: rest
  fields: [{section: body, size: rest}]
---
message: all
match: {}
sections:
  body:
    - {name: data, type: bytes, size: rest, through: %s, raw: packed%s}
"""


@pytest.mark.parametrize(
    "name",
    [
        "zlib",
        *(pytest.param(name, marks=pytest.mark.sweep) for name in ("gzip", "deflate", "bzip2", "xz", "zstd", "lz4")),
    ],
)
def test_a_bomb_is_stopped(name: str) -> None:
    packed = OTHERS[name](bytes(24 << 20))
    found = compiled.of(BOMB % (name, ", limit: 100000"))
    tracemalloc.start()
    with pytest.raises(DecodeError, match="more than the 100000 bytes allowed") as told:
        found.codec.parse(packed)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert told.value.code == "too-long"
    assert peak < 16_000_000


def test_all_bombs_of_a_record_share_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Reader.HEAVIEST == 256 << 20  # as the reference of the language says
    monkeypatch.setattr(Reader, "HEAVIEST", 10 << 20)
    found = compiled.of(
        """
protocol: bombs
byte_order: big
types:
  - {name: Bomb, fields: [{name: data, type: bytes, prefix: u24, through: zlib, raw: packed}]}
record:
  length: rest
  fields: [{section: body, size: rest}]
---
message: all
match: {}
sections:
  body: [{name: bombs, type: Bomb, repeat: rest}]
"""
    )
    packed = zlib.compress(bytes(4 << 20), 9)
    one = len(packed).to_bytes(3, "big") + packed
    assert len(found.codec.parse(one * 2)["all"]["bombs"]) == 2
    with pytest.raises(DecodeError, match=r"too-long: all\.bombs") as told:
        found.codec.parse(one * 3)
    assert told.value.offset == 2 * len(one) + 3


def test_bombs_of_many_records_are_not_unpacked_at_once() -> None:
    found = compiled.of(
        """
protocol: bombs_in_a_row
byte_order: big
record: {length: 3 + size, fields: [{name: size, type: u24, derive: size(body)}, {section: body, size: rest}]}
---
message: all
match: {}
sections: {body: [{name: data, type: bytes, size: rest, through: zlib, raw: packed}]}
"""
    )
    pair, bomb = Pair.of(found.columnar), zlib.compress(bytes(1 << 20), 9)
    capture = (len(bomb).to_bytes(3, "big") + bomb) * 50
    rows = weight = 0
    with mock.patch("wireloom.columnar.memory_budget.LISTS", 4 << 20):
        for batch in pair.decoder(pair.options({})).capture(capture):
            rows, weight = rows + batch.num_rows, max(weight, batch.nbytes)
    assert rows == 50
    assert weight < 9 << 20


def test_zeros_of_many_records_are_read_no_more_at_once_than_memory_holds() -> None:
    found = compiled.of(
        """
protocol: filled
byte_order: big
record: {length: 1 + size, fields: [{name: size, type: u8}, {section: body, size: size}]}
---
message: one
match: {}
sections:
  body:
    - {section: filled, size: rest, through: {zeros: 20000}, trailing: left, fields: [{name: number, type: u8}]}
"""
    )
    pair, capture = Pair.of(found.columnar), bytes.fromhex("0105 0100 020500") * 30
    with mock.patch("wireloom.columnar.memory_budget.LISTS", 500_000):
        assert captures_alike(pair, capture).num_rows == 90


def test_what_the_codec_unpacks_of_many_records_is_not_held_at_once() -> None:
    found = compiled.of("""\
protocol: bombs
byte_order: big
record:
  length: 6
  fields: [{name: length, type: u32}, {section: body, size: rest}]
---
message: bomb
match: {}
sections: {body: [{name: filled, type: bytes, size: rest, through: {zeros: length}}]}
""")
    pair, size = Pair.of(found.columnar), 1 << 20
    capture = (size.to_bytes(4, "big") + b"ab") * 64
    list(pair.decoder(pair.options({})).capture(bytes(6)))  # what is imported for it
    tracemalloc.start()
    rows = sum(batch.num_rows for batch in pair.decoder(pair.options({})).capture(capture))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert rows == 64
    assert most < 8 * size
