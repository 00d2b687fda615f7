"""Captures of garbage and of broken records are the same rows in both engines, and no byte of them is lost."""

from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import compiled
import pytest
from attack import captures
from attack.captures import Hostile
from lockstep import Pair, capture_alike

from wireloom import registry
from wireloom_protocols import couchbase_dcp, databus

SHIPPED = {"couchbase_dcp": couchbase_dcp, "databus": databus}


@cache
def pair(name: str) -> Pair:
    if name in SHIPPED:
        protocol = SHIPPED[name].PROTOCOL
        return Pair(protocol, registry.plan_of(protocol))
    folder = Path(captures.__file__).with_name("specs") / name
    return Pair.of(compiled.compiled(folder, Path(mkdtemp())).columnar)


@pytest.mark.parametrize("hostile", captures.EVERY, ids=lambda hostile: hostile.name)
@pytest.mark.parametrize("size", [1, 700])
def test_a_hostile_capture_is_the_same_rows_in_both_engines(hostile: Hostile, size: int) -> None:
    found = capture_alike(pair(hostile.protocol), hostile.data(size))
    assert b"".join(found["_corrupt_record"].drop_null().to_pylist()) == hostile.data(size)
