"""Messages of GDL 90: one of its document, and frames that Eric Dey's gdl90 has written for the values beside them."""

import struct
from collections.abc import Iterator, Mapping
from datetime import timedelta
from random import Random
from typing import Any

from protocols.strangers import Capture

FRAMES: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("7e 008101100e0001007d5e 7e", {"heartbeat": {"time": timedelta(hours=1), "basic_and_long": 1}}),
    ("7e 008101907d5e00020c1b 7e", {"heartbeat": {"time": timedelta(hours=9), "basic_and_long": 2}}),
    ("7e 0081817f51000451f5 7e", {"heartbeat": {"time": timedelta(seconds=86399), "basic_and_long": 4}}),
    ("7e 008141dbd00802b38b 7e", {"heartbeat": {"time_low": 53467, "uplinks": 1, "basic_and_long": 2}}),
    (
        "7e 0a01beef0117be76b5aae5035b880e10005b014e3132334d45202000b3e0 7e",
        {
            "ownship_report": {
                "address_type": 1,
                "address": 0xBEEF01,
                "altitude": 325,
                "track_type": 3,
                "is_airborne": True,
                "integrity": 8,
                "accuracy": 8,
                "horizontal_velocity": 225,
                "climb_rate": 0,
                "track": 127.96875,
                "emitter_category": 1,
                "call_sign": "N123ME",
                "emergency": 0,
            }
        },
    ),
    (
        "7e 14007d5d7d5e7d5de7e4b26b851e0ec988136ff68b01424e4454302020200019fc 7e",
        {
            "traffic_report": {
                "traffic_alert": 0,
                "address": 0x7D7E7D,
                "altitude": 4900,
                "track_type": 1,
                "horizontal_velocity": 310,
                "climb_rate": -640,
                "track": 195.46875,
                "call_sign": "BNDT0",
            }
        },
    ),
    (
        "7e 1410b33b8915c21ab9f484ffe988fff800980120202020202020202082c6 7e",
        {
            "traffic_report": {
                "traffic_alert": 1,
                "address": 0xB33B89,
                "latitude": 30.597481727600098,
                "longitude": -98.50058555603027,
                "altitude": 101350,
                "horizontal_velocity": 4095,
                "climb_rate": None,
                "track": 213.75,
                "call_sign": "",
                "emergency": 2,
            }
        },
    ),
    ("7e 0b029400329c55 7e", {"unknown": {"body": bytes.fromhex("02940032")}}),
)
"""The fourth is of the document, the others of that program, which rounds places and tracks down."""


def captures() -> Iterator[Capture]:
    """The frames, each with its own flags, and with one flag between two of them."""
    frames = [bytes.fromhex(frame) for frame, _ in FRAMES]
    rows = tuple({"message": next(iter(row)), **row} for _, row in FRAMES)
    yield Capture("frames", b"".join(frames), rows)
    yield Capture("shared", frames[0] + b"".join(frame[1:] for frame in frames[1:]), rows)


def varied(random: Random) -> Iterator[Capture]:
    """Messages with any contents, written down again from the document."""
    while True:
        heartbeats, reports = random.randrange(1, 20), random.randrange(1, 20)
        pairs = [_heartbeat(random) for _ in range(heartbeats)] + [_report(random) for _ in range(reports)]
        random.shuffle(pairs)
        yield Capture("varied", b"".join(_framed(data) for data, _ in pairs), tuple(row for _, row in pairs))


def _framed(data: bytes) -> bytes:
    """A message with its checksum, the remainder of a division of polynomials, and what is special in it escaped."""
    remainder = int.from_bytes(data)
    while remainder.bit_length() > 16:
        remainder ^= 0x11021 << remainder.bit_length() - 17
    whole = data + struct.pack("<H", remainder)
    return b"~" + b"".join(b"}%c" % (byte ^ 0x20) if byte in b"}~" else b"%c" % byte for byte in whole) + b"~"


def _heartbeat(random: Random) -> tuple[bytes, Mapping[str, Any]]:
    time, uplinks, others = random.randrange(86400), random.randrange(32), random.randrange(1024)
    status, more = random.randrange(256), random.randrange(128) | time >> 16 << 7
    data = struct.pack("<BBBH", 0, status, more, time & 0xFFFF) + struct.pack(">H", uplinks << 11 | others)
    values = {"time": timedelta(seconds=time), "uplinks": uplinks, "basic_and_long": others}
    values |= {"has_position": status >= 128, "is_utc": bool(more & 1)}
    return data, {"message": "heartbeat", "heartbeat": values}


def _report(random: Random) -> tuple[bytes, Mapping[str, Any]]:
    name, number = random.choice((("ownship_report", 10), ("traffic_report", 20)))
    address, latitude, longitude = (random.getrandbits(24) for _ in range(3))
    altitude, speed, climb, track = random.randrange(4096), random.randrange(4096), random.randrange(-2047, 2048), 64
    call_sign = random.choice(("", "N825V", "}~}~}~}~"))
    data = bytes((number, random.choice((0x00, 0x12)))) + (address << 48 | latitude << 24 | longitude).to_bytes(9)
    data += struct.pack(">HB", altitude << 4 | 9, random.choice((0x7D, 0x7E, 0x99)))
    data += (speed << 12 | climb & 0xFFF).to_bytes(3) + bytes((track, 1)) + call_sign.ljust(8).encode() + b"\0"
    values = {"address": address, "altitude": 25 * altitude - 1000, "horizontal_velocity": speed, "track": 90.0}
    signed = latitude - (latitude >> 23 << 24)
    values |= {"climb_rate": 64 * climb, "call_sign": call_sign, "latitude": signed * 180 / 2**23}
    return data, {"message": name, name: values}
