"""Parameters that captures tell themselves: the same in every engine, from every place, and when rows are written."""

import io
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from support import compiled
from support.lockstep import Pair, capture_alike, tables_alike

from codec.telling_records import NARROW, NOTE, REFUSED, WIDE, hello, record, settings
from wireloom.cli import app
from wireloom.cli.incremental import pieces
from wireloom.codec import EncodeError
from wireloom.codec.captures import CaptureBuilder
from wireloom.codec.cutting import Cutter
from wireloom.codec.parameter_discovery import WITHIN
from wireloom.columnar import index
from wireloom.columnar.following import Follower, Reach
from wireloom.columnar.headers import header_of
from wireloom.columnar.scans import FilePart, batches
from wireloom.files import CaptureFile
from wireloom.options import SOUGHT, resolve
from wireloom_protocols import couchbase_dcp

FOUND = compiled.feature("found")
PAIR = Pair.of(FOUND.columnar)
CODEC = PAIR.codec


def told(capture: bytes, **parameters: bool) -> list[tuple[object, ...]]:
    """The numbers of readings, in each row engine and in columns."""
    table = capture_alike(PAIR, capture, mode="PERMISSIVE", **parameters)
    tables_alike(PAIR, capture, mode="PERMISSIVE", **parameters)
    readings = [row["reading"] for row in table.to_pylist() if row["reading"] is not None]
    return [(row["number"]["narrow"], row["number"]["wide"], row["factor"], row["share"]) for row in readings]


@pytest.mark.parametrize(
    ("capture", "expected"),
    [
        ([NARROW], [(5, None, -1, None)]),
        ([hello(1), WIDE], [(None, 6, -1, None)]),
        ([hello(2, 1, 2), NOTE, WIDE], [(None, 6, -1, None)]),
        ([hello(9), WIDE], [(None, 6, -1, None)]),  # a number of the range
        ([hello(2), NARROW], [(5, None, -1, None)]),
        ([REFUSED, NARROW], [(5, None, -1, None)]),
        ([hello(1), REFUSED, WIDE], [(None, 6, -1, None)]),  # it says nothing
        ([hello(1), hello(2), NARROW], [(5, None, -1, None)]),  # the last one counts
        ([hello(2), hello(1), WIDE], [(None, 6, -1, None)]),
        ([NARROW, hello(1), NARROW], [(5, None, -1, None)] * 2),  # it comes too late
        ([hello(1), WIDE, hello(2), WIDE], [(None, 6, -1, None)] * 2),
        ([settings(0), hello(1), WIDE], [(None, 6, None, 255)]),
        ([settings(0), NARROW], [(5, None, None, 255)]),
        ([settings(1), NARROW], [(5, None, -1, None)]),
        ([hello(1), b"\0" * 7, WIDE], [(None, 6, -1, None)]),
        ([hello(1)[:-1] + b"\2", b"\0" * 7, NARROW], [(5, None, -1, None)]),
    ],
)
def test_the_last_message_that_tells_counts(capture: Sequence[bytes], expected: list[tuple[object, ...]]) -> None:
    assert told(b"".join(capture)) == expected


def test_what_is_given_counts_more() -> None:
    assert told(hello(1) + NARROW, is_wide=False) == [(5, None, -1, None)]
    assert told(settings(0) + hello(1) + NARROW, is_wide=False) == [(5, None, None, 255)]


def test_a_record_alone_has_the_default() -> None:
    assert CODEC.parse(NARROW)["reading"]["number"]["narrow"] == 5
    assert CODEC.parse(WIDE, is_wide=True)["reading"]["number"]["wide"] == 6


@pytest.mark.parametrize(("late", "expected"), [(False, (None, 6)), (True, (5, None))])
def test_only_the_beginning_of_a_capture_is_looked_at(late: bool, expected: tuple[object, ...]) -> None:
    before = record(4, b"x" * 252) * 256 + record(4, b"x" * (252 + late))
    assert len(before) == WITHIN - (not late)
    capture = before + hello(1) + (NARROW if late else WIDE)
    assert told(capture)[0][:2] == expected


@given(
    st.lists(
        st.sampled_from([hello(1), hello(2), hello(8, 2), REFUSED, settings(0), settings(1), NOTE, NARROW, WIDE, b"\0"])
    ),
    st.integers(1, 40),
)
def test_it_is_the_same_however_it_comes(parts: list[bytes], size: int) -> None:
    capture = b"".join(parts)
    expected = [str(row) for row in CODEC.iter_records(capture, mode="PERMISSIVE")]
    told(capture)
    cutter, stream = Cutter(CODEC.framing, resolve(CODEC.parameters, {})), io.BytesIO(capture)
    rows = []
    for piece in pieces(lambda _: stream.read(size), cutter, 0):
        mode = PAIR.options({"mode": "PERMISSIVE"}).mode
        rows.append(str(CODEC.row(piece.cut, piece.data, piece.offset, cutter.parameters, mode)))
    assert rows == expected


