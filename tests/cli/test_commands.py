"""The program ``wireloom`` as somebody at a terminal meets it: output, diagnostics, exit statuses."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from click.testing import CliRunner, Result
from pyarrow import parquet
from support import compiled, peak
from support.lockstep import misleading
from support.paths import DATA, ROOT

from wireloom.cli import app
from wireloom_protocols import couchbase_dcp, databus

STREAM = DATA / "databus" / "stream_scn_regress.bin"

MARKER = couchbase_dcp.build(
    {
        "message": "snapshot_marker",
        "snapshot_marker": {"variant": "v1", "start_seqno": 1, "end_seqno": 2, "snapshot_type": 1},
    }
)
UNKNOWN = couchbase_dcp.build({"message": "unknown", "magic": 0x80, "opcode": 0xB6, "unknown": {}})
CUT_OFF = MARKER[:-1]
PROGRAM = [sys.executable, "-m", "wireloom"]


def run(*arguments: str | Path, stdin: bytes = b"", status: int = 0) -> Result:
    """Call the program in this process."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)
    assert result.exit_code == status, result.output
    return result


def rows(result: Result) -> list[dict[str, Any]]:
    """What ``decode`` printed."""
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    """A capture with a known, an unknown and a malformed record."""
    path = tmp_path / "capture.bin"
    path.write_bytes(MARKER + UNKNOWN + CUT_OFF)
    return path


# decode


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
        assert said == f"wireloom: {written} would be written over while it is read; name another file\n"


def test_decode_reads_standard_input() -> None:
    assert len(rows(run("decode", "couchbase_dcp", "-", stdin=MARKER + UNKNOWN))) == 2


@pytest.mark.parametrize("form", [[], ["--hex"]])
def test_an_empty_capture_has_no_rows(tmp_path: Path, form: list[str]) -> None:
    path = tmp_path / "empty.bin"
    path.touch()
    assert run("decode", "couchbase_dcp", path, *form).output == ""


def test_hex_may_have_white_space_and_comments() -> None:
    text = f"{MARKER.hex(' ', 4)} # a marker: 80 56\n# nothing\n\n{UNKNOWN.hex()[:7]}\n {UNKNOWN.hex()[7:]}".encode()
    assert len(rows(run("decode", "couchbase_dcp", "-", "--hex", stdin=text))) == 2


@pytest.mark.parametrize(("text", "message"), [(b"80\n8x\n", "line 2 is not hex text"), (b"80 5", "an odd number")])
def test_text_that_is_not_hex_is_misuse(text: bytes, message: str) -> None:
    assert message in run("decode", "couchbase_dcp", "-", "--hex", stdin=text, status=2).stderr


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


def test_parquet_and_arrow_hold_what_jsonl_shows(capture: Path, tmp_path: Path) -> None:
    tables = []
    for name in ("parquet", "arrow"):
        run("decode", "couchbase_dcp", capture, "--format", name, "--output", tmp_path / name)
    tables = [parquet.read_table(tmp_path / "parquet"), pa.ipc.open_file(tmp_path / "arrow").read_all()]
    for table in tables:
        assert table.schema.equals(couchbase_dcp.arrow_schema)
        assert table.column("message").to_pylist() == ["snapshot_marker", "unknown", "snapshot_marker"]
        assert table.column("_corrupt_record").to_pylist()[2] == CUT_OFF
    assert tables[0].equals(tables[1])


@pytest.mark.parametrize("name", ["parquet", "arrow"])
def test_a_table_is_written_to_the_bytes_it_came_from(name: str, capture: Path, tmp_path: Path) -> None:
    run("decode", "couchbase_dcp", capture, "--format", name, "--output", tmp_path / "table")
    run("encode", "couchbase_dcp", tmp_path / "table", "--output", tmp_path / "bytes")
    assert (tmp_path / "bytes").read_bytes() == capture.read_bytes()
    lines = run("encode", "couchbase_dcp", tmp_path / "table", "--hex").stdout.split()
    assert lines == [MARKER.hex(), UNKNOWN.hex(), CUT_OFF.hex()]


