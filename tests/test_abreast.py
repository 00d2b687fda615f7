"""Records followed from many places at once are those that following one by one finds."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wireloom.columnar.abreast import MANY, Abreast
from wireloom.columnar.fields import Number

KNOWN, REACH = 64, 6
PARTS = {False: (">u2", "big"), True: ("<u2", "little")}


def record(random: Random, body: bytes, *, little: bool, magic: bytes = b"\xca\xfe\xba") -> bytes:
    """Three bytes that are always the same, the size of the body in two bytes, a byte that varies, and the body."""
    return magic + len(body).to_bytes(2, PARTS[little][1]) + random.randbytes(1) + body


def one_by_one(capture: bytes, at: int, last: int, *, little: bool) -> tuple[list[int], int]:
    starts = []
    while at <= last:
        starts.append(at)
        at += REACH + int.from_bytes(capture[at + 3 : at + 5], PARTS[little][1])
    return starts, at


def abreast(capture: bytes, last: int, room: int, *, little: bool) -> tuple[list[int], int, list[int]]:
    """What is found behind the first records, where it ends, and what there is behind them."""
    starts, after = one_by_one(capture, 0, last, little=little)
    known, expected = starts[:KNOWN], [*starts[KNOWN:], after]
    follower = Abreast(Number(PARTS[little][0]), 3, REACH, REACH, little=little)
    found, after = follower.follow(np.frombuffer(capture, np.uint8), np.array(known), expected[0], last, room)
    return found.tolist(), after, expected


@given(
    st.integers(0, 2**32),
    st.booleans(),
    st.sampled_from([0, 0.002, 0.05, 0.9]),
    st.sampled_from([0, 0.0005, 0.1]),
    st.sampled_from([100, MANY, 2 * MANY]),
    st.integers(0, 60),
)
def test_what_is_found_is_what_follows(
    seed: int, little: bool, decoys: float, strange: float, room: int, torn: int
) -> None:
    random = Random(seed)

    def body() -> bytes:
        if random.random() < decoys:  # what looks like a record, but none ends where it begins
            return random.randbytes(5) + record(random, random.randbytes(9), little=little)
        return random.randbytes(random.choice([0, 3, 20, 40]))

    def made(number: int) -> bytes:
        unlike = number >= KNOWN and random.random() < strange
        return record(random, body(), little=little, magic=random.randbytes(3) if unlike else b"\xca\xfe\xba")

    capture = b"".join(map(made, range(KNOWN + MANY + MANY // 2)))
    last = len(capture) - torn - REACH
    found, after, expected = abreast(capture, last, room, little=little)
    assert found == expected[: len(found)]
    assert after == expected[len(found)]
    assert len(found) <= room


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
    records = [record(random, random.randbytes(20), little=False) for _ in range(KNOWN + 2 * MANY)]
    records[KNOWN + MANY] = b"\xca\xfe\xba\xff\xff\x00" + bytes(20)
    capture = b"".join(records)
    found, after, expected = abreast(capture, len(capture) - REACH, 2 * MANY, little=False)
    assert found == expected[: len(found)]
    assert after == expected[len(found)]
    assert MANY - 64 <= len(found) <= MANY + 1


@pytest.mark.parametrize(("size", "few"), [(20, False), (0, True)])
def test_shorter_records_behind_the_known_ones_are_found_up_to_the_room(size: int, few: bool) -> None:
    random, room = Random(4), 2 * MANY
    sizes = [40, 41] * (KNOWN // 2) + [size] * 4 * MANY
    capture = b"".join(record(random, random.randbytes(each), little=False) for each in sizes)
    found, after, expected = abreast(capture, len(capture) - REACH, room, little=False)
    assert found == expected[: len(found)]
    assert after == expected[len(found)]
    assert len(found) < MANY if few else len(found) == room
