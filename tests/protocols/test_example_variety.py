"""The protocols in ``examples/protocols`` on what their usual implementations write and accept in many ways: versions,
options, absences. What such an implementation reads is not malformed, means the same, and comes back to the byte.
"""

from collections.abc import Iterator
from importlib import import_module
from itertools import islice
from random import Random

import pytest
from support.cases import often
from support.lockstep import Pair, alike_in_turn

from protocols import strangers
from protocols.expected_values import among
from wireloom.codec.captures import CaptureBuilder

EXAMPLES = tuple(name for name in strangers.NAMES if name not in strangers.SHIPPED)
each_example = pytest.mark.parametrize("name", EXAMPLES)


@each_example
def test_what_others_read_is_not_malformed(name: str) -> None:
    accepted(name, islice(varied(name, 0), 6))


@pytest.mark.sweep
@each_example
def test_much_of_what_others_read_is_not_malformed(name: str) -> None:
    for seed in range(1, often(2, 20)):
        accepted(name, islice(varied(name, seed), often(40, 200)))


@pytest.mark.sweep
@each_example
def test_both_engines_read_it_alike(name: str) -> None:
    protocol = Pair.of(strangers.protocol(name).columnar)
    captures = islice(varied(name, 1), often(4, 60))
    alike_in_turn(protocol, [(capture.data, capture.parameters) for capture in captures])


def varied(name: str, seed: int) -> Iterator[strangers.Capture]:
    """Captures of a protocol without end."""
    found: Iterator[strangers.Capture] = import_module(f"protocols.strangers.{name}").varied(Random(f"{name} {seed}"))
    return found


def accepted(name: str, captures: Iterator[strangers.Capture]) -> None:
    codec = strangers.protocol(name).codec
    for number, capture in enumerate(captures):
        place = f"{number}, {capture.name}: {capture.data[:200].hex()}"
        rows = list(codec.iter_records(capture.data, mode="PERMISSIVE", **capture.parameters))
        assert [row["_corrupt_reason"] for row in rows if row["_corrupt_reason"]] == [], place
        assert len(rows) == len(capture.rows), place
        for row, expected in zip(rows, capture.rows, strict=True):
            assert among(capture.told(row), expected) == expected, place
        assert b"".join(map(CaptureBuilder(codec, capture.parameters).build, rows)) == capture.data, place