def test_a_table_is_written_to_a_textual_form(tmp_path: Path) -> None:
    run("decode", "databus", STREAM, "--format", "arrow", "--mode", "DROPMALFORMED", "--output", tmp_path / "table")
    piped = run("decode", "databus", STREAM, "--mode", "DROPMALFORMED").stdout.encode()
    lines = run("encode", "databus", "-", "--form", "json", stdin=piped).stdout
    assert run("encode", "databus", tmp_path / "table", "--form", "json").stdout == lines


def test_a_row_of_a_table_that_cannot_be_written_is_told_by_its_number(tmp_path: Path) -> None:
    table = pa.table({"message": ["dcp_noop", "dcp_noop", "noop!"]})
    parquet.write_table(table, tmp_path / "table")
    found = run("encode", "couchbase_dcp", tmp_path / "table", status=1)
    assert found.stderr.startswith(f"wireloom: {tmp_path / 'table'}: row 2: message: unknown message 'noop!'")


def test_a_table_that_is_cut_off_is_told(capture: Path, tmp_path: Path) -> None:
    run("decode", "couchbase_dcp", capture, "--format", "parquet", "--output", tmp_path / "table")
    (tmp_path / "table").write_bytes((tmp_path / "table").read_bytes()[:3000])
    found = run("encode", "couchbase_dcp", tmp_path / "table", status=1)
    assert found.stderr.startswith(f"wireloom: {tmp_path / 'table'}: ")


def test_a_table_that_leads_out_of_its_memory_is_told(tmp_path: Path) -> None:
    run("decode", "databus", STREAM, "--format", "arrow", "--mode", "DROPMALFORMED", "--output", tmp_path / "good")
    given = misleading(pa.ipc.open_file(tmp_path / "good").read_all(), "dbus_event", "value")
    with pa.ipc.new_file(tmp_path / "table", given.schema) as file:
        file.write(given)
    found = run("encode", "databus", tmp_path / "table", status=1)
    assert found.stderr.startswith(f"wireloom: {tmp_path / 'table'}: ")
    assert "Offset invariant failure" in found.stderr


def test_an_output_file_has_what_would_have_been_printed(capture: Path, tmp_path: Path) -> None:
    run("decode", "couchbase_dcp", capture, "--output", tmp_path / "rows.jsonl")
    assert (tmp_path / "rows.jsonl").read_text() == run("decode", "couchbase_dcp", capture).stdout


# Textual forms


@pytest.mark.parametrize("form", ["json", "json_plain_value"])
def test_a_textual_form_comes_back_character_for_character(form: str) -> None:
    text = STREAM.with_suffix(f".{form}").read_bytes()
    decoded = run("decode", "databus", "-", "--form", form, stdin=text)
    assert run("encode", "databus", "--form", form, stdin=decoded.stdout_bytes).stdout_bytes == text


def test_a_textual_form_gives_the_rows_that_the_bytes_give() -> None:
    from_text = run("decode", "databus", STREAM.with_suffix(".json"), "--form", "json")
    assert from_text.stdout == run("decode", "databus", STREAM).stdout


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "json: record at byte 0: not JSON"),
        (b"[]", "json: record at byte 0: an object expected"),
        (b'{"key": 1}', "json: "),
        (b"\xff", "text: record at byte 0: not utf-8"),
        (b"[" * 100_000, "json: record at byte 0: "),
    ],
)
def test_a_malformed_line_is_kept(line: bytes, reason: str) -> None:
    good = STREAM.with_suffix(".json").read_bytes().splitlines(keepends=True)[0]
    text = line + b"\n" + good
    decoded = run("decode", "databus", "-", "--form", "json", stdin=text)
    malformed, whole = rows(decoded)
    assert malformed["_corrupt_record"] == line.hex()
    assert malformed["_corrupt_reason"].startswith(reason)
    assert whole["message"] == "dbus_event"
    assert run("encode", "databus", "--form", "json", stdin=decoded.stdout_bytes).stdout_bytes == text


