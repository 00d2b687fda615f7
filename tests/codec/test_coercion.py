"""What is a number, text, bytes or true where something is written: the same in every place, call and engine."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from support import compiled
from support.specialised import (
    VALUES,
    Bits,
    Hostile,
    Indexed,
    Letter,
    Number,
    Word,
    afresh,
    both,
    build_alike,
    builds,
    outcome,
)

from wireloom.codec import EncodeError
from wireloom.columnar.tables import Table
from wireloom.options import OptionError, Parameter

SPEC = """\
protocol: places
byte_order: big
types:
  - name: Item
    fields: [{name: inner, type: u16}]
record:
  length: rest
  fields:
    - {name: kind, type: u8}
    - {bits: u8, fields: [{name: high, width: 3}, {name: low, width: 5}]}
    - {section: body, size: rest}
---
message: all
match: {kind: [2, 3]}
sections:
  body:
    - {name: plain, type: u32, valid: plain < 4000000000}
    - {name: signed, type: i64}
    - {name: odd, type: u24}
    - bits: u16
      fields: [{name: up, width: 8}, {name: is_odd, width: 1}, {name: pair, width: 2, count: 2}, {name: down, width: 3}]
    - {name: short, type: leb128_u32}
    - {name: decimals, type: bcd, digits: 4}
    - {name: letters, type: ascii, size: 4}
    - {name: seven, type: u8, default: plain + 1}
    - {name: sum, type: u64, compute: plain + up}
    - {name: items, type: u16, repeat: {count: 2}}
    - {name: structs, type: Item, repeat: {count: 1}}
    - {name: single, type: f32}
    - {name: double, type: f64}
    - {name: floats, type: f64, repeat: {count: 1}}
    - {name: truth, type: bool}
    - {name: text, type: text, prefix: u8}
    - {name: data, type: bytes, prefix: u8}
    - {name: more, type: u8, when: plain == kind}
