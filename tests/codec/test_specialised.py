"""What specialised functions make of single records is what the parts make of them, and the common records have one."""

from collections.abc import Sequence
from contextlib import suppress
from random import Random
from typing import Any

import pytest
from support import compiled, invented_specs, vectors
from support.cases import often
from support.lockstep import damaged
from support.specialised import afresh, build_alike, builds, changed, parse_alike, present, reads
from support.vectors import data_of
from support.worked import GENERATED, every, examples, few, orders, pair_of

from wireloom.codec import DecodeError, Protocol
from wireloom.codec import specialised as functions
from wireloom.codec.specialised import Specialised
from wireloom.options import resolve


def shared(records: Sequence[bytes], count: int) -> int:
    """How many changes there are of each record, if there are so many of each of a few."""
    return max(2, count * 6 // max(6, len(records)))


@every
def test_worked_examples_and_damage(name: str) -> None:
    random, protocol = Random(name), pair_of(name).codec
    for parameters, records in examples(name):
        for record in dict.fromkeys(records):
            parse_alike(protocol, record, orders(name), **parameters)
            for data in damaged(record, random, shared(records, often(4, 60))):
                parse_alike(protocol, data, orders(name), **parameters)
            for length in random.sample(range(len(record)), min(shared(records, 4), len(record))):
                parse_alike(protocol, record[:length], orders(name), **parameters)


@pytest.mark.sweep
@pytest.mark.parametrize("name", GENERATED)
def test_vectors_and_damage(name: str) -> None:
    random, protocol = Random(name), pair_of(name).codec
    for number, data in enumerate(records_of(name)):
        parse_alike(protocol, data, orders(name))
        for other in damaged(data, random, often(number % 3 == 0, 2)):
            parse_alike(protocol, other, orders(name))


def rows_alike(protocol: Protocol, data: bytes, random: Random, count: int, **parameters: Any) -> None:
    """See that the row of a record is written alike, and so it is with changes."""
    with suppress(DecodeError):
        row = protocol.parse(data, **parameters)
        build_alike(protocol, row, **parameters)
        build_alike(protocol, present(row), **parameters)
        for other in changed(row, random, count):
            build_alike(protocol, other, **parameters)


@every
def test_rows_of_worked_examples_and_changes(name: str) -> None:
    random, protocol = Random(name), pair_of(name).codec
    for parameters, records in examples(name):
        for record in dict.fromkeys(records):
            rows_alike(protocol, record, random, shared(records, often(5, 300)), **parameters)


@pytest.mark.sweep
@pytest.mark.parametrize("name", GENERATED)
def test_rows_of_vectors_and_changes(name: str) -> None:
    random, protocol = Random(name), pair_of(name).codec
    for data in records_of(name):
        rows_alike(protocol, data, random, often(1, 60))


@pytest.mark.parametrize("seed", range(often(12, 100)))
def test_invented_specs(seed: int) -> None:
    found = invented_specs.invented(Random(seed))
    protocol, random = found.compiled.codec, Random(seed)
    for data in found.records:
        rows_alike(protocol, data, random, often(4, 60), **found.told)
        parse_alike(protocol, data, (False, True), **found.told)
        for other in damaged(data, random, often(2, 4)):
            parse_alike(protocol, other, (False, True), **found.told)


@few
def test_what_is_said_to_have_no_function_has_none(name: str) -> None:
    protocol = pair_of(name).codec
    unread, unwritten = protocol.specialised.lacking()
    for parameters, records in examples(name):
        for data in records:
            with suppress(DecodeError):
                row = protocol.parse(data, **parameters)
                assert not (reads(protocol, data, **parameters) and row["message"] in unread)
                assert not (builds(protocol, row, **parameters) and row["message"] in unwritten)


@pytest.mark.parametrize("name", GENERATED)
def test_most_worked_examples_have_a_function(name: str) -> None:
    protocol, found = pair_of(name).codec, []
    for parameters, records in examples(name):
        for data in records:
            with suppress(DecodeError):
                row = protocol.parse(data, **parameters)
                found.append((reads(protocol, data, **parameters), builds(protocol, row, **parameters)))
    for each in zip(*found, strict=True):
        assert sum(each) > 0.9 * len(found)


def test_a_function_is_made_once_some_records_of_its_kind_were_met() -> None:
    protocol = pair_of("sections").codec
    ((parameters, (data, *_)), *_) = examples("sections")
    known, resolved = protocol.specialised, resolve(protocol.parameters, parameters)
    fresh = Specialised(known.protocol, known.dispatch, known.row, known.recorded, known.longs)
    fresh.many = 3
    rows = [fresh.read(data, resolved, little=False) for _ in range(8)]
    first = rows.index(protocol.parse(data, **parameters))
    assert 3 <= first < 7
    assert rows[:first] == [None] * first


SELECTED = """\
protocol: selected
byte_order: big
enums: [{name: Kind, values: [{name: Odd, value: 1}]}]
record:
  length: 2
  fields:
    - {name: number, type: u8}
    - {name: kind, type: u8, compute: number & 1, enum: Kind}
    - {section: body, size: rest}
---
message: odd
match: {kind: Odd}
sections: {body: [{name: data, type: u8}]}
"""


@pytest.mark.filterwarnings("error")
def test_a_message_that_a_computed_number_selects_has_a_function() -> None:
    protocol, random = compiled.of(SELECTED).codec, Random("selected")
    assert builds(protocol, protocol.parse(b"\3\7"))
    rows_alike(protocol, b"\3\7", random, 50)


def records_of(name: str) -> list[bytes]:
    """The records among the vectors of a protocol."""
    files = {
        "couchbase_dcp": ("couchbase_dcp/frames.jsonl", "couchbase_dcp/seed_frames.jsonl"),
        "databus": ("databus/vectors.jsonl",),
        "memcached": (),
    }
    rows = vectors.external(*files[name]) or vectors.committed(*files[name])
    return [data_of(row) for row in rows if "hex" in row]


def test_kinds_that_never_end_do_not_keep_others_from_a_function(monkeypatch: pytest.MonkeyPatch) -> None:
    protocol = pair_of("couchbase_dcp").codec
    (data, *_), *_ = (records for _, records in examples("couchbase_dcp"))
    monkeypatch.setattr(functions, "_KINDS", 16)
    with afresh(protocol):
        for opcode in range(0xE0, 0xF0):
            for magic in (0x80, 0x81):
                assert bytes([magic, opcode]) != data[:2]
                reads(protocol, bytes([magic, opcode]) + bytes(22))
        assert reads(protocol, data)
        assert len(protocol.specialised._met) <= 16
