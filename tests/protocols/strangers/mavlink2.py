"""Packets as pymavlink writes and reads them."""

from collections.abc import Iterator
from decimal import Decimal
from random import Random
from typing import Any

from pymavlink.dialects.v20 import common

from protocols.strangers import Capture

IDS = ("HEARTBEAT", "SYS_STATUS", "ATTITUDE", "GLOBAL_POSITION_INT", "PARAM_VALUE", "STATUSTEXT", "COMMAND_LONG")
SCALED = ("lat", "lon")


def captures() -> Iterator[Capture]:
    """Each message several times: with no zeros, with some, with nothing else; with and without signature."""
    random = Random("mavlink")
    for signed in (False, True):
        sender, receiver = (common.MAVLink(None, 3, 7) for _ in range(2))
        sender.robust_parsing = receiver.robust_parsing = True
        for side in (sender, receiver) if signed else ():
            side.signing.secret_key, side.signing.link_id, side.signing.timestamp = bytes(range(32)), 5, 1 << 40
        sender.signing.sign_outgoing = signed
        packets = [_packet(sender, random, name, zeros) for name in IDS for zeros in (0.0, 0.3, 0.9, 1.0)]
        packets.append(common.MAVLink_ping_message(1, 2, 3, 4).pack(sender))
        rows = tuple(_read(receiver, packet) for packet in packets)
        yield Capture("signed" if signed else "plain", b"".join(packets), rows)


def _packet(sender: common.MAVLink, random: Random, name: str, zeros: float) -> bytes:
    kind = common.mavlink_map[getattr(common, f"MAVLINK_MSG_ID_{name}")]
    values = []
    for field, of, length in zip(kind.fieldnames, kind.fieldtypes, _lengths(kind), strict=True):
        is_zero = random.random() < zeros
        values.append(_zero(of) if is_zero else _value(random, of, length, field))
    sender.seq = random.randrange(256)
    return bytes(kind(*values).pack(sender))


def _lengths(kind: Any) -> list[int]:
    """How many characters each field has, in the order of ``fieldnames``."""
    by_name = dict(zip(kind.ordered_fieldnames, kind.lengths, strict=True))
    return [by_name[name] for name in kind.fieldnames]


def _zero(of: str) -> Any:
    return b"" if of == "char" else 0.0 if of == "float" else 0


def _value(random: Random, of: str, length: int, field: str) -> Any:
    if of == "char":
        return "".join(random.choices("abc XYZ_", k=random.randint(1, length))).encode()
    if of == "float":
        return random.randrange(-(2**20), 2**20) / 64
    bits = int(of.strip("uint_"))
    return random.getrandbits(bits) if of.startswith("u") else random.getrandbits(bits) - (1 << bits - 1)


def _read(receiver: common.MAVLink, packet: bytes) -> dict[str, Any]:
    """What the package reads in a packet."""
    message = receiver.decode(bytearray(packet))
    header = message.get_header()
    found: dict[str, Any] = {
        "payload_length": header.mlen,
        "incompatibility_flags": header.incompat_flags,
        "sequence": header.seq,
        "system_id": header.srcSystem,
        "component_id": header.srcComponent,
        "message_id": header.msgId,
    }
    if message.get_signed():
        found |= {"link_id": message.get_link_id(), "signature": packet[-6:]}
    if message.get_type() not in IDS:
        return {**found, "message": "unknown"}
    values = {name: getattr(message, name) for name in message.get_fieldnames()}
    values |= {name: Decimal(values[name]).scaleb(-7) for name in SCALED if name in values}
    return {**found, message.get_type().lower(): {**values, "crc": message.get_crc(), "newer_fields": None}}


def varied(random: Random) -> Iterator[Capture]:
    """Packets whose zeros were cut off or not, that lack what later versions added or have more than is known, and
    texts that end before other bytes.
    """
    names = tuple(kind.msgname for kind in common.mavlink_map.values() if not any(kind.array_lengths))
    while True:
        sender, receiver = (common.MAVLink(None, random.randrange(256), random.randrange(256)) for _ in range(2))
        receiver.robust_parsing = True
        name = random.choice(IDS if random.random() < 0.8 else names)
        whole = _packet(sender, random, name, random.choice((0.0, 0.5, 1.0)))
        kind = common.mavlink_map[int.from_bytes(whole[7:10], "little")]
        payload = whole[10:-2].ljust(kind.unpacker.size, b"\0")
        more = b""
        match random.randrange(4):
            case 0:
                payload = payload.rstrip(b"\0") or b"\0"
            case 1:
                payload = payload[: -random.randrange(1, 3)].rstrip(b"\0").ljust(random.randrange(1, 9), b"\0")
            case 2 if len(payload) < 250:
                more = random.randbytes(4) + b"\1"
        if name == "STATUSTEXT":
            payload = (payload[:1] + b"low\0\xff\xfe" + payload[7:])[: max(len(payload), 7)]
        packet = bytes([0xFD, len(payload + more)]) + whole[2:10] + payload + more
        crc = common.x25crc(packet[1:])
        crc.accumulate(bytes([kind.crc_extra]))
        packet += crc.crc.to_bytes(2, "little")
        row = _read(receiver, packet)
        if name in IDS:
            row[name.lower()]["newer_fields"] = more or None
        yield Capture(name, packet, (row,))
