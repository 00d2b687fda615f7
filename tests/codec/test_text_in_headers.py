"""Text at the start of a capture: where it ends, and what it says of the records behind it."""

import io
import zlib

import pytest
from support import compiled
from support.lockstep import Pair, captures_alike

from wireloom.codec import DecodeError
from wireloom.codec.captures import CaptureBuilder
from wireloom.options import OptionError


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
    with pytest.raises(OptionError, match="codec must be text, not 5"):
        codec.parse(bytes.fromhex("000161"), codec=5, writer="")
