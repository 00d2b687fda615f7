"""Messages of reference stations as the package ``pyrtcm`` reads them and frames them."""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from random import Random
from typing import Any

from pyrtcm import RTCMMessage, RTCMReader

from protocols.strangers import Capture

POINT = {
    "itrf_realization_year": "DF021", "has_gps": "DF022", "has_glonass": "DF023", "has_galileo": "DF024",
    "is_virtual": "DF141", "has_single_oscillator": "DF142", "reserved_bit": "DF001_1", "quarter_cycle": "DF364",
}  # fmt: skip
PLACES = {"ecef_x": "DF025", "ecef_y": "DF026", "ecef_z": "DF027"}
EPHEMERIS = {
    "has_almanac_health": "DF105", "p1": "DF106", "is_unhealthy": "DF108", "p2": "DF109", "tb": "DF110",
    "x_velocity": "DF111", "x": "DF112", "x_acceleration": "DF113", "y_velocity": "DF114", "y": "DF115",
    "y_acceleration": "DF116", "z_velocity": "DF117", "z": "DF118", "z_acceleration": "DF119", "p3": "DF120",
    "m_p": "DF122", "m_ln_third": "DF123", "age": "DF126", "m_p4": "DF127", "m_ft": "DF128", "m_nt": "DF129",
    "m_m": "DF130", "has_more": "DF131", "na": "DF132", "m_n4": "DF134", "m_ln_fifth": "DF136",
    "reserved_bits": "DF001_7",
}  # fmt: skip
UNSCALED = {
    "gamma": ("DF121", 40), "tau": ("DF124", 30), "m_delta_tau": ("DF125", 30), "tau_c": ("DF133", 31),
    "m_tau_gps": ("DF135", 30),
}  # fmt: skip
"""Numbers that the package leaves as whole ones, and the power of two that each is divided by."""
BIASES = {"l1_ca": "DF423", "l1_p": "DF424", "l2_ca": "DF425", "l2_p": "DF426"}
OBSERVATIONS = {
    "epoch": "DF004", "has_more": "DF393", "issue_of_data": "DF409", "reserved_bits": "DF001_7",
    "clock_steering": "DF411", "external_clock": "DF412", "is_divergence_free": "DF417", "smoothing_interval": "DF418",
}  # fmt: skip
TEXTS = {
    "antenna": "DF030", "antenna_serial_number": "DF033", "receiver": "DF228", "firmware": "DF230",
    "receiver_serial_number": "DF232",
}  # fmt: skip

Fields = Iterable[tuple[int, int]]
"""Numbers, none of them negative, each with how many bits it has."""


