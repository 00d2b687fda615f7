"""Records between flags, many at a time: as the codec reads and writes them, whatever is between flags."""

from pathlib import Path
from random import Random

import pyarrow as pa
import pytest
from support import compiled
from support.lockstep import Pair, captures_alike, tables_alike

from columnar.searched_parts import exact, searching
from wireloom.columnar import decoder, encoding
from wireloom.columnar.tables import Table

FLAGS = """
protocol: flags
byte_order: big
record:
  between: {{flag: "{flag}", {options}raw: frame}}
  fields:
    - {{name: kind, type: u8}}
    - {{section: body, size: size(record) - 3}}
    - {{name: sum, type: u16, checksum: {{algorithm: crc16_xmodem, from: 0, to: offset(sum)}}}}
---
message: data
match: {{kind: [{{from: 0, to: 99}}]}}
sections: {{body: [{{name: data, type: bytes, size: rest}}]}}
---
message: number
match: {{kind: 100}}
sections: {{body: [{{name: number, type: u32}}]}}
"""
KINDS = {
    "hdlc": ("7e", "unescape: hdlc, "),
    "slip": ("c0", "shared: true, unescape: slip, "),
    "cobs": ("00", "shared: true, unescape: cobs, "),
    "table": ("0a", 'unescape: {escape: "10", codes: {"10": "10", "2a": "0a"}}, '),
    "plain": ("ff", ""),
}


@pytest.fixture(params=KINDS)
def flagged(request: pytest.FixtureRequest) -> Pair:
    flag, options = KINDS[request.param]
    return Pair(compiled.of(FLAGS.format(flag=flag, options=options)).codec)


def record(pair: Pair, random: Random) -> bytes:
    """A record with bytes that are special to some of the protocols."""
    if random.random() < 0.2:
        return pair.codec.build({"number": {"number": random.getrandbits(30)}})
    special = bytes.fromhex("0a 10 2a 41 7d c0 db dc") if pair.codec.record.envelope.flag != b"\xff" else b"ab"
    data = bytes(random.choices(special, k=random.choice([0, 1, 5, 300])))
    return pair.codec.build({"kind": random.choice([1, 16, 99]), "data": {"data": data}})


def records(pair: Pair, count: int) -> list[bytes]:
    random, found = Random(count), []
    while len(found) < count:
        try:
            found.append(record(pair, random))
        except ValueError:  # the checksum is the flag, which nothing escapes
            assert pair.codec.record.envelope.flag == b"\xff"
    return found


def test_many_records_are_read_by_programs(flagged: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    capture = b"".join(records(flagged, 400))
    monkeypatch.setattr(decoder.Decoder, "row", lambda *given: pytest.fail("left to the codec"))
    found = pa.Table.from_batches(flagged.decoder(flagged.options({})).capture(capture))
    assert found.num_rows == 400
    assert found.column("frame").null_count == 400


def test_captures_are_read_and_written_as_the_codec_does(flagged: Pair) -> None:
    capture = b"".join(records(flagged, 100))
    captures_alike(flagged, capture)
    tables_alike(flagged, capture)


def test_flags_are_shared_repeated_and_left_out(flagged: Pair) -> None:
    flag, parts, random = flagged.codec.record.envelope.flag, records(flagged, 40), Random(1)
    capture = b"".join(flag * random.randrange(4) + part.strip(flag) + flag for part in parts)
    found = captures_alike(flagged, capture)
    assert found.column("_corrupt_reason").null_count == found.num_rows == 40
    tables_alike(flagged, capture)
    rows = list(flagged.codec.iter_records(capture))
    assert b"".join(map(flagged.codec.build, rows)) == capture


def test_flags_at_the_end_are_skipped_and_a_torn_record_is_not(flagged: Pair) -> None:
    flag, parts = flagged.codec.record.envelope.flag, records(flagged, 3)
    capture = b"".join(parts)
    for idle in (flag, flag * 3):
        assert captures_alike(flagged, capture + idle).num_rows == 3
        assert captures_alike(flagged, idle).num_rows == 0
    found = captures_alike(flagged, capture + flag + b"\x41\x42")
    assert found.column("_corrupt_reason").to_pylist()[3].startswith("unterminated: record at byte ")
    assert found.column("_length").to_pylist()[3] == 3


def test_damage_costs_the_records_that_it_is_in(flagged: Pair) -> None:
    flag, random = flagged.codec.record.envelope.flag, Random(9)
    for _ in range(10):
        data = bytearray(b"".join(records(flagged, 30)))
        for _ in range(6):
            data[random.randrange(len(data))] = random.choice([*flag, 0x10, 0x7D, 0x41])
        found = captures_alike(flagged, bytes(data))
        sizes, places = found.column("_length").to_pylist(), found.column("_offset").to_pylist()
        assert [place + size for place, size in zip(places, sizes, strict=True)][:-1] == places[1:]
        assert found.column("_corrupt_reason").null_count >= 30 - 12


def test_many_records_are_written_by_programs(flagged: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = records(flagged, 400)
    table = Table(flagged.codec, {}).decode_columnar(b"".join(parts))
    monkeypatch.setattr(encoding.Encoder, "_built", lambda *given: pytest.fail("left to the codec"))
    assert Table(flagged.codec, {}).encode_records(table).to_pylist() == parts


def test_parts_of_any_size_have_each_record_once(
    flagged: Pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    flag, random = flagged.codec.record.envelope.flag, Random(4)
    idle = [flag * random.choice([0, 0, 1, 5]) + part for part in records(flagged, 8)]
    for capture in (
        b"".join(idle),
        b"".join(idle)[2:-2],
        b"".join(part.strip(flag) + flag for part in idle) + 9 * flag,
    ):
        for every in (1, 7, 40, len(capture) - 1):
            with searching(random.choice([30, 400]), 600):
                assert exact(flagged, capture, every)
