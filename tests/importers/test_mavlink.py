"""MAVLink dialects: what is written for them reads and writes what ``pymavlink`` does, message by message."""

import importlib.util
import re
import struct
from decimal import Decimal
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pymavlink
import pytest
from cli.calls import run
from pymavlink.dialects.v20 import all as every_dialect
from pymavlink.dialects.v20 import common
from pymavlink.generator import mavgen
from support.lockstep import Pair, capture_alike

from importers.imports import Result, imported, read_damaged, unchecked
from wireloom.codec.errors import DecodeError

DIALECTS = Path(pymavlink.__file__).parent / "dialects" / "v20"
SCALED = {"GPS_RAW_INT.eph": "0.01", "GPS_RAW_INT.epv": "0.01", "HIL_GPS.eph": "0.01", "HIL_GPS.epv": "0.01"}
"""Fields with a ``multiplier``, which the spec applies; ``pymavlink`` shows the numbers as they are sent."""
TURNS = "GPS_STATUS.satellite_azimuth"
"""Another one, in 255ths of a turn."""
NAMES = sorted(kind.msgname for kind in common.mavlink_map.values())


@pytest.fixture(scope="module")
def of_common(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """The spec of ``common.xml``, which includes two other files."""
    return imported("mavlink", [DIALECTS / "common.xml"], tmp_path_factory.mktemp("common"))


def _values(kind: Any, random: Random, zeros: float) -> dict[str, Any]:
    """A value of each field, some of them zero."""
    found = {}
    for name, of in zip(kind.fieldnames, kind.fieldtypes, strict=True):
        count = kind.array_lengths[kind.ordered_fieldnames.index(name)]
        if of == "char":
            text = "".join(random.choices("abc XYZ_", k=random.randint(1, count or 1)))
            found[name] = b"" if random.random() < zeros else text.encode()
        else:
            items = [0 if random.random() < zeros else _number(of, random) for _ in range(max(count, 1))]
            found[name] = items if count > 1 else items[0]
    return found


def _number(of: str, random: Random) -> float:
    if of in ("float", "double"):
        return random.randrange(-(2**20), 2**20) / 64
    bits = int(of.strip("uint_"))
    return random.getrandbits(bits) if of[0] == "u" else random.getrandbits(bits) - (1 << bits - 1)


def _sent(dialect: ModuleType, name: str, values: dict[str, Any]) -> bytes:
    """A packet as the package packs it."""
    sender = dialect.MAVLink(None, 3, 7)
    sender.seq = 200
    kind = dialect.mavlink_map[getattr(dialect, f"MAVLINK_MSG_ID_{name}")]
    return bytes(kind(*(values[each] for each in kind.fieldnames)).pack(sender))


def _meant(dialect: ModuleType, packet: bytes) -> dict[str, Any]:
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
        found[_column(name)] = value.decode() if isinstance(value, bytes) else value
    return found


def _column(name: str) -> str:
    return re.sub("(?<=[a-z])(?=[A-Z])", "_", name).lower()


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    """A row with bytes as lists of numbers, as the package has them."""
    return {name: list(value) if isinstance(value, bytes) else value for name, value in row.items()}


@pytest.mark.parametrize("name", NAMES)
def test_each_message_of_common_means_what_pymavlink_says(of_common: Result, name: str) -> None:
    codec = of_common.protocol.codec
    random = Random(name)
    kind = common.mavlink_map[getattr(common, f"MAVLINK_MSG_ID_{name}")]
    for zeros in (0.0, 0.5, 0.9, 1.0):
        packet = _sent(common, name, _values(kind, random, zeros))
        (row,) = codec.iter_records(packet)
        assert (row["packet_sequence"], row["system_id"], row["component_id"]) == (200, 3, 7)
        own = _shown(row[name.lower()])
        expected = _meant(common, packet)
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
    packets = [_sent(common, kind.msgname, _values(kind, Random(kind.msgname), 0.5)) for kind in kinds]
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
        "TRAJECTORY_REPRESENTATION_WAYPOINTS": ("command: a list cannot have MAV_CMD",),
        "MAV_BOOL": ("MAV_BOOL_FALSE: 0 is not one bit",),
        "CAMERA_TRACKING_STATUS_FLAGS": ("CAMERA_TRACKING_STATUS_FLAGS_IDLE: 0 is not one bit",),
    }


@pytest.mark.parametrize("sent", [b"\x04", b"\x04low", b"\x04low\0\0", b"\x04" + b"x" * 50 + b"\x07"])
def test_what_a_payload_does_not_have_is_zero(of_common: Result, sent: bytes) -> None:
    """Senders cut zeros off, older ones have no extensions; some send the zeros nevertheless."""
    packet = _framed(common, common.MAVLINK_MSG_ID_STATUSTEXT, sent)
    (row,) = of_common.protocol.codec.iter_records(packet)
    expected = _meant(common, packet)
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


