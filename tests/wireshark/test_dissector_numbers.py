"""Expressions and numbers in dissectors, numbers beyond those that Lua holds exactly among them."""

import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from support import tshark
from support.cases import often
from support.invented_expressions import ABSENT, CONDITION, NUMBER, OF_ABSENT, PARAMETERS, ROWS, Row, parsed

from wireloom.codec.frames import Frame
from wireloom.codec.meanings import DoubleMeaning
from wireloom.expressions import expression as of_text
from wireloom.expressions.text import printed as as_text
from wireloom.expressions.tree import Expr
from wireloom_generator import expressions
from wireloom_generator.emitters.wireshark import lua
from wireshark.dissectors import library

pytestmark = pytest.mark.wireshark

EDGES = (0, 1, 2, 7, 255, 2**24 - 1, 2**24, 2**31, 2**32 - 1, 2**53 - 1, 2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1)
OPERATIONS = (
    "a + b", "a - b", "a * b", "a & b", "a | b", "a ^ b", "~a", "-a", "a == b", "a != b", "a < b", "a <= b", "a > b",
    "a >= b", "a in [b, 2]", "min(a, b)", "max(a, b)", "a * b + a", "(a - b) * (a - b)", "a if a < b else b",
    "a == 18446744073709551615 or b == -0x8000000000000000", "not a < b and b <= a * a",
)  # fmt: skip
LITERALS = (1, 2, 3, 10, 1000, 2**24, 2**24 + 1, 2**32, 2**40 + 5, 2**53 + 3, 2**64 - 1)
SHIFTS = (0, 1, 7, 24, 25, 31, 53, 64, 100)


def calculations() -> Iterator[tuple[str, int, int]]:
    """Expressions, and what their names stand for."""
    chance = random.Random(3)
    numbers = [sign * edge for edge in EDGES for sign in (1, -1)]
    numbers += [chance.randint(-(2**64), 2**64) for _ in range(10)]
    texts = [*OPERATIONS]
    texts += [f"a {operator} {sign}{number}" for operator in ("//", "%") for number in LITERALS for sign in ("", "-")]
    texts += [f"a {operator} {number}" for operator in ("<<", ">>") for number in SHIFTS]
    for text in texts:
        yield from ((text, a, b) for a, b in zip(numbers, chance.sample(numbers, len(numbers)), strict=True))


ASK = """
local parameters = PARAMETERS
local function ask(expression, this)
  local known, value = pcall(expression, this)
  if known then return value end
end
"""


def asked() -> list[tuple[Expr, Row]]:
    """Many expressions, each with rows to ask it of."""
    found: list[tuple[Expr, Row]] = []

    @settings(max_examples=often(60, 500), database=None)
    @given(expression=NUMBER | CONDITION, rows=ROWS)
    def note(expression: Expr, rows: list[Row]) -> None:
        found.extend((expression, row) for row in rows)

    note()
    return found


def test_asks_expressions_as_the_codec_does(tmp_path: Path) -> None:
    cases = [*asked(), *((parsed(text), row) for text in OF_ABSENT for row in ABSENT)]
    script = tmp_path / "asked.lua"
    lines = [library(), ASK.replace("PARAMETERS", _table(PARAMETERS))]
    lines += [f"print('= ' .. shown(ask({lua.render(lua.function(tree))}, {_table(row)})))" for tree, row in cases]
    script.write_text("\n".join(lines), encoding="utf-8")
    found = [line[2:] for line in tshark.printed(script, tmp_path).splitlines() if line.startswith("= ")]
    expected = [of_text(as_text(tree)).ask(row, row, Frame(PARAMETERS)) for tree, row in cases]
    wrong = [
        (as_text(case[0]), case[1], said, value)
        for case, said, value in zip(cases, found, expected, strict=True)
        if said != ("nil" if value is None else str(value).lower())
    ]
    assert wrong == []


def _table(values: Mapping[str, Any]) -> str:
    there = (f"{name} = {lua.literal(value)}" for name, value in values.items() if value is not None)
    return f"{{{', '.join(there)}}}"


def test_computes_as_python_does(tmp_path: Path) -> None:
    cases = list(calculations())
    script = tmp_path / "asked.lua"
    lines = [library()]
    for text, a, b in cases:
        asked = lua.render(lua.function(expressions.parse(text)))
        lines.append(f"print('= ' .. shown(({asked})({{a = {lua.literal(a)}, b = {lua.literal(b)}}})))")
    script.write_text("\n".join(lines), encoding="utf-8")
    found = [line[2:] for line in tshark.printed(script, tmp_path).splitlines() if line.startswith("= ")]
    expected = [eval(text, {"a": a, "b": b}) for text, a, b in cases]
    wrong = [
        (case, said, value)
        for case, said, value in zip(cases, found, expected, strict=True)
        if said != (str(value).lower() if isinstance(value, bool) else str(value))
    ]
    assert wrong == []


SCALE = """
local function scaled(value, times, plus, by)
  local meaning = {times = times, plus = plus, by = by}
  local sum = add(mul(value, times), plus)
  local number, exponent = nearest(sum, by)
  local same = is_determined(value, sum, meaning, number, exponent)
  print(string.format("= %.17g %s", number * 2.0 ^ exponent, tostring(same)))
end
"""


def test_scales_as_the_codec_does(tmp_path: Path) -> None:
    """The nearest doubles, and whether they determine their numbers."""
    chance = random.Random(8)
    scales = (("1/4294967296", "0"), ("0.1", "0"), ("-1/3", "7"), ("256", "0"), ("1e-40", "0"), ("1e20", "-0.5"))
    numbers = [sign * (chance.getrandbits(bits) | 1 << bits) for bits in range(64) for sign in (1, -1)]
    cases = [(DoubleMeaning(scale=one, offset=other), number) for one, other in scales for number in (0, *numbers)]
    script = tmp_path / "asked.lua"
    lines = [library(), SCALE]
    for meaning, number in cases:
        given = (number, meaning.times, meaning.plus, meaning.by)
        lines.append(f"scaled({', '.join(map(lua.literal, given))})")
    script.write_text("\n".join(lines), encoding="utf-8")
    found = [line[2:].split() for line in tshark.printed(script, tmp_path).splitlines() if line.startswith("= ")]
    expected = [(value, raw is None) for value, raw in (meaning.kept(number) for meaning, number in cases)]
    assert [(float(value), same == "true") for value, same in found] == expected
