"""Records followed from many places at once are those that following one by one finds."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wireloom.buffers import Array
from wireloom.columnar.fields import Number
from wireloom.columnar.speculative_framing import MANY, SpeculativeFraming

KNOWN, REACH = 64, 6
PARTS = {False: (">i2", "big"), True: ("<u2", "little")}
MAGICS = (b"\xca\xfe\xba", b"\xca\xfe\xbb", b"\xcb\xfe\xba")
OTHER = 0xFF
"""What selects another length at the first byte: there, records have no more than their first bytes."""


def record(random: Random, body: bytes, *, little: bool, magic: bytes = b"") -> bytes:
    """Three bytes that are few, the size of the body in two bytes, a byte that varies, and the body."""
    return (magic or random.choice(MAGICS)) + len(body).to_bytes(2, PARTS[little][1]) + random.randbytes(1) + body


def one_by_one(capture: bytes, at: int, last: int, *, little: bool) -> tuple[list[int], int]:
    """Where records start, and where the last of them ends, or stands if it has no length."""
    starts = []
    while at <= last:
        starts.append(at)
        size = int.from_bytes(capture[at + 3 : at + 5], PARTS[little][1], signed=not little)
        length = REACH + (0 if capture[at] == OTHER else size)
        if length <= 0:
            break
        at += length
    return starts, at


def abreast(capture: bytes, last: int, room: int, *, little: bool) -> tuple[list[int], int, list[int]]:
    """What is found behind the first records, where it ends, and what there is behind them."""
    starts, after = one_by_one(capture, 0, last, little=little)
    known, expected = starts[:KNOWN], [*starts[KNOWN:], after]
    follower = SpeculativeFraming(Number(PARTS[little][0]), 3, REACH, REACH, 0, np.arange(256) != OTHER, little=little)

    def singly(at: int, last: int) -> tuple[Array, int]:
        found, after = one_by_one(capture, at, last, little=little)
        return np.array(found[:100]), [*found, after][min(len(found), 100)]

    found, after = follower.follow(np.frombuffer(capture, np.uint8), np.array(known), expected[0], last, room, singly)
    return found.tolist(), after, expected


@given(
    st.integers(0, 2**32),
    st.booleans(),
    st.sampled_from([0, 0.002, 0.05, 0.9]),
    st.sampled_from([0, 0.0005, 0.1]),
    st.sampled_from([100, MANY, 2 * MANY]),
    st.integers(0, 60),
    st.sampled_from([0, 0.5]),
)
def test_what_is_found_is_what_follows(
    seed: int, little: bool, decoys: float, strange: float, room: int, torn: int, others: float
) -> None:
    random = Random(seed)

    def body() -> bytes:
        if random.random() < decoys:  # what looks like a record, but none ends where it begins
            return random.randbytes(5) + record(random, random.randbytes(9), little=little)
        return random.randbytes(random.choice([0, 3, 20, 40]))

    def made(number: int) -> bytes:
        if number >= KNOWN and random.random() < strange:
            if random.random() < others:
                return bytes((OTHER, *random.randbytes(5)))
            return record(random, body(), little=little, magic=b"\0" + random.randbytes(2))
        return record(random, body(), little=little)

    capture = b"".join(map(made, range(KNOWN + MANY + MANY // 2)))
    last = len(capture) - torn - REACH
    found, after, expected = abreast(capture, last, room, little=little)
    assert found == expected[: len(found)]
    assert after == expected[len(found)]
    assert len(found) <= room


@pytest.mark.parametrize("size", [-REACH, -100])
def test_a_record_without_a_length_ends_what_is_found(size: int) -> None:
    random = Random(5)
    records = [record(random, random.randbytes(20), little=False) for _ in range(KNOWN + 2 * MANY)]
    records[KNOWN + MANY] = MAGICS[0] + size.to_bytes(2, "big", signed=True) + bytes(21)
    capture = b"".join(records)
    found, after, expected = abreast(capture, len(capture) - REACH, 2 * MANY, little=False)
    assert found == expected[:MANY]
    assert after == expected[MANY]


def test_a_record_without_a_length_at_a_place_ends_what_is_found() -> None:
    """Places are behind each 64 records, if these have the same size."""
    random = Random(7)
    records = [record(random, bytes(20), little=False) for _ in range(KNOWN + 2 * MANY)]
    for number in range(KNOWN + 2 * MANY - 64, KNOWN + 2 * MANY):
        records[number] = MAGICS[0] + (-20).to_bytes(2, "big", signed=True) + bytes(21)
    for first in range(MANY, MANY + 64):
        some = b"".join([*records[:first], *records[-64:], *records[first:-64]])
        found, after, expected = abreast(some, len(some) - REACH, 2 * MANY, little=False)
        assert found == expected[:-2]
        assert after == expected[-1]


def test_places_that_are_wrong_end_nothing() -> None:
    """Each record has the beginning of another one in it, and most are of a kind that is not known."""
    random = Random(6)
    decoys = [record(random, bytes(20), little=False)[:REACH] for _ in range(KNOWN + 2 * MANY)]
    bodies = [random.randbytes(5) + decoy + random.randbytes(9) for decoy in decoys]
    magics = [
        random.choice(MAGICS) if number % 5 == 0 or number < KNOWN else b"\0\0\0" for number in range(len(bodies))
    ]
    capture = b"".join(
        record(random, body, little=False, magic=magic) for body, magic in zip(bodies, magics, strict=True)
    )
    found, after, expected = abreast(capture, len(capture) - REACH, 2 * MANY, little=False)
    assert found == expected[: len(found)]
    assert after == expected[len(found)]
    assert len(found) > 2 * MANY - 128


@pytest.mark.parametrize("little", [False, True])
def test_records_that_begin_alike_are_all_found_but_the_last_ones(little: bool) -> None:
    random = Random(1)
    sizes = [random.randint(0, 80) for _ in range(3 * MANY)]
    capture = b"".join(record(random, random.randbytes(size), little=little) for size in sizes)
    last = len(capture) - REACH
    found, after, expected = abreast(capture, last, len(sizes), little=little)
    assert found == expected[: len(found)]
    assert after == expected[len(found)]
    assert len(found) > len(sizes) - KNOWN - 2 * 64
    assert len(abreast(capture, last, 2 * MANY, little=little)[0]) == pytest.approx(2 * MANY, rel=0.1)


def test_records_that_begin_with_common_bytes_are_left() -> None:
    random = Random(2)
    capture = b"".join(record(random, bytes(20), little=False, magic=bytes(3)) for _ in range(2 * MANY))
    assert abreast(capture, len(capture) - REACH, 2 * MANY, little=False)[0] == []


def test_a_record_that_says_it_is_longer_than_the_capture_ends_what_is_found() -> None:
    random = Random(3)
    records = [record(random, random.randbytes(20), little=True) for _ in range(KNOWN + MANY + MANY // 2)]
    records[KNOWN + MANY] = b"\xca\xfe\xba\xff\xff\x00" + bytes(20)
    capture = b"".join(records)
    found, after, expected = abreast(capture, len(capture) - REACH, 2 * MANY, little=True)
    assert found == expected[: len(found)]
    assert after == expected[len(found)]
    assert len(found) == MANY + 1


@pytest.mark.parametrize(("size", "few"), [(20, False), (0, True)])
def test_shorter_records_behind_the_known_ones_are_found_up_to_the_room(size: int, few: bool) -> None:
    random, room = Random(4), 2 * MANY
    sizes = [40, 41] * (KNOWN // 2) + [size] * 4 * MANY
    capture = b"".join(record(random, random.randbytes(each), little=False) for each in sizes)
    found, after, expected = abreast(capture, len(capture) - REACH, room, little=False)
    assert found == expected[: len(found)]
    assert after == expected[len(found)]
    assert len(found) < MANY if few else len(found) == room