def payload(*fields: tuple[int, int]) -> bytes:
    """Bits one after the other, filled up with zeros."""
    bits = "".join(f"{number:0{width}b}" for number, width in fields)
    return int(bits.ljust(-(-len(bits) // 8) * 8, "0"), 2).to_bytes(-(-len(bits) // 8), "big")


def twos_complement(number: int, width: int) -> tuple[int, int]:
    return number % (1 << width), width


def sign_magnitude(number: int, width: int) -> tuple[int, int]:
    return (number if number >= 0 else (1 << width - 1) - number), width


def point(number: int, x: int, y: int, z: int) -> bytes:
    """A reference point, in steps of 0.1 mm."""
    return payload(
        (number, 12), (2003, 12), (21, 6), (1, 1), (1, 1), (0, 1), (0, 1), twos_complement(x, 38), (1, 1), (0, 1),
        twos_complement(y, 38), (2, 2), twos_complement(z, 38), *([(15_432, 16)] if number == 1006 else []),
    )  # fmt: skip


def ephemeris(sign: int, size: int) -> bytes:
    """An ephemeris whose numbers of sign and magnitude have that sign, and so many bits in their magnitude at most."""

    def number(width: int) -> tuple[int, int]:
        return sign_magnitude(sign * ((1 << min(size, width - 1)) - 1), width)

    orbit = [number(width) for _ in range(3) for width in (24, 27, 5)]
    return payload(
        (1020, 12), (7, 6), (13, 5), (1, 1), (1, 1), (2, 2), (23, 5), (59, 6), (1, 1), (0, 1), (1, 1), (95, 7), *orbit,
        (1, 1), number(11), (3, 2), (0, 1), number(22), number(5), (30, 5), (1, 1), (15, 4), (1461, 11), (1, 2), (1, 1),
        (1461, 11), number(32), (7, 5), number(22), (0, 1), (0, 7),
    )  # fmt: skip


def observations(number: int, cells: tuple[int, int], rest: Fields = ()) -> bytes:
    """Observations of no satellite or of one, in one signal: of the latter, one is in a cell or not."""
    satellites, signals = cells
    head = [(number, 12), (77, 12), (604_799_999, 30), (1, 1), (5, 3), (0, 7), (2, 2), (1, 2), (1, 1), (6, 3)]
    return payload(*head, (satellites, 64), (signals, 32), *rest)


def texts(*found: bytes) -> bytes:
    """Descriptors of an antenna and of a receiver."""
    first, *others = (bytes([len(text)]) + text for text in found)
    return payload((1033, 12), (5, 12)) + first + b"\7" + b"".join(others)


def captures() -> Iterator[Capture]:
    """What a station sends in a while, with the ends of ranges."""
    high = (1 << 37) - 1
    sent = [
        point(1005, 11_141_045_999, -48_507_297_108, 39_755_214_643),
        point(1005, -high - 1, high, -1),
        point(1006, 0, 1, -high),
        ephemeris(1, 32),
        ephemeris(-1, 32),
        ephemeris(-1, 1),
        ephemeris(1, 0),
        payload((1230, 12), (5, 12), (1, 1), (0, 3), (0, 4)),
        payload((1230, 12), (5, 12), (0, 1), (0, 3), (0b1111, 4), (0x8000, 16), (0x7FFF, 16), (0xFFFF, 16), (0, 16)),
        payload((1230, 12), (5, 12), (0, 1), (0, 3), (0b1001, 4), (0xFFFE, 16), (5, 16)),
        texts(b"LEIAR25.R4      NONE", b"", b"SEPT POLARX5", b"5.4.0", b"\xc53001"),
        texts(b"", b"", b"", b"", b""),
        observations(1077, (0, 0)),
        observations(1071, (1 << 63, 1 << 30), [(1, 1), (512, 10), (1 << 13, 15)]),
        payload((4095, 12), (1, 12), (0xABCDEF, 24)),
    ]
    data = [RTCMMessage(payload=each).serialize() for each in sent]
    yield Capture("a while", b"".join(data), tuple(map(_read, data)))


def varied(random: Random) -> Iterator[Capture]:
    """Messages with any bits in them, but for those that are reserved and for negative zero."""
    while True:
        match random.randrange(5):
            case 0:
                number = random.choice((1005, 1006))
                sent = point(number, *(random.randrange(-(1 << 37), 1 << 37) for _ in range(3)))
            case 1:
                sent = ephemeris(random.choice((-1, 1)), random.randint(1, 32))
            case 2:
                mask = random.getrandbits(4)
                biases = [(random.getrandbits(16), 16) for _ in range(mask.bit_count())]
                sent = payload((1230, 12), (random.getrandbits(12), 12), (random.getrandbits(4), 4), (mask, 4), *biases)
            case 3:
                sent = texts(*(random.randbytes(random.choice((0, 1, 31))) for _ in range(5)))
            case _:
                sent = observations(1077, (0, 0))
        data = RTCMMessage(payload=sent).serialize()
        yield Capture(data.hex()[6:9], data, (_read(data),))


def _read(data: bytes) -> dict[str, Any]:
    """What the package reads in a frame."""
    message: Any = RTCMReader.parse(data)
    header = {"length": len(message.payload), "checksum": int.from_bytes(data[-3:], "big")}
    number = int(message.identity)
    header["message_number"] = number
    if number == 1020:
        header |= {"satellite_id": message.DF038, "channel": message.DF040 - 7, "almanac_health": message.DF104 == 1}
        return {**header, "glonass_ephemeris": _ephemeris(message)}
    if number == 4095:
        return {**header, "message": "unknown"}
    header["station_id"] = message.DF003
    match number:
        case 1005:
            return {**header, "reference_point": _point(message)}
        case 1006:
            height = _scaled(message.DF028, 4)
            return {**header, "reference_point_and_height": {**_point(message), "antenna_height": height}}
        case 1033:
            own = {ours: _text(message, theirs) for ours, theirs in TEXTS.items()}
            return {**header, "receiver_and_antenna": {**own, "antenna_setup_id": message.DF031}}
        case 1230:
            biases = {ours: getattr(message, theirs, None) for ours, theirs in BIASES.items()}
            own = {ours: None if value is None else _scaled(value, 2) for ours, value in biases.items()}
            aligned = {"is_aligned": message.DF421 == 1, "reserved_bits": message.DF001_3}
            return {**header, "glonass_biases": {**own, **aligned}}
    own = {ours: getattr(message, theirs) for ours, theirs in OBSERVATIONS.items()}
    own |= {"satellites": _bits(message.DF394, 64), "signals": _bits(message.DF395, 32)}
    return {**header, "gps_observations": own}


def _point(message: Any) -> dict[str, Any]:
    own = {ours: getattr(message, theirs) for ours, theirs in POINT.items()}
    return {**own, **{ours: _scaled(getattr(message, theirs), 4) for ours, theirs in PLACES.items()}}


def _ephemeris(message: Any) -> dict[str, Any]:
    own = {ours: getattr(message, theirs) for ours, theirs in EPHEMERIS.items()}
    own |= {ours: getattr(message, theirs) / 2**places for ours, (theirs, places) in UNSCALED.items()}
    time = message.DF107
    return {**own, "tk_hour": time >> 7, "tk_minute": time >> 1 & 63, "tk_half": time & 1}


def _text(message: Any, name: str) -> str:
    """A text of which the package has each character."""
    found = sorted(key for key in vars(message) if key.startswith(f"{name}_"))
    return "".join(getattr(message, key) for key in found)


def _bits(mask: int, count: int) -> list[bool]:
    return [digit == "1" for digit in f"{mask:0{count}b}"]


def _scaled(value: float, places: int) -> Decimal:
    return Decimal(round(value * 10**places)).scaleb(-places)
