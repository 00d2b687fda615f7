"""What the columnar decoder makes of worked examples, cut off and damaged in every way, is what the codec makes."""

from collections.abc import Sequence
from random import Random

import pytest
from support.cases import often
from support.lockstep import capture_alike, captures_alike, damaged, records_alike
from support.worked import every, examples, orders, pair_of


@every
def test_examples_one_behind_the_other(name: str) -> None:
    for parameters, records in examples(name):
        captures_alike(pair_of(name), b"".join(records), **parameters)
        capture_alike(pair_of(name), b"".join(records[::-1]) * 2, u64="long", **parameters)


@pytest.mark.sweep
@every
def test_examples_cut_off_anywhere(name: str) -> None:
    random = Random(name)
    for parameters, records in examples(name):
        for record in _some(records, random):
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
        for record in _some(records, random):
            many = list(damaged(record, random, often(5, 20)))
            for u64 in random.sample(("declared", "long"), often(1, 2)):
                records_alike(pair, many, [random.choice(orders(name)) for _ in many], u64=u64, **parameters)
            for message in random.sample(list(pair.codec.messages), min(often(2, 5), len(pair.codec.messages))):
                records_alike(pair, many[:10], little=orders(name)[-1], message=message, **parameters)
            for data in many[:1]:
                capture_alike(pair, record + data + record, **parameters)


def _some(records: Sequence[bytes], random: Random) -> list[bytes]:
    """Records that differ; of many only some, but all of them in ``make fuzz``."""
    found = sorted(set(records))
    return random.sample(found, min(len(found), often(5, len(found))))