"""
RARE = ("pair", "decimals", "letters")
"""Fields that no function writes."""
LINED = "\n".join(
    line.replace("{name: pair, width: 2, count: 2}", "{name: rest, width: 4, default: 0}")
    for line in SPEC.splitlines()
    if not any(f"- {{name: {name}," in line for name in RARE)
)
NUMBERS = {"plain": 1, "signed": 4, "odd": 5, "up": 2, "down": 1, "short": 6, "decimals": 7, "letters": 8, "seven": 9}
OTHERS = {"single": 0.5, "double": 0.5, "floats": [0.5], "is_odd": False, "truth": False, "text": "", "data": b""}
LISTS = {"pair": [1, 2], "items": [1, 2], "structs": [{"inner": 1}]}
ROW = {"kind": 2, "high": 1, "low": 2, "all": {**NUMBERS, **OTHERS, **LISTS}}
LINED_ROW = {**ROW, "all": {name: value for name, value in ROW["all"].items() if name not in RARE}}
WHOLE_PLACES = (
    "kind",
    "high",
    "low",
    *(f"all.{name}" for name in (*NUMBERS, "sum", "pair.0", "items.1", "structs.0.inner")),
)
FLOAT_PLACES = ("all.single", "all.double", "all.floats.0")
THREE = (
    *(kind(3) for kind in (np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32, np.uint64, np.int64)),
    *(np.array(3), np.array(3, "u1"), Indexed(), *map(Decimal, ("3", "3.0", "3E+0")), type("Sub", (int,), {})(3)),
)
HALF = (
    *(kind(1.5) for kind in (np.float16, np.float32, np.float64, np.longdouble)),
    *(np.array(1.5), np.array(1.5, "f4"), Decimal("1.5"), Fraction(3, 2), type("Sub", (float,), {})(1.5)),
)
NO_NUMBER = (
    *(True, False, np.bool_(True), np.array(True), "3", b"3", Word.X, [], {}, pd.NA, pd.NaT, 1j, object(), Hostile()),
    *(np.str_("3"), np.bytes_(b"3"), np.datetime64(3, "ns"), np.timedelta64(3, "s"), np.complex64(3)),
    *(np.array([]), np.array([3]), np.array([1, 2]), np.array([None]), np.array("3")),
)
NO_WHOLE = (
    *NO_NUMBER,
    *HALF,
    3.0,
    float("nan"),
    Fraction(3, 1),
    *map(Decimal, ("NaN", "sNaN", "Infinity", "1E+999999")),
)


def with_value(row: Any, place: str, value: Any) -> Any:
    """The row with a value in that place."""
    first, _, rest = place.partition(".")
    found = list(row) if isinstance(row, list) else dict(row)
    key = int(first) if isinstance(row, list) else first
    found[key] = with_value(row[key], rest, value) if rest else value
    return found


def outcomes(place: str, value: Any) -> Any:
    """What comes of a value in a place, which is the same for the n-th call."""
    is_rare = place.removeprefix("all.").removesuffix(".0") in RARE
    protocol, row = compiled.of(SPEC if is_rare else LINED).codec, ROW if is_rare else LINED_ROW
    found, expected = both(protocol, lambda: protocol.build(with_value(row, place, value)))
    assert found == expected, (place, value)
    return expected


def test_a_row_has_a_function() -> None:
    assert builds(compiled.of(LINED).codec, LINED_ROW)


@pytest.mark.parametrize("place", WHOLE_PLACES)
def test_a_whole_number_is_what_is_an_index(place: str) -> None:
    expected = outcomes(place, 3)
    assert expected[0] == "returns"
    for value in THREE:
        assert outcomes(place, value) == expected, value


@pytest.mark.parametrize("place", WHOLE_PLACES)
def test_nothing_else_is_a_whole_number(place: str) -> None:
    name = place.replace(".0", "[0]").replace(".1", "[1]")
    for value in NO_WHOLE if place != "all.sum" else NO_NUMBER:  # a float that equals a computed number is no other one
        kind, detail, field = outcomes(place, value)
        assert (kind, field) == ("refuses", name), (value, detail)


@pytest.mark.parametrize("place", FLOAT_PLACES)
def test_a_number_is_whatever_is_real(place: str) -> None:
    for number, values in ((1.5, HALF), (3.0, (*THREE, 3, np.array(3.0)))):
        expected = outcomes(place, number)
        assert expected[0] == "returns"
        for value in values:
            assert outcomes(place, value) == expected, value


@pytest.mark.parametrize("place", FLOAT_PLACES)
def test_nothing_else_is_a_number(place: str) -> None:
    name = place.replace(".0", "[0]")
    for value in (
        *NO_NUMBER,
        Decimal("1E+400"),
        Decimal("-1E+999999"),
        10**400,
        Fraction(10**400),
        np.longdouble("1e4000"),
    ):
        kind, detail, field = outcomes(place, value)
        assert (kind, field) == ("refuses", name), (value, detail)


def test_numbers_at_the_ends_of_floats_are_those_numbers() -> None:
    for value, bits in (
        (Decimal("-0"), "8000000000000000"),
        (np.float32("-0"), "8000000000000000"),
        (Decimal("-Infinity"), "fff0000000000000"),
        (Decimal("1E-400"), "0000000000000000"),
        (Decimal("0.1"), "3fb999999999999a"),
    ):
        kind, (_, data) = outcomes("all.double", value)
        assert (kind, bits in data.hex()) == ("returns", True), value
    assert outcomes("all.signed", Decimal("-0")) == outcomes("all.signed", 0)
    for value in (Decimal("NaN"), Decimal("sNaN"), np.float64("nan")):
        assert outcomes("all.double", value) == outcomes("all.double", float("nan"))


@pytest.mark.parametrize(
    ("place", "value", "same"),
    [
        ("all.truth", True, (np.bool_(True), np.array(True))),
        ("all.is_odd", True, (np.bool_(True), np.array(True), 1, np.uint8(1))),
        ("all.text", "x", (Word.X, Letter.X, np.str_("x"), type("Sub", (str,), {})("x"))),
        (
            "all.data",
            b"xz",
            (bytearray(b"xz"), memoryview(b"xyz")[::2], np.bytes_(b"xz"), type("Sub", (bytes,), {})(b"xz")),
        ),
        ("all.items", [1, 2], ((1, 2), [np.uint8(1), Number.TWO], (Bits.ONE, Decimal(2)))),
    ],
)
def test_truth_text_bytes_and_lists_are_what_means_them(place: str, value: Any, same: tuple[Any, ...]) -> None:
    for each in same:
        assert outcomes(place, each) == outcomes(place, value), each


@pytest.mark.parametrize(
    "place", ["all.truth", "all.is_odd", "all.text", "all.data", "all.items", "all.structs", "message", "all"]
)
def test_what_no_column_has_is_an_error_that_names_it(place: str) -> None:
    for value in (
        object(),
        Hostile(),
        pd.NA,
        1j,
        np.array([]),
        np.array([True, False]),
        np.zeros((2, 2)),
        {1},
        range(2),
        int,
    ):
        kind, detail, field = outcomes(place, value)
        assert (kind, field) == ("refuses", place), (value, detail)


@pytest.mark.parametrize(
    ("kind", "match", "plain"),
    [
        ("type: u64", "[2, 3]", 2),
        ("type: bool", "[true]", True),
        ("type: text, size: 2", "[ab, cd]", "ab"),
        ("type: bytes, size: 2", '["cafe", "beef"]', b"\xca\xfe"),
        ("type: u8", "[{from: 2, to: 9}]", 2),
        ("type: u8, enum: Kind", "[Two]", 2),
    ],
)
def test_nothing_that_selects_a_message_becomes_source(kind: str, match: str, plain: Any) -> None:
    """However a row looks for which a function is written, that serves those after it."""
    text = f"""\
