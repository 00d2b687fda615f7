"""Hostile records lead programs to no bytes but their own, nor to reasons about other bytes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import accelerator, compiled
from support.lockstep import Pair, records_alike
from support.specialised import parse_alike, reads

from wireloom.backends.numpy import backend as numpy_backend
from wireloom.backends.numpy import reader as numpy_reader
from wireloom.backends.numpy.tile import Tile
from wireloom.codec import DecodeError
from wireloom.columnar.tables import Table
from wireloom.programs import opcodes as op

_RECORD = """
protocol: hostile
byte_order: big
{types}
record:
  length: 1 + size
  fields: [{{name: size, type: u8, derive: size(body)}}, {{section: body, size: rest}}]
---
message: all
match: {{}}
sections:
  body:
"""
NESTED = (
    _RECORD.format(
        types="""
types:
  - {name: Inner, fields: [{name: has, type: bool}, {name: more, type: u8, when: has}]}
  - {name: Outer, fields: [{name: count, type: u8}, {name: inner, type: Inner, repeat: {count: count}}]}
"""
    )
    + "    - {name: outer, type: Outer, repeat: rest}\n"
)
HOLLOW = (
    _RECORD.format(
        types="""
types:
  - {name: Inner, given: [told], fields: [{name: more, type: u8, when: told == 1}]}
  - name: Outer
    fields:
      - {name: told, type: u8}
      - {name: count, type: u32}
      - {name: inner, type: Inner, with: {told: told}, repeat: {count: count}}
"""
    )
    + "    - {name: outer, type: Outer, repeat: rest}\n"
)
TOLD = (
    _RECORD.format(
        types="""
types:
  - {name: Told, fields: [{name: numbers, type: bcd, digits: 2, repeat: {count: 2}}, {name: flag, type: bool}]}
"""
    )
    + """    - {name: has, type: u8}
    - {name: told, type: Told, when: has == 1}
"""
)
DIGITS = (
    _RECORD.format(types="")
    + """    - {name: digits, type: ascii, size: 3, pad: "20", raw: digits_bytes, const: 7}
"""
)
MASKED_LIST = (
    _RECORD.format(
        types="""
types:
  - {name: Inner, fields: [{name: has, type: bool}, {name: more, type: text, prefix: u8, when: has}]}
"""
    )
    + """    - section: masked
      size: rest
      through: {xor: 0xff}
      fields: [{name: count, type: u8}, {name: inner, type: Inner, repeat: {count: count}}]
"""
)
MASKED = _RECORD.format(types="") + (
    """    - {name: inner_size, type: u8, derive: size(inner)}
    - section: inner
      size: inner_size
      through: {xor: 0xff}
      fields: [{name: a, type: u8}, {name: b, type: u8, derive: a + 1}]
    - {name: last, type: u8, derive: a * 2}
"""
)
STRUCT = (
    _RECORD.format(
        types="""
types:
  - name: Masked
    fields:
      - {name: count, type: u8, derive: size(inner)}
      - {section: inner, size: count, through: {xor: 0xff}, fields: [{name: a, type: u8}, {name: b, type: u8}]}
"""
    )
    + """    - {name: masked, type: Masked}
    - {name: place, type: u8, derive: offset(masked.b)}
"""
)
UNESCAPED = (
    _RECORD.format(
        types="""
types:
  - {name: Number, fields: [{name: size, type: u8, derive: size(number)}, {name: number, type: uint, size: size}]}
  - name: Numbers
    fields: [{name: count, type: u8, derive: count(each)}, {name: each, type: Number, repeat: {count: count}}]
"""
    )
    + """    - section: inner
      size: rest
      through: {xor: 0xff}
      fields: [{name: numbers, type: Numbers, repeat: rest}]
"""
)


def record(body: bytes) -> bytes:
    """A record with these bytes behind its size."""
    return bytes([len(body)]) + body


def flipped(octets: bytes) -> bytes:
    """The bytes with all their bits flipped."""
    return bytes(0xFF - octet for octet in octets)


def watched(load: Callable[..., None]) -> Callable[..., None]:
    """The same load, which may only be of bytes of the records, or of the zeros for rows without any."""

    def load_watched(tile: Tile, d: int, a: int, offset: int, *others: int) -> None:
        places = np.atleast_1d(tile.registers[a]) + offset
        inside = (tile.begin <= places) & (places < tile.end)
        assert (inside | (places - tile.safe == offset)).all()
        load(tile, d, a, offset, *others)

    return load_watched


@accelerator.off_and_on
def test_a_truth_value_that_is_none_leads_nowhere(accelerated: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is a byte that is neither 0 nor 1, in items that are walked through."""
    load = numpy_reader.METHODS[op.LOAD_1]
    monkeypatch.setattr(numpy_reader, "METHODS", {**numpy_reader.METHODS, op.LOAD_1: watched(load)})
    monkeypatch.setattr(numpy_backend, "METHODS", numpy_reader.METHODS)
    bodies = [
        "02 00 0105",
        "01 80",
        "02 80 07",
        "02 00 02",
        "01 0105 01 8005 01 00",
        "c8" + 200 * "80",
        "c8" + 200 * "02",
    ]
    records_alike(Pair.of(compiled.of(NESTED).columnar), [record(bytes.fromhex(each)) for each in bodies])