def test_parts_know_what_the_beginning_tells(tmp_path: Path) -> None:
    capture = settings(0) + hello(1) + NOTE + WIDE * 400
    path = tmp_path / "capture"
    path.write_bytes(capture)
    whole = told(capture)
    assert whole == [(None, 6, None, 255)] * 400
    options = PAIR.options({"mode": "PERMISSIVE"})
    decoder = PAIR.decoder(options)
    for start in (0, len(settings(0)), len(capture) - 10 * len(WIDE)):
        part = FilePart(str(path), start)
        rows = [row for batch in batches(decoder, [part]) for row in batch.to_pylist() if row["reading"]]
        assert {row["reading"]["number"]["wide"] for row in rows} == {6}
    header = header_of(decoder, str(path))
    assert header is not None
    assert (header.size, header.parameters["is_wide"], header.parameters["is_signed"]) == (0, True, False)
    assert SOUGHT not in header.parameters


def test_an_index_is_that_of_any_reader(tmp_path: Path) -> None:
    path = tmp_path / "capture"
    path.write_bytes(hello(1) + WIDE * 400)
    options = PAIR.options({})
    reading = index.Reading.of(CODEC.name, "digest", options)
    file = CaptureFile(str(path), path.stat().st_size, 0)
    count, made = index.ensure(file, reading, lambda: PAIR.decoder(options).scanner())
    assert made
    assert count >= 0
    assert index.ensure(file, reading, lambda: PAIR.decoder(options).scanner()) == (count, False)


def test_a_capture_that_grows_tells_it_in_time(tmp_path: Path) -> None:
    path = tmp_path / "capture"
    capture = NOTE + hello(1) + WIDE + NOTE + WIDE
    path.write_bytes(capture)
    decoder, reach, rows = PAIR.decoder(PAIR.options({"mode": "PERMISSIVE"})), Reach(), []
    before = 0
    for size in range(1, len(capture) + 1):
        path.write_bytes(capture[:size])
        follower = Follower(decoder, str(path), reach)
        for cuts in follower.between(before, size, final=size == len(capture)):
            rows += [row for batch in decoder.cuts(cuts, "") for row in batch.to_pylist()]
        reach, before = follower.reach, size
    assert [row["message"] for row in rows] == ["note", "hello", "reading", "note", "reading"]
    assert [row["reading"]["number"]["wide"] for row in rows if row["reading"]] == [6, 6]


def test_rows_are_written_as_they_were_read() -> None:
    for capture in (
        hello(1) + NOTE + WIDE,
        settings(0) + NARROW + hello(1) + NARROW,
        hello(1) + REFUSED + WIDE,
        NARROW,
    ):
        builder = CaptureBuilder(CODEC, {})
        rows = list(CODEC.iter_records(capture))
        assert b"".join(map(builder.build, rows)) == capture
        bare = CaptureBuilder(CODEC, {})
        without = [{row["message"]: row[row["message"]]} for row in rows]
        assert b"".join(map(bare.build, without)) == capture
    alone = CaptureBuilder(CODEC, {}, alone=True)
    alone.build(CODEC.parse(hello(1)))
    with pytest.raises(EncodeError):
        alone.build(CODEC.parse(WIDE, is_wide=True))


def grants(*features: int, status: int = 0) -> bytes:
    head = {"message": "hello_response", "magic": 0x81, "datatype": 0, "status": status, "opaque": 0, "cas": 0}
    said = {"variant": "success", "features": [{"feature": each} for each in features]}
    return couchbase_dcp.build({**head, "hello_response": {"variant": "error", "error": ""} if status else said})


MUTATION = bytes.fromhex(
    "80 57 00 05 1f 00 00 01 00 00 00 26 00 00 00 01 00 00 00 00 00 00 00 02 00 00 00 00 00 00 00 03"
    "00 00 00 00 00 00 00 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"
    "68 65 6c 6c 6f 7b 7d"
)


@pytest.mark.parametrize(
    ("features", "status", "expected"),
    [
        ((0x12, 0x0A), 0, (0x68, "ello")),
        ((0x0A,), 0, (None, "hello")),
        ((), 0, (None, "hello")),
        ((), 4, (0x68, "ello")),  # refused, it says nothing
    ],
)
def test_keys_have_a_collection_if_the_connection_agreed_on_it(
    features: tuple[int, ...], status: int, expected: tuple[object, ...], tmp_path: Path
) -> None:
    capture = grants(*features, status=status) + MUTATION
    for row in (
        list(couchbase_dcp.iter_records(capture))[1],
        couchbase_dcp.decode_columnar(capture).to_pylist()[1],
        couchbase_dcp.decode_by_message(capture)["mutation"].to_pylist()[0] | {"mutation": None},
    ):
        mutation = row["mutation"] or row
        assert (mutation["collection_id"], mutation["document_key"]) == expected
    path = tmp_path / "capture.bin"
    path.write_bytes(capture)
    shown = CliRunner().invoke(
        app, ["inspect", "couchbase_dcp", str(path), "--offset", str(len(capture) - len(MUTATION))]
    )
    assert shown.exit_code == 0, shown.output
    assert f'"{expected[1]}"' in shown.output or f" {expected[1]}" in shown.output
    assert ("collection_id" in shown.output) == (expected[0] is not None)
