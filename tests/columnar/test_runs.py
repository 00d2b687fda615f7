"""Items of varying size are read in runs that are thought to be of one size: where that is wrong, nothing is."""

import tracemalloc
from collections.abc import Iterator
from random import Random

import numpy as np
import pyarrow as pa
import pytest
from attack.captures import frame, infos
from support import compiled
from support.lockstep import Pair, capture_alike

from wireloom.backends.numpy import backend as numpy_backend
from wireloom.backends.numpy import reader as numpy_reader
from wireloom.columnar.decoder import RecordSpans
from wireloom_protocols import couchbase_dcp

SPEC = """\
protocol: runs
byte_order: big
enums:
  - {name: Kind, values: [{name: Empty, value: 0}, {name: Text, value: 1}, {name: Words, value: 2}]}
types:
  - {name: Word, fields: [{name: word, type: text, until: "00"}]}
  - name: Item
    fields:
      - {name: kind, type: u8, enum: Kind, valid: kind < 9}
      - {name: twice, compute: kind + kind + salt, type: u8}
      - {name: size, type: u8, derive: size(room)}
      - section: room
        size: size
        trailing: more
        fields:
          - {name: text, type: text, size: rest, when: kind == 1}
          - {name: words, type: Word, repeat: rest, when: kind == 2}
          - {name: mark, type: bytes, size: 1, const: "a5", when: kind == 3}
          - {name: number, type: u64, table_type: long, when: kind == 4}
record:
  length: 4 + length
  fields:
    - {name: length, type: u16, derive: size(body)}
    - {name: salt, type: u8}
    - {name: count, type: u8}
    - {section: body, size: length}
---
message: list
match: {}
sections:
  body:
    - %s
"""
ENTRIES = {
    "to the end": "{name: items, type: Item, repeat: rest}",
    "counted": "{name: items, type: Item, repeat: {count: count}}",
    "up to one": "{name: items, type: Item, repeat: {until: kind == 0}}",
}
SOUND = (b"\0\0", b"\0\1x", b"\1\2ab", b"\1\0", b"\2\4a\0b\0", b"\2\0", b"\3\1\xa5", b"\4\x08" + bytes(8), b"\5\3abc")
BROKEN = (
    b"\1\2\xffb",
    b"\1\1\xff",
    b"\2\3a\0b",
    b"\2\4\xff\0b\0",
    b"\3\1\xa4",
    b"\4\x08" + b"\xff" * 8,
    b"\x0a\0",
    b"\4\7abcdefg",
)


@pytest.fixture(scope="module", params=ENTRIES)
def pair(request: pytest.FixtureRequest) -> Pair:
    return Pair.of(compiled.of(SPEC % ENTRIES[request.param]).columnar)


def record(items: list[bytes], salt: int = 0) -> bytes:
    body = b"".join(items)
    return len(body).to_bytes(2, "big") + bytes([salt, len(items)]) + body


def listed(chance: Random, broken: float) -> Iterator[bytes]:
    """Items, many of them alike, and then no more or some that are broken."""
    for _ in range(chance.randint(0, 4)):
        yield from [chance.choice(SOUND)] * chance.choice((1, 1, 2, 3, 20))
        if chance.random() < broken:
            yield chance.choice(BROKEN)
    yield b"\0\0"


@pytest.mark.parametrize("tile", [3, numpy_backend.TILE])
def test_lists_are_what_the_codec_says(pair: Pair, tile: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numpy_backend, "TILE", tile)
    monkeypatch.setattr(numpy_reader, "TILE", tile)
    chance = Random(tile)
    for broken in (0, 0.1, 0.5):
        records = [record(list(listed(chance, broken)), chance.choice((0, 0, 200, 255))) for _ in range(20)]
        cut = [each if chance.random() > broken else each[:2] + each[2:4] + each[5:] + b"\0" for each in records]
        capture_alike(pair, b"".join(cut), mode="DROPMALFORMED" if broken == 0.1 else "PERMISSIVE")


