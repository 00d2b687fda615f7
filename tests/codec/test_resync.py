"""Damage costs no record but those it touches, where a checksum over the whole record proves it."""

import struct
from binascii import crc_hqx
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import accelerator, sums
from support.lockstep import capture_alike

from codec.proven_frames import FRAME, HALVES, PACKETS, UNSUMMED, frame, pair
from wireloom.codec.checksums import Crc, Rolling, Sums
from wireloom.columnar.prefix_checksums import PrefixChecksums


def test_a_record_that_a_checksum_proves_is_no_guess() -> None:
    capture = frame(1) + b"junk" + frame(2)
    for how in ("chain", "proof"):
        rows = list(pair(FRAME).codec.iter_records(capture, "PERMISSIVE", resync=how))
        assert [row["reading"] and row["reading"]["sensor_id"] for row in rows] == [1, None, 2]
        assert "guess" not in rows[1]["_corrupt_reason"]


def packet(payload: bytes) -> bytes:
    summed = struct.pack("<BBH", 1, 7, len(payload)) + payload
    return b"\xb5\x62" + summed + struct.pack("<H", crc_hqx(summed, 0))


def test_a_damaged_length_costs_one_record_of_forty() -> None:
    frames = [frame(number) for number in range(40)]
    for byte in (3, 4):
        for damage in (0x00, 0x01, 0x7F, 0xFF):
            damaged = bytearray(frames[5])
            damaged[byte] ^= damage or 0x10
            capture = b"".join([*frames[:5], bytes(damaged), *frames[6:]])
            found = capture_alike(pair(FRAME), capture)
            numbers = [row["sensor_id"] for row, bad in told(found, "reading") if not bad]
            assert numbers == [number for number in range(40) if number != 5]


def told(table: object, message: str) -> list[tuple[dict[str, object], bool]]:
    rows = table.to_pylist()  # type: ignore[attr-defined]
    return [(row[message], row["_corrupt_reason"] is not None) for row in rows]


def test_a_damaged_length_costs_one_packet_of_forty_nine() -> None:
    packets = [packet(bytes([number]) * (20 + number)) for number in range(49)]
    damaged = bytearray(packets[3])
    damaged[5] ^= 0x40
    found = capture_alike(pair(PACKETS), b"".join([*packets[:3], bytes(damaged), *packets[4:]]))
    assert sum(not bad for _, bad in told(found, "position")) == 48


def test_a_stray_preamble_costs_no_packet_of_439() -> None:
    chance = Random(7)
    packets = [packet(chance.randbytes(chance.randint(0, 60))) for _ in range(439)]
    packets.insert(200, b"\xb5\x62")
    found = capture_alike(pair(PACKETS), b"".join(packets))
    assert sum(not bad for _, bad in told(found, "position")) == 439


@given(
    places=st.lists(st.text(max_size=12), min_size=1, max_size=12),
    damage=st.binary(max_size=40),
    ends=st.tuples(st.integers(0, 400), st.integers(0, 60)),
)
def test_damage_loses_no_record_that_lies_outside_it(places: list[str], damage: bytes, ends: tuple[int, int]) -> None:
    frames = [frame(number, place) for number, place in enumerate(places)]
    capture = b"".join(frames)
    first, last = min(ends[0], len(capture)), min(sum(ends), len(capture))
    starts = [sum(map(len, frames[:number])) for number in range(len(frames))]
    kept = [
        number
        for number, (start, data) in enumerate(zip(starts, frames, strict=True))
        if start + len(data) <= first or start >= last
    ]
    found = capture_alike(pair(FRAME), capture[:first] + damage + capture[last:])
    numbers = [row["sensor_id"] for row, bad in told(found, "reading") if not bad]
    assert [number for number in numbers if number in kept] == kept


def test_a_bit_that_all_records_have_says_nothing_of_the_rest_of_its_byte() -> None:
    """Each record begins with a number below 128; those of one kind with 1, of the other with 2."""
    found = capture_alike(pair(HALVES), bytes.fromhex("01aa" + "ffffff" + "02aabb" + "ff" + "01bb"))
    assert found["message"].to_pylist() == ["short", None, "long", None, "short"]


