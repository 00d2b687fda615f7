"""Where values end inside a size and at terminators: what is written and refused, and the same for many records."""

from functools import cache
from itertools import product
from random import Random

import pyarrow as pa
import pytest
from support import compiled
from support.cases import often
from support.lockstep import Pair, records_alike

from wireloom.codec import DecodeError, EncodeError

HEAD = """\
protocol: ends
byte_order: big
types:
  - {name: Pair, fields: [{name: key, type: u8}, {name: words, type: text, size: rest}]}
record:
  length: 1 + size
  fields:
    - {name: size, type: u8, derive: size(body)}
    - {section: body, size: size}
---
message: one
match: {}
sections:
  body:
    - {name: value, %s}
"""
KINDS = {
    "padded": "type: text, size: 4, pad: '20'",
    "padded in two bytes": "type: bytes, size: 5, pad: '2e2d'",
    "terminated": "type: text, size: 4, until: '00'",
    "terminated, padded otherwise": "type: text, size: 4, until: '00', pad: '20'",
    "terminated in two bytes": "type: bytes, size: 5, until: '2e2d', pad: '2d2e'",
    "kept": "type: bytes, size: 4, until: '00', terminator: keep",
    "always terminated": "type: bytes, size: 4, until: '00', unterminated: malformed",
    "always terminated and kept": "type: bytes, size: 4, until: '00', unterminated: malformed, terminator: keep",
    "a struct": "type: Pair, size: 4, until: '00'",
    "of a page": "type: text, size: 4, pad: '40', encoding: cp037",
    "open": "type: bytes, until: '00', terminator: keep, unterminated: allowed",
    "left": "type: bytes, until: '00', terminator: leave}\n    - {name: more, type: bytes, size: rest",
    "left, maybe": "type: bytes, until: '00', terminator: leave, unterminated: allowed}\n"
    "    - {name: more, type: bytes, size: rest",
    "kept beside": "type: text, size: 4, until: '00', raw: value_bytes",
    "kept beside, where it ends": "type: text, until: '00', unterminated: allowed, raw: value_bytes",
    "a size that varies": "type: u8}\n    - {name: data, type: bytes, size: value, until: '00', pad: '20'",
    "left in two bytes, maybe": "type: bytes, until: '2e2e', terminator: leave, unterminated: allowed}\n"
    "    - {name: more, type: bytes, size: rest",
    "a full size in front of half a terminator": "type: bytes, size: 3, until: '2e2e'",
    "a list that is no text in part": "type: text, size: 2, pad: '20', repeat: rest, raw: value_bytes",
    "a list": "type: text, size: 2, pad: '20', repeat: rest",
}


def protocol(kind: str) -> compiled.Compiled:
    return compiled.of(HEAD % KINDS[kind])


@cache
def records() -> list[bytes]:
    """All short records of few bytes, and some longer ones."""
    alphabet = b"\0\3 .-a\xff"
    bodies = [bytes(each) for size in range(4) for each in product(alphabet, repeat=size)]
    random = Random(5)
    bodies += [bytes(random.choices(alphabet, k=random.choice((4, 4, 5, 5, 6)))) for _ in range(often(450, 600))]
    return [bytes([len(body)]) + body for body in bodies]


@pytest.mark.sweep
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_read_is_written_as_it_was_and_many_are_read_as_one_is(kind: str) -> None:
    found = protocol(kind)
    read = 0
    for data in records():
        try:
            row = found.codec.parse(data)
        except DecodeError:
            continue
        read += 1
        assert found.codec.build(row) == data
    assert read > 20
    records_alike(Pair.of(found.columnar), records())


WRITTEN = {
    "padded": {"ab": "61622020", "": "20202020", "abcd": "61626364"},
    "padded in two bytes": {b"a": "612e2d2e2d", b"abc": "6162632e2d", b"abcde": "6162636465"},
    "terminated": {"ab": "61620000", "abcd": "61626364", "abc": "61626300"},
    "terminated, padded otherwise": {"ab": "61620020", "": "00202020"},
    "kept": {b"a\0": "61000000", b"abcd": "61626364"},
    "always terminated": {b"abc": "61626300"},
    "of a page": {"A": "c1404040"},
    "open": {b"ab": "6162", b"ab\0": "616200"},
    "kept beside, where it ends": {"ab": "616200"},
}


@pytest.mark.parametrize("kind", WRITTEN)
def test_what_is_left_out_is_filled_up(kind: str) -> None:
    found = protocol(kind)
    for value, body in WRITTEN[kind].items():
        data = bytes.fromhex(body)
        assert found.codec.build({"message": "one", "one": {"value": value}}) == bytes([len(data)]) + data


