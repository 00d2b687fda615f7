"""What stands once at the start of a capture: read first, seen by all records behind it, and written back."""

import io
import struct
import zlib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.compute
import pytest
from click.testing import CliRunner
from support import compiled
from support.lockstep import Pair, alike_in_turn, captures_alike, damaged

from wireloom.cli import app
from wireloom.codec import DecodeError, EncodeError, Protocol
from wireloom.codec.captures import CaptureBuilder
from wireloom.codec.cutting import Cutter
from wireloom.columnar import cells, index, scans, splits
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.following import Follower, Reach
from wireloom.columnar.scans import FilePart
from wireloom.files import CaptureFile
from wireloom.options import OptionError, resolve

SEARCHED = """
protocol: searched
byte_order: little if mark == 0x4949 else big
capture:
  fields:
    - {name: mark, type: u16, byte_order: big, valid: "mark in (0x4949, 0x4d4d)"}
    - {name: spare, type: bytes, size: 40}
record:
  length: length
  proof: {valid: length >= 8, checksum: crc}
  resync: true
  fields:
    - {name: length, type: u16, derive: size(record)}
    - {name: crc, type: u32, checksum: {algorithm: crc32, from: 6, to: length}}
    - {section: body, size: rest}
---
message: note
match: {}
sections: {body: [{name: number, type: u16}, {name: text, type: bytes, size: rest}]}
"""
"""Records that can be told wherever they stand, behind a header that tells their byte order."""
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
PACKAGE = "capture_headers"
NAME = f"{PACKAGE}.capture_header"
BIG, LITTLE = (0x4D4D, ">"), (0x4949, "<")


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Protocol]:
    """The protocol as a package that can be imported by its name."""
    with compiled.installed("capture_header", PACKAGE, tmp_path_factory.mktemp("generated")) as protocol:
        yield protocol


def plain() -> Pair:
    return Pair.of(compiled.feature("capture_header").columnar)


def searched() -> Pair:
    return Pair.of(compiled.of(SEARCHED).columnar)


def header(
    order: tuple[int, str], *, version: int = 1, dated: bool = False, unit: int = 2, comment: bytes = b""
) -> bytes:
    mark, sign = order
    flags = dated << 7 | unit
    return struct.pack(">H", mark) + struct.pack(f"{sign}HBB", version, flags, len(comment)) + comment


def record(order: tuple[int, str], number: int, *, dated: bool = False, unit: int = 2, newest: bool = False) -> bytes:
    body = struct.pack(f"{order[1]}H", number) + (bytes(4) if dated else b"") + bytes([number % 256] * unit)
    body += b"\7" * newest
    return struct.pack(f"{order[1]}H", len(body)) + body


def capture(order: tuple[int, str], count: int = 3, **said: Any) -> bytes:
    newest = said.get("version") == 2
    told = {name: said[name] for name in ("dated", "unit") if name in said}
    return header(order, **said) + b"".join(record(order, n, newest=newest, **told) for n in range(count))


def notes(order: tuple[int, str], count: int) -> bytes:
    """A capture of the other protocol."""
    builder = CaptureBuilder(searched().codec, {})
    rows: list[dict[str, Any]] = [{"capture": {"mark": order[0], "spare": bytes(40)}}]
    rows += ({"note": {"number": n, "text": b"x" * (n % 30)}} for n in range(count))
    return b"".join(map(builder.build, rows))


CAPTURES = {
    "big": capture(BIG),
    "little": capture(LITTLE, dated=True, unit=1, comment=b"hello"),
    "newest": capture(LITTLE, version=2, unit=3),
    "header alone": capture(BIG, 0),
    "nothing": b"",
    "torn header": capture(BIG)[:5],
    "torn record": capture(BIG)[:-1],
    "no header": record(BIG, 1) * 4,
    "another version": header(BIG, version=3) + record(BIG, 1),
}


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
    missing = "does not say what the header of its capture does: give mark, dated, unit, newest"
    for ask in (codec.parse, codec.trace):
        with pytest.raises(OptionError, match=missing):
            ask(data)
    with pytest.raises(OptionError, match=missing):
        codec.build(row)
    with pytest.raises(OptionError, match="give all or nothing; missing: dated, unit, newest"):
        codec.parse(data, mark=0x4949)


