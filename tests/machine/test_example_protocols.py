"""Programs read the example protocols, which use more of the language than ours, as the codec does."""

from copy import deepcopy
from importlib import import_module
from itertools import islice
from random import Random

import pyarrow as pa
import pytest
from columnar.tables_to_encode import change
from protocols import strangers
from support import accelerator
from support.accelerator import with_llvm
from support.cases import often
from support.lockstep import Pair, capture_alike, damaged, rows_alike
from support.worked import each_by_both, each_of

from wireloom.columnar import programmed
from wireloom.columnar.tables import Table

NAMES = tuple(name for name in strangers.NAMES if name not in strangers.SHIPPED)
WHOLE = {
    "elf": 1,
    "mainframe": 1,
    "mavlink2": 8,
    "mqtt": 16,
    "netflow5": 1,
    "nmea": 5,
    "protobuf": 1,
    "sbe": 3,
    "sqlite": 1,
    "tar": 3,
    "tls": 5,
    "ubx": 5,
    "wav": 1,
}
"""How many messages of a protocol no program leaves anything of."""


WHILE_ONE_WORKS = ("mavlink2", "nmea")
MOST = 50
"""Of so many rows of a message at most some are changed."""


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


@each_of(NAMES, WHILE_ONE_WORKS)
def test_examples_and_damage_by_numpy(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read_alike(name)


@accelerator.on
@with_llvm
@each_by_both(NAMES, WHILE_ONE_WORKS)
def test_examples_and_damage(name: str, pays: int, monkeypatch: pytest.MonkeyPatch) -> None:
    accelerator.pay(monkeypatch, pays)
    read_alike(name)


@pytest.mark.parametrize("name", NAMES)
def test_so_many_messages_have_programs(name: str) -> None:
    left = programmed.left(strangers.protocol(name).codec)
    assert sum(not what for what in left.values()) == WHOLE.get(name, 0)


def written_alike(name: str) -> None:
    """What was read of others is written as the codec writes it, also where values are missing or of other rows."""
    pair, random = Pair.of(strangers.protocol(name).columnar), Random(name)
    for capture in strangers.captures(name)[: often(4, 80)]:
        table = Table(pair.codec, {}).decode_columnar(capture.data, mode="PERMISSIVE", **capture.parameters)
        rows_alike(pair, table, **capture.parameters)
        for message in dict.fromkeys(filter(None, table.column("message").to_pylist())):
            rows = [row for row in table.to_pylist() if row["message"] == message][:MOST]
            changed = deepcopy([*rows, *rows])
            change(random, changed)
            rows_alike(pair, pa.Table.from_pylist(changed, table.schema), **capture.parameters)


@each_of(NAMES, WHILE_ONE_WORKS)
def test_rows_are_written_by_numpy(name: str) -> None:
    written_alike(name)


@accelerator.on
@with_llvm
@each_of(NAMES, WHILE_ONE_WORKS)
def test_rows_are_written(name: str) -> None:
    written_alike(name)
