"""MAVLink packets as pymavlink packs and reads them."""

import re
from decimal import Decimal
from random import Random
from types import ModuleType
from typing import Any

SCALED = {"GPS_RAW_INT.eph": "0.01", "GPS_RAW_INT.epv": "0.01", "HIL_GPS.eph": "0.01", "HIL_GPS.epv": "0.01"}
"""Fields with a ``multiplier``, which the spec applies; ``pymavlink`` shows the numbers as they are sent."""
TURNS = "GPS_STATUS.satellite_azimuth"
"""Another one, in 255ths of a turn."""


def random_values(kind: Any, random: Random, zeros: float) -> dict[str, Any]:
    """A value of each field, some of them zero."""
    found = {}
    for name, of in zip(kind.fieldnames, kind.fieldtypes, strict=True):
        count = kind.array_lengths[kind.ordered_fieldnames.index(name)]
        if of == "char":
            text = "".join(random.choices("abc XYZ_", k=random.randint(1, count or 1)))
            found[name] = b"" if random.random() < zeros else text.encode()
        else:
            items = [0 if random.random() < zeros else random_number(of, random) for _ in range(max(count, 1))]
            found[name] = items if count > 1 else items[0]
    return found


def random_number(of: str, random: Random) -> float:
    if of in ("float", "double"):
        return random.randrange(-(2**20), 2**20) / 64
    bits = int(of.strip("uint_"))
    return random.getrandbits(bits) if of[0] == "u" else random.getrandbits(bits) - (1 << bits - 1)


def sent(dialect: ModuleType, name: str, values: dict[str, Any]) -> bytes:
    """A packet as the package packs it."""
    sender = dialect.MAVLink(None, 3, 7)
    sender.seq = 200
    kind = dialect.mavlink_map[getattr(dialect, f"MAVLINK_MSG_ID_{name}")]
    return bytes(kind(*(values[each] for each in kind.fieldnames)).pack(sender))


def meant(dialect: ModuleType, packet: bytes) -> dict[str, Any]:
    """What the package reads in a packet, as columns have it."""
    message = dialect.MAVLink(None).decode(bytearray(packet))
    found = {}
    for name in message.get_fieldnames():
        value = getattr(message, name)
        path = f"{message.get_type()}.{name}"
        if path in SCALED:
            value = value * Decimal(SCALED[path])
        if path == TURNS:
            value = [number * 360 / 255 for number in value]
        found[column(name)] = value.decode() if isinstance(value, bytes) else value
    return found


def column(name: str) -> str:
    return re.sub("(?<=[a-z])(?=[A-Z])", "_", name).lower()


def shown(row: dict[str, Any]) -> dict[str, Any]:
    """A row with bytes as lists of numbers, as the package has them."""
    return {name: list(value) if isinstance(value, bytes) else value for name, value in row.items()}
