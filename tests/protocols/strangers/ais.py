"""Messages of AIS as pyais writes and reads them."""

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from pyais import decode, encode_msg
from pyais.messages import MessageType1, MessageType2, MessageType3, MessageType5, Payload

from protocols.strangers import Capture

NUMBERS: Mapping[str, Mapping[str, str]] = {
    "position_report": {
        "user_id": "mmsi",
        "navigational_status": "status",
        "position_accuracy": "accuracy",
        "true_heading": "heading",
        "time_stamp": "second",
        "special_manoeuvre": "maneuver",
        "raim": "raim",
        "communication_state": "radio",
    },
    "static_and_voyage_data": {
        "user_id": "mmsi",
        "ais_version": "ais_version",
        "imo_number": "imo",
        "ship_type": "ship_type",
        "to_bow": "to_bow",
        "to_stern": "to_stern",
        "to_port": "to_port",
        "to_starboard": "to_starboard",
        "position_device": "epfd",
        "eta_month": "month",
        "eta_day": "day",
        "eta_hour": "hour",
        "eta_minute": "minute",
        "dte": "dte",
    },
}
"""The columns that are numbers as they stand, and their names there."""
TENTHS = {"sog": "speed", "cog": "course", "draught": "draught"}
TEXTS = {"call_sign": "callsign", "name": "shipname", "destination": "destination"}
DEGREES = {"longitude": "lon", "latitude": "lat"}
SENTENCES = (
    ("!AIVDM,1,1,,A,15M67FC000G?ufbE`FepT@3n00Sa,0*5C",),
    ("!AIVDM,1,1,,B,15M67FC000G?ufbE`FepT@3n00Sa,0*5F",),
    (
        "!AIVDM,2,1,1,A,55?MbV02;H;s<HtKR20EHE:0@T4@Dn2222222216L961O5Gf0NSQEp6ClRp8,0*1C",
        "!AIVDM,2,2,1,A,88888888880,2*25",
    ),
)
"""Sentences that receivers wrote."""


def captures() -> Iterator[Capture]:
    """Reports in three messages, at the ends of what they can say, and static data with texts of every length."""
    reports = [
        MessageType1.create(
            mmsi=366053209, status=3, turn=-128.0, speed=0.0, lon=-122.341618, lat=37.802118, course=219.3
        ),
        MessageType2.create(
            mmsi=1, status=15, speed=102.2, accuracy=True, lon=179.9, lat=-89.9, course=359.9, heading=511
        ),
        MessageType3.create(mmsi=999999999, lon=-180.0, lat=90.0, second=63, maneuver=2, raim=True, radio=0x7FFFF),
    ]
    static = [
        MessageType5.create(mmsi=351759000, imo=9134270, callsign="3FOF8", shipname="EVER DIADEM", draught=12.2),
        MessageType5.create(mmsi=1, callsign="", shipname="", destination="", dte=True),
        MessageType5.create(
            mmsi=2, callsign="ABC-123", shipname="ABCDEFGHIJKLMNOPQRST", destination="A/B #1 (2) >?<=;:"
        ),
    ]
    rows = tuple(_row(decode(*each)) for each in SENTENCES)
    yield Capture("received", b"".join(map(_payload, SENTENCES)), rows, told=_told)
    yield _capture("written", [*reports, *static])


def varied(random: Random) -> Iterator[Capture]:
    """Messages with numbers and letters of every kind."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ 0123456789-/.()#"
    while True:
        kind = random.choice((MessageType1, MessageType2, MessageType3))
        report = kind.create(
            mmsi=random.randrange(10**9),
            status=random.randrange(16),
            speed=random.randrange(1024) / 10,
            accuracy=random.random() < 0.5,
            lon=random.uniform(-180, 180),
            lat=random.uniform(-90, 90),
            course=random.randrange(3601) / 10,
            heading=random.randrange(512),
            second=random.randrange(64),
            radio=random.randrange(1 << 19),
        )
        texts = {
            name: "".join(random.choices(letters, k=random.randint(0, most)))
            for name, most in (("callsign", 7), ("shipname", 20), ("destination", 20))
        }
        static = MessageType5.create(mmsi=random.randrange(10**9), ship_type=random.randrange(256), **texts)
        yield _capture("varied", [report, static])


def _capture(name: str, messages: list[Payload]) -> Capture:
    data = b"".join(message.to_bytes()[0] for message in messages)
    return Capture(name, data, tuple(_row(decode(*encode_msg(message))) for message in messages), told=_told)


def _payload(sentences: tuple[str, ...]) -> bytes:
    """The bits of a message that sentences carry in letters of six bits each."""
    letters = "".join(each.split(",")[5] for each in sentences)
    bits = "".join(f"{ord(each) - 48 - 8 * (ord(each) >= 96):06b}" for each in letters)
    return int(bits[: len(bits) // 8 * 8], 2).to_bytes(len(bits) // 8)


def _row(message: Any) -> dict[str, Any]:
    """What pyais has of a message: degrees to 6 places, tenths as floats, texts without blanks around them."""
    theirs = message.asdict()
    name = "static_and_voyage_data" if theirs["msg_type"] == 5 else "position_report"
    values = {ours: int(theirs[key]) for ours, key in NUMBERS[name].items()}
    values |= {ours: round(10 * theirs[key]) for ours, key in TENTHS.items() if key in theirs}
    values |= {ours: round(600_000 * theirs[key]) for ours, key in DEGREES.items() if key in theirs}
    values |= {ours: theirs[key] for ours, key in TEXTS.items() if key in theirs}
    return {"message_id": theirs["msg_type"], "repeat_indicator": theirs["repeat"], "message": name, name: values}


def _told(row: Any) -> Any:
    """A row with texts as pyais has them."""
    own = row[row["message"]]
    return {**row, row["message"]: {**own, **{name: own[name].strip() for name in TEXTS if name in own}}}
