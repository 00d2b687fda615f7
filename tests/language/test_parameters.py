"""Parameters that are whole numbers: what readers may give for them, in words and in Python."""

import pytest
from support import compiled
from support.lockstep import Pair, capture_alike

from wireloom.options import OptionError, Parameter, ReadOptions, resolve

WIDTH = Parameter("width", 4, bounds=(-2, 300))


@pytest.mark.parametrize(
    ("given", "meant"), [(300, 300), (-2, -2), ("0x10", 16), ("-1", -1), (" 7 ", 7), ("0b11", 3), ("0", 0)]
)
def test_a_number_is_given_as_it_is_or_in_words(given: object, meant: int) -> None:
    assert resolve([WIDTH], {"width": given}) == {"width": meant}
    assert ReadOptions.of({"WIDTH": given}, [WIDTH], []).parameters == {"width": meant}


@pytest.mark.parametrize("given", [301, -3, "301", "four", "", "1.0", 1.0, True, "true", None, "9" * 5000, "0x"])
def test_what_is_no_such_number_is_refused(given: object) -> None:
    with pytest.raises(OptionError, match=r"^width must be a whole number from -2 to 300, not "):
        resolve([WIDTH], {"width": given})


def test_it_has_a_default() -> None:
    assert resolve([WIDTH], {}) == {"width": 4}


def test_its_value_can_be_a_column_which_encoding_takes_it_from() -> None:
    found = compiled.of("""
protocol: sized
byte_order: big
parameters:
  - {name: width, type: u8, default: 1, column: true}
  - {name: salt, type: u64, default: 0, column: true}
record:
  length: width
  fields: [{section: body, size: rest}]
---
message: one
match: {}
sections:
  body: [{name: data, type: bytes, size: rest}, {name: salted, type: bool, compute: salt != 0}]
""")
    given = {"width": 3, "salt": (1 << 64) - 1}
    row = found.codec.parse(b"abc", **given)
    assert (row["width"], row["salt"], row["one"]) == (3, (1 << 64) - 1, {"data": b"abc", "salted": True})
    assert found.codec.build(row) == b"abc"
    assert [str(column.type) for column in found.codec.header] == ["long", "decimal(20,0)"]
    capture_alike(Pair.of(found.columnar), b"abcdef", **given)
