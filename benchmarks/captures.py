"""The captures to measure on: a block of different records, made from a seed, and laid end to end until it is enough.

They are written below ``build/bench`` when a run begins. What a block adds up to is known from what it was made of.
"""

import itertools
import random
import struct
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import documents_by_struct
import events_by_struct
import totals
import traffic

from wireloom_protocols import couchbase_dcp, databus

sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))
import dcp_session

SEED = 20
BUILD = Path(__file__).parent.parent / "build" / "bench"
_MUTATION = struct.Struct(">BBHBBHIIQ QQIIIHB")
MUTATIONS_A_BLOCK = 5_000
MIXED_A_BLOCK = 2_000
EVENTS_A_BLOCK = 4_000
DOCUMENTS_A_BLOCK, VBUCKETS = 4_000, 32


@dataclass(frozen=True, slots=True)
class Capture:
    """A file of ``blocks`` equal blocks. ``totals`` are of one of them, see ``totals``.

    One with a ``head`` of so many bytes in front is a file of recorded packets.
    """

    path: str
    protocol: str
    block_bytes: int
    block_records: int
    blocks: int
    totals: Mapping[str, int]
    head: int = 0

    @property
    def records(self) -> int:
        """All its records."""
        return self.blocks * self.block_records

    @property
    def size(self) -> int:
        """All its bytes."""
        return self.end(self.blocks)

    def end(self, blocks: int) -> int:
        """Where so many blocks end."""
        return self.head + blocks * self.block_bytes

    def expected(self, blocks: int) -> dict[str, int]:
        """What so many blocks add up to."""
        return {name: blocks * total for name, total in self.totals.items()}


@dataclass(frozen=True, slots=True)
class Block:
    """Some records end to end, and what they add up to."""

    protocol: str
    frames: tuple[bytes, ...]
    totals: Mapping[str, int]

    def capture(self, name: str, *, records: int = 0, size: int = 0) -> Capture:
        """The block as often as ``records`` or ``size`` bytes ask for, at least once, in the file ``name``."""
        data = b"".join(self.frames)
        blocks = max(1, round(records / len(self.frames)), round(size / len(data)))
        path = BUILD / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            for _ in range(blocks):
                file.write(data)
        return Capture(str(path), self.protocol, len(data), len(self.frames), blocks, dict(self.totals))


def part(capture: Capture, blocks: int) -> Capture:
    """As if the capture had only so many blocks."""
    return replace(capture, blocks=min(blocks, capture.blocks))


def mutations(records: int = MUTATIONS_A_BLOCK) -> Block:
    """Frames of 148 bytes in the middle: keys of 8 to 20 bytes, values of 40 to 120."""
    chance = random.Random(SEED)
    found = [_mutation(chance, seqno) for seqno in range(1, records + 1)]
    return Block("mutations", tuple(frame for frame, _ in found), totals.of_rows(row for _, row in found))


def _mutation(chance: random.Random, seqno: int) -> tuple[bytes, dict[str, Any]]:
    key = f"u{chance.getrandbits(80):019d}"[: chance.randint(8, 20)]
    value = chance.randbytes(chance.randint(40, 120))
    row = {
        "magic": 0x80,
        "opcode": 0x57,
        "key_length": len(key),
        "extras_length": 31,
        "datatype": chance.choice([0, 1, 2, 3, 5]),
        "vbucket": chance.randrange(1024),
        "total_body_length": 31 + len(key) + len(value),
        "opaque": chance.getrandbits(32),
        "cas": chance.getrandbits(63),  # so that it is a long, too; a real one is a time in nanoseconds
        "by_seqno": seqno,
        "rev_seqno": chance.randint(1, 2**40),
        "flags": chance.getrandbits(32),
        "expiration": chance.choice([0, chance.getrandbits(32)]),
        "lock_time": chance.getrandbits(8),
        "metadata_length": 0,
        "nru": chance.randrange(3),
    }
    frame = _MUTATION.pack(*row.values()) + key.encode() + value
    return frame, {"message": "mutation", **row, "key": key, "value": value}


def mixed(records: int = MIXED_A_BLOCK) -> Block:
    """Markers, system events, failover logs, their answers and frames that are not described; see ``traffic``."""
    rows = list(traffic.rows(random.Random(SEED), records))
    return _built("couchbase_dcp", couchbase_dcp.build, rows)


def markers(records: int = MIXED_A_BLOCK) -> Block:
    """Snapshot markers of every layout."""
    return _built("couchbase_dcp", couchbase_dcp.build, list(traffic.markers(random.Random(SEED), records)))


def session(documents: int = DOCUMENTS_A_BLOCK) -> Block:
    """Two connections of a session with documents of all kinds; what they add up to says the hand-written loop."""
    data = b"".join(dcp_session.make(documents, VBUCKETS).captures.values())
    ends = [0]
    while ends[-1] < len(data):
        ends.append(ends[-1] + 24 + int.from_bytes(data[ends[-1] + 8 : ends[-1] + 12], "big"))
    frames = tuple(data[start:end] for start, end in itertools.pairwise(ends))
    return Block("couchbase_dcp", frames, totals.of_rows(documents_by_struct.session(data)))


def events(records: int = EVENTS_A_BLOCK) -> Block:
    """Databus events of about 203 bytes, the ends of their windows among them."""
    chance = random.Random(SEED)
    return _built("databus", databus.build, [_event(chance, number) for number in range(records)])


def _built(protocol: str, build: Callable[[Any], bytes], rows: list[dict[str, Any]]) -> Block:
    return Block(protocol, tuple(map(build, rows)), totals.of_rows(rows))


def _event(chance: random.Random, number: int) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "sequence": 1_000_000 + 2 * (number // 50),
        "physical_partition_id": 1,
        "logical_partition_id": chance.randrange(64),
        "nano_timestamp": 1_357_000_000_000_000_000 + 1_000_000 * number,
    }
    if number % 50 == 49:
        fields |= {"src_id": -2, "schema_id": bytes(16), "key": 0, "value": b""}
        return {"message": "dbus_event", "dbus_event": fields}
    fields |= {
        "src_id": chance.randint(1, 40),
        "schema_id": chance.randbytes(16),
        "opcode": chance.choice([1, 1, 1, 2]),
    }
    key = {"key_bytes": chance.randbytes(16)} if chance.random() < 0.5 else {"key": chance.randrange(2**40)}
    fields |= {**key, "value": chance.randbytes(chance.randint(62, 215))}
    return {"message": "dbus_event", "dbus_event": fields}


def events_of(path: Path, size: int) -> Block:
    """The first ``size`` bytes or so of a file of Databus events; what they add up to says the hand-written loop."""
    data = path.read_bytes()
    rows, ends = [], [0]
    for row in events_by_struct.events(data):
        if ends[-1] >= size:
            break
        rows.append(row)
        ends.append(ends[-1] + row["length"])
    frames = tuple(data[start:end] for start, end in itertools.pairwise(ends))
    return Block("databus", frames, totals.of_rows(rows))