@pytest.mark.parametrize("broken", BROKEN, ids=bytes.hex)
def test_what_is_wrong_with_an_item_is_known_without_the_codec(broken: bytes, pair: Pair) -> None:
    items = [[b"\1\2ab"] * before + [broken] + [b"\2\4a\0b\0", b"\1\1\xff", b"\0\0"] for before in range(30)]
    records = [record(each) for each in items]
    data = b"".join(records)
    reasons = capture_alike(pair, data)["_corrupt_reason"].to_pylist()
    assert [reason.split(" at ")[0].split("[")[1].split("]")[0] for reason in reasons] == [str(n) for n in range(30)]

    def redo(row: int) -> None:
        raise AssertionError(f"record {row} is left to the codec")

    ends = [sum(map(len, records[: number + 1])) for number in range(30)]
    stretch = RecordSpans(
        data, *(pa.array(each).to_numpy() for each in ([0, *ends[:-1]], ends)), little=False, origin=0
    )
    ((batch, _),) = pair.decoder(pair.options({"positions": False})).records(stretch, (), redo, {})
    assert batch.num_rows == 30


def test_long_lists_of_few_records_are_not_left_to_the_codec(pair: Pair) -> None:
    decoding = pair.decoder(pair.options({}))
    capture = record([b"\1\2ab"] * 200 + [b"\1\3abc"] * 54 + [b"\0\0"]) * 3
    assert sum(batch.num_rows for batch in decoding.capture(capture)) == 3
    assert decoding.tally.redone == 0


def test_items_that_no_guess_is_right_of_are_left_to_the_codec(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """In turns of numpy they cost more than the codec takes."""
    monkeypatch.setenv("WIRELOOM_PROGRAMS", "numpy")
    decoding = pair.decoder(pair.options({}))
    capture = record([b"\1\1a", b"\1\2bc"] * 100 + [b"\0\0"])
    assert sum(batch.num_rows for batch in decoding.capture(capture)) == 1
    assert decoding.tally.redone == 1


@pytest.mark.parametrize("ahead", [1, 2, 3, 7])
def test_turns_count_up_to_the_first_that_ends_elsewhere(ahead: int) -> None:
    goes_on = np.ones(2 * ahead, bool)
    begun = np.concatenate([np.arange(ahead), np.arange(ahead)])
    assert numpy_reader._sure(ahead, goes_on, {0: begun}, {0: begun + 1}).tolist() == [ahead, ahead]
    assert numpy_reader._sure(ahead, goes_on, {0: begun}, {0: begun + 2}).tolist() == [1, 1]
    goes_on[ahead] = False
    assert numpy_reader._sure(ahead, goes_on, {0: begun}, {0: begun + 1}).tolist() == [ahead, 1]


DCP = Pair(couchbase_dcp.PROTOCOL)
SIZE = 4_500_000


@pytest.mark.sweep
@pytest.mark.parametrize("last", [b"", b"\x51"], ids=["sound", "the last cut off"])
def test_a_table_of_items_of_a_byte_takes_some_times_their_bytes(last: bytes) -> None:
    """As columns that the schema has they weigh 119 bytes each; most of those are nulls, which are there once.
    While a batch is read, numpy has numbers of all its items several times.
    """
    capture = (infos(255, last) * (SIZE // 279 + 1))[:SIZE]
    pool, before = pa.default_memory_pool(), pa.total_allocated_bytes()
    tracemalloc.start()
    decoded = list(DCP.decoder(DCP.options({})).capture(capture))
    taken = tracemalloc.get_traced_memory()[1] + pool.bytes_allocated() - before
    tracemalloc.stop()
    assert sum(batch.num_rows for batch in decoded) == SIZE // 279 + 1
    assert taken < 75 * SIZE


ODD = frame(0x80, 0x5F, extras=bytes(8) + b"\0\0\0\5\2", key=b"name", value=b"\1")
"""A record that programs leave to the codec."""


def test_doubtful_records_in_few_places_are_batches_between_the_others() -> None:
    plain = infos(2) * 300
    batches = list(DCP.decoder(DCP.options({})).capture(plain + ODD * 2 + plain))
    assert [batch.num_rows for batch in batches] == [300, 2, 300]
    first, _, last = (batch["opaque"].buffers()[1].address for batch in batches)
    assert first == last  # parts of one array


def test_a_doubtful_record_does_not_fill_the_columns_that_others_lack() -> None:
    """Records that the codec reads are put between what is there, not copied with it."""
    plain = infos(255) * 100
    (batch,) = DCP.decoder(DCP.options({})).capture((plain + ODD) * 6)
    items = batch["frame_infos"].values
    lacking = [items.field(name) for name in ("user", "privilege", "token_id", "durability_timeout", "data")]
    assert len(items) == 600 * 255
    assert len({buffer.address for column in lacking for buffer in column.buffers() if buffer is not None}) == 1
    capture_alike(DCP, plain[: 279 * 3] + ODD + plain[: 279 * 2] + ODD)
