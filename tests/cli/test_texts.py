"""Records that are read from text and written as text: hexadecimal digits, and the textual forms of a protocol."""

import pytest

from cli.calls import MARKER, STREAM, UNKNOWN, rows, run


def test_hex_may_have_white_space_and_comments() -> None:
    text = f"{MARKER.hex(' ', 4)} # a marker: 80 56\n# nothing\n\n{UNKNOWN.hex()[:7]}\n {UNKNOWN.hex()[7:]}".encode()
    assert len(rows(run("decode", "couchbase_dcp", "-", "--hex", stdin=text))) == 2


@pytest.mark.parametrize(
    ("text", "message"), [(b"80\n8x\n", "line 2 is not hex text: 'x' is no hex digit"), (b"80 5", "digits is odd")]
)
def test_text_that_is_not_hex_is_misuse(text: bytes, message: str) -> None:
    assert message in run("decode", "couchbase_dcp", "-", "--hex", stdin=text, status=2).stderr


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
