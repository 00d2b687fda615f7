"""Captures of garbage and of broken records are the same rows in both engines, and no byte of them is lost."""

from collections.abc import Callable
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from attack import captures
from attack.captures import Hostile
from support import accelerator, compiled
from support.cases import each, often
from support.lockstep import Pair, capture_alike

from wireloom.codec.lengths import Ends
from wireloom.columnar.decoder import RecordSpans
from wireloom_protocols import couchbase_dcp, databus, pcap

SHIPPED = {"couchbase_dcp": couchbase_dcp, "databus": databus, "pcap": pcap}


@cache
def pair(name: str) -> Pair:
    if name in SHIPPED:
        protocol = SHIPPED[name].PROTOCOL
        return Pair(protocol)
    folder = Path(captures.__file__).with_name("specs") / name
    return Pair.of(compiled.compiled(folder).columnar)


@pytest.mark.sweep
@accelerator.off_and_on
@pytest.mark.parametrize("size", [1, often(300, 700)])
@each("hostile", [pytest.param(hostile, id=hostile.name) for hostile in captures.EVERY])
def test_a_hostile_capture_is_the_same_rows_in_both_engines(hostile: Hostile, size: int, accelerated: bool) -> None:
    found = capture_alike(pair(hostile.protocol), hostile.data(size))
    offsets, lengths = found["_offset"].to_pylist(), found["_length"].to_pylist()
    assert [*offsets, size] == [0, *accumulate(lengths)]
    for offset, length, corrupt in zip(offsets, lengths, found["_corrupt_record"].to_pylist(), strict=True):
        assert corrupt in (None, hostile.data(size)[offset : offset + length])


@pytest.mark.parametrize("hostile", captures.SEARCHED, ids=lambda hostile: hostile.name)
def test_where_no_record_is_many_places_are_searched_at_once(hostile: Hostile, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the codec looks at costs a hundred times as much."""
    looks = 0

    def counted(look: Callable[..., Any]) -> Callable[..., Any]:
        def looked(*given: Any) -> Any:
            nonlocal looks
            looks += 1
            return look(*given)

        return looked

    size, hostiles = 1 << 17, pair(hostile.protocol)
    decoder = hostiles.decoder(hostiles.options({}))
    monkeypatch.setattr(Ends, "_likely", counted(Ends._likely))
    monkeypatch.setattr(Ends, "_asked", counted(Ends._asked))
    assert sum(batch.num_rows for batch in decoder.capture(hostile.data(size))) > 0
    assert looks < size / 16


@pytest.mark.parametrize("hostile", captures.MALFORMED, ids=lambda hostile: hostile.name)
def test_malformed_records_are_told_many_at_once(hostile: Hostile) -> None:
    """What the codec is asked to say of each costs a hundred times as much."""

    def redo(row: int) -> None:
        raise AssertionError(f"record {row} is left to the codec")

    data, hostiles = hostile.data(6000), pair(hostile.protocol)
    cut = capture_alike(hostiles, data)
    whole = [not reason.startswith("truncated: record ") for reason in cut["_corrupt_reason"].to_pylist()]
    start = cut["_offset"].to_numpy()[whole]
    stretch = RecordSpans(data, start, start + cut["_length"].to_numpy()[whole], little=False, origin=0)
    decoding = hostiles.decoder(hostiles.options({"positions": False}))
    ((batch, rows),) = decoding.records(stretch, (), redo, {})
    assert batch.num_rows == len(rows) == sum(whole) > 20


TEXTS = """\
protocol: texts
byte_order: big
record:
  length: 1 + size
  fields: [{name: size, type: u8, derive: size(body)}, {section: body, size: size}]
---
message: one
match: {}
sections: {body: [{name: first, type: text, prefix: u8}, {name: second, type: text, size: rest}]}
"""


@accelerator.off_and_on
def test_what_is_no_utf8_is_in_no_column(accelerated: bool) -> None:
    """Not even where a record is null, whose values nobody sees."""
    texts = Pair.of(compiled.of(TEXTS).columnar)
    records = [b"\5\1\xffabc", b"\5\1abc\xff", b"\5\1abcd", b"\5\2\xc3\xa4\xc3\xa4"]
    for batch in texts.decoder(texts.options({})).capture(b"".join(records) * 20):
        batch.validate(full=True)
