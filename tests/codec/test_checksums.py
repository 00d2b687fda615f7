"""Checksums against the check values that catalogues of them give, and against other implementations."""

import binascii
import zlib
from random import Random

import fastcrc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import sums
from support.cases import often

from wireloom.codec.checksums import Crc, Rolling
from wireloom_generator.reading import catalogue


@pytest.mark.parametrize("name", catalogue.ALGORITHMS)
def test_check_values(name: str) -> None:
    assert sums.algorithm(name)(b"123456789") == sums.CHECKS[name]


OTHERS = {
    "crc32": zlib.crc32,
    "crc32c": fastcrc.crc32.iscsi,
    "adler32": zlib.adler32,
    "crc16_xmodem": lambda data: binascii.crc_hqx(data, 0),
    "crc16_ibm_3740": lambda data: binascii.crc_hqx(data, 0xFFFF),
} | {
    name: found
    for name, width, rest in ((name, *name[3:].split("_", 1)) for name in catalogue.ALGORITHMS if "_" in name)
    if (found := getattr(getattr(fastcrc, f"crc{width}", None), rest, None)) is not None
}


def test_most_are_held_against_another_implementation() -> None:
    assert len(OTHERS) > 60


@pytest.mark.parametrize("name", OTHERS)
def test_others_say_the_same(name: str) -> None:
    chance = Random(name)
    for size in (0, 1, *(chance.randint(2, 60) for _ in range(often(18, 400)))):
        data = chance.randbytes(size)
        assert sums.algorithm(name)(data) == OTHERS[name](data), data.hex()


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in sums.SOME else pytest.mark.sweep) for name in sums.CHECKS]
)
def test_registers_of_parts_are_those_of_the_whole(name: str) -> None:
    kind, chance = sums.algorithm(name), Random(name)
    for size in (0, 1, 2, *(chance.randint(3, 60) for _ in range(often(17, 400)))):
        data, at = chance.randbytes(size), chance.randint(0, size)
        if isinstance(kind, Rolling):
            first, last = data[:at], data[at:]
            behind = kind.feed(last, kind.feed(first, kind.initial))
            assert kind.final(behind) == kind(data)
            assert kind.bridge(kind.feed(first, kind.initial), 0, kind.feed(last, 0), len(last)) == behind


def bit_by_bit(crc: Crc, data: bytes) -> int:
    """A CRC as its definition has it: the remainder of the message, a bit at a time, the highest first."""
    top, register = 1 << crc.bits - 1, crc.init
    for byte in data:
        for place in range(8) if crc.reflect_in else reversed(range(8)):
            out = bool(register & top) != bool(byte >> place & 1)
            register = register << 1 & 2 * top - 1
            register ^= crc.poly if out else 0
    if crc.reflect_out:
        register = int(f"{register:0{crc.bits}b}"[::-1], 2)
    return register ^ crc.xor_out


@st.composite
def crcs(draw: st.DrawFn) -> Crc:
    bits = draw(st.integers(3, 64))
    poly, init, last = (draw(st.integers(0, (1 << bits) - 1)) for _ in range(3))
    return Crc(bits, poly | 1, init, draw(st.booleans()), draw(st.booleans()), last)


@settings(derandomize=True)
@given(crc=crcs(), data=st.binary(max_size=20))
def test_any_crc_is_the_remainder_of_its_definition(crc: Crc, data: bytes) -> None:
    assert crc(data) == bit_by_bit(crc, data)


@pytest.mark.parametrize(
    ("name", "data", "sum_"),
    [
        ("fletcher8", b"hello", 0x07),
        ("fletcher8", b"world", 0x2C),
        ("fletcher16", b"abcde", 0xC8F0),
        ("fletcher16", b"abcdef", 0x2057),
        ("fletcher16", b"abcdefgh", 0x0627),
        ("fletcher32", b"abcde", 0xF04FC729),
        ("fletcher32", b"abcdef", 0x56502D2A),
        ("fletcher32", b"abcdefgh", 0xEBE19591),
        ("adler32", b"Wikipedia", 0x11E60398),
        ("internet", bytes.fromhex("0001f203f4f5f6f7"), 0x220D),  # RFC 1071
        ("internet", bytes.fromhex("45000073000040004011c0a80001c0a800c7"), 0xB861),  # a header of IPv4
        ("internet", b"", 0xFFFF),
        ("internet", b"\xff\xff", 0),
        ("xor8", bytes.fromhex("0a0b0c"), 0x0D),
    ],
)
def test_sums_are_as_their_documents_have_them(name: str, data: bytes, sum_: int) -> None:
    assert sums.algorithm(name)(data) == sum_


def test_crc32_zero_does_not_see_leading_zeros() -> None:
    assert sums.algorithm("crc32_zero")(bytes(50)) == 0
    assert zlib.crc32(bytes(50)) != 0
