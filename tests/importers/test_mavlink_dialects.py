"""MAVLink dialects of one's own: rare types, includes, and what cannot be said."""

import importlib.util
import re
import struct
from pathlib import Path
from types import ModuleType

import pymavlink
import pytest
from cli.calls import run
from pymavlink import mavutil
from pymavlink.dialects.v20 import minimal
from pymavlink.generator import mavgen
from support.compiled import compiled

from importers.imports import Result, imported, read_damaged
from importers.mavlink_packets import sent

MINIMAL = Path(pymavlink.__file__).parent / "dialects" / "v20" / "minimal.xml"
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
    packet = sent(dialect, "ODD", values)
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
          - {from: offset(payload_size), to: offset(tail)}
          - {const: SEED}
""".replace("SEED", f'"{seed:02x}"' if f"{seed:02x}".isdigit() else f"{seed:02x}")
    )
    assert "  - name: Cmd\n    doc: Replaced by COMMAND. It was not used.\n" in texts["protocol.yaml"]


@pytest.mark.parametrize("name", ["mavlink", "mavlink_1"])
def test_a_telemetry_log_is_read_as_a_comment_in_the_record_says(tmp_path: Path, name: str) -> None:
    imported(name, [MINIMAL], tmp_path)
    protocol = tmp_path / "minimal" / "protocol.yaml"
    longer = re.sub("(?m)^  length: .*", r"\g<0> + 8", protocol.read_text())
    protocol.write_text(longer.replace("# - {name: logged_at", "- {name: logged_at"))
    beat = dict.fromkeys(minimal.MAVLink_heartbeat_message.fieldnames, 3)
    log = tmp_path / "flight.tlog"
    with log.open("wb") as file:
        for mode in range(3):
            time = struct.pack(">Q", 1_700_000_000_000_000 + 250_000 * mode)
            file.write(time + sent(minimal, "HEARTBEAT", beat | {"custom_mode": mode}))
    reader = mavutil.mavlogfile(str(log))
    messages = iter(reader.recv_match, None)
    expected = [(message._timestamp, message.custom_mode) for message in messages]
    reader.close()
    rows = compiled(protocol.parent).codec.iter_records(log.read_bytes())
    assert [(row["logged_at"].timestamp(), row["heartbeat"]["custom_mode"]) for row in rows] == expected
    assert len(expected) == 3


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
        "9:5: WRONG: without some values: c: multiplier 1E-2 is not applied; "
        "c: E names values of integers, not of float; a: there is no enum NONE; b: C of E does not fit uint8_t; "
        "d: F has no values",
        "3:5: E: without some values: B: it has the number of A",
        "4:5: F: refused: it has no values",
    ]
    assert result.stdout.endswith(
        "messages and types: 1 whole, 2 without some values, 0 in bytes, 2 refused, no problems\n"
    )
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