BASE = """\
<mavlink>
  <version>7</version>
  <enums>
    <enum name="STATE">
      <description>What it does.</description>
      <entry name="STATE_IDLE"/>
      <entry name="STATE_BUSY"><description>At work.</description></entry>
    </enum>
  </enums>
  <messages>
    <message id="1" name="BEAT">
      <description>It lives</description>
      <field type="uint8_t" name="state" enum="STATE">State</field>
      <field type="uint8_t_mavlink_version" name="version">Of the dialect.</field>
    </message>
  </messages>
</mavlink>
"""
OWN = """\
<?xml version="1.0" encoding="UTF-8"?>
<mavlink>
  <include>base.xml</include>
  <include>other.xml</include>
  <version>9</version>
  <enums>
    <enum name="STATE">
      <entry name="STATE_LOST"/>
      <entry name="STATE_GONE" value="0x10"/>
    </enum>
    <enum name="MODE_FLAG" bitmask="true">
      <entry name="MODE_FLAG_A" value="1"/>
      <entry name="MODE_FLAG_B" value="2**1"/>
    </enum>
    <enum name="CMD">
      <deprecated since="2020-01" replaced_by="COMMAND">It was not used.</deprecated>
      <entry name="CMD_GO" value="3">
        <description>Go there</description>
        <param index="1" label="Speed" units="m/s" minValue="0">How fast</param>
      </entry>
    </enum>
  </enums>
  <messages>
    <!-- an array of one item, a character alone, and types of all sizes out of order -->
    <message id="70000" name="ODD">
      <description>Odd types.</description>
      <field type="char" name="letter">One letter</field>
      <field type="uint8_t[3]" name="raw">Bytes</field>
      <field type="uint16_t[1]" name="single">One item</field>
      <field type="int8_t[3]" name="small" units="cm">Small numbers</field>
      <field type="double" name="large" invalid="NaN">Large</field>
      <field type="uint8_t" name="modes" enum="MODE_FLAG" display="bitmask">Modes.</field>
      <field type="char[5]" name="system_id">Text</field>
      <field type="int16_t" name="tilt" minValue="-90" maxValue="90" units="deg">Tilt</field>
      <field type="uint64_t" name="time" units="us">Time</field>
      <extensions/>
      <field type="uint8_t" name="more">Newer</field>
      <field type="uint32_t" name="newest">Newest</field>
    </message>
  </messages>
</mavlink>
"""
OTHER = "<mavlink><include>base.xml</include><messages/></mavlink>"


