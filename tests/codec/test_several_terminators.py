"""Records and values that end with one of several terminators: which one it was comes back."""

from typing import Any

import pytest
from support import compiled

from wireloom.codec import DecodeError, EncodeError

LINES = """
protocol: lines
byte_order: big
record:
  until: ["0a", "0d0a"]
  raw: line_end
  fields:
    - {section: body, size: rest}
---
message: line
match: {}
sections: {body: [{name: text, type: text, size: rest}]}
"""
VALUES = """
protocol: values
byte_order: big
record: {length: rest, fields: [{section: body, size: rest}]}
---
message: only
match: {}
sections:
  body:
    - {name: dropped, type: bytes, until: ["0a", "0d0a"], raw: dropped_bytes}
    - {name: kept, type: bytes, until: ["0d0a", "0a"], terminator: keep}
    - {name: wide, type: text, encoding: utf-16-le, until: ["0d000a00", "0a00"], raw: wide_bytes}
"""


def codec(text: str) -> Any:
    return compiled.of(text).codec


def test_each_line_has_its_own_end() -> None:
    data = b"a\nb\r\n\nc\rd\r\r\n"
    rows = list(codec(LINES).iter_records(data))
    assert [(row["line"]["text"], row["line_end"]) for row in rows] == [
        ("a", None), ("b", b"\r\n"), ("", None), ("c\rd\r", b"\r\n"),
    ]  # fmt: skip
    assert b"".join(map(codec(LINES).build, rows)) == data


def test_a_line_without_an_end_is_malformed() -> None:
    (good, bad) = codec(LINES).iter_records(b"a\r\nb\r", "PERMISSIVE")
    assert good["line_end"] == b"\r\n"
    assert bad["_corrupt_reason"] == "unterminated: record at byte 3: no terminator 0a or 0d0a"


@pytest.mark.parametrize(
    ("text", "end", "data"),
    [
        ("a", None, b"a\n"),
        ("a", b"\n", b"a\n"),
        ("a", b"\r\n", b"a\r\n"),
        ("a", b"\0", b"a\n"),
        ("a\r", b"\r\n", b"a\r\r\n"),
    ],
)
def test_a_line_is_written_with_the_end_that_it_had_if_that_is_one(text: str, end: bytes | None, data: bytes) -> None:
    assert codec(LINES).build({"line": {"text": text}, "line_end": end}) == data


@pytest.mark.parametrize(
    ("text", "why"), [("a\r", "part of its terminator 0a"), ("a\nb", "line.text: contains the terminator 0a")]
)
def test_what_would_be_read_otherwise_is_refused(text: str, why: str) -> None:
    with pytest.raises(EncodeError, match=why):
        codec(LINES).build({"line": {"text": text}})


def row(dropped: bytes, kept: bytes, wide: str, **raw: bytes | None) -> dict[str, Any]:
    raws = {"dropped_bytes": None, "wide_bytes": None} | raw
    return {"message": "only", "only": {"dropped": dropped, "kept": kept, "wide": wide} | raws}


@pytest.mark.parametrize(
    ("data", "values"),
    [
        (b"x\ny\r\nz\0\r\0\n\0", row(b"x", b"y\r\n", "z")),
        (b"x\r\ny\nz\0\n\0", row(b"x", b"y\n", "z", dropped_bytes=b"x\r\n", wide_bytes=b"z\0\n\0")),
        (b"\r\n\n\0\n\n\0", row(b"", b"\n", "\u0a00", dropped_bytes=b"\r\n", wide_bytes=b"\0\n\n\0")),
    ],
)
def test_values_come_back_with_their_ends(data: bytes, values: dict[str, Any]) -> None:
    found = codec(VALUES).parse(data)
    assert {name: found["only"][name] for name in values["only"]} == values["only"]
    assert codec(VALUES).build(values) == data


def test_kept_bytes_that_mean_something_else_are_not_written() -> None:
    built = codec(VALUES).build(row(b"x", b"\n", "z", dropped_bytes=b"w\r\n"))
    assert built == b"x\n\nz\0\r\0\n\0"


@pytest.mark.parametrize(
    ("values", "why"),
    [
        (row(b"x\r", b"\n", ""), "contains its terminator 0a or 0d0a"),
        (row(b"x", b"y", ""), "does not end with its terminator 0d0a or 0a"),
        (row(b"x", b"y\nz\n", ""), "contains its terminator 0d0a or 0a"),
    ],
)
def test_values_that_would_end_elsewhere_are_refused(values: dict[str, Any], why: str) -> None:
    with pytest.raises(EncodeError, match=why):
        codec(VALUES).build(values)


def test_a_value_without_an_end_is_malformed() -> None:
    with pytest.raises(DecodeError, match=r"unterminated: only\.dropped at byte 0: no terminator 0a or 0d0a"):
        codec(VALUES).parse(b"x\r")
