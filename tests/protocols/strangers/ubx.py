"""Messages of u-blox receivers as the package ``pyubx2`` writes and reads them."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any

from pyubx2 import GET, POLL, UBXMessage, UBXReader

from protocols.strangers import ROOT, Capture

PVT = {
    "iTOW": 86_399_000, "year": 2031, "month": 12, "day": 24, "hour": 23, "min": 59, "second": 58, "validDate": 1,
    "fullyResolved": 1, "tAcc": 17, "nano": -250_000, "fixType": 3, "gnssFixOk": 1, "carrSoln": 2, "numSV": 21,
    "lon": -12.3456789, "lat": 50.1, "height": 61_000, "hMSL": -5, "hAcc": 900, "vAcc": 1200, "velN": -1, "velE": 2,
    "gSpeed": 2, "headMot": 359.12345, "headAcc": 0.5, "pDOP": 1.23, "magDec": -2.5,
}  # fmt: skip
NAMES = {
    "i_tow": "iTOW", "year": "year", "month": "month", "day": "day", "hour": "hour", "min": "min", "sec": "second",
    "t_acc": "tAcc", "nano": "nano", "fix_type": "fixType", "gnss_fix_ok": "gnssFixOk", "diff_soln": "diffSoln",
    "psm_state": "psmState", "head_veh_valid": "headVehValid", "carr_soln": "carrSoln", "num_sv": "numSV",
    "height": "height", "h_msl": "hMSL", "h_acc": "hAcc", "v_acc": "vAcc", "vel_n": "velN", "vel_e": "velE",
    "vel_d": "velD", "g_speed": "gSpeed", "s_acc": "sAcc",
}  # fmt: skip
POLLED = {"NAV-PVT": "nav_pvt", "NAV-POSLLH": "nav_posllh", "NAV-SAT": "nav_sat", "MON-VER": "mon_ver"}
POSLLH = {"i_tow": "iTOW", "height": "height", "h_msl": "hMSL", "h_acc": "hAcc", "v_acc": "vAcc"}
SCALED = {"lon": 7, "lat": 7, "head_mot": 5, "head_acc": 5, "p_dop": 2, "head_veh": 5, "mag_dec": 2, "mag_acc": 2}
"""The digits behind the point of numbers that the package has as floats."""
SATELLITE = {
    "gnss_id": "gnssId", "sv_id": "svId", "cno": "cno", "elev": "elev", "azim": "azim", "quality_ind": "qualityInd",
    "sv_used": "svUsed", "health": "health", "diff_corr": "diffCorr", "smoothed": "smoothed",
    "orbit_source": "orbitSource", "eph_avail": "ephAvail",
}  # fmt: skip


def captures() -> Iterator[Capture]:
    """What a receiver sends in a second."""
    satellites = {
        f"{name}_{number:02}": value
        for number in range(1, 6)
        for name, value in {"gnssId": number % 3, "svId": 40 + number, "elev": -number, "prRes": -0.5 * number}.items()
    }
    used = {"qualityInd_01": 7, "svUsed_01": 1, "health_02": 2, "orbitSource_03": 4}
    sent = [
        UBXMessage("NAV", "NAV-PVT", GET, **PVT),
        UBXMessage("NAV", "NAV-POSLLH", GET, iTOW=86_399_000, lon=-12.3456789, lat=50.1, height=-7, hMSL=-50, hAcc=900),
        UBXMessage("NAV", "NAV-SAT", GET, numSvs=5, version=1, **satellites, **used),
        UBXMessage("NAV", "NAV-SAT", GET, numSvs=0),
        UBXMessage("ACK", "ACK-ACK", GET, clsID=6, msgID=1),
        UBXMessage("MON", "MON-VER", GET, payload=_texts("ROM CORE 3.01", 30) + _texts("00080000", 10)),
        UBXMessage(
            "MON", "MON-VER", GET, payload=_texts("x" * 30, 30) + _texts("", 10) + _texts("FWVER=SPG 3.01", 30) * 2
        ),
        UBXMessage("NAV", "NAV-CLOCK", GET, iTOW=5),
    ]
    data = [message.serialize() for message in sent]
    yield Capture("a second", b"".join(data), tuple(_read(each) for each in data))
    drive = ROOT.joinpath("examples/captures/ubx/drive.ubx").read_bytes()
    sound = [drive[36 * number :][:36] for number in (0, 1, 3, 4)]
    yield Capture("a drive", b"".join(sound), tuple(_read(each) for each in sound))


def _texts(text: str, size: int) -> bytes:
    return text.encode().ljust(size, b"\0")


def _read(data: bytes) -> dict[str, Any]:
    """What the package reads in a message."""
    message: Any = UBXReader.parse(data)
    header = {
        "class": data[2],
        "id": data[3],
        "length": message.length,
        "checksum": int.from_bytes(data[-2:], "little"),
    }
    if not message.length:
        polled = POLLED.get(message.identity)
        return {**header, **({polled: {"variant": "poll"}} if polled else {"message": "unknown"})}
    match message.identity:
        case "NAV-PVT":
            own = {ours: getattr(message, theirs) for ours, theirs in NAMES.items()}
            own |= {name: _scaled(getattr(message, _camel(name)), places) for name, places in SCALED.items()}
            if message.length == 84:  # the package has zeros for what is not there
                own |= dict.fromkeys(("head_veh", "mag_dec", "mag_acc"))
            bits = message.validDate, message.validTime, message.fullyResolved, message.validMag
            own |= {"valid": sum(bit << place for place, bit in enumerate(bits)), "time": _time(message)}
            return {**header, "nav_pvt": own}
        case "NAV-POSLLH":
            own = {ours: getattr(message, theirs) for ours, theirs in POSLLH.items()}
            own |= {name: _scaled(getattr(message, name), 7) for name in ("lon", "lat")}
            return {**header, "nav_posllh": own}
        case "NAV-SAT":
            found = [_satellite(message, f"_{number:02}") for number in range(1, message.numSvs + 1)]
            return {**header, "nav_sat": {"i_tow": message.iTOW, "version": message.version, "satellites": found}}
        case "ACK-ACK":
            return {**header, "ack_ack": {"cls_id": message.clsID, "msg_id": message.msgID}}
        case "MON-VER":
            extensions = [value for name, value in vars(message).items() if name.startswith("extension")]
            own = {"sw_version": _text(message.swVersion), "hw_version": _text(message.hwVersion)}
            return {**header, "mon_ver": {**own, "extensions": [{"text": _text(value)} for value in extensions]}}
    return {**header, "message": "unknown"}


def _time(message: Any) -> datetime | None:
    """The time of a fix, in whole microseconds; None if it is not valid, or not in the calendar."""
    if not (message.validDate and message.validTime and abs(message.nano) <= 10**9 and message.nano < 10**9):
        return None
    fields = (message.year, message.month, message.day, message.hour, message.min, message.second)
    try:
        return datetime(*fields, tzinfo=UTC) + timedelta(microseconds=message.nano // 1000)
    except (ValueError, OverflowError):
        return None


def _satellite(message: Any, number: str) -> dict[str, Any]:
    own = {ours: getattr(message, theirs + number) for ours, theirs in SATELLITE.items()}
    return {**own, "pr_res": _scaled(getattr(message, "prRes" + number), 1)}


def _text(value: bytes) -> str:
    return value.partition(b"\0")[0].decode("latin-1")


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(other.upper() if other == "dop" else other.capitalize() for other in others)


def _scaled(value: float, places: int) -> Decimal:
    return Decimal(round(value * 10**places)).scaleb(-places)


def varied(random: Random) -> Iterator[Capture]:
    """Messages of several generations of receivers, polls of them, with texts of many kinds behind their ends."""
    while True:
        match random.randrange(7):
            case 0:
                size = random.choice((84, 92))
                payload = (
                    random.randbytes(6)
                    + bytes([random.randrange(13), 1])
                    + random.randbytes(3)
                    + bytes([random.getrandbits(4)])
                )
                message = UBXMessage("NAV", "NAV-PVT", GET, payload=(payload + random.randbytes(92))[:size])
            case 1:
                count = random.randrange(6)
                satellites = b"".join(random.randbytes(12) for _ in range(count))
                message = UBXMessage(
                    "NAV",
                    "NAV-SAT",
                    GET,
                    payload=random.randbytes(4) + bytes([1, count]) + random.randbytes(2) + satellites,
                )
            case 2:
                texts = _texts("EXT CORE 3.01", 20) + random.randbytes(10) + _texts("00080000", 10)
                texts += _texts("PROTVER=18.00", 30) * random.randrange(4)
                message = UBXMessage("MON", "MON-VER", GET, payload=texts)
            case 3:
                name = random.choice(("NAV-PVT", "NAV-POSLLH", "NAV-SAT", "MON-VER", "CFG-RATE"))
                message = UBXMessage(name[:3], name, POLL)
            case 4:
                message = UBXMessage("ACK", random.choice(("ACK-ACK", "ACK-NAK")), GET, payload=random.randbytes(2))
            case 5:
                message = UBXMessage("NAV", "NAV-POSLLH", GET, payload=random.randbytes(28))
            case _:
                message = UBXMessage("NAV", "NAV-CLOCK", GET, payload=random.randbytes(20))
        data = message.serialize()
        yield Capture(message.identity, data, (_read(data),))
