"""The contract of ``build``: an error that names the field, or bytes that parse back to the row.

CutRecords for rows that are altered at random and for invented ones, of every protocol that the tests have.
"""

from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest
from attack import built, contracts
from attack.targets import NAMES, Target, parameters, target
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from language.reference_blocks import BLOCKS, documents
from support import compiled, invented
from support.cases import often
from support.lockstep import Pair

from wireloom.codec import EncodeError


@cache
def shown(number: int) -> Target:
    """The protocol of an example of the language's reference."""
    found = compiled.of(documents(BLOCKS[number]))
    examples = [example for _, example in compiled.worked(found.protocol)]
    records, pair = tuple(example.data for example in examples), Pair.of(found.columnar)
    return Target(f"example {number}", pair, records, parameters(pair, [example.parameters for example in examples]))


def attack(found: Target, usual: int, thorough: int) -> None:
    """Build altered rows of a protocol, some of them with each set of parameters."""
    random = Random(f"sweep {found.name}")
    for each_of in found.parameters:
        contracts.rows_come_back(found, each_of, random, often(max(2, usual // len(found.parameters)), thorough))


_OUTER = {"head": {"kind": 1, "length": np.array([1, 2])}, "is_long": False}
UNUSUAL: list[tuple[str, dict[str, Any]]] = [
    ("pad_of_a_size", {"spare": 10**5000, "texts": {"text": "a", "other": "b", "number": 7}}),
    ("pad_of_a_size", {"spare": -(10**5000), "texts": {"text": "a", "other": "b", "number": 7}}),
    ("paths", {"flags": {"has_note": False, "version": 1}, "one": {"outer": _OUTER, "data": b"ab"}}),
]
"""Numbers that Python does not print, and arrays, which have no truth value when they are compared."""


@pytest.mark.parametrize(("name", "row"), UNUSUAL)
def test_what_cannot_be_printed_or_compared_is_refused(name: str, row: dict[str, Any]) -> None:
    codec = target(name).pair.codec
    assert built.check(codec, row, {}) is None
    with pytest.raises(EncodeError):
        codec.build(row)


@pytest.mark.sweep
@pytest.mark.parametrize("name", NAMES)
def test_many_altered_rows_are_refused_or_come_back(name: str) -> None:
    attack(target(name), 8, 400)


@pytest.mark.sweep
@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_many_altered_rows_of_the_reference_are_refused_or_come_back(number: int) -> None:
    attack(shown(number), 6, 200)


@pytest.mark.sweep
@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@settings(derandomize=True, database=None, max_examples=often(3, 100), suppress_health_check=list(HealthCheck))
def test_invented_rows_are_refused_or_come_back(name: str, data: st.DataObject) -> None:
    invented_comes_back(target(name), data)


def invented_comes_back(found: Target, data: st.DataObject) -> None:
    """Invent a row of a protocol, and see what becomes of it."""
    codec = found.pair.codec
    shape, chosen = (
        data.draw(st.sampled_from([*invented.shapes(codec)])),
        data.draw(st.sampled_from(found.parameters)),
    )
    row: dict[str, Any] = data.draw(invented.rows(*shape, chosen))
    assert built.check(codec, row, chosen) is None
