"""A last record that lacks its terminator: the capture comes back, and rows that follow it are apart."""

from io import BytesIO
from typing import Any

import pytest
from support import compiled

from wireloom.codec import DecodeError, EncodeError
from wireloom.codec.captures import CaptureBuilder, ended
from wireloom.codec.cutting import Cutter
from wireloom.options import MAX_RECORD_BYTES

LINES = """
protocol: lines
byte_order: big
record:
  until: [{ends}]
  unterminated: allowed
  raw: line_end
  fields: [{{section: body, size: rest}}]
---
message: line
match: {{}}
sections: {{body: [{{name: text, type: text, size: rest}}]}}
"""


@pytest.fixture(scope="module")
def lines() -> Any:
    return compiled.of(LINES.format(ends='"0a"')).codec


@pytest.fixture(scope="module")
def crlf() -> Any:
    return compiled.of(LINES.format(ends='"0d0a", "0a"')).codec


def line(text: str, end: bytes | None = None) -> dict[str, Any]:
    return {"message": "line", "line_end": end, "line": {"text": text}}


def written(codec: Any, rows: list[dict[str, Any]]) -> bytes:
    builder = CaptureBuilder(codec, {})
    return b"".join(builder.build(row) for _, row in ended(codec, enumerate(rows)))


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        (b"a\nb", [("a", None), ("b", b"")]),
        (b"a\nb\n", [("a", None), ("b", None)]),
        (b"a\n\n", [("a", None), ("", None)]),
        (b"a", [("a", b"")]),
        (b"", []),
    ],
)
def test_the_last_line_may_lack_its_end(lines: Any, data: bytes, rows: list[tuple[str, bytes | None]]) -> None:
    found = list(lines.iter_records(data))
    assert [(row["line"]["text"], row["line_end"]) for row in found] == rows
    assert b"".join(map(lines.build, found)) == written(lines, found) == data


def test_half_of_a_terminator_belongs_to_the_text(crlf: Any) -> None:
    (first, last) = crlf.iter_records(b"a\nb\r")
    assert (first["line_end"], last["line_end"], last["line"]["text"]) == (b"\n", b"", "b\r")
    assert crlf.build(last) == b"b\r"


def test_what_would_be_read_otherwise_gets_its_end(lines: Any, crlf: Any) -> None:
    assert lines.build(line("", b"")) == b"\n"
    with pytest.raises(EncodeError, match="contains the terminator 0a"):
        lines.build(line("a\n", b""))
    assert crlf.build(line("a\r", b"")) == b"a\r"


def test_rows_behind_it_are_lines_of_their_own(lines: Any) -> None:
    rows = [line("a", b""), line("b", b""), line("c"), line("d", b"")]
    assert written(lines, rows) == b"a\nb\nc\nd"
    assert written(lines, rows[:3]) == b"a\nb\nc\n"


def test_rows_with_their_end_are_not_held_back(lines: Any) -> None:
    rows = iter([(0, line("a")), (1, line("b", b"")), (2, line("c"))])
    found = ended(lines, rows)
    assert next(found) == (0, line("a"))
    assert next(found) == (1, line("b"))


def test_a_capture_that_grows_waits_for_the_end(lines: Any) -> None:
    cutter = Cutter(lines.framing, {})
    assert cutter.cut(b"ab", 0, 2, final=False) is None
    assert cutter.cut(b"ab", 0, 2, final=True) == (0, 2, False, True, None, False)


def test_a_line_that_is_too_long_is_malformed(lines: Any) -> None:
    (found,) = lines.iter_records(b"abcd", "PERMISSIVE", max_record_bytes=3)
    assert found["_corrupt_reason"].startswith("too-long: record at byte 0")


def test_streams_end_with_it(lines: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = BytesIO(b"a\nb")
    assert [lines.parse_stream(stream)["line_end"] for _ in range(2)] == [None, b""]
    for module in ("protocol", "lengths"):
        monkeypatch.setattr(f"wireloom.codec.{module}.MAX_RECORD_BYTES", 3, raising=False)
    assert MAX_RECORD_BYTES > 3
    with pytest.raises(DecodeError, match="too-long"):
        lines.parse_stream(BytesIO(b"abcd\n"))
