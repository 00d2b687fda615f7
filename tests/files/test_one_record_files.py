"""Records that are all there is (``length: rest``): files, values, streams, and what is written of them."""

import io
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest
from click.testing import CliRunner
from support import accelerator, compiled
from support.lockstep import Pair, capture_alike, streamed

from wireloom.cli import app
from wireloom.codec import DecodeError, EncodeError, Protocol
from wireloom.codec.cutting import Cutter
from wireloom.codec.specialised import MANY
from wireloom.columnar import arrow_schema, cells
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.tables import Table
from wireloom.options import Mode, ReadOptions, resolve
from wireloom.views import View

NUMBERS, TEXT = bytes.fromhex("01 0005 ffff"), bytes.fromhex("02 02 6162")
PACKAGE = "one_record_files"
NAME = f"{PACKAGE}.length_rest"


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Protocol]:
    """The protocol as a package that can be imported by its name."""
    with compiled.installed("length_rest", PACKAGE, tmp_path_factory.mktemp("generated")) as protocol:
        yield protocol


def pair() -> Pair:
    return Pair.of(compiled.feature("length_rest").columnar)


def codec() -> Protocol:
    found: Protocol = compiled.feature("length_rest").codec
    return found


@pytest.mark.parametrize("capture", [NUMBERS, TEXT, NUMBERS + TEXT, b"\1", b"\2", b"\7abc", b"", NUMBERS * 5000])
def test_a_capture_is_one_record(capture: bytes) -> None:
    assert len(list(codec().iter_records(capture, "PERMISSIVE"))) == bool(capture)
    capture_alike(pair(), capture)
    capture_alike(pair(), capture, maxRecordBytes="4")
    whole = list(streamed(pair().decoder(pair().options({"mode": "PERMISSIVE"})), capture, Random(1)))
    assert sum(batch.num_rows for batch in whole) == bool(capture)


def test_a_capture_that_is_too_large_is_malformed_however_it_comes() -> None:
    reason = "too-long: record at byte 0: a record of more than the 4 bytes allowed"
    rows = list(codec().iter_records(NUMBERS, "PERMISSIVE", max_record_bytes=4))
    assert [row["_corrupt_reason"] for row in rows] == [reason]
    cutter = Cutter(codec().framing, resolve(codec().parameters, {}), 4)
    assert cutter.cut(NUMBERS, 0, 4, final=False) is None
    found = cutter.cut(NUMBERS, 0, 5, final=True)
    assert found is not None
    assert found.error is not None
    assert found.error.reason == reason


