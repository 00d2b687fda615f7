"""Misuse of the program: each is one sentence and status 2, and harms nothing."""

from pathlib import Path

import pytest

from cli.calls import run


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["decode", "databu", "x"], "unknown protocol 'databu'; did you mean 'databus'?"),
        (["decode", "no.such", "x"], "unknown protocol 'no.such'; there is no module 'no'"),
        (
            ["decode", "json", "x"],
            "unknown protocol 'json'; known: couchbase_dcp, databus, memcached, packets, pcap, pcapng",
        ),
        (
            ["decode", "wireloom.json_rows", "x"],
            "wireloom.json_rows is not a generated protocol: it does not define PROTOCOL",
        ),
        (
            ["decode", "databus", "-", "--byte-order", "big"],
            "byte_order is a parameter of the protocol; write -P byte_order=big",
        ),
        (
            ["encode", "databus", "--byte_order=big"],
            "byte_order is a parameter of the protocol; write -P byte_order=big",
        ),
        (
            ["inspect", "databus", "-", "--byte-order"],
            "byte_order is a parameter of the protocol; write -P byte_order=…",
        ),
        (
            ["decode", "wireloom_protocols", "-"],
            "wireloom_protocols is a package; its protocols are wireloom_protocols.couchbase_dcp, ",
        ),
        (["decode", "databus", "absent.bin"], "there is no file or directory absent.bin"),
        (["decode", "databus", "absent*.bin"], "no file matches absent*.bin"),
        (["inspect", "databus", "absent.bin"], "there is no file absent.bin"),
        (["inspect", "databus", "."], ". is a directory; name a file in it"),
        (["decode", "databus", "-", "--mode", "x"], "mode must be one of PERMISSIVE, DROPMALFORMED, FAILFAST, not 'x'"),
        (["decode", "databus", "-", "--format", "csv"], "--format must be one of jsonl, parquet, arrow, not 'csv'"),
        (["decode", "databus", "-", "--form", "jsn"], "unknown form 'jsn'; did you mean 'json'?"),
        (["decode", "couchbase_dcp", "-", "--form", "json"], "unknown form 'json'; there are none"),
        (
            ["decode", "databus", "-", "--hex", "--form", "json"],
            "--hex and --form exclude each other: a textual form is text already",
        ),
        (["decode", "databus", "-", "--message", "event"], "unknown message 'event'; did you mean 'dbus_event'?"),
        (
            ["decode", "databus", "-", "-P", "byteorder=big"],
            "unknown parameter 'byteorder'; did you mean 'byte_order'?",
        ),
        (["decode", "databus", "-", "-P", "byte_order=up"], "byte_order must be one of auto, big, little, not 'up'"),
        (["decode", "databus", "-", "-P", "byte_order"], "-P must be PARAM=VALUE, not 'byte_order'"),
        (["decode", "databus", "-", "--output", "no/such/x"], "there is no directory no/such"),
        (
            ["decode", "databus", "-", "--output", "x.parquet"],
            "x.parquet does not fit --format jsonl; write --format parquet, or another extension",
        ),
        (
            ["decode", "databus", "-", "--output", "x.ARROW", "--format", "parquet"],
            "x.ARROW does not fit --format parquet; write --format arrow, or another extension",
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
            "column dbus_event.sequence is not a struct, so it has no field low",
        ),
        (
            ["decode", "databus", "-", "--u64", "decimal"],
            "u64 is a parameter of the protocol; write -P u64=decimal",
        ),
        (["encode", "databus", "absent.jsonl"], "there is no file absent.jsonl"),
        (["encode", "databus", "-P", "repl_dbus=perhaps"], "repl_dbus must be true or false, not 'perhaps'"),
        (["check", "absent"], "there is no file or folder absent"),
        (["generate", "absent"], "there is no file or folder absent"),
        (["init", "pyspark"], "'pyspark' is a package that generated modules import; choose a more specific name"),
        (
            ["init", "My Protocol"],
            "'My Protocol' cannot be the name of a protocol; use lower-case letters, digits and _",
        ),
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


def test_a_file_that_cannot_be_read_is_status_2(tmp_path: Path) -> None:
    path = tmp_path / "loop"
    path.symlink_to(path)
    assert run("decode", "databus", path, status=2).stderr.startswith(f"wireloom: there is no file or directory {path}")


def test_init_leaves_what_is_there_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run("init", "mine")
    assert "already exists" in run("init", "mine", status=2).stderr


def test_an_input_is_not_written_over(capture: Path) -> None:
    before = capture.read_bytes()
    result = run("decode", "couchbase_dcp", capture, "--output", capture, status=2)
    assert "would be overwritten" in result.stderr
    run("encode", "couchbase_dcp", capture, "--output", capture, status=2)
    assert capture.read_bytes() == before


def test_what_is_no_spec_is_not_called_right(capture: Path) -> None:
    assert "no-spec" in run("check", capture, status=1).stderr
