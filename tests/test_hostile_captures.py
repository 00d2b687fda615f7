"""Captures of garbage and of broken records are the same rows in both engines, and no byte of them is lost."""

import importlib

import pytest
from attack import captures
from attack.captures import Hostile
from lockstep import Pair, capture_alike

from wireloom import registry


@pytest.mark.parametrize("hostile", captures.EVERY, ids=lambda hostile: hostile.name)
@pytest.mark.parametrize("size", [1, 700])
def test_a_hostile_capture_is_the_same_rows_in_both_engines(hostile: Hostile, size: int) -> None:
    protocol = importlib.import_module(f"wireloom_protocols.{hostile.protocol}").PROTOCOL
    found = capture_alike(Pair(protocol, registry.plan_of(protocol)), hostile.data(size))
    assert b"".join(found["_corrupt_record"].drop_null().to_pylist()) == hostile.data(size)
