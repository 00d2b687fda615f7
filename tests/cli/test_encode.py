"""``wireloom encode``: rows become the bytes they came from, or what is wrong with one is told."""

import json
from pathlib import Path

import pytest
from support import compiled

from cli.calls import CUT_OFF, MARKER, UNKNOWN, run


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
        ('{"cas": NaN}', "line 2: NaN is not JSON; write it in quotes: "),
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


def test_only_the_last_row_lacks_its_terminator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    specs = compiled.folders(compiled.FEATURES["unterminated_record"].read_text(encoding="utf-8"), tmp_path / "specs")
    run("generate", specs, "--out", tmp_path / "of_lines")
    name, capture, table = "of_lines.unterminated_record", tmp_path / "notes", tmp_path / "notes.parquet"
    capture.write_bytes(b"N4:a\nN4:b")
    rows = run("decode", name, capture).stdout_bytes
    run("decode", name, capture, "--format", "parquet", "--output", table)
    for source in ((), (table,)):
        assert run("encode", name, *source, stdin=rows).stdout_bytes == b"N4:a\nN4:b"
        assert run("encode", name, "--hex", *source, stdin=rows).stdout == "4e343a610a\n4e343a62\n"
    assert run("encode", name, stdin=rows + rows).stdout_bytes == b"N4:a\nN4:b\nN4:a\nN4:b"
    twice = run("encode", name, "--hex", stdin=rows + rows).stdout
    assert twice == "4e343a610a\n4e343a62\n4e343a610a\n4e343a62\n"


def test_bytes_in_place_of_rows_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "capture.bin"
    path.write_bytes(b"\x00\x8d\n")
    told = run("encode", "databus", path, status=1).stderr
    expected = "not UTF-8; the input must be rows as decode prints them, or a Parquet or Arrow file"
    assert told == f"wireloom: {path}: line 1: {expected}\n"
