"""Programs read and write the example protocols, which use more of the language than ours, as the codec does."""

from collections import Counter
from copy import deepcopy
from importlib import import_module
from itertools import islice
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from columnar.tables_to_encode import change
from protocols import strangers
from support import accelerator
from support.accelerator import with_llvm
from support.cases import often
from support.lockstep import Pair, capture_alike, damaged, rows_alike, table_of
from support.worked import each_by_both, each_of

from wireloom.columnar import encoding
from wireloom.programs.support import unread

NAMES = tuple(name for name in strangers.NAMES if name not in strangers.SHIPPED)
WHOLE = {
    "ais": 2,
    "asterix": 2,
    "ccsds": 5,
    "dns": 1,
    "dns_tcp": 1,
    "elf": 1,
    "gdl90": 4,
    "iso8583": 1,
    "kafka_batches": 1,
    "mainframe": 3,
    "mavlink2": 8,
    "modbus_requests": 3,
    "modbus_responses": 4,
    "mqtt": 16,
    "netflow5": 1,
    "nmea": 5,
    "protobuf": 1,
    "rtcm3": 6,
    "sbe": 3,
    "sqlite": 1,
    "tar": 3,
    "tls": 5,
    "ubx": 6,
    "wav": 1,
}
"""How many messages of a protocol no program leaves anything of."""


WHILE_ONE_WORKS = ("mavlink2", "nmea")


def read_alike(name: str) -> None:
    """What others wrote, in many ways, and what damage makes of it."""
    pair, random = Pair.of(strangers.protocol(name).columnar), Random(name)
    varied = islice(import_module(f"protocols.strangers.{name}").varied(random), often(3, 80))
    captures = [*strangers.captures(name), *varied]
    for capture in captures:
        capture_alike(pair, capture.data, mode="PERMISSIVE", **capture.parameters)
    for capture in captures[: often(4, 80)]:
        for data in damaged(capture.data, random, often(2, 40)):
            capture_alike(pair, data, in_pieces=False, mode="PERMISSIVE", **capture.parameters)


@each_of(NAMES, WHILE_ONE_WORKS, pytest.mark.long)  # tests/protocols reads all of them by numpy
def test_examples_and_damage_by_numpy(name: str) -> None:
    read_alike(name)


@accelerator.on
@with_llvm
@each_by_both(NAMES, WHILE_ONE_WORKS)
def test_examples_and_damage(name: str, pays: int, monkeypatch: pytest.MonkeyPatch) -> None:
    accelerator.pay(monkeypatch, pays)
    read_alike(name)


@pytest.mark.parametrize("name", NAMES)
def test_so_many_messages_have_programs(name: str) -> None:
    left = unread(strangers.protocol(name).codec)
    assert sum(not what for what in left.values()) == WHOLE.get(name, 0)


def tables(name: str) -> list[tuple[dict[str, Any], pa.Table]]:
    """What others wrote, as tables, with their parameters."""
    made = table_of(strangers.protocol(name).codec)
    found = ((each.parameters, made.decode_columnar(each.data, **each.parameters)) for each in strangers.captures(name))
    return [(dict(parameters), table.combine_chunks()) for parameters, table in found]


def write_alike(name: str) -> None:
    """The tables, and what becomes of them when a value is missing or is that of another row."""
    pair, random = Pair.of(strangers.protocol(name).columnar), Random(name)
    for parameters, table in tables(name)[: often(3, 80)]:
        rows_alike(pair, table, **parameters)
        for message in table["message"].unique().to_pylist():
            left = [each for each in table.schema.names if each == message or each not in pair.codec.messages]
            some = table.filter(pc.equal(table["message"], message)).select(left).slice(0, 40)
            for _ in range(often(1, 8)):
                changed = deepcopy(some.to_pylist() * 2)
                change(random, changed)
                rows_alike(pair, pa.Table.from_pylist(changed, some.schema), **parameters)


@each_of(NAMES, WHILE_ONE_WORKS)
def test_tables_by_numpy(name: str) -> None:
    write_alike(name)


@accelerator.on
@with_llvm
@each_by_both(NAMES, WHILE_ONE_WORKS)
def test_tables(name: str, pays: int, monkeypatch: pytest.MonkeyPatch) -> None:
    accelerator.pay(monkeypatch, pays)
    write_alike(name)


WRITTEN = {
    "ais": 2,
    "asterix": 1,
    "ccsds": 5,
    "dns": 1,
    "dns_tcp": 1,
    "iso8583": 1,
    "mainframe": 2,
    "mavlink2": 8,
    "modbus_requests": 3,
    "modbus_responses": 4,
    "mqtt": 14,
    "netflow5": 1,
    "nmea": 5,
    "protobuf": 1,
    "rtcm3": 5,
    "sbe": 2,
    "sqlite": 1,
    "tar": 2,
    "tls": 3,
    "ubx": 6,
    "wav": 1,
}
"""Of how many messages of a protocol programs write all that others wrote."""


@pytest.mark.parametrize("name", NAMES)
def test_so_many_messages_are_written_by_programs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rows, sound = Counter[str](), Counter[str]()
    written = encoding.Encoder._written

    def noted(self: encoding.Encoder, batch: pa.RecordBatch, groups: Any) -> Any:
        found = written(self, batch, groups)
        fine = np.zeros(len(batch), bool) if found is None else found[1]
        for message, is_sound in zip(batch.column("message").to_pylist(), fine.tolist(), strict=True):
            rows[message] += 1
            sound[message] += is_sound
        return found

    monkeypatch.setattr(encoding.Encoder, "_written", noted)
    for parameters, table in tables(name):
        table_of(strangers.protocol(name).codec).encode_records(table, **parameters)
    assert sum(sound[message] == count for message, count in rows.items()) == WRITTEN.get(name, 0)