REFUSED = {
    "padded": {"ab ": "ends with its padding 20", "abcde": "4 bytes cannot hold it: it takes 5"},
    "padded in two bytes": {
        b"ab": "3 bytes behind it cannot be filled with 2e2d",
        b"a.-": "ends with its padding 2e2d",
    },
    "terminated": {"a\0b": "contains its terminator 00"},
    "kept": {b"abc": "does not end with its terminator 00", b"a\0b\0": "contains its terminator 00"},
    "always terminated": {b"abcd": "4 bytes cannot hold it: it takes 5"},
    "always terminated and kept": {b"abcd": "does not end with its terminator 00"},
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_would_be_read_otherwise_is_refused(kind: str) -> None:
    found = protocol(kind)
    for value, words in REFUSED[kind].items():
        with pytest.raises(EncodeError, match=words):
            found.codec.build({"message": "one", "one": {"value": value}})


def test_what_follows_must_begin_with_a_terminator_that_is_left_to_it() -> None:
    codec = protocol("left").codec
    assert codec.build({"message": "one", "one": {"value": b"ab", "more": b"\0c"}}) == b"\x04ab\0c"
    for more in (b"c", b""):
        with pytest.raises(EncodeError, match="what follows does not begin with its terminator 00"):
            codec.build({"message": "one", "one": {"value": b"ab", "more": more}})
    assert protocol("left, maybe").codec.build({"message": "one", "one": {"value": b"ab", "more": b""}}) == b"\x02ab"


def test_a_size_that_is_given_is_filled() -> None:
    codec = protocol("a size that varies").codec
    assert codec.build({"message": "one", "one": {"value": 5, "data": b"ab"}}) == b"\x06\x05ab\0  "
    with pytest.raises(EncodeError, match="has 3 bytes, but its size says 1"):
        codec.build({"message": "one", "one": {"value": 1, "data": b"ab"}})


def test_bytes_that_no_longer_say_the_value_are_not_written() -> None:
    codec = protocol("kept beside").codec
    row = codec.parse(b"\x04ab\0x")
    assert row["one"] == {"value": "ab", "value_bytes": b"ab\0x"}
    row["one"]["value"] = "abc"
    assert codec.build(row) == b"\x04abc\0"


@pytest.mark.parametrize("many", ["", ", repeat: {count: 1}"])
def test_bytes_that_are_kept_without_their_terminator_end_their_section(many: str) -> None:
    fields = f"type: text, until: '00', unterminated: allowed, raw: value_bytes{many}}}\n    - {{name: more, "
    value = fields + "type: u8, optional: true"
    codec = compiled.of(HEAD % value).codec
    row = codec.parse(b"\x02ab")
    assert codec.build(row) == b"\x02ab"
    row["one"]["more"] = 5
    with pytest.raises(EncodeError, match="has no terminator 00, but there are bytes behind it"):
        codec.build(row)


def test_bytes_that_are_kept_in_front_of_a_terminator_are_followed_by_it() -> None:
    value = (
        "type: text, until: '00', terminator: leave, encoding: cp932, raw: value_bytes}\n    - {name: more, type: u8"
    )
    codec = compiled.of(HEAD % value).codec
    row = codec.parse(b"\x03\x87\x90\0")
    assert row["one"]["value_bytes"] == b"\x87\x90"
    assert codec.build(row) == b"\x03\x87\x90\0"
    row["one"]["more"] = 5
    with pytest.raises(EncodeError, match="what follows does not begin with its terminator 00"):
        codec.build(row)


DIGITS = {
    "of a size": "type: ascii, size: 3, raw: value_bytes",
    "signed": "type: ascii, size: 3, sign: signed, raw: value_bytes",
    "filled": "type: ascii, size: 3, fill: '20', sign: signed, raw: value_bytes",
    "filled otherwise": "type: ascii, size: 4, fill: '2e', raw: value_bytes",
    "in base 16": "type: ascii, size: 2, base: 16, case: upper, raw: value_bytes",
    "to the end": "type: ascii, size: rest, digits: 2, raw: value_bytes",
    "terminated": "type: ascii, until: '2c', unterminated: allowed, raw: value_bytes",
    "padded": "type: ascii, size: 4, until: '2c', pad: '2e', raw: value_bytes",
    "of a byte": "type: ascii, size: 3, valid: value < 100, raw: value_bytes",
    "constant": "type: ascii, size: 2, const: 1, raw: value_bytes",
    "named": "type: ascii, size: 2, enum: Kind, raw: value_bytes",
    "terminated text": "type: text, until: '2c', unterminated: allowed, raw: value_bytes",
    "text of a page": "type: text, size: 2, encoding: cp1252, raw: value_bytes",
    "bytes of a constant": "type: text, size: 2, const: '1 ', raw: value_bytes",
}
NAMED = "enums:\n  - {name: Kind, values: [{name: One, value: 1}, {name: Ten, value: 10}]}\nrecord:"


@pytest.mark.sweep
@pytest.mark.parametrize("kind", DIGITS)
def test_what_is_kept_beside_numbers_and_texts_is_read_many_at_once(kind: str) -> None:
    found = compiled.of((HEAD % DIGITS[kind]).replace("record:", NAMED))
    both = Pair.of(found.columnar)
    bodies = [bytes(body) for size in range(often(3, 5)) for body in product(b"\0 .,-01A\x81", repeat=size)]
    random = Random(kind)
    bodies += [bytes(random.choices(b"\0 .,-01A\x81", k=random.randint(3, 4))) for _ in range(often(200, 0))]
    bodies += [bytes(random.choices(b"\0 .,-+0179aA", k=random.randint(5, 70))) for _ in range(often(100, 300))]
    records_alike(both, [bytes([len(body)]) + body for body in bodies])


def test_numbers_are_read_beside_the_bytes_that_are_kept() -> None:
    both = Pair.of(compiled.of(HEAD % DIGITS["terminated"]).columnar)
    decoder = both.decoder(both.options({}))
    capture = b"".join(bytes([len(body)]) + body for body in (b"", b"007", b" 7 ,", b"7", b"7,", b",", b"0"))
    table = pa.Table.from_batches(decoder.capture(capture))
    assert table["one"].to_pylist() == [
        {"value": value, "value_bytes": raw}
        for value, raw in ((None, b""), (7, b"007"), (7, b" 7 ,"), (7, b"7"), (7, None), (None, b","), (0, b"0"))
    ]