@pytest.fixture(scope="module")
def own_dialect(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ModuleType]:
    """A dialect with what is rare, and the module that the package generates for it."""
    folder = tmp_path_factory.mktemp("own")
    for name, text in (("base", BASE), ("own", OWN), ("other", OTHER)):
        folder.joinpath(f"{name}.xml").write_text(text)
    options = mavgen.Opts(str(folder / "module"), wire_protocol="2.0", language="Python3", validate=False)
    assert mavgen.mavgen(options, [str(folder / "own.xml")])
    spec = importlib.util.spec_from_file_location("own_dialect", folder / "module.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return folder / "own.xml", module


@pytest.fixture(scope="module")
def of_own(own_dialect: tuple[Path, ModuleType], tmp_path_factory: pytest.TempPathFactory) -> Result:
    return imported("mavlink", [own_dialect[0]], tmp_path_factory.mktemp("out"))


def test_rare_types_mean_what_pymavlink_says(own_dialect: tuple[Path, ModuleType], of_own: Result) -> None:
    dialect = own_dialect[1]
    values = {
        "letter": b"Q", "raw": [1, 2, 3], "single": [500], "small": [-1, 0, 1], "large": 0.5, "modes": 3,
        "system_id": b"abc", "tilt": -90, "time": 1 << 60, "more": 0, "newest": 6,
    }  # fmt: skip
    packet = _sent(dialect, "ODD", values)
    (row,) = of_own.protocol.codec.iter_records(packet)
    own = row["odd"]
    assert (own["letter"], own["raw"], own["small"], own["large"]) == ("Q", bytes((1, 2, 3)), [-1, 0, 1], 0.5)
    assert (own["tilt"], own["time"], own["more"], own["newest"]) == (-90, 1 << 60, 0, 6)
    assert own["single"] == [500]
    assert dialect.MAVLink(None).decode(bytearray(packet)).single == 500  # though it is packed from a list
    assert own["system_id_2"] == "abc"
    assert own["modes_flags"] == ["MODE_FLAG_A", "MODE_FLAG_B"]
    assert of_own.protocol.codec.build(row) == packet


def test_entries_without_a_number_come_behind_those_of_included_files(
    own_dialect: tuple[Path, ModuleType], of_own: Result
) -> None:
    """The first one of an enum is 1, not 0."""
    dialect = own_dialect[1]
    (state,) = (enum for enum in of_own.protocol.protocol.enums if enum.name == "State")
    found = {value.name: value.first for value in state.values}
    assert found == {"STATE_IDLE": 1, "STATE_BUSY": 2, "STATE_LOST": 3, "STATE_GONE": 16}
    assert found == {name: getattr(dialect, name) for name in found}


def test_the_version_is_that_of_the_file_with_the_message(own_dialect: tuple[Path, ModuleType], of_own: Result) -> None:
    dialect = own_dialect[1]
    sender = dialect.MAVLink(None, 3, 7)
    packet = bytes(dialect.MAVLink_beat_message(2, 7).pack(sender))
    given = {"message": "beat", "packet_sequence": 0, "system_id": 3, "component_id": 7, "beat": {"state": 2}}
    assert of_own.protocol.codec.build(given) == packet


def test_a_spec_is_written_as_a_person_would(own_dialect: tuple[Path, ModuleType], of_own: Result) -> None:
    seed = own_dialect[1].mavlink_map[70000].crc_extra
    texts = {path.name: text for path, text in of_own.written.files.items()}
    assert (
        texts["odd.yaml"]
        == """\
# yaml-language-server: $schema=../schema.json
message: odd
title: ODD
doc: Odd types.
source: {document: own.xml, section: line 25}
match: {message_number: 70000}
sections:
  body:
    - section: fields
      size: rest
      through: {zeros: 38}
      raw: fields_as_sent
      trailing: newer_fields
      fields:
        - {name: large, type: f64, doc: Large. NaN is not known.}
        - {name: time, type: u64, unit: us, doc: Time}
        - {name: single, type: u16, repeat: {count: 1}, doc: One item}
        - {name: tilt, type: i16, unit: deg, doc: Tilt. From -90 to 90.}
        - {name: letter, type: text, size: 1, until: "00", doc: One letter}
        - {name: raw, type: bytes, size: 3, doc: Bytes}
        - {name: small, type: i8, repeat: {count: 3}, unit: cm, doc: Small numbers}
        - {name: modes, type: u8, flags: ModeFlag, doc: Modes.}
        - {name: system_id_2, type: text, size: 5, until: "00", raw: system_id_2_bytes, doc: Text}
        - {name: more, type: u8, default: 0, doc: Newer}
        - {name: newest, type: u32, default: 0, doc: Newest}
  tail:
    - name: crc
      type: u16
      checksum:
        algorithm: crc16_mcrf4xx
        over:
          - {from: 1, to: offset(tail)}
          - {const: SEED}
""".replace("SEED", f'"{seed:02x}"' if f"{seed:02x}".isdigit() else f"{seed:02x}")
    )
    assert "  - name: Cmd\n    doc: Replaced by COMMAND. It was not used.\n" in texts["protocol.yaml"]


REFUSED = [
    ("<mavlink><messages>", "3:1: not XML: no element found"),
    ("<a/>", "2:1: <a> is not <mavlink>, so this is no dialect"),
    ("<mavlink><include>none.xml</include></mavlink>", "2:10: there is no file {folder}/none.xml"),
    ("<mavlink><include>a.xml</include></mavlink>", "2:10: {folder}/a.xml includes itself"),
    ("<mavlink><messages>\n<message id='1'/></messages></mavlink>", "3:1: <message> has no name"),
    ("<mavlink><messages><message name='A'/></messages></mavlink>", "2:20: <message> has no id"),
    ("<mavlink><messages><message name='A' id='x'/></messages></mavlink>", "2:20: 'x' is not a number"),
    (
        "<mavlink><messages><message name='A' id='2**24'/></messages></mavlink>",
        "2:20: 16777216 is not the number of a message; it has 24 bits",
    ),
    (
        "<mavlink><messages><message name='A' id='1'/><message name='B' id='0x1'/></messages></mavlink>",
        "2:46: B has the number of A, 1",
    ),
    (
        "<mavlink><messages><message name='A' id='1'><field name='a' type='int'/></message></messages></mavlink>",
        "2:45: 'int' is not a type of MAVLink",
    ),
    (
        "<mavlink><messages><message name='A' id='1'><field name='a' type='char[0]'/></message></messages></mavlink>",
        "2:45: 'char[0]' is not a type of MAVLink",
    ),
    (
        "<mavlink><enums><enum name='E'><entry name='A' value='__import__(1)'/></enum></enums></mavlink>",
        "2:32: '__import__(1)' is not a number",
    ),
    (
        '<!DOCTYPE mavlink [<!ENTITY a "b"><!ENTITY c "&a;&a;">]><mavlink>&c;</mavlink>',
        "2:19: a document type, which may declare entities, is not read; remove the DOCTYPE",
    ),
    (
        '<!DOCTYPE mavlink SYSTEM "file:///etc/passwd"><mavlink/>',
        "2:46: a document type, which may declare entities, is not read; remove the DOCTYPE",
    ),
    ("<mavlink>&nbsp;</mavlink>", "2:10: not XML: undefined entity"),
    ("<mavlink>" + "<a>" * 70 + "</a>" * 70 + "</mavlink>", "2:199: elements are nested more than 64 deep"),
    ("<mavlink>" + "<a/>" * 250_000 + "</mavlink>", "2:1000006: more than 250000 elements"),
]


@pytest.mark.parametrize(("text", "told"), REFUSED, ids=[told.partition(":")[2][:60] for _, told in REFUSED])
def test_what_is_no_dialect_is_refused_with_a_sentence(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "a.xml"
    path.write_text(f"<!-- mavlink -->\n{text}\n")
    error = run("import", path, "--format", "mavlink", "--out", tmp_path / "out", status=1).stderr
    assert error == f"wireloom: {path.as_posix()}:{told.format(folder=tmp_path.as_posix())}\n"
    assert not (tmp_path / "out").exists()


def test_two_files_are_two_protocols(tmp_path: Path) -> None:
    for folder, name in (("a", "own"), ("b", "own"), ("b", "other")):
        tmp_path.joinpath(folder).mkdir(exist_ok=True)
        tmp_path.joinpath(folder, f"{name}.xml").write_text(BASE)
    first, second, other = (tmp_path / each for each in ("a/own.xml", "b/own.xml", "b/other.xml"))
    error = run("import", first, second, "--out", tmp_path / "out", status=1).stderr
    assert error == f"wireloom: {second.as_posix()}:1:1: another of the files is the protocol own as well\n"
    run("import", first, other, "--out", tmp_path / "out")
    assert {path.parent.name for path in tmp_path.rglob("beat.yaml")} == {"own", "other"}


def test_includes_are_not_followed_without_end(tmp_path: Path) -> None:
    for number in range(60):
        tmp_path.joinpath(f"{number}.xml").write_text(f"<mavlink><include>{number + 1}.xml</include></mavlink>")
    error = run("import", tmp_path / "0.xml", "--out", tmp_path / "out", status=1).stderr
    assert error == f"wireloom: {tmp_path.as_posix()}/49.xml:1:10: files include each other more than 50 deep\n"


def test_what_cannot_be_said_is_told(tmp_path: Path) -> None:
    path = tmp_path / "own.xml"
    path.write_text("""\
<mavlink>
  <enums>
    <enum name="E"><entry name="A" value="1"/><entry name="B" value="1"/><entry name="C" value="300"/></enum>
    <enum name="F" bitmask="true"><entry name="NONE" value="0"/></enum>
  </enums>
  <messages>
    <message id="1" name="LONG"><description/><field type="uint8_t[250]" name="a"/><field type="uint64_t" name="b"/>
    </message>
    <message id="2" name="WRONG"><description/>
      <field type="uint8_t" name="a" enum="NONE"/>
      <field type="uint8_t" name="b" enum="E"/>
      <field type="float" name="c" multiplier="1E-2" enum="E"/>
      <field type="uint8_t" name="d" enum="F"/>
    </message>
    <message id="3" name="EMPTY"><description/></message>
  </messages>
</mavlink>
""")
    result = run("import", path, "--out", tmp_path / "out")
    assert result.stderr.replace(f"{path.as_posix()}:", "").splitlines() == [
        "7:5: LONG: refused: its payload has 258 bytes",
        "9:5: WRONG: in bytes: c: multiplier 1E-2 is not applied; c: E names values of integers, not of float; "
        "a: there is no enum NONE; b: C of E does not fit uint8_t; "
        "d: F has no values",
        "3:5: E: in bytes: B: it has the number of A",
        "4:5: F: refused: it has no values",
    ]
    assert result.stdout.endswith("messages and types: 1 whole, 2 in bytes, 2 refused, no problems\n")
    text = tmp_path.joinpath("out/own/wrong.yaml").read_text()
    assert "        # TODO: there is no enum NONE\n        - {name: a, type: u8}\n" in text
    assert not tmp_path.joinpath("out/own/long.yaml").exists()
    protocol = tmp_path.joinpath("out/own/protocol.yaml").read_text()
    assert "  # TODO: B: it has the number of A\n  - name: E\n" in protocol


def test_damaged_files_are_read_or_refused_with_a_sentence(tmp_path: Path) -> None:
    assert (
        20
        < read_damaged(
            "mavlink",
            tmp_path / "a.xml",
            OWN.replace("<include>base.xml</include>", "").replace("<include>other.xml</include>", ""),
            300,
        )
        < 280
    )
