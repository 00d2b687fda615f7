"""Worked examples, written into the text of a spec."""

import math
from decimal import Decimal

import pytest

from wireloom_generator.lab.worked_example import MOST_BYTES, NoExampleError, example_of, with_example

EXAMPLE = {"name": "New", "hex": "01 02", "decoded": {"a": 1}}
MADE = "- {name: New, hex: 01 02, decoded: {a: 1}}\n"


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        ("message: m\n", f"message: m\n\nexamples:\n  {MADE}", 4),
        (
            "message: m\nexamples:\n  - {name: Old, hex: '01'} # first\n",
            f"message: m\nexamples:\n  - {{name: Old, hex: '01'}} # first\n  {MADE}",
            4,
        ),
        (
            "examples:\n- name: Old\n  hex: '01'\n\n# what follows\nmessage: m\n",
            f"examples:\n- name: Old\n  hex: '01'\n{MADE}\n# what follows\nmessage: m\n",
            4,
        ),
    ],
    ids=["none", "last", "in front"],
)
def test_an_example_is_added_behind_the_others(before: str, after: str, line: int) -> None:
    assert with_example(before, EXAMPLE) == (after, line)


def test_examples_on_one_line_are_left_alone() -> None:
    with pytest.raises(NoExampleError, match="line 2 are on one line"):
        with_example("message: m\nexamples: [{name: Old, hex: '01'}]\n", EXAMPLE)


def test_values_are_those_that_specs_have() -> None:
    row = {
        "message": "m",
        "kind": 1,
        "m": {
            "raw": b"\x01\xff",
            "price": Decimal("1.50"),
            "none": None,
            "nan": math.nan,
            "list": [1, 2],
            "flag": True,
        },
        "_corrupt_reason": None,
    }
    assert example_of("New", b"\x01", row, "m", None, {}) == {
        "name": "New",
        "hex": "01",
        "decoded": {"kind": 1, "raw": "01ff", "price": "1.50", "list": [1, 2], "flag": True},
    }


def test_a_malformed_record_is_an_example_of_its_error() -> None:
    found = example_of("New", b"\x01", {}, "m", "truncated", {"is_wide": True})
    assert found == {"name": "New", "hex": "01", "parameters": {"is_wide": True}, "malformed": "truncated"}


def test_a_long_record_is_no_example() -> None:
    with pytest.raises(NoExampleError, match="it has 4097 bytes; worked examples have at most 4096"):
        example_of("New", bytes(MOST_BYTES + 1), {}, "m", None, {})


def test_a_long_example_has_a_line_for_each_key() -> None:
    text, _ = with_example("message: m\n", {"name": "New", "hex": "01 " * 40 + "02", "decoded": {"a": 1}})
    assert "\n  - name: New\n    hex: >-\n      01 01 " in text
    assert text.endswith("\n    decoded: {a: 1}\n")