def test_a_malformed_line_stops_failfast_at_its_offset() -> None:
    good = STREAM.with_suffix(".json").read_bytes().splitlines(keepends=True)[0]
    result = run("decode", "databus", "-", "--form", "json", "--mode", "FAILFAST", stdin=good + b"{}\n", status=1)
    assert f"at byte {len(good)}" in result.stderr


# encode


def test_decode_and_encode_give_every_byte_back(capture: Path) -> None:
    decoded = run("decode", "couchbase_dcp", capture)
    assert run("encode", "couchbase_dcp", stdin=decoded.stdout_bytes).stdout_bytes == capture.read_bytes()


@pytest.mark.parametrize("length", range(0, len(MARKER + UNKNOWN), 5))
def test_decode_and_encode_give_every_byte_of_a_piece_back(length: int) -> None:
    piece = (UNKNOWN + MARKER)[:length]
    decoded = run("decode", "couchbase_dcp", "-", stdin=piece)
    assert run("encode", "couchbase_dcp", stdin=decoded.stdout_bytes).stdout_bytes == piece


def test_encode_takes_rows_of_one_message(capture: Path) -> None:
    decoded = run("decode", "couchbase_dcp", capture, "--message", "snapshot_marker", "--no-labels")
    assert run("encode", "couchbase_dcp", stdin=decoded.stdout_bytes).stdout_bytes == MARKER + CUT_OFF


def test_encode_prints_hex_a_record_a_line(capture: Path) -> None:
    decoded = run("decode", "couchbase_dcp", capture)
    printed = run("encode", "couchbase_dcp", "--hex", stdin=decoded.stdout_bytes).stdout
    assert printed == f"{MARKER.hex()}\n{UNKNOWN.hex()}\n{CUT_OFF.hex()}\n"


def test_derived_fields_may_be_left_out() -> None:
    row = {"snapshot_marker": {"start_seqno": 1, "end_seqno": 2, "snapshot_type_flags": ["Memory"]}}
    assert run("encode", "couchbase_dcp", stdin=json.dumps(row).encode()).stdout_bytes == MARKER


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2: not JSON: Expecting property name enclosed in double quotes at column 2"),
        ("[]", "line 2: an object expected, not a list"),
        ('{"cas": "x"}', "line 2: cas: a whole number expected, not 'x'"),
        ('{"mesage": "unknown"}', "line 2: mesage: unknown field 'mesage'; did you mean 'message'?"),
        ('{"message": "nown"}', "line 2: message: unknown message 'nown'; did you mean 'unknown'?"),
        ('{"cas": NaN}', "line 2: NaN is not JSON; the text 'NaN' is"),
        ('{"message": "unknown", "magic": 300, "opcode": 1}', "line 2: magic: 300 does not fit 8 bits"),
        ("[" * 100_000, "line 2: "),
    ],
)
def test_a_row_that_cannot_be_written_is_named_by_line_and_field(line: str, message: str) -> None:
    good = run("decode", "couchbase_dcp", "-", stdin=UNKNOWN).stdout
    result = run("encode", "couchbase_dcp", stdin=f"{good}{line}\n".encode(), status=1)
    assert result.stderr.startswith(f"wireloom: standard input: {message}")
    assert len(result.stderr) < 300


