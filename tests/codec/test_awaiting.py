"""Awaited values: which are known to be, also after some were forgotten."""

from wireloom.codec.deferred_values import Awaiting, Derivation
from wireloom.codec.fields import Field
from wireloom.codec.frames import Frame, Values
from wireloom.codec.values import Constant

SOURCE: Derivation = Field(Constant(b"\0"))


def waits(awaiting: Awaiting, this: Values, name: str) -> None:
    awaiting.append((this, name, SOURCE, Frame({}), None))


def test_what_is_cut_off_is_forgotten() -> None:
    awaiting, whole, item = Awaiting(), Values(), Values()
    waits(awaiting, whole, "size")
    assert awaiting.has(whole, "size")
    assert not awaiting.has(item, "size")
    mark = len(awaiting)
    waits(awaiting, whole, "size")
    waits(awaiting, item, "size")
    assert awaiting.has(item, "size")
    awaiting.cut(mark)
    assert awaiting.has(whole, "size")
    assert not awaiting.has(item, "size")
    waits(awaiting, item, "count")
    assert awaiting.has(item, "count")
    assert not awaiting.has(item, "size")
    awaiting.cut(0)
    assert not awaiting.has(whole, "size")
    assert not awaiting
