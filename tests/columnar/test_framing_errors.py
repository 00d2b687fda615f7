"""Malformed ranges that are found and told many at once are those that the codec finds one by one."""

import struct
from binascii import crc_hqx
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from zlib import crc32

import attack
import pytest
from attack.captures import crc32_zero, event
from support import compiled
from support.lockstep import Pair, capture_alike

from wireloom.columnar import search
from wireloom.columnar.decoder import RecordSpans
from wireloom.columnar.scanning import Window
from wireloom.loops import accel
from wireloom_protocols import databus

PACKETS = Path(attack.__file__).with_name("specs") / "packets"
LONG = """\
protocol: long
byte_order: order
parameters:
  - {name: order, type: text, choices: [auto, big, little], default: auto, column: true}
record:
  length: length
  proof: {valid: length >= 10 and kind < 100, checksum: check}
  resync: true
  fields:
    - {name: version, type: u8}
    - {name: kind, type: u8}
    - {name: length, type: u32, derive: size(record)}
    - {section: body, size: length - 10}
    - {name: check, type: u32, checksum: {algorithm: crc32, from: 0, to: length - 4}}
---
message: one
match: {version: 1}
sections: {body: [{name: data, type: bytes, size: rest}]}
---
message: two
match: {version: 2}
sections: {body: [{name: data, type: bytes, size: rest}]}
"""
"""Checksums at the end of records that may be of any length."""
PLAIN = """\
protocol: plain
byte_order: order
parameters:
  - {name: order, type: text, choices: [auto, big, little], default: auto, column: true}
record:
  length: "length * 2 - 4"
  proof: {valid: magic == 0xa5 and length < 200}
  resync: true
  fields:
    - {name: magic, type: u8, const: 0xa5}
    - {name: length, type: u16, derive: (size(record) + 4) // 2}
    - {section: body, size: rest}
---
message: text
match: {}
sections: {body: [{name: data, type: bytes, size: rest}]}
"""
"""No checksum at all, and lengths that may be below 1."""


def of_databus(chance: Random) -> bytes:
    value = chance.randbytes(chance.randint(0, 60))
    if chance.random() < 0.5:
        return event(chance.randrange(9), value, crc32_zero(value))
    fields = {"attributes": 1, "sequence": 5, "physical_partition_id": 1, "logical_partition_id": 2, "src_id": 15}
    fields |= {"nano_timestamp": 7, "schema_id": bytes(16), "key": 1, "value": value}
    return databus.build({"message": "dbus_event", "byte_order": "little", "version": 0, "dbus_event": fields})


def of_packets(chance: Random) -> bytes:
    payload = chance.randbytes(chance.randint(0, 60))
    summed = struct.pack("<BBH", 1, 7, len(payload)) + payload
    return b"\xb5\x62" + summed + struct.pack("<H", crc_hqx(summed, 0))


def of_long(chance: Random) -> bytes:
    order, body = chance.choice("<>"), chance.randbytes(chance.randint(0, 40))
    summed = struct.pack(f"{order}BBI", chance.choice((1, 2)), chance.randrange(100), len(body) + 10) + body
    return summed + struct.pack(f"{order}I", crc32(summed))


def of_plain(chance: Random) -> bytes:
    half = chance.randint(2, 20)
    return b"\xa5" + struct.pack(chance.choice("<>") + "H", half + 2) + chance.randbytes(2 * half - 3)


RECORDS: dict[str, Callable[[Random], bytes]] = {
    "databus": of_databus,
    "packets": of_packets,
    "long": of_long,
    "plain": of_plain,
}


@cache
def pair(name: str) -> Pair:
    if name == "databus":
        return Pair(databus.PROTOCOL)
    if name == "packets":
        return Pair.of(compiled.compiled(PACKETS).columnar)
    return Pair.of(compiled.of({"long": LONG, "plain": PLAIN}[name]).columnar)


def hurt(record: bytes, chance: Random) -> bytes:
    """A record with bytes changed, most of them near its start, or lost, or put in."""
    data = bytearray(record)
    for _ in range(chance.choice((1, 1, 1, 3))):
        at = chance.randrange(min(len(data), chance.choice((4, 12, 60)))) if data else 0
        match chance.randrange(5):
            case 0:
                del data[at : at + chance.randint(1, 30)]
            case 1:
                data[at:at] = chance.choice((b"\0", b"\xff", record[:2])) * chance.randint(1, 20)
            case _ if data:
                data[at] = chance.choice((0, 1, 0xFF, data[at] ^ 1 << chance.randrange(8)))
    return bytes(data)


def damaged(name: str, chance: Random, count: int) -> bytes:
    """A capture of some records, of which about every second is hurt."""
    records = (RECORDS[name](chance) for _ in range(count))
    return b"".join(hurt(record, chance) if chance.random() < 0.5 else record for record in records)


@pytest.mark.parametrize("accelerated", [False, True])
@pytest.mark.parametrize(
    "seed",
    [0, *(pytest.param(seed, marks=pytest.mark.sweep if seed < 3 else pytest.mark.long) for seed in range(1, 6))],
)
@pytest.mark.parametrize("name", RECORDS)
def test_damaged_captures_are_the_same_rows_in_both_engines(
    name: str, seed: int, accelerated: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if accelerated:
        pytest.importorskip("llvmlite")
    chance = Random(seed)
    monkeypatch.setattr(accel, "ENABLED", accelerated)
    monkeypatch.setattr(search, "FEWEST", chance.choice((1, 30, 512)))
    monkeypatch.setattr(search, "MOST", chance.choice((7, 100, 700)))
    monkeypatch.setattr(search, "MANY", chance.choice((0, 512)))
    capture = damaged(name, chance, 40)
    bound = str(chance.choice((20, 70, 1000)))
    others = ({"maxRecordBytes": bound}, {"mode": "FAILFAST"}, {"mode": "DROPMALFORMED"})
    capture_alike(pair(name), capture)
    capture_alike(pair(name), capture, **others[seed % len(others)])


@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize("name", ["databus", "long", "plain"])
def test_damage_is_told_in_the_order_that_is_asked_for(name: str, order: str) -> None:
    parameter = "byte_order" if name == "databus" else "order"
    capture_alike(pair(name), damaged(name, Random(order), 60), **{parameter: order})


def _flipped(record: bytes, chance: Random, bit: int) -> bytes:
    data = bytearray(record)
    data[chance.randrange(8)] ^= bit << chance.randrange(8)
    return bytes(data)


@pytest.mark.parametrize("name", ["databus", "packets", "long"])
def test_nearly_all_ranges_are_found_and_told_many_at_once(name: str) -> None:
    """What the codec is asked to say of each costs ten times as much."""
    chance, hostile = Random(name), pair(name)
    capture = b"".join(_flipped(RECORDS[name](chance), chance, number % 2) for number in range(800))
    chosen = hostile.options({"positions": False})
    decoding = hostile.decoder(chosen)
    ((cuts, _),) = decoding.scanner().scan(Window(capture))
    assert len(cuts.gaps) > 300
    assert len(cuts.errors) < len(cuts.gaps) / 10
    told = set(cuts.gaps.tolist())

    def redo(row: int) -> None:
        assert row not in told, f"range {row} is left to the codec"

    stretch = RecordSpans(capture, cuts.start, cuts.stop, cuts.little, 0, cuts.gaps)
    batches = list(decoding.records(stretch, cuts.errors, redo, {}))
    assert sum(len(rows) for _, rows in batches) >= len(told)
