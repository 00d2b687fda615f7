"""MAVLink dialects: what is written for them reads and writes what ``pymavlink`` does, message by message."""

import struct
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pymavlink
import pytest
from pymavlink.dialects.v20 import all as every_dialect
from pymavlink.dialects.v20 import common
from support.lockstep import Pair, capture_alike

from importers.imports import Result, imported, unchecked
from importers.mavlink_packets import meant, random_values, sent, shown
from wireloom.codec.errors import DecodeError

DIALECTS = Path(pymavlink.__file__).parent / "dialects" / "v20"
NAMES = sorted(kind.msgname for kind in common.mavlink_map.values())


@pytest.fixture(scope="module")
def of_common(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """The spec of ``common.xml``, which includes two other files."""
    return imported("mavlink", [DIALECTS / "common.xml"], tmp_path_factory.mktemp("common"))


@pytest.mark.parametrize("name", NAMES)
def test_each_message_of_common_means_what_pymavlink_says(of_common: Result, name: str) -> None:
    codec = of_common.protocol.codec
    random = Random(name)
    kind = common.mavlink_map[getattr(common, f"MAVLINK_MSG_ID_{name}")]
    for zeros in (0.0, 0.5, 0.9, 1.0):
        packet = sent(common, name, random_values(kind, random, zeros))
        (row,) = codec.iter_records(packet)
        assert (row["packet_sequence"], row["system_id"], row["component_id"]) == (200, 3, 7)
        own = shown(row[name.lower()])
        expected = meant(common, packet)
        assert {key: own[key] for key in expected} == expected
        assert codec.build(row) == packet
        values = {
            key: bytes(value) if isinstance(row[name.lower()][key], bytes) else value for key, value in expected.items()
        }
        given = {
            "message": name.lower(),
            "packet_sequence": 200,
            "system_id": 3,
            "component_id": 7,
            name.lower(): values,
        }
        assert codec.build(given) == packet


@pytest.mark.sweep
def test_tables_have_the_same_rows(of_common: Result) -> None:
    kinds = (common.mavlink_map[getattr(common, f"MAVLINK_MSG_ID_{name}")] for name in NAMES)
    packets = [sent(common, kind.msgname, random_values(kind, Random(kind.msgname), 0.5)) for kind in kinds]
    capture_alike(Pair.of(of_common.protocol.columnar), b"".join(packets))


def test_the_order_the_sizes_and_the_seeds_of_all_dialects_are_those_of_pymavlink() -> None:
    written = unchecked("mavlink", DIALECTS / "all.xml")
    kinds = {kind.msgname.lower(): kind for kind in every_dialect.mavlink_map.values()}
    assert written.keys() - {"protocol"} == kinds.keys()
    for name, kind in kinds.items():
        spec: Any = written[name]
        (fields,), (crc,) = spec["sections"]["body"], spec["sections"]["tail"]
        assert spec["match"] == {"message_number": kind.id}
        assert fields["through"] == {"zeros": kind.unpacker.size}
        names = [each.value["name"].replace("_", "") for each in fields["fields"]]
        assert names == [own.replace("_", "").lower() for own in kind.ordered_fieldnames], name
        assert crc["checksum"]["over"][1] == {"const": f"{kind.crc_extra:02x}"}, name


def test_all_of_common_is_said_but_what_no_field_can_have(of_common: Result) -> None:
    told = {outcome.name: outcome.reasons for outcome in of_common.written.outcomes if outcome.reasons}
    assert told == {
        "CAMERA_IMAGE_CAPTURED": ("capture_result: MAV_BOOL names bits of unsigned integers, not of int8_t",),
        "GIMBAL_DEVICE_INFORMATION": (
            "cap_flags: GIMBAL_DEVICE_CAP_FLAGS_CAN_POINT_LOCATION_LOCAL of GIMBAL_DEVICE_CAP_FLAGS "
            "does not fit uint16_t",
        ),
        "MAV_BOOL": ("MAV_BOOL_FALSE: 0 is not one bit",),
        "CAMERA_TRACKING_STATUS_FLAGS": ("CAMERA_TRACKING_STATUS_FLAGS_IDLE: 0 is not one bit",),
    }
    assert {str(outcome.coverage) for outcome in of_common.written.outcomes if outcome.reasons} == {
        "without some values"
    }


def test_a_list_of_numbers_has_their_names(of_common: Result) -> None:
    commands = [common.MAV_CMD_NAV_WAYPOINT, 65535, common.MAV_CMD_NAV_LAND, 0, 0]
    zeros = [[0.0] * 5] * 11
    message = common.MAVLink_trajectory_representation_waypoints_message(1, 2, *zeros, commands)
    packet = bytes(message.pack(common.MAVLink(None, 1, 2)))
    (row,) = of_common.protocol.codec.iter_records(packet)
    found = row["trajectory_representation_waypoints"]
    names = ["MAV_CMD_NAV_WAYPOINT", None, "MAV_CMD_NAV_LAND", None, None]
    assert (found["command"], found["command_name"]) == (commands, names)


@pytest.mark.parametrize("sent", [b"\x04", b"\x04low", b"\x04low\0\0", b"\x04" + b"x" * 50 + b"\x07"])
def test_what_a_payload_does_not_have_is_zero(of_common: Result, sent: bytes) -> None:
    """Senders cut zeros off, older ones have no extensions; some send the zeros nevertheless."""
    packet = _framed(common, common.MAVLINK_MSG_ID_STATUSTEXT, sent)
    (row,) = of_common.protocol.codec.iter_records(packet)
    expected = meant(common, packet)
    assert {key: row["statustext"][key] for key in expected} == expected
    assert row["statustext"]["chunk_seq"] == 0
    assert of_common.protocol.codec.build(row) == packet


def test_what_a_later_version_adds_is_kept(of_common: Result) -> None:
    packet = _framed(common, common.MAVLINK_MSG_ID_HEARTBEAT, bytes(range(1, 13)))
    (row,) = of_common.protocol.codec.iter_records(packet)
    assert row["heartbeat"]["newer_fields"] == bytes((10, 11, 12))
    assert of_common.protocol.codec.build(row) == packet


def test_texts_are_utf_8(of_common: Result) -> None:
    """As the document says of a status text; the package reads ASCII."""
    text = "Höhe".encode()
    packet = _framed(common, common.MAVLINK_MSG_ID_STATUSTEXT, b"\x04" + text)
    (row,) = of_common.protocol.codec.iter_records(packet)
    assert row["statustext"]["text"] == "Höhe"
    assert common.MAVLink(None).decode(bytearray(packet)).text == "H\ufffd\ufffdhe"


def test_another_seed_is_another_checksum(of_common: Result) -> None:
    packet = bytearray(_framed(common, common.MAVLINK_MSG_ID_HEARTBEAT, bytes(range(1, 10))))
    packet[-1] ^= 1
    with pytest.raises(DecodeError, match="checksum"):
        list(of_common.protocol.codec.iter_records(bytes(packet)))


def test_signed_packets_are_read(of_common: Result) -> None:
    sender = common.MAVLink(None, 1, 2)
    sender.signing.secret_key, sender.signing.link_id, sender.signing.timestamp = bytes(range(32)), 5, 1 << 40
    sender.signing.sign_outgoing = True
    packet = bytes(common.MAVLink_ping_message(1, 2, 3, 4).pack(sender))
    (row,) = of_common.protocol.codec.iter_records(packet)
    assert (row["link_id"], row["ping"]["seq"]) == (5, 2)
    assert row["signature"] == packet[-6:]


def _framed(dialect: ModuleType, number: int, payload: bytes) -> bytes:
    head = struct.pack("<BBBBBBHB", len(payload), 0, 0, 9, 1, 2, number & 0xFFFF, number >> 16)
    crc = dialect.x25crc(head + payload)
    crc.accumulate(bytes([dialect.mavlink_map[number].crc_extra]))
    return b"\xfd" + head + payload + struct.pack("<H", crc.crc)
