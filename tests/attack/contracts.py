"""What holds of every capture, however it was made. Each contract raises, or does not."""

import io
import json
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pytest
from columnar.captures_to_divide import divided
from support.lockstep import assert_equal, capture_alike, records_alike

from attack import built, rows
from attack.targets import Parameters, Target
from wireloom.codec.accepted_values import shown
from wireloom.codec.captures import CaptureBuilder
from wireloom.columnar import decoder, scans, splits
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.gathering import Gatherer
from wireloom.columnar.scans import FilePart
from wireloom.inspection import inspect_record
from wireloom.json_rows import json_writer, row_reader
from wireloom.loops import accel

MODES = ("PERMISSIVE", "PERMISSIVE", "DROPMALFORMED", "FAILFAST")


def engines_agree(target: Target, capture: bytes, parameters: Parameters, random: Random) -> None:
    """The columnar decoder gives the codec's rows and reasons, by each of its engines, whatever is asked."""
    options: dict[str, Any] = {"mode": random.choice(MODES), **parameters}
    if random.random() < 0.3:
        options["message"] = random.choice(tuple(target.pair.codec.messages))
    if random.random() < 0.2:
        options["labels"] = "false"
    if random.random() < 0.1:
        options["maxRecordBytes"] = str(random.choice((1, 30, 100, 1000)))
    if random.random() < 0.2:
        options["resync"] = "proof"
    enabled = accel.ENABLED
    accel.ENABLED = enabled and random.random() < 0.5
    try:
        capture_alike(target.pair, capture, **options)
    finally:
        accel.ENABLED = enabled


def parts_agree(target: Target, capture: bytes, parameters: Parameters, random: Random) -> None:
    """A capture that is read in parts, of any size and in pieces of any size, has the rows of the whole."""
    given: dict[str, Any] = {**parameters}
    if random.random() < 0.2:
        given["maxRecordBytes"] = str(random.choice((1, 30, 100, 1000)))
    if random.random() < 0.2:
        given["resync"] = "proof"
    options = target.pair.options(given)
    reader = partial(target.pair.decoder, options)
    schema = reader().schema
    every, size = (random.choice((1, 2, random.randint(1, 60), random.randint(1, 2000))) for _ in "12")
    whole = pa.Table.from_batches(reader().capture(capture), schema)
    usual = decoder.PIECE_BYTES
    decoder.PIECE_BYTES = size
    try:
        parts = divided(reader(), capture, every)
        found = [
            batch
            for start, stop in parts
            for batch in reader().stream(io.BytesIO(capture[start:]).readinto, start=start, stop=stop)
        ]
    finally:
        decoder.PIECE_BYTES = usual
    ends = [0, *(stop for _, stop in parts)] if capture else [0]
    assert ends == [*(start for start, _ in parts), len(capture)], "the parts are not the capture"
    assert_equal(pa.Table.from_batches(found, schema), whole)


def cut_anywhere_agree(target: Target, capture: bytes, parameters: Parameters, random: Random) -> None:
    """A capture that is cut anywhere has the rows of the whole, or is refused as one with records within records."""
    if not target.pair.codec.framing.telling or not capture:
        return
    options = target.pair.options(dict(parameters))
    reader = partial(target.pair.decoder, options)
    size, every = len(capture), random.choice((random.randint(1, 60), random.randint(1, 2000)))
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        least = max([1, *map(len, target.pair.codec.framing.ends)])  # more than a terminator, as it always is
        patch.setattr(splits, "BEFORE_BYTES", random.choice((least, 100, 1000)))
        path = Path(folder, "capture")
        path.write_bytes(capture)
        bounds = [(start, start + every if start + every < size else None) for start in range(0, size, every)]
        parts = [FilePart(str(path), start, stop, searched=size) for start, stop in bounds]
        whole = pa.Table.from_batches(_part(reader(), FilePart(str(path))), reader().schema)
        try:
            found = [batch for part in parts for batch in _part(reader(), part)]
        except ValueError as error:
            if "has records within records" not in str(error):
                raise
            return
    assert_equal(pa.Table.from_batches(found, whole.schema), whole)


def _part(decoding: Decoder, part: FilePart) -> list[pa.RecordBatch]:
    gatherer = Gatherer(decoding)
    return [*scans.gathered(part, gatherer), *gatherer.rest()]


def batches_agree(target: Target, records: list[bytes], parameters: Parameters, random: Random) -> None:
    """Many wrong records in one batch are the rows that they are one by one."""
    orders = (False, True) if target.pair.codec.framing.byte_order else (False,)
    records_alike(target.pair, records, [random.choice(orders) for _ in records], **parameters)


def comes_back(target: Target, capture: bytes, parameters: Parameters) -> None:
    """Every row, and every row as a JSON object, is written as the bytes it was read from."""
    codec = target.pair.codec
    write, read = json_writer(codec.columns), row_reader(codec)
    end, builder, other = 0, CaptureBuilder(codec, parameters), CaptureBuilder(codec, parameters)
    for row in codec.iter_records(capture, "PERMISSIVE", positions=True, **parameters):
        start, end = row["_offset"], row["_offset"] + row["_length"]
        record = capture[start:end]
        assert builder.build(row) == record, f"the row at byte {start} does not come back"
        text = json.dumps(write(row), allow_nan=False)
        assert other.build(read(json.loads(text))) == record, f"its JSON at byte {start} does not"
    assert end == len(capture), "the rows do not cover the capture"


def rows_come_back(target: Target, parameters: Parameters, random: Random, count: int = 40) -> None:
    """Rows that were altered are refused with an error that names a field, or are written and read back as they are."""
    codec = target.pair.codec
    found = rows.of(codec, target.records, parameters)
    for _ in range(count if found else 0):
        row = rows.altered(codec, random.choice(found), found, random)
        wrong = built.check(codec, row, parameters)
        assert wrong is None, f"{wrong}\n{shown(row)}"


def is_explained(target: Target, record: bytes, parameters: Parameters) -> None:
    """Inspection shows every byte, none from beyond the record, and the codec's reason.

    Only bit fields, and parts of a FlatBuffers table that says so, share bytes.
    """
    inspected = inspect_record(target.pair.codec, record, **parameters)
    shown = {byte for leaf in inspected.leaves() for byte in range(leaf.start, leaf.end)}
    assert shown == set(range(len(record))), "leaves are not the record"
    found, _ = target.pair.codec.trace(record, **parameters)
    assert inspected.reason == (found.reason if isinstance(found, Exception) else "")
