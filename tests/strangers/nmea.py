"""NMEA sentences as pynmeagps writes and reads them."""

from collections.abc import Iterator, Mapping
from typing import Any

from pynmeagps import GET, NMEAMessage, NMEAReader

from strangers import Capture

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
    name = found.msgID.lower()
    own: dict[str, Any] = {"talker": found.talker, "formatter": found.msgID, "checksum": int(found.checksum, 16)}
    if name not in TEXTS:
        return own | {"message": "unknown", "unknown": {"body": ",".join(found.payload).encode()}}
    values: dict[str, Any] = {key: value for key, value in zip(TEXTS[name], found.payload, strict=False) if key}
    values |= {key: getattr(found, theirs) for key, theirs in NUMBERS[name].items()}
    if name == "gsv":
        keys, satellites = ("number", "elevation", "azimuth", "snr"), found.payload[3:]
        values["satellites"] = [
            dict(zip(keys, satellites[at : at + 4], strict=True)) for at in range(0, len(satellites), 4)
        ] or None  # as what is left of the sentence says whether there are any
    return own | {"message": name, name: values}
