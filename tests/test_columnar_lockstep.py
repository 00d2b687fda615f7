"""What the columnar decoder makes of worked examples, cut off and damaged in every way, is what the codec makes."""

from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import compiled
import every_type
import pytest
from lockstep import Pair, capture_alike, captures_alike, damaged, records_alike

from wireloom_generator.reading import spec
from wireloom_generator.resolve import protocol_of, resolve
from wireloom_protocols.couchbase_dcp import columnar as couchbase_dcp
from wireloom_protocols.databus import columnar as databus
from wireloom_protocols.memcached import columnar as memcached

GENERATED = {"couchbase_dcp": couchbase_dcp, "databus": databus, "memcached": memcached}
SPECS = Path(__file__).parent.parent / "specs"


@cache
def examples(name: str) -> tuple[tuple[dict[str, Any], tuple[bytes, ...]], ...]:
    """The worked examples of a feature or of a protocol of ours, by the parameters to read them with."""
    if name in GENERATED:
        (one,), _ = spec.load([SPECS / name])
        protocol = protocol_of(resolve(one))
    else:
        protocol = every_type.feature(name).protocol
    found: dict[tuple[tuple[str, Any], ...], list[bytes]] = {}
    for _, example in compiled.worked(protocol):
        found.setdefault(tuple(example.parameters.items()), []).append(example.data)
    return tuple((dict(parameters), tuple(data)) for parameters, data in found.items())


def pair_of(name: str) -> Pair:
    return Pair.of(GENERATED[name] if name in GENERATED else every_type.feature(name).columnar)


def orders(name: str) -> tuple[bool, ...]:
    """The byte orders that make a difference, as ``little``."""
    return (False, True) if pair_of(name).codec.framing.byte_order else (False,)


every = pytest.mark.parametrize("name", [*compiled.FEATURES, every_type.NAME, *GENERATED])


@every
def test_examples_one_behind_the_other(name: str) -> None:
    for parameters, records in examples(name):
        captures_alike(pair_of(name), b"".join(records), **parameters)
        capture_alike(pair_of(name), b"".join(records[::-1]) * 2, **parameters)


@pytest.mark.sweep
@every
def test_examples_cut_off_anywhere(name: str) -> None:
    for parameters, records in examples(name):
        for record in set(records):
            cut = [record[:length] for length in range(1, len(record))]
            for little in orders(name):
                records_alike(pair_of(name), [record, *cut, record + b"\0"], little=little, **parameters)
            for data in cut[:: 1 + len(record) // 2]:
                capture_alike(pair_of(name), record + data, **parameters)


@pytest.mark.sweep
@every
def test_examples_with_damage(name: str) -> None:
    random = Random(name)
    pair = pair_of(name)
    for parameters, records in examples(name):
        for record in set(records):
            many = list(damaged(record, random, 20 if name in GENERATED else 12))
            records_alike(pair, many, [random.choice(orders(name)) for _ in many], **parameters)
            for message in random.sample(list(pair.codec.messages), min(5, len(pair.codec.messages))):
                records_alike(pair, many[:10], little=orders(name)[-1], message=message, **parameters)
            for data in many[:1]:
                capture_alike(pair, record + data + record, **parameters)