protocol: selected
byte_order: big
enums: [{{name: Kind, values: [{{name: Two, value: 2}}]}}]
record:
  length: rest
  fields: [{{name: kind, {kind}}}, {{section: body, size: rest}}]
---
message: all
match: {{kind: {match}}}
sections: {{body: [{{name: number, type: u16}}, {{name: more, type: u8, when: number == 9 and present(kind)}}]}}
"""
    protocol = compiled.of(text.replace("enums:", "enums:" if "enum" in kind else "# enums:")).codec
    sound = {"kind": plain, "all": {"number": 7}}
    expected = protocol.build(sound)
    like = {int: (*THREE[:8], *map(Decimal, ("2", "2.0")), np.int64(2), Number.TWO), str: (type(Word.X)("x"),)}
    for number, value in enumerate((*VALUES, *like.get(type(plain), ())), len(kind)):
        row = {"kind": value, "all": {"number": 7}}
        with afresh(protocol):
            for each in (row, sound, row) if number % 2 else (sound, row, sound):
                build_alike(protocol, each)
    assert protocol.build(sound) == expected


MANY = 40
"""More rows than it takes to have a function made for them."""
COLUMNS = (
    *(pa.array([3] * MANY, kind) for kind in (pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32())),
    *(pa.array([3] * MANY, kind) for kind in (pa.int64(), pa.uint64(), pa.float32(), pa.float64())),
    *(
        pa.array([Decimal(3)] * MANY, kind)
        for kind in (pa.decimal128(20, 0), pa.decimal128(5, 2), pa.decimal256(40, 0))
    ),
    *(pa.array([True] * MANY), pa.array(["3"] * MANY), pa.array([b"3"] * MANY), pa.array([None] * MANY)),
    *(
        pa.array([Decimal("3.5")] * MANY, pa.decimal128(5, 2)),
        pa.array([3.5] * MANY),
        pa.array([3] * MANY).dictionary_encode(),
    ),
)


@pytest.mark.parametrize(
    "place",
    [
        "all.plain",
        *(pytest.param(name, marks=pytest.mark.sweep) for name in ("kind", "low", "all.seven", "all.short")),
        *(pytest.param(name, marks=pytest.mark.sweep) for name in ("all.double", "all.truth")),
    ],
)
def test_tables_are_written_as_their_rows_are(place: str) -> None:
    """Whatever type a column has: the row is what is written, or what is refused."""
    protocol = compiled.of(SPEC).codec
    table = Table(protocol, {})
    rows = table.decode_columnar(protocol.build(ROW)).take(pa.array([0] * MANY))
    struct = rows.column("all").combine_chunks()
    for column in COLUMNS:
        if place.startswith("all."):
            names = [field.name for field in struct.type]
            inner = [column if f"all.{name}" == place else struct.field(name) for name in names]
            changed = rows.set_column(
                rows.schema.get_field_index("all"), "all", pa.StructArray.from_arrays(inner, names)
            )
        else:
            changed = rows.set_column(rows.schema.get_field_index(place), place, column)
        row = changed.slice(0, 1).to_pylist()[0]
        with afresh(protocol):
            expected = outcome(lambda row=row: [protocol.build(row)] * MANY)  # type: ignore[misc]
            found = outcome(lambda changed=changed: table.encode_records(changed).to_pylist())  # type: ignore[misc]
        assert found == expected, (place, column.type)


@pytest.mark.parametrize(
    ("fields", "value", "more", "data"),
    [
        # 0.1 is between two numbers of 24 bits, and read as the larger one; 2048.4 is read as 2048.0
        ("- {name: x, type: f32}\n    - {name: more, type: u8, when: x == 0.1}", 0.1, None, "3dcccccd"),
        ("- {name: x, type: f32}\n    - {name: more, type: u8, when: x > 0.1}", 0.1, 7, "3dcccccd07"),
        ("- {name: x, type: f16}\n    - {name: more, type: u8, when: x > 2048}", 2048.4, None, "6800"),
        (
            "- {name: x, type: f32, repeat: {count: 1}}\n    - {name: more, type: u8, when: first(x) > 0.1}",
            [0.1],
            7,
            "3dcccccd07",
        ),
        ("- {name: x, type: f64}\n    - {name: more, type: u8, when: x == 0.1}", 0.1, 7, "3fb999999999999a07"),
    ],
)
def test_conditions_see_the_float_that_is_written(fields: str, value: Any, more: int | None, data: str) -> None:
    protocol = compiled.of(f"""\
