"""Space packets as the package ``ccsdspy`` writes and reads them, and those that come with it."""

import logging
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from io import BytesIO
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import ccsdspy
import numpy as np
from ccsdspy import FixedLength, PacketArray, PacketField
from ccsdspy.converters import DatetimeConverter
from ccsdspy.utils import iter_packet_bytes, read_primary_headers

from protocols.strangers import Capture

ccsdspy.log.setLevel(logging.ERROR)  # gaps between packets are no news here
DATA = Path(ccsdspy.__file__).parent / "tests" / "data"
RECORDED = {1: "hs/apid001", 10: "hs/apid010", 130: "hs/apid130", 251: "hs/apid251", 895: "hs/apid895"}
NAMES = {1: "oscillator", 10: "random_numbers", 130: "waves", 251: "greeting", 2047: "idle"}
CUC = [("coarse", "uint", 32), ("fine", "uint", 16)]
FIELDS: Mapping[int, list[tuple[Any, ...]]] = {
    1: [
        *CUC, ("count", "uint", 8), ("oscillation", "uint", 16), ("long_count", "uint", 32), ("samples", "uint", 32, 8),
    ],
    10: [
        *CUC, ("data_valid", "uint", 1), ("oscillator_status", "uint", 2), ("not_used", "uint", 3),
        ("flag_5_hz", "uint", 1), ("flag_13_hz", "uint", 1), ("statuses", "uint", 2, 8), ("oscillation", "uint", 32),
        ("numbers", "int", 32, 8),
    ],
    130: [
        ("seconds", "uint", 32), ("milliseconds", "uint", 16), ("count", "int", 16), ("two_hours", "uint", 32),
        ("long_count", "int", 32), ("hour", "int", 32), ("minute", "float", 32), ("two_hours_double", "float", 64),
        ("letter", "str", 8),
    ],
    251: [
        ("seconds", "uint", 32), ("microseconds", "uint", 32), ("field_1", "uint", 6), ("field_2", "uint", 7),
        ("field_3", "uint", 6), ("field_4", "uint", 7), ("field_5", "uint", 6), ("hour", "float", 32),
        ("day", "float", 32), ("two_hours", "float", 64), ("text", "str", 64),
    ],
    2047: [("idle_data", "uint", 8, 5)],
}  # fmt: skip
"""Name, type, bits, and how many, of what is in the packets of each application process."""
HEADER = {
    "version": "VERSION_NUMBER", "packet_type": "PACKET_TYPE", "has_secondary_header": "SECONDARY_FLAG", "apid": "APID",
    "sequence_flags": "SEQUENCE_FLAG", "sequence_count": "SEQUENCE_COUNT", "data_length": "PACKET_LENGTH",
}  # fmt: skip
SINCE = {
    130: (datetime(1972, 1, 1, tzinfo=UTC), ("seconds", "milliseconds")),
    251: (datetime(2015, 1, 1, tzinfo=UTC), ("seconds", "microseconds")),
}
"""Since when times count, and in which fields."""


def captures() -> Iterator[Capture]:
    """The first packets of each file, packets of several processes, and the ends of all ranges."""
    recorded = {apid: _packets(apid)[:6] for apid in RECORDED}
    for apid, packets in recorded.items():
        yield Capture(f"recorded {apid}", b"".join(packets), tuple(map(_row, packets)))
    mixed = [packet for packets in zip(*recorded.values(), strict=True) for packet in packets]
    yield Capture("mixed", b"".join(mixed), tuple(map(_row, mixed)))
    for apid in NAMES:
        yield _written(apid, {field[0]: _ends(*field) for field in FIELDS[apid]})
    telecommand = bytes.fromhex("1001 0000 0000 ff".replace(" ", ""))
    segment = bytes.fromhex("0801 4001 0001 ffff".replace(" ", ""))
    for name, packet in {"a telecommand": telecommand, "a segment": segment}.items():
        yield Capture(name, packet, (_row(packet),))