def test_values_of_a_column_are_records_or_captures() -> None:
    found, told = plain(), {"mark": 0x4949, "dated": False, "unit": 2, "newest": False}
    alone = found.decoder(found.options({name: str(value) for name, value in told.items()}))
    data = record(LITTLE, 7)
    assert [row["sample"]["number"] for row in cells.one(alone, pa.array([data, data])).to_pylist()] == [7, 7]
    assert [len(rows) for rows in cells.many(alone, pa.array([data * 2, b""])).to_pylist()] == [2, 0]
    whole = found.decoder(found.options({}))
    with pytest.raises(OptionError, match="give mark, dated, unit, newest"):
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


def files(folder: Path, found: Pair, captures: dict[str, bytes]) -> list[FilePart]:
    for name, data in captures.items():
        folder.joinpath(name).write_bytes(data)
    return [FilePart(str(folder / name)) for name in captures]


def table(decoding: Decoder, parts: list[FilePart]) -> pa.Table:
    return pa.Table.from_batches(scans.batches(decoding, parts), decoding.schema)


def test_files_with_other_headers_are_read_in_one_go(tmp_path: Path) -> None:
    found = plain()
    decoding = found.decoder(found.options({"positions": "true"}))
    parts = files(tmp_path, found, CAPTURES)
    expected = [row for part in parts for row in table(decoding, [part]).to_pylist()]
    assert table(decoding, parts).to_pylist() == expected
    assert sum(row["message"] == "capture" for row in expected) >= 6


@pytest.mark.parametrize("order", [BIG, LITTLE])
def test_parts_of_a_file_begin_with_its_header_read(order: tuple[int, str], tmp_path: Path) -> None:
    data, found = notes(order, 60), searched()
    (part,) = files(tmp_path, found, {"notes": data})
    decoding = found.decoder(found.options({"positions": "true"}))
    whole = table(decoding, [part])
    assert whole.num_rows == 61
    for every in (33, 42, 400, 5000):
        bounds = [*range(0, len(data), every), len(data)]
        parts = [
            FilePart(part.path, start, None if stop == len(data) else stop, searched=len(data))
            for start, stop in pairwise(bounds)
        ]
        assert table(decoding, parts).equals(whole), every
    broken = b"\0" + data[1:]
    tmp_path.joinpath("notes").write_bytes(broken)
    parts = [FilePart(part.path, 0, 500, searched=len(data)), FilePart(part.path, 500, searched=len(data))]
    assert [row["_corrupt_record"] for row in table(decoding, parts).to_pylist()] == [broken]


def test_an_index_divides_a_file_behind_its_header(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "EVERY", 64)
    data, found = capture(LITTLE, 100, dated=True), plain()
    (part,) = files(tmp_path, found, {"samples": data})
    decoding = found.decoder(found.options({"positions": "true"}))
    file = CaptureFile(part.path, len(data), 0)
    reading = index.Reading("capture_header", "framing", {}, 1 << 20, "chain")
    assert index.write(file, reading, decoding.scanner()) > 5
    bounds = list(index.parts(index.read(file, reading), len(data), 200))
    assert len(bounds) > 3
    parts = [FilePart(part.path, start, None if stop == len(data) else stop, indexed=True) for start, stop in bounds]
    assert table(decoding, parts).equals(table(decoding, [part]))
    broken = b"\0" + data[1:]
    tmp_path.joinpath("samples").write_bytes(broken)
    assert list(splits.places(decoding.scanner(), io.BytesIO(broken).readinto, len(broken), 64)) == []
    with pytest.raises(splits.UnfitError, match="its header is malformed"):
        table(decoding, parts[1:])


@pytest.mark.parametrize("broken", [False, True])
def test_a_growing_file_is_settled_behind_its_header(broken: bool, tmp_path: Path) -> None:
    for found, whole in ((plain(), capture(LITTLE, 4, dated=True)), (searched(), notes(LITTLE, 4))):
        data = (b"\0" if broken else whole[:1]) + whole[1:]
        decoding, path = found.decoder(found.options({"positions": "true"})), tmp_path / "growing"
        expected = table(decoding, files(tmp_path, found, {"growing": data}))
        for remembered in (False, True):
            rows, reach = [], Reach()
            for size, end in pairwise([0, 1, 5, 20, 43, len(data)]):
                path.write_bytes(data[:end])
                follower = Follower(decoding, str(path), reach if remembered else Reach())
                rows += list(_rows(decoding, follower, size, end, final=end == len(data)))
                reach = follower.reach
            if broken:  # in a row for each batch
                assert b"".join(row["_corrupt_record"] for row in rows) == data
                assert {row["_corrupt_reason"] for row in rows} == set(expected["_corrupt_reason"].to_pylist())
            else:
                assert [row["_offset"] for row in rows] == expected["_offset"].to_pylist()
                assert [row["message"] for row in rows] == expected["message"].to_pylist()


