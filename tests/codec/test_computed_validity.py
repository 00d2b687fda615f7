"""Computed values that must be valid: what is said of those that are not, on decode and on encode."""

from typing import Any

import pytest
from support.compiled import feature

from wireloom.codec import DecodeError, EncodeError

CODEC = feature("compute_valid").codec


def row(**values: Any) -> dict[str, Any]:
    return {"message": "numbers", "numbers": {"items": [], **values}}


def test_a_wrong_value_is_refused_with_its_condition() -> None:
    with pytest.raises(DecodeError, match=r"invalid: numbers\.width at byte 2: width != 255 expected, found 255"):
        CODEC.parse(bytes.fromhex("01 03"))
    with pytest.raises(DecodeError, match=r"numbers\.items\[0\]\.tens at byte 3: tens < 10 expected, found 10"):
        CODEC.parse(bytes.fromhex("02 00 64"))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"code": 3}, "255 does not satisfy width != 255"),
        ({"code": 3, "width": 255}, "255 does not satisfy width != 255"),
        ({"code": 2}, "'all' does not satisfy word != 'all' or size > 3"),
        ({"code": 5}, "true does not satisfy not is_odd"),
        ({"code": 0, "items": [{"number": 100}]}, "10 does not satisfy tens < 10"),
    ],
)
def test_what_makes_it_wrong_is_not_written(values: dict[str, Any], message: str) -> None:
    with pytest.raises(EncodeError, match=message):
        CODEC.build(row(**values))


def test_an_absent_value_is_not_checked() -> None:
    assert CODEC.build(row(code=6)) == bytes.fromhex("01 06")
    assert CODEC.parse(bytes.fromhex("01 06")).numbers.width is None
