"""Programs read the example protocols, which use more of the language than ours, as the codec does."""

from random import Random
from typing import Any

import pytest
from support import accelerator, compiled
from support.accelerator import with_llvm
from support.cases import often
from support.lockstep import Pair, capture_alike, damaged, records_alike
from support.paths import ROOT

from wireloom.columnar import decoder, programmed

PROTOCOLS = ROOT / "examples" / "protocols"
NAMES = sorted(path.parent.name for path in PROTOCOLS.glob("*/protocol.yaml"))
WHOLE = {
    "elf": 1,
    "mainframe": 1,
    "mavlink2": 8,
    "mqtt": 15,
    "netflow5": 1,
    "nmea": 4,
    "sbe": 2,
    "sqlite": 1,
    "tls": 4,
    "ubx": 4,
}
"""How many messages of a protocol no program leaves anything of."""


def read_alike(name: str) -> None:
    found = compiled.compiled(PROTOCOLS / name)
    pair, random = Pair.of(found.columnar), Random(name)
    by_parameters: dict[tuple[tuple[str, Any], ...], list[bytes]] = {}
    for _, example in compiled.worked(found.protocol):
        by_parameters.setdefault(tuple(example.parameters.items()), []).append(example.data)
    orders = (False, True) if pair.codec.framing.byte_order else (False,)
    for told, records in by_parameters.items():
        parameters = dict(told)
        capture_alike(pair, b"".join(records) * 3, mode="PERMISSIVE", **parameters)
        many = [*records, *(changed for record in records for changed in damaged(record, random, often(6, 60)))]
        for little in orders:
            records_alike(pair, many, little=little, **parameters)


@accelerator.by_numpy
@pytest.mark.parametrize("name", NAMES)
def test_examples_and_damage_by_numpy(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoder, "_MOSTLY", 0)
    read_alike(name)


@accelerator.on
@with_llvm
@pytest.mark.parametrize(
    "pays", [pytest.param(1 << 18, id="of all"), pytest.param(0, id="own", marks=pytest.mark.long)]
)
@pytest.mark.parametrize("name", NAMES)
def test_examples_and_damage(name: str, pays: int, monkeypatch: pytest.MonkeyPatch) -> None:
    accelerator.pay(monkeypatch, pays)
    monkeypatch.setattr(decoder, "_MOSTLY", 0)
    read_alike(name)


@pytest.mark.parametrize("name", NAMES)
def test_so_many_messages_have_programs(name: str) -> None:
    left = programmed.left(compiled.compiled(PROTOCOLS / name).codec)
    assert sum(not what for what in left.values()) == WHOLE.get(name, 0)
