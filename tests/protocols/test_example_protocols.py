"""The protocols in ``examples/protocols`` and some that are shipped: what others write is read as they mean it, and
written back to the byte.
"""

from random import Random

import pytest
from support.agreement import check_outputs as check
from support.cases import often
from support.lockstep import Pair, alike_in_turn, captures_alike, damaged, records_alike

from protocols import strangers
from protocols.expected_values import among
from wireloom.codec.captures import CaptureBuilder

pytestmark = pytest.mark.sweep
each_protocol = pytest.mark.parametrize("name", strangers.NAMES)


def pair(name: str) -> Pair:
    """Both engines of a protocol."""
    return Pair.of(strangers.protocol(name).columnar)


@each_protocol
def test_the_compiler_finds_nothing_wrong(name: str) -> None:
    assert check([strangers.SPECS[name]]) == []


@each_protocol
def test_records_mean_what_the_other_implementation_says(name: str) -> None:
    for capture in strangers.captures(name):
        rows = list(pair(name).codec.iter_records(capture.data, **capture.parameters))
        assert len(rows) == len(capture.rows), capture.name
        for number, (row, expected) in enumerate(zip(rows, capture.rows, strict=True)):
            assert among(capture.told(row), expected) == expected, f"{capture.name}, record {number}"


@each_protocol
def test_records_are_written_back_to_the_byte(name: str) -> None:
    codec = pair(name).codec
    for capture in strangers.captures(name):
        rows = codec.iter_records(capture.data, **capture.parameters)
        assert b"".join(map(CaptureBuilder(codec, capture.parameters).build, rows)) == capture.data, capture.name


@each_protocol
def test_both_engines_read_the_same(name: str) -> None:
    captures = [(capture.data, capture.parameters) for capture in strangers.captures(name)]
    alike_in_turn(pair(name), captures)
    for data, parameters in captures[: often(0, len(captures))]:
        captures_alike(pair(name), data, **parameters)


@each_protocol
def test_both_engines_refuse_the_same(name: str) -> None:
    random = Random(name)
    if pair(name).codec.preamble is not None:  # its records mean nothing without it
        alike_in_turn(
            pair(name),
            [
                (data, capture.parameters)
                for capture in strangers.captures(name)[:4]
                for data in damaged(capture.data, random, often(6, 50))
            ],
        )
        return
    records = list(strangers.records(name))
    for record in random.sample(records, min(len(records), 8)):
        records_alike(pair(name), list(damaged(record, random, often(10, 50))))