protocol: floats
byte_order: big
record:
  length: rest
  fields: [{{section: body, size: rest}}]
---
message: all
match: {{}}
sections:
  body:
    {fields}
""").codec
    for given in (value, Decimal(str(value)) if isinstance(value, float) else [np.float64(value[0])]):
        for others, expected in (({"more": more}, "returns"), ({"more": None if more else 7}, "refuses")):
            row = {"all": {"x": given, **others}}
            found, by_parts = both(protocol, lambda row=row: protocol.build(row))  # type: ignore[misc]
            assert found == by_parts
            assert found[0] == expected, (given, others)
    assert protocol.build({"all": {"x": value, "more": more}}).hex() == data
    assert protocol.parse(bytes.fromhex(data))["all"]["more"] == more


def test_parameters_are_what_other_numbers_are() -> None:
    number = Parameter("count", default=0, bounds=(0, 9))
    for value in (*THREE, "3", "0x3"):
        assert repr(number.value_of(value)) == "3"
    choice, text, truth = Parameter("a", choices=("x", "y")), Parameter("b", text=True), Parameter("c")
    for value in (Word.X, Letter.X, np.str_("x")):
        assert (choice.value_of(value), text.value_of(value)) == ("x", "x")
    assert truth.value_of(np.bool_(True)) is True
    for parameter in (number, choice, text, truth):
        for value in (10**5000, Hostile(), np.array([1, 2]), pd.NA, object(), 1j, [], np.array([])):
            with pytest.raises(OptionError):
                parameter.value_of(value)


def test_an_error_about_a_section_names_a_column_that_is_there() -> None:
    text = """\
protocol: whole
byte_order: big
record:
  length: 4
  fields: [{name: kind, type: u8}, {section: body, size: 3, trailing: body_left}]
---
message: rest
match: {kind: 1}
sections: {body: [{name: data, type: bytes, size: rest}]}
---
message: some
match: {kind: 2}
sections: {body: [{name: data, type: bytes, size: 2}]}
"""
    protocol = compiled.of(text).codec
    with pytest.raises(EncodeError, match=r"^rest\.data: body has 2 bytes, but its size says 3$"):
        protocol.build({"rest": {"data": b"ab"}})
    with pytest.raises(EncodeError, match=r"^some\.body_left: body has 2 bytes, but its size says 3$"):
        protocol.build({"some": {"data": b"ab"}})
    assert protocol.build({"some": {"data": b"ab", "body_left": b"c"}}) == b"\2abc"
