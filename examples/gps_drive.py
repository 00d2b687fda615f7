"""A receiver's messages of five seconds, for the front page: UBX-NAV-POSLLH, one of them damaged.

They are packed here by hand, so that what the spec of UBX makes of them was not written with it.
"""

import struct
from collections.abc import Iterator

_PAYLOAD = struct.Struct("<IiiiiII")
_CLASS_AND_ID = b"\x01\x02"
_MONDAY_NINE = (24 + 9) * 3_600_000
"""09:00 on Monday in milliseconds since the week began."""


def make() -> bytes:
    """Five positions on a road, a second apart. A bit of the third one's latitude is flipped."""
    data = bytearray().join(_position(second) for second in range(5))
    data[2 * len(_position(0)) + 14] ^= 0x10
    return bytes(data)


def _position(second: int) -> bytes:
    longitude, latitude, height = 85_417_100 + 1842 * second, 473_768_600 + 967 * second, 455_210 + 120 * second
    payload = _PAYLOAD.pack(_MONDAY_NINE + 1000 * second, longitude, latitude, height, height - 47_800, 2100, 3400)
    body = _CLASS_AND_ID + len(payload).to_bytes(2, "little") + payload
    return b"\xb5\x62" + body + bytes(_checksum(body))


def _checksum(data: bytes) -> Iterator[int]:
    """The two sums of Fletcher's checksum."""
    first = second = 0
    for byte in data:
        first = (first + byte) & 0xFF
        second = (second + first) & 0xFF
    yield from (first, second)
