"""Checksums against the check values that catalogues of them give: the checksum of ``123456789``."""

import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wireloom.codec.checksums import ALGORITHMS

CHECK_VALUES = {
    "adler32": 0x091E01DE,
    "crc16_xmodem": 0x31C3,
    "crc32": 0xCBF43926,
    "crc32_zero": 0x2DFD2D88,
}


@pytest.mark.parametrize("name", ALGORITHMS)
def test_check_values(name: str) -> None:
    assert ALGORITHMS[name](b"123456789") == CHECK_VALUES[name]


def table_driven(data: bytes) -> int:
    """CRC-32 with register 0 and no final XOR, bit by bit as Databus' Java has it by table."""
    register = 0
    for byte in data:
        register ^= byte
        for _ in range(8):
            register = register >> 1 ^ (0xEDB88320 if register & 1 else 0)
    return register


@settings(derandomize=True)
@given(data=st.binary(max_size=60))
def test_crc32_zero_is_the_plain_register(data: bytes) -> None:
    assert ALGORITHMS["crc32_zero"](data) == table_driven(data)


def test_crc32_zero_does_not_see_leading_zeros() -> None:
    assert ALGORITHMS["crc32_zero"](bytes(50)) == 0
    assert zlib.crc32(bytes(50)) != 0