def test_a_record_that_runs_past_the_end_does_not_hide_those_inside_it() -> None:
    frames = [pair(UNSUMMED).codec.build({"kind": 1, "reading": {"sensor_id": n, "place": "attic"}}) for n in range(9)]
    damaged = bytearray(frames[4])
    damaged[3] = 0x40
    found = capture_alike(pair(UNSUMMED), b"".join([*frames[:4], bytes(damaged), *frames[5:]]))
    assert [bad for _, bad in told(found, "reading")] == [False] * 4 + [True] + [False] * 4
    assert found["_corrupt_record"].to_pylist()[4] == bytes(damaged)


def test_a_record_cut_off_at_the_end_stays_one_row() -> None:
    whole = pair(UNSUMMED).codec.build({"kind": 1, "reading": {"sensor_id": 1, "place": "attic"}})
    found = capture_alike(pair(UNSUMMED), whole + whole[:-2])
    assert found["_corrupt_reason"].to_pylist()[1].startswith(f"truncated: record at byte {len(whole)}")


def test_a_record_whose_checksum_is_behind_the_end_is_not_proven() -> None:
    found = capture_alike(pair(FRAME), frame(1) + frame(2)[:-1])
    assert found["_corrupt_reason"].to_pylist()[1].startswith("truncated: ")
    assert found["_corrupt_record"].to_pylist()[1] == frame(2)[:-1]


@pytest.mark.parametrize("algorithm", [name for name in sums.SOME if isinstance(sums.algorithm(name), Rolling)])
def test_every_checksum_at_the_end_proves_a_record(algorithm: str) -> None:
    frames = [frame(1, algorithm=algorithm), b"WL\1", frame(2, "x" * 300, algorithm)]
    found = capture_alike(pair(FRAME, algorithm), b"".join(frames))
    assert [reason is None for reason in found["_corrupt_reason"].to_pylist()] == [True, False, True]


def test_a_checksum_of_packets_proves_them() -> None:
    found = capture_alike(pair(PACKETS), b"".join([packet(b"a"), b"\xb5\x62\0", packet(b"b" * 300)]))
    assert [reason is None for reason in found["_corrupt_reason"].to_pylist()] == [True, False, True]


@pytest.mark.sweep
@pytest.mark.parametrize("name", sums.SOME)
def test_sums_of_ranges_that_overlap_are_those_of_each(name: str) -> None:
    chance, data = Random(3), Random(4).randbytes(30_000)
    ranges = sorted(sorted((chance.randrange(30_000), chance.randrange(30_000))) for _ in range(10))
    kept, algorithm = Sums(), sums.algorithm(name)
    for first, last in ranges:
        base = first // 2  # what stands before it is gone
        assert kept.of(algorithm, data[base:], first - base, last - base, base) == algorithm(data[first:last])


@pytest.mark.parametrize("name", sums.SOME)
@accelerator.off_and_on
def test_sums_of_many_ranges_at_once_are_those_of_each(name: str, accelerated: bool) -> None:
    chance, data = Random(3), Random(4).randbytes(20_000)
    running, buffer, algorithm = PrefixChecksums(), np.frombuffer(data, np.uint8), sums.algorithm(name)
    for most, count in ((1_000, 40), (8_000, 20), (200, 40)):
        ranges = [sorted((chance.randrange(most), chance.randrange(most))) for _ in range(count)]
        start, stop = (np.array([each[i] for each in ranges], np.int64) for i in (0, 1))
        expected = [algorithm(data[a:b]) for a, b in ranges]
        assert running.of(algorithm, buffer, start, stop).tolist() == expected


@pytest.mark.parametrize("name", [name for name in sums.SOME if isinstance(sums.algorithm(name), Crc)])
@accelerator.off_and_on
def test_crcs_at_every_place_are_those_of_each(name: str, accelerated: bool) -> None:
    data, crc = Random(4).randbytes(3_000), sums.algorithm(name)
    assert isinstance(crc, Crc)
    for size in (1, 9, 300):
        found = PrefixChecksums().everywhere(crc, np.frombuffer(data, np.uint8), 100, 500, size)
        assert found.tolist() == [crc(data[at : at + size]) for at in range(100, 600)]