def varied(random: Random) -> Iterator[Capture]:
    """Packets with any numbers and texts."""
    while True:
        apid, count = random.choice(tuple(NAMES)), random.randint(1, 4)
        yield _written(apid, {field[0]: _any(random, count, *field) for field in FIELDS[apid]})


@cache
def _packets(apid: int) -> list[bytes]:
    (path,) = (DATA / RECORDED[apid]).glob("*.tlm")
    with path.open("rb") as file:
        return list(iter_packet_bytes(BytesIO(file.read(2_000))))


def _layout(apid: int) -> FixedLength:
    made = [
        PacketArray(name=name, data_type=kind, bit_length=bits, array_shape=count[0])
        if count
        else PacketField(name=name, data_type=kind, bit_length=bits)
        for name, kind, bits, *count in FIELDS[apid]
    ]
    layout = FixedLength(made)
    if apid in SINCE:
        since, fields = SINCE[apid]
        layout.add_converted_field(fields, "time", DatetimeConverter(since, fields))
    return layout


def _written(apid: int, values: Mapping[str, Any]) -> Capture:
    """Packets with these values, of one process."""
    with TemporaryDirectory() as folder:
        path = str(Path(folder, "packets"))
        _layout(apid).to_file(path, 0, apid, 1, 3, values)
        data = Path(path).read_bytes()
    packets = list(iter_packet_bytes(BytesIO(data)))
    return Capture(f"written {apid}", data, tuple(map(_row, packets)))


def _ends(_: str, kind: str, bits: int, count: int = 0) -> Any:
    """The smallest number, the largest one, and those beside 0."""
    if kind == "str":
        texts = [b"", b"A", b"~" * (bits // 8), b"9" * (bits // 8)]
        return np.array([int.from_bytes(text.ljust(bits // 8, b"\0")) for text in texts], object)
    if kind == "float":
        return np.array([0.0, -1.5, np.inf, np.finfo(f"f{bits // 8}").max], f"f{bits // 8}")
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if kind == "int" else (0, (1 << bits) - 1)
    numbers = [low, high, -1 if low else 1, 0]
    return np.array([[number] * count for number in numbers] if count else numbers)


def _any(random: Random, packets: int, _: str, kind: str, bits: int, count: int = 0) -> Any:
    if kind == "str":
        texts = ("".join(random.choices("ABC xyz9", k=random.randint(0, bits // 8))) for _ in range(packets))
        return np.array([int.from_bytes(text.encode().ljust(bits // 8, b"\0")) for text in texts], object)
    if kind == "float":
        return np.array([random.uniform(-1e6, 1e6) for _ in range(packets)], f"f{bits // 8}")
    low = (1 << bits - 1) if kind == "int" else 0
    numbers = [[random.getrandbits(bits) - low for _ in range(count or 1)] for _ in range(packets)]
    return np.array(numbers if count else [number for (number,) in numbers])


def _row(packet: bytes) -> dict[str, Any]:
    """What the package reads in a packet; of those it has no layout for, their header."""
    header = read_primary_headers(BytesIO(packet))
    row: dict[str, Any] = {ours: int(header[f"CCSDS_{theirs}"][0]) for ours, theirs in HEADER.items()}
    apid = row["apid"]
    if apid not in NAMES or row["packet_type"] or row["sequence_flags"] != 3:
        return row | {"message": "unknown", "unknown": {"data": packet[6:]}}
    found = {name: values[0] for name, values in _layout(apid).load(BytesIO(packet)).items()}
    own = {name: _value(value) for name, value in found.items()}
    if "coarse" in own:
        second = datetime(2015, 1, 1, tzinfo=UTC) + timedelta(seconds=own["coarse"])
        own["time"] = second + timedelta(microseconds=own["fine"] * 1_000_000 // 65_536)
    if apid == 2047:
        own["idle_data"] = bytes(own["idle_data"])
    return row | {NAMES[apid]: own}


def _value(value: Any) -> Any:
    """A value of numpy as one of Python."""
    if isinstance(value, datetime):
        return value
    found = value.tolist()
    return found.decode() if isinstance(found, bytes) else found