def _rows(decoding: Decoder, follower: Follower, size: int, end: int, *, final: bool) -> Iterator[dict[str, Any]]:
    for cuts in follower.between(size, end, final=final):
        for batch in decoding.cuts(cuts, ""):
            yield from batch.to_pylist()


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
    assert "line 5: a file of capture_header has one header, and this is another" in told
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
    assert "--offset is 0 or behind the header of 11 bytes, not 5" in told


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
    with pytest.raises(OptionError, match="give mark, dated, unit, newest"):
        from_wire("value", NAME)
    told = {"mark": "0x4949", "dated": "true", "unit": "2", "newest": "false"}
    assert reading(NAME, told, many=False).parameters["mark"] == 0x4949
    assert "mark" not in reading(NAME, {}, many=True).parameters


@pytest.mark.parametrize("size", [0, 1, 5, 300])
def test_a_header_whose_end_only_its_bytes_tell_is_read_in_a_few_steps(size: int) -> None:
    found = compiled.of(
        """
protocol: lines
byte_order: big
capture: {fields: [{name: kind, type: u8}, {name: title, type: text, until: "00"}]}
record: {length: 2, fields: [{name: number, type: u16}, {section: body, size: rest}]}
---
message: one
match: {}
sections: {body: [{name: nothing, type: u8, when: kind == 9}]}
"""
    )
    preamble, header, asked = found.codec.preamble, b"\1" + b"a" * size + b"\0", []
    assert preamble is not None
    stream = io.BytesIO(header + bytes(2000))

    def read(count: int) -> bytes:
        asked.append(count)
        return stream.read(count)

    length, known, ahead = preamble.opened(read, {})
    assert (length, known["kind"]) == (len(header), 1)
    assert header + ahead + stream.read() == header + bytes(2000)
    assert len(asked) < 14
    assert len(ahead) <= max(len(header), 2)
    with pytest.raises(DecodeError, match="unterminated"):
        preamble.opened(io.BytesIO(header[:-1]).read, {})


PACKED = """
protocol: packed
byte_order: big
capture: {fields: [{name: codec, type: text, size: 4, pad: "00"}]}
record:
  length: 2 + length
  fields:
    - {name: length, type: u16, derive: size(body)}
    - {section: body, size: length}
---
message: sample
match: {}
sections:
  body: [{name: data, type: bytes, size: rest, through: zlib if codec == 'zlib' else none, limit: 1000, raw: packed}]
"""


def test_text_of_a_header_says_how_records_are_packed() -> None:
    found = Pair.of(compiled.of(PACKED).columnar)
    for codec, body in (("zlib", zlib.compress(b"abc")), ("raw", b"abc"), ("", b"abc")):
        capture = codec.encode().ljust(4, b"\0") + (len(body).to_bytes(2, "big") + body) * 3
        header, *rows = captures_alike(found, capture).to_pylist()
        assert header["capture"] == {"codec": codec}
        assert [row["sample"]["data"] for row in rows] == [b"abc"] * 3
        written = CaptureBuilder(found.codec, {})
        assert b"".join(map(written.build, found.codec.iter_records(capture))) == capture


def test_text_of_a_header_selects_messages() -> None:
    found = Pair.of(compiled.feature("capture_header_text").columnar)
    for codec, message in (("zlib", "sample"), ("raw", "sample"), ("", "other"), ("lzma", "unknown")):
        capture = codec.encode().ljust(4, b"\0") + b"\3wir" + b"\0\2\0\5" * 3
        rows = captures_alike(found, capture).to_pylist()
        assert [row["message"] for row in rows] == ["capture", *[message] * 3]


def test_text_that_a_header_says_is_given_as_text() -> None:
    codec = compiled.feature("capture_header_text").codec
    assert codec.parse(bytes.fromhex("000161"), codec="", writer="").other.text == "a"
    with pytest.raises(OptionError, match="codec is text, not 5"):
        codec.parse(bytes.fromhex("000161"), codec=5, writer="")
