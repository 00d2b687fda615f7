"""Records of several small captures in one batch: rows, positions, tallies and errors are those of each one alone."""

import io
import random
from typing import Any

import pyarrow as pa
import pytest
from support import accelerator

from columnar.captures_to_divide import CAPTURES, UNKNOWN, decoder, event, frame
from wireloom.columnar import decoder as decoding_module
from wireloom.columnar import gathering
from wireloom.columnar.counters import Tally
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.execution import fused_scan
from wireloom.columnar.gathering import Gatherer
from wireloom.options import Mode
from wireloom_protocols import couchbase_dcp, databus

MARKER = couchbase_dcp.build(
    {
        "message": "snapshot_marker",
        "snapshot_marker": {"variant": "v1", "start_seqno": 1, "end_seqno": 2, "snapshot_type": 1},
    }
)
BAD_MARKER = MARKER[:11] + b"\x03" + MARKER[12:] + b"abc"
FILES = {
    couchbase_dcp: [data for name, (protocol, data) in CAPTURES.items() if protocol is couchbase_dcp]
    + [
        b"",
        UNKNOWN,
        MARKER * 3,
        BAD_MARKER,
        UNKNOWN + BAD_MARKER * 2 + MARKER,
        bytes(50),
        UNKNOWN[:-1],
        frame(b"x" * 100),
    ],
    databus: [data for name, (protocol, data) in CAPTURES.items() if protocol is databus]
    + [b"", event(b"a"), event(b"b", "little") * 2, event(b"c") + event(b"d")[:-1], bytes(70), event(b"e")[:-1]],
}


def made(protocol: Any, **options: Any) -> Decoder:
    found = decoder(protocol)
    return Decoder(protocol.PROTOCOL, found.options._replace(**options), found.schema)


def together(decoding: Decoder, captures: dict[str, bytes]) -> list[pa.RecordBatch]:
    gatherer = Gatherer(decoding)
    found = [
        batch
        for name, data in captures.items()
        for batch in gatherer.capture(decoding.cut(io.BytesIO(data).readinto), name)
    ]
    return [*found, *gatherer.rest()]


def alone(protocol: Any, captures: dict[str, bytes], **options: Any) -> tuple[pa.Table, list[Tally]]:
    """The rows of each capture by a decoder of its own, and what it saw."""
    batches, tallies = [], []
    for name, data in captures.items():
        decoding = made(protocol, **options)
        batches += decoding.stream(io.BytesIO(data).readinto, name)
        tallies.append(decoding.tally)
    return pa.Table.from_batches(batches, decoding.schema), tallies


@pytest.mark.parametrize("mode", [Mode.PERMISSIVE, Mode.DROPMALFORMED])
@pytest.mark.parametrize("protocol", FILES, ids=lambda protocol: protocol.PROTOCOL.name)
@pytest.mark.parametrize(
    "seed",
    [
        0,
        pytest.param(1, marks=pytest.mark.sweep),
        *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 6)),
    ],
)
def test_captures_together_give_what_each_gives_alone(protocol: Any, mode: Mode, seed: int) -> None:
    chosen = random.Random(seed).choices(FILES[protocol], k=30)
    captures = {f"{number}.bin": data for number, data in enumerate(chosen)}
    rows, tallies = alone(protocol, captures, mode=mode)
    decoding = made(protocol, mode=mode)
    found = pa.Table.from_batches(together(decoding, captures), decoding.schema)
    assert found.equals(rows)
    assert decoding.tallies == tallies


def test_small_captures_are_one_batch() -> None:
    captures = {f"{number}.bin": MARKER * 3 + UNKNOWN for number in range(100)}
    (batch,) = together(made(couchbase_dcp), captures)
    assert batch.num_rows == 400


def test_no_more_is_held_than_makes_a_batch_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "BATCH_ROWS", 40)
    captures = {f"{number}.bin": UNKNOWN * 3 for number in range(10)} | {"large": UNKNOWN * 15, "small": UNKNOWN}
    found = together(made(couchbase_dcp), captures)
    assert [batch.num_rows for batch in found] == [12, 12, 6, 15, 1]


def test_the_first_malformed_record_is_told_with_its_file_and_offset() -> None:
    captures = {"a": UNKNOWN * 2, "b": UNKNOWN + BAD_MARKER + UNKNOWN, "c": UNKNOWN[:-1]}
    with pytest.raises(ValueError, match=r"^b: [a-z]+: snapshot_marker\S* at byte (2[4-9]|[3-9]\d): "):
        together(made(couchbase_dcp, mode=Mode.FAILFAST), captures)


def test_captures_too_heavy_together_are_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from wireloom.codec.reader import Reader

    captures = {f"{number}.bin": (MARKER * 5 + BAD_MARKER) for number in range(40)}
    rows, tallies = alone(couchbase_dcp, captures)
    monkeypatch.setattr(Reader, "HEAVIEST", 60_000)
    decoding = made(couchbase_dcp)
    batches = together(decoding, captures)
    assert len(batches) > 1
    assert pa.Table.from_batches(batches).equals(rows)
    assert decoding.tallies == tallies


@accelerator.on
@pytest.mark.skipif(not accelerator.THERE, reason="LLVM is not there")
def test_records_that_are_decoded_when_they_are_found_are_not_decoded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoding_module, "BATCH_ROWS", 64)
    monkeypatch.setattr(fused_scan, "_LEAST", 10)
    captures = {f"{number}.bin": MARKER * (40 * number) + UNKNOWN for number in range(8)}
    rows, tallies = alone(couchbase_dcp, captures)
    decoding = made(couchbase_dcp)
    assert pa.Table.from_batches(together(decoding, captures), decoding.schema).equals(rows)
    assert decoding.tallies == tallies
