"""NMEA sentences as pynmeagps writes and reads them."""

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from pynmeagps import GET, NMEAMessage, NMEAReader, calc_checksum

from protocols.strangers import Capture

TEXTS: Mapping[str, tuple[str, ...]] = {
    "gga": (
        *("time", "latitude", "north_south", "longitude", "east_west", "", "", "hdop"),
        *("altitude", "altitude_unit", "separation", "separation_unit", "age", "station"),
    ),
    "rmc": (
        *("time", "status", "latitude", "north_south", "longitude", "east_west", "speed", "course", "date"),
        *("variation", "variation_east_west", "mode", "navigational_status"),
    ),
    "gsv": (),
    "zda": ("time", "", "", "", "zone_hours", "zone_minutes"),
}
"""The columns of texts, in the order of their values; nothing for numbers."""
NUMBERS: Mapping[str, Mapping[str, str]] = {
    "gga": {"quality": "quality", "satellites": "numSV"},
    "rmc": {},
    "gsv": {"sentences": "numMsg", "sentence": "msgNum", "in_view": "numSV"},
    "zda": {"day": "day", "month": "month", "year": "year"},
}
"""The columns of numbers, and their names there."""
PLACE = ("5321.68022", "N", "00630.33720", "W")
LINES = (
    ("GP", "GGA", ("092725.00", *PLACE, "1", "8", "1.03", "61.7", "M", "55.2", "M", "", "")),
    ("GN", "GGA", ("", "", "", "", "", "0", "00", "99.99", "", "", "", "", "", "")),
    ("GN", "RMC", ("103607.00", "A", *PLACE, "0.046", "", "060321", "", "", "A", "V")),
    ("GP", "GSV", ("2", "1", "06", "03", "03", "111", "00", "04", "15", "270", "", "13", "06", "292", "47")),
    ("GP", "GSV", ("2", "2", "06", "14", "86", "056", "42", "22", "", "", "")),
    ("GL", "GSV", ("1", "1", "00")),
    ("GN", "ZDA", ("201530.00", "04", "07", "2002", "-05", "00")),
    ("GN", "VTG", ("", "T", "", "M", "0.012", "N", "0.022", "K", "A")),
)


def captures() -> Iterator[Capture]:
    """Fixes, satellites and times, and a sentence that the spec has not."""
    lines = [NMEAMessage(talker, kind, GET, payload=list(values)).serialize() for talker, kind, values in LINES]
    yield Capture("lines", b"".join(lines), tuple(map(_read, lines)))


def _read(line: bytes) -> dict[str, Any]:
    """What pynmeagps reads in a line."""
    found = NMEAReader.parse(line)
    assert isinstance(found, NMEAMessage)
    name, address = found.msgID.lower(), found.talker + found.msgID  # a maker's own begins with P and has no talker
    own: dict[str, Any] = {"talker": address[:2], "formatter": address[2:], "checksum": int(found.checksum, 16)}
    if name not in TEXTS:
        return own | {"message": "unknown", "unknown": {"body": ",".join(found.payload).encode()}}
    values: dict[str, Any] = {key: value for key, value in zip(TEXTS[name], found.payload, strict=False) if key}
    values |= {key: getattr(found, theirs) for key, theirs in NUMBERS[name].items()}
    if name == "gsv":
        keys, satellites = ("number", "elevation", "azimuth", "snr"), found.payload[3:]
        values["satellites"] = [
            dict(zip(keys, satellites[at : at + 4], strict=True)) for at in range(0, len(satellites) & ~3, 4)
        ]
    return own | {"message": name, name: values}


RMC = ("103607.00", "A", *PLACE, "0.046", "77.5", "060321", "3.1", "W", "A", "V")
"""The last two values came with the versions 2.3 and 4.10."""


def varied(random: Random) -> Iterator[Capture]:
    """Sentences of several versions, before and after a fix, with signal ids, of other makers, and in small letters."""
    while True:
        talker, fixed = random.choice(("GP", "GL", "GA", "GB", "GN", "BD")), random.random() < 0.6
        kind, values = _sentence(random)
        if not fixed:
            values = tuple("" if value and random.random() < 0.8 else value for value in values)
        talker = "P" if kind == "UBX" else talker
        content = ",".join((talker + kind, *values))
        line = f"${content}*{calc_checksum(content)}\r\n".encode()
        if random.random() < 0.2:
            line = line[:-4] + line[-4:].lower()
        yield Capture(kind, line, (_with_blanks(_read(line)),), told=_with_blanks)


def _with_blanks(value: Any) -> Any:
    """A row with empty texts where it has null, as the package does for values that are empty."""
    match value:
        case dict():
            return {name: _with_blanks(inner) for name, inner in value.items()}
        case list():
            return list(map(_with_blanks, value))
    return "" if value is None else value


def _sentence(random: Random) -> tuple[str, tuple[str, ...]]:
    match random.choice(("GGA", "RMC", "GSV", "ZDA", "GLL", "own")):
        case "GGA":
            quality, satellites = random.choice("0124568"), random.choice(("8", "08", "12"))
            place = random.choice((PLACE, ("5321.6802", "S", "00630.3372", "E")))
            age, station = random.choice((("", ""), ("1.5", "0123")))
            return "GGA", ("092725.00", *place, quality, satellites, "1.03", "61.7", "M", "55.2", "M", age, station)
        case "RMC":
            return "RMC", RMC[: len(RMC) - random.randrange(3)]
        case "GSV":
            count = random.randrange(5)
            satellites = (f"{number:02}" for number in range(4 * count))
            return "GSV", ("3", "1", f"{count:02}", *satellites, *random.choice(((), ("1",), ("B",))))
        case "ZDA":
            return "ZDA", ("201530.00", "04", "07", "2002", *random.choice((("00", "00"), ("-05", "30"), ())))
        case "own":
            return random.choice((("UBX", ("00", "1", "2")), ("TXT", ("01", "01", "02", "u-blox AG"))))
    return "GLL", PLACE