@accelerator.off_and_on
def test_a_truth_value_that_is_none_makes_no_item_endless(accelerated: bool) -> None:
    """As an item would be that ends in other memory than it begins in, where what is unpacked is."""
    pair = Pair.of(compiled.of(MASKED_LIST).columnar)
    for bodies in (["02 80 07", "02 0105 00"], ["02 80 00", "03 010141 00 80"], ["03 00 80 00", "02 010141 80"]):
        records_alike(pair, [record(flipped(bytes.fromhex(each))) for each in bodies])


def test_a_walk_that_gets_no_further_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Items without bytes, as many as numbers of four bytes say, in a list in another that is walked through."""
    turns: list[int] = []
    some = Tile.some

    def counted(self: Tile, rows: Any, known: Any) -> Tile:
        turns.append(len(rows))
        return some(self, rows, known)

    monkeypatch.setattr(Tile, "some", counted)
    data = record(bytes.fromhex("01 00000001 07  00 00000fff"))
    Table(Pair.of(compiled.of(HOLLOW).columnar).codec, {}).decode_columnar(data, None, "PERMISSIVE")
    assert len(turns) < 5


@accelerator.off_and_on
def test_reasons_are_of_the_byte_where_what_is_unpacked_begins(accelerated: bool) -> None:
    codec = Pair.of(compiled.of(MASKED).columnar).codec
    for inner, last, reason in (
        ("0102", "02", None),
        ("0103", "02", "derived: all.b at byte 2: 2 expected, found 3"),
        ("0102", "03", "derived: all.last at byte 4: 2 expected, found 3"),
    ):
        data = record(b"\2" + flipped(bytes.fromhex(inner)) + bytes.fromhex(last))
        table = Table(codec, {}).decode_columnar(data, ["_corrupt_reason"], "PERMISSIVE")
        assert table.column("_corrupt_reason").to_pylist() == [reason]
        if reason is not None:
            with pytest.raises(DecodeError) as raised:
                codec.parse(data)
            assert raised.value.reason == reason


@accelerator.off_and_on
def test_reasons_of_fields_do_not_hide_items_in_front_of_them(accelerated: bool) -> None:
    codec = compiled.of(TOLD).codec
    item, flag = "invalid: all.told.numbers[1] at byte 3: ", "invalid: all.told.flag at byte 4: "
    for body, begins in (("01 12aa 02", item), ("01 12aa 01", item), ("01 1234 02", flag)):
        data = record(bytes.fromhex(body))
        table = Table(codec, {}).decode_columnar(data, ["_corrupt_reason"], "PERMISSIVE")
        with pytest.raises(DecodeError) as raised:
            codec.parse(data)
        assert raised.value.reason.startswith(begins)
        assert table.column("_corrupt_reason").to_pylist() == [raised.value.reason]


@accelerator.off_and_on
def test_reasons_show_no_number_where_there_is_none(accelerated: bool) -> None:
    """Digits that are all padding are none."""
    codec = compiled.of(DIGITS).codec
    for body, found in ((b"7  ", None), (b"8  ", "8"), (b"   ", "None")):
        table = Table(codec, {}).decode_columnar(record(body), ["_corrupt_reason"], "PERMISSIVE")
        reason = found and f"constant: all.digits at byte 1: 7 expected, found {found}"
        assert table.column("_corrupt_reason").to_pylist() == [reason]


@accelerator.off_and_on
def test_places_in_what_a_struct_unpacks_count_from_there(accelerated: bool) -> None:
    pair = Pair.of(compiled.of(STRUCT).columnar)
    sound, wrong = (record(b"\2" + flipped(b"\7\x08") + place) for place in (b"\1", b"\2"))
    assert pair.codec.parse(sound)["all"]["place"] == 1
    records_alike(pair, [sound, wrong])
    table = Table(pair.codec, {}).decode_columnar(sound + wrong, ["all.place", "_corrupt_reason"], "PERMISSIVE")
    assert [each and each["place"] for each in table.column("all").to_pylist()] == [1, None]


def test_functions_of_single_records_have_zeros_behind_them_for_lists_in_lists() -> None:
    """A number of one byte has no piece of two, nor of four: these are read from zeros."""
    codec = compiled.of(UNESCAPED).codec
    data = record(flipped(bytes.fromhex("02 01 05 01 06  01 01 07")))
    for _ in range(100):
        numbers = codec.parse(data)["all"]["numbers"]
        assert [[int(one["number"]) for one in each["each"]] for each in numbers] == [[5, 6], [7]]
    assert reads(codec, data)
    parse_alike(codec, data, (False,))