def test_what_ends_a_list_may_be_left_out_where_it_is_derived(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    specs = compiled.folders(compiled.FEATURES["repeat_until_derived"].read_text(encoding="utf-8"), tmp_path / "specs")
    run("generate", specs, "--out", tmp_path / "endings")
    links = [{"is_last": True}]
    whole, endless, early = (
        json.dumps({"lists": {"words": [{"letters": letters} for letters in words], "links": links}}).encode()
        for words in (("ab", ""), ("ab", "c"), ("", "ab"))
    )
    assert run("encode", "endings.repeat_until_derived", "--hex", stdin=whole).stdout == "06026162000183\n"
    for row, message in (
        (endless, "lists.words: has no item that ends it"),
        (early, "lists.words: ends with item 0, but there are more behind it"),
    ):
        result = run("encode", "endings.repeat_until_derived", stdin=row, status=1)
        assert result.stderr == f"wireloom: standard input: line 1: {message}\n"


# Misuse


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["decode", "databu", "x"], "unknown protocol 'databu'; did you mean 'databus'?"),
        (["decode", "no.such", "x"], "unknown protocol 'no.such'; there is no module 'no'"),
        (
            ["decode", "json", "x"],
            "unknown protocol 'json'; known: couchbase_dcp, databus, memcached, packets, pcap, pcapng",
        ),
        (["decode", "wireloom.json_rows", "x"], "wireloom.json_rows is not a generated protocol: it has no PROTOCOL"),
        (
            ["decode", "databus", "-", "--byte-order", "big"],
            "byte_order is a parameter of the protocol; give it with -P byte_order=big",
        ),
        (
            ["encode", "databus", "--byte_order=big"],
            "byte_order is a parameter of the protocol; give it with -P byte_order=big",
        ),
        (
            ["inspect", "databus", "-", "--byte-order"],
            "byte_order is a parameter of the protocol; give it with -P byte_order=…",
        ),
        (
            ["decode", "wireloom_protocols", "-"],
            "wireloom_protocols is a package; its protocols are wireloom_protocols.couchbase_dcp, ",
        ),
        (["decode", "databus", "absent.bin"], "there is no file or directory absent.bin"),
        (["decode", "databus", "absent*.bin"], "no file matches absent*.bin"),
        (["inspect", "databus", "absent.bin"], "there is no file absent.bin"),
        (["inspect", "databus", "."], ". is a directory; name a file in it"),
        (["decode", "databus", "-", "--mode", "x"], "mode is PERMISSIVE, DROPMALFORMED, FAILFAST, not 'x'"),
        (["decode", "databus", "-", "--format", "csv"], "--format is jsonl, parquet, arrow, not 'csv'"),
        (["decode", "databus", "-", "--form", "jsn"], "unknown form 'jsn'; did you mean 'json'?"),
        (["decode", "couchbase_dcp", "-", "--form", "json"], "unknown form 'json'; there is none"),
        (["decode", "databus", "-", "--hex", "--form", "json"], "--hex is for bytes; a textual form is text already"),
        (["decode", "databus", "-", "--message", "event"], "unknown message 'event'; did you mean 'dbus_event'?"),
        (
            ["decode", "databus", "-", "-P", "byteorder=big"],
            "unknown parameter 'byteorder'; did you mean 'byte_order'?",
        ),
        (["decode", "databus", "-", "-P", "byte_order=up"], "byte_order is one of auto, big, little, not 'up'"),
        (["decode", "databus", "-", "-P", "byte_order"], "-P takes PARAM=VALUE, not 'byte_order'"),
        (["decode", "databus", "-", "--output", "no/such/x"], "there is no directory no/such"),
        (
            ["decode", "databus", "-", "--output", "x.parquet"],
            "x.parquet would hold jsonl; --format parquet is what its name says",
        ),
        (
            ["decode", "databus", "-", "--output", "x.ARROW", "--format", "parquet"],
            "x.ARROW would hold parquet; --format arrow is what its name says",
        ),
        (
            ["decode", "databus", "-", "--columns", "sequence"],
            "unknown column 'sequence'; it is a field of a column: dbus_event.sequence",
        ),
        (
            ["decode", "databus", "-", "--columns", "dbus_event.sequnce"],
            "unknown column 'dbus_event.sequnce'; did you mean 'dbus_event.sequence'?",
        ),
        (
            ["decode", "databus", "-", "--columns", "dbus_event.sequence.low"],
            "column dbus_event.sequence has no fields, and so no dbus_event.sequence.low",
        ),
        (
            ["decode", "databus", "-", "--u64", "decimal"],
            "u64 is a parameter of the protocol; give it with -P u64=decimal",
        ),
        (["encode", "databus", "absent.jsonl"], "there is no file absent.jsonl"),
        (["encode", "databus", "-P", "repl_dbus=perhaps"], "repl_dbus is true or false, not 'perhaps'"),
        (["check", "absent"], "there is no file or folder absent"),
        (["generate", "absent"], "there is no file or folder absent"),
        (["init", "pyspark"], "'pyspark' is a package that generated modules import; say whose protocol it is"),
        (["init", "My Protocol"], "'My Protocol' cannot be the name of a protocol: lower-case letters, digits and _, "),
    ],
)
def test_misuse_is_one_sentence_and_status_2(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(*arguments, status=2)
    assert result.stderr.startswith(f"wireloom: {message}")
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


@pytest.mark.parametrize(
    "arguments", [["decod"], ["decode"], ["decode", "databus"], ["decode", "databus", "-", "--no"]]
)
def test_an_unknown_command_or_option_is_status_2(arguments: list[str]) -> None:
    assert "Usage: " in run(*arguments, status=2).stderr


def test_a_protocol_of_a_package_here_is_suggested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run("init", "mine")
    run("generate", "--out", "my_protocols")
    assert "unknown protocol 'mine'; did you mean 'my_protocols.mine'?" in run("decode", "mine", "-", status=2).stderr
    suggested = "unknown protocol 'mine'; did you mean \"my_protocols.mine\"('…')?"
    for query in ("from mine('-')", "from Mine('-')", "from my_protocols.mine('-')"):
        assert suggested in run("sql", query, status=2).stderr


def test_bytes_in_place_of_rows_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "capture.bin"
    path.write_bytes(b"\x00\x8d\n")
    told = run("encode", "databus", path, status=1).stderr
    assert told == f"wireloom: {path}: line 1: not text in UTF-8; rows are what decode prints\n"


def test_a_file_that_cannot_be_read_is_status_2(tmp_path: Path) -> None:
    path = tmp_path / "loop"
    path.symlink_to(path)
    assert run("decode", "databus", path, status=2).stderr.startswith(f"wireloom: there is no file or directory {path}")


def test_init_leaves_what_is_there_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run("init", "mine")
    assert "is there already" in run("init", "mine", status=2).stderr


def test_protocols_lists_what_is_installed() -> None:
    printed = run("protocols").stdout
    assert "couchbase_dcp" in printed
    assert "LinkedIn Databus" in printed
    assert "dbus_event" in printed


# The program itself


def program(arguments: Sequence[str | Path], stdin: bytes = b"", **options: Any) -> subprocess.CompletedProcess[bytes]:
    """Run the program in a process of its own."""
    return subprocess.run([*PROGRAM, *map(str, arguments)], input=stdin, capture_output=True, check=False, **options)


@pytest.mark.program
def test_the_program_runs_without_spark_or_the_generator(capture: Path) -> None:
    code = (
        "import sys; from wireloom.cli import app; app(sys.argv[1:], standalone_mode=False);"
        "print(sorted({'pyspark', 'wireloom_generator', 'pyarrow', 'yaml'} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "decode", "couchbase_dcp", str(capture)], capture_output=True, check=True
    )
    assert done.stderr.splitlines()[-1] == b"[]"


@pytest.mark.program
def test_a_pipe_gives_every_byte_back(capture: Path) -> None:
    decoded = program(["decode", "couchbase_dcp", "-"], capture.read_bytes())
    encoded = program(["encode", "couchbase_dcp"], decoded.stdout)
    assert (decoded.returncode, encoded.returncode, encoded.stdout) == (0, 0, capture.read_bytes())


@pytest.mark.program
def test_a_reader_that_has_enough_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "long.bin"
    path.write_bytes(UNKNOWN * 5000)
    with subprocess.Popen(
        [*PROGRAM, "decode", "couchbase_dcp", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


NULLS = re.compile(rb'"\w+":null')


def test_keys_with_null_are_left_out_where_they_are_not_wanted(tmp_path: Path) -> None:
    captures = ROOT / "examples" / "captures"
    for protocol in ("couchbase_dcp", "databus"):
        for path in sorted(captures.joinpath(protocol).glob("*.bin")):
            whole, bare = (run("decode", protocol, path, option).stdout_bytes for option in ("--nulls", "--no-nulls"))
            assert len(NULLS.findall(whole)) > len(whole.splitlines())
            assert not NULLS.search(bare)
            assert list(map(json.loads, bare.splitlines())) == [
                bare_of(json.loads(line)) for line in whole.splitlines()
            ]
            assert run("encode", protocol, "-", stdin=bare).stdout_bytes == path.read_bytes()


def bare_of(value: Any) -> Any:
    """The value without nulls in objects."""
    if isinstance(value, dict):
        return {name: bare_of(each) for name, each in value.items() if each is not None}
    return list(map(bare_of, value)) if isinstance(value, list) else value


def test_tables_have_all_columns(capture: Path) -> None:
    told = run("decode", "couchbase_dcp", capture, "--format", "arrow", "--no-nulls", status=2).stderr
    assert told == "wireloom: --nulls and --no-nulls are for jsonl; arrow has all columns\n"


@pytest.mark.program
@pytest.mark.parametrize(("options", "there"), [([], False), (["--nulls"], True)])
def test_a_terminal_gets_no_nulls_unless_told(options: list[str], there: bool, capture: Path) -> None:
    pty = pytest.importorskip("pty")
    reader, writer = pty.openpty()
    try:
        command = [*PROGRAM, "decode", "couchbase_dcp", str(capture), "--messages", "snapshot_marker", *options]
        subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, check=True)
        line = os.read(reader, 1 << 16)
    finally:
        os.close(writer)
        os.close(reader)
    assert line.startswith(b'{"message":"snapshot_marker"')
    assert bool(NULLS.search(line)) is there


@pytest.mark.program
def test_a_terminal_gets_no_binary_output(capture: Path) -> None:
    pty = pytest.importorskip("pty")
    reader, writer = pty.openpty()
    try:
        done = subprocess.run(
            [*PROGRAM, "decode", "couchbase_dcp", str(capture), "--format", "parquet"],
            stdout=writer,
            stderr=subprocess.PIPE,
            check=False,
        )
    finally:
        os.close(writer)
        os.close(reader)
    assert done.returncode == 2
    assert done.stderr.startswith(b"wireloom: this output is not for a terminal")


@pytest.mark.sweep
def test_memory_does_not_grow_with_the_capture(tmp_path: Path) -> None:
    path = tmp_path / "large.bin"
    body = bytes(1 << 20)
    record = couchbase_dcp.build({"message": "unknown", "magic": 0x80, "opcode": 0xB6, "unknown": {"value": body}})
    with path.open("wb") as file:
        for _ in range(200):
            file.write(record)
    arguments = ["decode", "couchbase_dcp", str(path), "--format", "parquet", "--output", str(tmp_path / "out")]
    done = subprocess.run([sys.executable, "-c", peak.PROGRAM, *arguments], capture_output=True, check=True)
    assert int(done.stderr) - len(record) * 200 // 2**20 < 400  # the mapped file counts, what is held does not grow


def test_databus_module_is_reached_by_its_dotted_name() -> None:
    dotted = run("decode", "wireloom_protocols.databus", STREAM)
    assert dotted.stdout == run("decode", "databus", STREAM).stdout
    assert len(rows(dotted)) == len(list(databus.iter_records(STREAM.read_bytes())))


def test_an_input_is_not_written_over(capture: Path) -> None:
    before = capture.read_bytes()
    result = run("decode", "couchbase_dcp", capture, "--output", capture, status=2)
    assert "would be written over" in result.stderr
    run("encode", "couchbase_dcp", capture, "--output", capture, status=2)
    assert capture.read_bytes() == before


def test_what_is_no_spec_is_not_called_right(capture: Path) -> None:
    assert "no-spec" in run("check", capture, status=1).stderr
