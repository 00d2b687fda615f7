"""``wireloom decode``: the rows of captures, what is told of malformed ones, and what options change."""

from pathlib import Path

import pyarrow as pa
import pytest

from cli.calls import CUT_OFF, MARKER, STREAM, UNKNOWN, rows, run
from wireloom_protocols import couchbase_dcp, databus


def test_decode_prints_one_object_a_record_with_the_columns_as_keys(capture: Path) -> None:
    found = rows(run("decode", "couchbase_dcp", capture))
    assert [row["message"] for row in found] == ["snapshot_marker", "unknown", "snapshot_marker"]
    assert list(found[0]) == [column.name for column in couchbase_dcp.PROTOCOL.columns]
    assert found[0]["snapshot_marker"]["end_seqno"] == 2
    assert found[2]["_corrupt_record"] == CUT_OFF.hex()


def test_decode_tells_what_is_malformed_beside_the_output(capture: Path) -> None:
    result = run("decode", "couchbase_dcp", capture)
    assert result.stderr == (
        f"wireloom: {capture}: 1 of 3 records malformed, the first: "
        "truncated: record at byte 68: a record of 44 bytes, 43 left\n"
    )


def test_dropmalformed_leaves_malformed_records_out_and_counts_them(capture: Path) -> None:
    result = run("decode", "couchbase_dcp", capture, "--mode", "dropmalformed")
    assert [row["message"] for row in rows(result)] == ["snapshot_marker", "unknown"]
    assert "1 of 3 records malformed and dropped" in result.stderr


def test_failfast_stops_with_status_1_naming_the_file(capture: Path) -> None:
    result = run("decode", "couchbase_dcp", STREAM.parent / "absent", status=2)
    result = run("decode", "couchbase_dcp", capture, "--mode", "FAILFAST", status=1)
    assert len(rows(result)) == 2
    assert result.stderr == (f"wireloom: {capture}: truncated: record at byte 68: a record of 44 bytes, 43 left\n")


def test_failfast_leaves_no_half_of_a_file(capture: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    run("decode", "couchbase_dcp", capture, "--mode", "FAILFAST", "--output", target, status=1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["capture.bin"]


def test_decode_gives_the_structs_of_some_messages(capture: Path) -> None:
    found = rows(run("decode", "couchbase_dcp", capture, "--messages", "unknown,system_event"))
    (row,) = found
    assert row["message"] == "unknown"
    assert [name for name in row if name in couchbase_dcp.messages] == ["system_event", "unknown"]
    refused = run("decode", "couchbase_dcp", capture, "--messages", "unknwon", status=2)
    assert refused.stderr == "wireloom: unknown message 'unknwon'; did you mean 'unknown'?\n"


def test_decode_takes_several_inputs(capture: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.bin"
    other.write_bytes(UNKNOWN)
    assert len(rows(run("decode", "couchbase_dcp", capture, other, capture))) == 7


def test_decode_takes_directories_and_patterns(capture: Path, tmp_path: Path) -> None:
    for name, data in (
        ("b/2.bin", MARKER),
        ("b/1.bin", UNKNOWN),
        ("b/_done", b"x"),
        ("b/1.bin.wlx", b"x"),
        ("c.bin", b""),
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    below = [str(tmp_path / "b/1.bin"), str(tmp_path / "b/2.bin")]
    inputs = [tmp_path / "b", tmp_path / "b/[2-9].*", f"{tmp_path}/{{c,d}}.bin"]
    found = rows(run("decode", "couchbase_dcp", *inputs, "--positions", "--columns", "_file"))
    assert [row["_file"] for row in found] == [*below, below[1]]
    piped = run("decode", "couchbase_dcp", "-", tmp_path / "b", "--format", "arrow", stdin=UNKNOWN)
    assert pa.ipc.open_file(piped.stdout_bytes).read_all()["opcode"].to_pylist() == [0xB6, 0xB6, 0x56]
    for written in (tmp_path / "b/2.bin", capture):
        said = run("decode", "couchbase_dcp", tmp_path, "--output", written, status=2).stderr
        assert said == f"wireloom: {written} would be overwritten while it is read; choose another output\n"


def test_decode_reads_standard_input() -> None:
    assert len(rows(run("decode", "couchbase_dcp", "-", stdin=MARKER + UNKNOWN))) == 2


@pytest.mark.parametrize("form", [[], ["--hex"]])
def test_an_empty_capture_has_no_rows(tmp_path: Path, form: list[str]) -> None:
    path = tmp_path / "empty.bin"
    path.touch()
    assert run("decode", "couchbase_dcp", path, *form).output == ""


def test_one_message_has_its_fields_at_top_level(capture: Path) -> None:
    marker, malformed = rows(run("decode", "couchbase_dcp", capture, "--message", "snapshot_marker"))
    assert (marker["opcode"], marker["end_seqno"]) == (0x56, 2)
    assert "snapshot_marker" not in marker
    assert malformed["_corrupt_reason"].startswith("truncated")


def test_labels_may_be_left_out(capture: Path) -> None:
    row = rows(run("decode", "couchbase_dcp", capture, "--no-labels"))[0]
    assert "status_name" not in row
    assert "snapshot_type_flags" not in row["snapshot_marker"]


def test_positions_say_where_a_record_stood(capture: Path) -> None:
    row = rows(run("decode", "couchbase_dcp", capture, "--positions"))[1]
    assert (row["_file"], row["_offset"], row["_length"]) == (str(capture), 44, 24)


def test_a_longer_record_than_allowed_is_malformed(capture: Path) -> None:
    row = rows(run("decode", "couchbase_dcp", capture, "--max-record-bytes", "40"))[0]
    assert row["_corrupt_reason"].startswith("too-long")


def test_behind_damage_nothing_is_read_where_no_guess_is_wanted(capture: Path) -> None:
    data = capture.read_bytes()
    capture.write_bytes(data[:44] + b"junk" + data[44:])
    chain, proof = (rows(run("decode", "couchbase_dcp", capture, "--resync", how)) for how in ("chain", "proof"))
    assert [len(chain), len(proof)] == [len(rows(run("decode", "couchbase_dcp", capture))), 2]
    assert chain[1]["_corrupt_reason"] == f"{proof[1]['_corrupt_reason']}; that a record follows is a guess"
    assert run("decode", "couchbase_dcp", capture, "--resync", "none", status=2).stderr == (
        "wireloom: unknown resync 'none'; known: chain, proof\n"
    )


def test_a_parameter_changes_how_bytes_are_read() -> None:
    big = rows(run("decode", "databus", STREAM, "-P", "repl_dbus=true"))[1]["dbus_event"]
    assert big["schema_version"] is not None


def test_an_output_file_has_what_would_have_been_printed(capture: Path, tmp_path: Path) -> None:
    run("decode", "couchbase_dcp", capture, "--output", tmp_path / "rows.jsonl")
    assert (tmp_path / "rows.jsonl").read_text() == run("decode", "couchbase_dcp", capture).stdout


def test_databus_module_is_reached_by_its_dotted_name() -> None:
    dotted = run("decode", "wireloom_protocols.databus", STREAM)
    assert dotted.stdout == run("decode", "databus", STREAM).stdout
    assert len(rows(dotted)) == len(list(databus.iter_records(STREAM.read_bytes())))