def test_a_stream_is_read_to_its_end() -> None:
    class Slow(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            return super().read(min(7, size or 0))

    data = bytes([1]) + bytes(2000)
    assert len(codec().parse_stream(Slow(data))["numbers"]["numbers"]) == 1000
    with pytest.raises(DecodeError):
        codec().parse_stream(Slow(b""))


def test_values_of_a_column_are_a_record_each() -> None:
    decoding = pair().decoder(pair().options({"mode": "PERMISSIVE"}))
    values = [NUMBERS, None, TEXT, b"", TEXT + b"x", b"\1"]
    found = cells.one(decoding, pa.array(values, pa.binary())).to_pylist()
    expected = [
        value if value is None else codec().cell(value, resolve(codec().parameters, {}), Mode.PERMISSIVE)
        for value in values
    ]
    assert [row and row["_corrupt_reason"] for row in found] == [row and row["_corrupt_reason"] for row in expected]
    assert [row and row["message"] for row in found] == ["numbers", None, "sized", None, "sized", "numbers"]
    sound = pair().decoder(pair().options({"mode": "FAILFAST"}))
    cells.one(sound, pa.array([NUMBERS, TEXT] * 3, pa.binary()))
    assert not sound.tally.redone


def run(*arguments: str, status: int = 0) -> str:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == status, result.output
    return result.output


def test_a_file_is_decoded_and_written_back(generated: Protocol, tmp_path: Path) -> None:
    source, rows, target = tmp_path / "a.bin", tmp_path / "a.jsonl", tmp_path / "b.bin"
    source.write_bytes(NUMBERS)
    rows.write_text(run("decode", NAME, str(source)))
    run("encode", NAME, str(rows), "--output", str(target))
    assert target.read_bytes() == NUMBERS


def test_two_rows_are_no_file(generated: Protocol, tmp_path: Path) -> None:
    one, other, rows = tmp_path / "a.bin", tmp_path / "b.bin", tmp_path / "rows.jsonl"
    one.write_bytes(NUMBERS)
    other.write_bytes(TEXT)
    rows.write_text(run("decode", NAME, str(one), str(other)))
    told = run("encode", NAME, str(rows), "--output", str(tmp_path / "c.bin"), status=1)
    assert "a file of length_rest is one record (length: rest), and this is a second row; --hex writes" in told
    assert not (tmp_path / "c.bin").exists()
    assert run("encode", NAME, str(rows), "--hex").split() == [NUMBERS.hex(), TEXT.hex()]


def test_an_index_would_say_nothing(generated: Protocol, tmp_path: Path) -> None:
    tmp_path.joinpath("a.bin").write_bytes(NUMBERS)
    told = run("index", NAME, str(tmp_path), status=2)
    assert "a file of length_rest is one record (length: rest) and needs no index" in told


@pytest.mark.spark
def test_files_are_read_whole_in_batches_and_streams(generated: Protocol, tmp_path: Path) -> None:
    from spark.stepwise_query import Query

    query = Query(tmp_path, NAME, maxBytesPerTrigger=20, maxPartitionBytes=10)
    tmp_path.joinpath("a.bin").write_bytes(NUMBERS * 20)
    tmp_path.joinpath("b.bin").write_bytes(TEXT)
    expected = [codec().parse(TEXT)]
    batches = query.triggers()
    assert [[row["message"] for row in rows] for rows in batches] == [["numbers"], ["sized"]]
    assert query.known() == {"a.bin": 100, "b.bin": 4}
    assert [row["message"] for row in query.at_once()] == ["numbers", "sized"]
    assert batches[1][0]["sized"] == dict(expected[0]["sized"])


@pytest.mark.spark
@pytest.mark.usefixtures("in_a_task")
def test_each_row_is_written_to_a_file_of_its_own(generated: Protocol, tmp_path: Path) -> None:
    from wireloom.spark.sources import source_of

    records = [NUMBERS, TEXT, TEXT, b"\2\7"]
    for number, data in enumerate(records):
        tmp_path.joinpath(f"{number}.bin").write_bytes(data)
    source = source_of(NAME)({"path": str(tmp_path)})
    reader = source.reader(source.schema())
    rows = [batch for part in reader.partitions() for batch in reader.read(part)]
    target = source_of(NAME)({"path": str(tmp_path / "out")})
    writer = target.writer(source.schema(), overwrite=False)
    writer.commit([writer.write(iter(rows))])
    assert [path.read_bytes() for path in sorted(tmp_path.joinpath("out").glob("part-*"))] == records


EMPTY = """\
protocol: empty
byte_order: big
parameters: [{{name: size, type: u8, default: 0}}]
record:
  length: {}
  fields: [{{section: body, size: rest}}]
---
message: only
match: {{}}
sections: {{body: [{{name: numbers, type: u8, repeat: {{count: size}}}}]}}
"""


@accelerator.off_and_on
@pytest.mark.parametrize("length", ["rest", "fields", "size"])
def test_no_bytes_are_no_record_for_any_reader_or_writer(length: str, accelerated: bool) -> None:
    found = compiled.of(EMPTY.format(length))
    codec, table = found.codec, Table(found.codec, {})
    reason = "invalid-size: record at byte 0: a record of 0 bytes"
    for _ in range(MANY + 2):  # a function answers as the codec does
        with pytest.raises(DecodeError) as read:
            codec.parse(b"")
        assert read.value.reason == reason
        with pytest.raises(EncodeError, match=r"only\.numbers: cannot be read back: a record of 0 bytes"):
            codec.build({"only": {"numbers": []}})
    with pytest.raises(DecodeError):
        codec.parse_stream(io.BytesIO())
    assert list(codec.iter_records(b"")) == []
    assert table.decode_columnar(b"").num_rows == 0
    assert capture_alike(Pair(codec), b"").num_rows == 0
    chosen = ReadOptions.of({"mode": "PERMISSIVE"}, codec.parameters, codec.messages)
    decoder = Decoder(codec, chosen, arrow_schema(View(codec, chosen).columns))
    (row,) = cells.one(decoder, pa.array([b""])).to_pylist()
    assert (row["_corrupt_record"], row["_corrupt_reason"]) == (b"", reason)
    rows = pa.table({"only": pa.array([{"numbers": []}] * 300, pa.struct({"numbers": pa.list_(pa.int16())}))})
    for encode in (table.encode_columnar, table.encode_records):
        with pytest.raises(EncodeError, match="a record of 0 bytes") as written:
            encode(rows)
        assert written.value.row == 0


@accelerator.off_and_on
@pytest.mark.parametrize("length", ["rest", "fields", "size"])
def test_a_byte_is_one(length: str, accelerated: bool) -> None:
    found = compiled.of(EMPTY.format(length))
    row = found.codec.parse(b"\7", size=1)
    assert row["only"]["numbers"] == [7]
    assert found.codec.build(row, size=1) == b"\7"
    assert Table(found.codec, {}).decode_columnar(b"\7", size=1)["only"].to_pylist() == [{"numbers": [7]}]
