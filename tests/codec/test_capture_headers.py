"""What stands once at the start of a capture: read first, seen by all records behind it, and written back."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.compute
import pytest
from click.testing import CliRunner
from support import compiled
from support.lockstep import Pair, alike_in_turn, damaged

from codec.headed_captures import BIG, CAPTURES, LITTLE, header, notes, plain, record, searched
from wireloom.cli import app
from wireloom.codec import DecodeError, EncodeError, Protocol
from wireloom.codec.captures import CaptureBuilder
from wireloom.codec.cutting import Cutter
from wireloom.columnar import cells
from wireloom.options import OptionError, resolve

UNASKED = """
protocol: unasked
byte_order: big
capture: {fields: [{name: magic, type: u32, const: 0x01020304}, {name: names, type: text, prefix: u8}]}
record: {until: "0a", fields: [{section: body, size: rest}]}
---
message: line
match: {}
sections: {body: [{name: text, type: text, size: rest}]}
"""
"""Lines behind a header that none of them asks for anything."""
PACKED = """
protocol: packed
byte_order: big
capture: {fields: [{section: masked, size: 2, through: {xor: 0x5a}, fields: [{name: unit, type: u16}]}]}
record: {length: unit, fields: [{section: body, size: unit}]}
---
message: sample
match: {}
sections: {body: [{name: value, type: bytes, size: rest}]}
"""
"""Records as long as a header says whose bytes are masked."""
PACKAGE = "capture_headers"
NAME = f"{PACKAGE}.capture_header"


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Protocol]:
    """The protocol as a package that can be imported by its name."""
    with compiled.installed("capture_header", PACKAGE, tmp_path_factory.mktemp("generated")) as protocol:
        yield protocol


def outlines(rows: Any) -> list[tuple[Any, Any]]:
    return [(row["message"], (row["_corrupt_reason"] or "").partition(":")[0]) for row in rows]


def test_the_header_is_the_first_row_and_tells_how_records_are_read() -> None:
    first, *rows = plain().codec.iter_records(CAPTURES["little"])
    assert first.message == "capture"
    assert dict(first.capture) == {
        "mark": 0x4949, "version": 1, "dated": True, "unit": 1, "comment": "hello", "newest": False
    }  # fmt: skip
    assert [row.sample.number for row in rows] == [0, 1, 2]
    assert [row.sample.date for row in rows] == [0, 0, 0]
    assert [row.sample.value for row in rows] == [b"\0", b"\1", b"\2"]


def test_a_malformed_header_is_one_row_of_all_the_capture() -> None:
    expected = {
        "header alone": [("capture", "")],
        "nothing": [],
        "torn header": [("capture", "truncated")],
        "torn record": [("capture", ""), *[("sample", "")] * 2, ("sample", "truncated")],
        "no header": [("capture", "invalid")],
        "another version": [("capture", "invalid")],
    }
    for name, rows in expected.items():
        found = list(plain().codec.iter_records(CAPTURES[name], "PERMISSIVE"))
        assert [kind for _, kind in outlines(found)] == [kind for _, kind in rows], name
        assert [message for message, kind in outlines(found) if kind != "truncated"] == [
            message for message, kind in rows if kind != "truncated"
        ], name
        if rows and rows[0][1]:
            assert found[0]["_corrupt_record"] == CAPTURES[name], name
            with pytest.raises(DecodeError):
                list(plain().codec.iter_records(CAPTURES[name]))
            assert list(plain().codec.iter_records(CAPTURES[name], "DROPMALFORMED")) == []


def test_behind_a_malformed_header_no_record_is_searched_for() -> None:
    whole = notes(BIG, 5)
    broken = b"\0" + whole[1:]
    (row,) = searched().codec.iter_records(broken, "PERMISSIVE")
    assert row["_corrupt_record"] == broken


@pytest.mark.sweep
def test_both_engines_read_the_same() -> None:
    random = Random("headers")
    alike_in_turn(plain(), [(data, {}) for data in (*CAPTURES.values(), *damaged(CAPTURES["newest"], random, 30))])
    sound = [notes(order, 12) for order in (BIG, LITTLE)]
    alike_in_turn(searched(), [(data, {}) for each in sound for data in (each, *damaged(each, random, 8))])


def test_a_header_that_no_record_asks_for_anything_is_there_all_the_same() -> None:
    found, data = Pair.of(compiled.of(UNASKED).columnar), b"\1\2\3\4\2ab" + b"hello\n\nworld\n"
    rows = list(found.codec.iter_records(data))
    assert [row.message for row in rows] == ["capture", "line", "line", "line"]
    assert found.codec.parse(b"hello\n").line.text == "hello"
    assert b"".join(map(CaptureBuilder(found.codec, {}).build, rows)) == data
    with pytest.raises(EncodeError, match="none is before it"):
        CaptureBuilder(found.codec, {}).build(rows[1])
    alike_in_turn(found, [(each, {}) for each in (data, *damaged(data, Random("unasked"), 20))])


def test_records_see_what_a_header_has_in_masked_bytes() -> None:
    found, data = Pair.of(compiled.of(PACKED).columnar), b"\x5a\x58" + b"ab" + b"cd"
    first, *rows = found.codec.iter_records(data)
    assert first.capture.unit == 2
    assert [row.sample.value for row in rows] == [b"ab", b"cd"]
    alike_in_turn(found, [(data, {})])


def test_rows_of_the_header_and_of_records_can_be_read_alone() -> None:
    found, data = plain(), CAPTURES["newest"]
    for name, count in (("capture", 1), ("sample", 3)):
        options = found.options({"message": name})
        decoding = found.decoder(options)
        rows = pa.Table.from_batches(decoding.capture(data), decoding.schema).to_pylist()
        assert len(rows) == count
        assert len(list(found.codec.iter_records(data, message=name))) == count


def test_a_capture_that_comes_byte_by_byte_waits_for_its_header() -> None:
    data, codec = CAPTURES["little"], plain().codec
    cutter, held, offsets = Cutter(codec.framing, resolve(codec.parameters, {})), 0, []
    for end in range(len(data) + 1):
        while held < end and (cut := cutter.cut(data[:end], held, end, final=end == len(data))) is not None:
            assert end == cut.offset + cut.length
            offsets.append((cut.offset, cut.preamble))
            held += cut.length
    size = len(header(LITTLE, dated=True, unit=1, comment=b"hello"))
    assert offsets == [(0, True), (size, False), (size + 9, False), (size + 18, False)]


def test_a_record_alone_needs_what_the_header_says() -> None:
    codec, data, told = plain().codec, record(LITTLE, 1), {"mark": 0x4949, "dated": False, "unit": 2, "newest": False}
    row = codec.parse(data, **told)
    assert row.sample.number == 1
    assert codec.build(row, **told) == data
    assert [each.sample.number for each in codec.iter_records(data * 3, **told)] == [1, 1, 1]
    missing = "needs values of its capture's header; give the parameters mark, dated, unit, newest"
    for ask in (codec.parse, codec.trace):
        with pytest.raises(OptionError, match=missing):
            ask(data)
    with pytest.raises(OptionError, match=missing):
        codec.build(row)
    with pytest.raises(OptionError, match="must be given together; missing: dated, unit, newest"):
        codec.parse(data, mark=0x4949)


def test_values_of_a_column_are_records_or_captures() -> None:
    found, told = plain(), {"mark": 0x4949, "dated": False, "unit": 2, "newest": False}
    alone = found.decoder(found.options({name: str(value) for name, value in told.items()}))
    data = record(LITTLE, 7)
    assert [row["sample"]["number"] for row in cells.one(alone, pa.array([data, data])).to_pylist()] == [7, 7]
    assert [len(rows) for rows in cells.many(alone, pa.array([data * 2, b""])).to_pylist()] == [2, 0]
    whole = found.decoder(found.options({}))
    with pytest.raises(OptionError, match="give the parameters mark, dated, unit, newest"):
        cells.one(whole, pa.array([data]))
    many = cells.many(whole, pa.array([CAPTURES["big"], None, CAPTURES["newest"], b""])).to_pylist()
    assert [None if rows is None else [row["message"] for row in rows] for rows in many] == [
        ["capture", *["sample"] * 3], None, ["capture", *["sample"] * 3], []
    ]  # fmt: skip


def test_rows_are_written_as_they_were_read() -> None:
    for found, captures in ((plain(), CAPTURES.values()), (searched(), [notes(BIG, 9), notes(LITTLE, 9)])):
        for data in captures:
            rows = list(found.codec.iter_records(data, "PERMISSIVE"))
            assert b"".join(map(CaptureBuilder(found.codec, {}).build, rows)) == data


def test_rows_of_several_captures_are_each_written_by_their_own_header() -> None:
    both = [*plain().codec.iter_records(CAPTURES["big"]), *plain().codec.iter_records(CAPTURES["newest"])]
    assert b"".join(map(CaptureBuilder(plain().codec, {}).build, both)) == CAPTURES["big"] + CAPTURES["newest"]
    with pytest.raises(
        EncodeError, match="a capture of capture_header begins with a row of capture, and none is before it"
    ):
        CaptureBuilder(plain().codec, {}).build(both[1])
    with pytest.raises(EncodeError, match="what a row of capture says is given"):
        CaptureBuilder(plain().codec, {"mark": 0x4949, "dated": False, "unit": 2, "newest": False}).build(both[0])


# --- the program


def run(*arguments: str, status: int = 0) -> str:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == status, result.output
    return result.output


def test_files_are_decoded_and_written_back(generated: Protocol, tmp_path: Path) -> None:
    source, rows, target = tmp_path / "a.bin", tmp_path / "a.jsonl", tmp_path / "b.bin"
    for name in ("big", "newest", "header alone", "torn header", "torn record", "no header"):
        source.write_bytes(CAPTURES[name])
        run("decode", NAME, str(source), "--output", str(rows))
        run("encode", NAME, str(rows), "--output", str(target))
        assert target.read_bytes() == CAPTURES[name], name


def test_a_file_has_one_header_and_begins_with_it(generated: Protocol, tmp_path: Path) -> None:
    one, rows = tmp_path / "a.bin", tmp_path / "rows.jsonl"
    one.write_bytes(CAPTURES["big"])
    first, *others = run("decode", NAME, str(one)).splitlines(keepends=True)
    rows.write_text(first + "".join(others) + first)
    told = run("encode", NAME, str(rows), "--output", str(tmp_path / "c.bin"), status=1)
    assert "line 5: a file of capture_header has one header, and this row is a second one" in told
    rows.write_text("".join(others))
    told = run("encode", NAME, str(rows), "--output", str(tmp_path / "c.bin"), status=1)
    assert "line 1: a capture of capture_header begins with a row of capture, and none is before it" in told
    given = [f"--parameter={each}" for each in ("mark=0x4d4d", "dated=false", "unit=2", "newest=false")]
    assert run("encode", NAME, str(rows), "--hex", *given).split() == [record(BIG, n).hex() for n in range(3)]


def test_inspection_begins_with_the_header_or_behind_it(generated: Protocol, tmp_path: Path) -> None:
    source = tmp_path / "a.bin"
    source.write_bytes(CAPTURES["little"])
    told = run("inspect", NAME, str(source))
    assert "record 0 at 0x0: capture, 11 bytes" in told
    assert "record 1 at 0xb: sample, 9 bytes" in told
    assert "record 0 at 0x14: sample, 9 bytes" in run("inspect", NAME, str(source), "--offset", "20", "--record", "0")
    told = run("inspect", NAME, str(source), "--offset", "5", status=2)
    assert "--offset must be 0, or at least 11, the size of the header, not 5" in told


# --- Spark


@pytest.mark.spark
@pytest.mark.usefixtures("in_a_task")
def test_files_are_read_by_spark_and_written_back(generated: Protocol, tmp_path: Path) -> None:
    from wireloom.spark.sources import source_of

    captures = {name: data for name, data in sorted(CAPTURES.items()) if data}
    for name, data in captures.items():
        tmp_path.joinpath(f"{name}.bin").write_bytes(data)
    source = source_of(NAME)({"path": str(tmp_path)})
    reader = source.reader(source.schema())
    batches = [batch for part in reader.partitions() for batch in reader.read(part)]

    def written(batches: list[pa.RecordBatch], folder: str, **options: str) -> list[bytes]:
        target = source_of(NAME)({"path": str(tmp_path / folder), **options})
        writer = target.writer(source.schema(), overwrite=False)
        writer.commit([writer.write(iter(batches))])
        return [path.read_bytes() for path in sorted(tmp_path.joinpath(folder).glob("part-*"))]

    assert written(batches, "out") == list(captures.values())
    rows = pa.Table.from_batches(batches)
    records = rows.filter(pa.compute.equal(rows["message"], "sample")).to_batches()
    with pytest.raises(EncodeError, match="none is before it; keep rows in the order"):
        written(records[:1], "refused")
    header_row = '{"mark": 18761, "version": 2, "dated": true, "unit": 3, "comment": ""}'
    with pytest.raises(EncodeError):  # records that are not of such a capture
        written(records[:1], "others", capture=header_row)
    simple = '{"mark": 19789, "version": 1, "dated": false, "unit": 2, "comment": ""}'
    big = [records[0].slice(0, 3)]
    assert written(big, "given", capture=simple) == [CAPTURES["big"]]
    for wrong in ("[", "{}", '{"mark": 1}'):
        with pytest.raises((OptionError, EncodeError)):
            written(big, "wrong", capture=wrong)


@pytest.mark.spark
def test_a_stream_waits_for_a_header_to_be_whole(generated: Protocol, tmp_path: Path) -> None:
    from spark.stepwise_query import Query

    query, data = Query(tmp_path, NAME), CAPTURES["little"]
    found = []
    for end in (5, 11, 15, 25, len(data)):
        tmp_path.joinpath("a.bin").write_bytes(data[:end])
        tmp_path.joinpath("b.bin").write_bytes((b"\0" + data[1:])[:end])
        found.append([[row["message"] for row in rows] for rows in query.triggers()])
    rows = [message for batches in found for batch in batches for message in batch]
    assert [message for message in rows if message == "sample"] == ["sample"] * 3
    assert [[messages.count("sample") for messages in batches] for batches in found] == [[0], [0], [0], [1], [2]]


@pytest.mark.spark
def test_functions_of_columns_are_given_what_a_header_says(generated: Protocol) -> None:
    from wireloom.spark import sql_functions
    from wireloom.spark.functions import from_wire, reading

    assert len(list(sql_functions._functions(NAME, "own"))) == 3  # those of SQL are given it when they are called
    with pytest.raises(OptionError, match="give the parameters mark, dated, unit, newest"):
        from_wire("value", NAME)
    told = {"mark": "0x4949", "dated": "true", "unit": "2", "newest": "false"}
    assert reading(NAME, told, many=False).parameters["mark"] == 0x4949
    assert "mark" not in reading(NAME, {}, many=True).parameters
