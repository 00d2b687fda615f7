"""DBC files: cantools and the spec that is made of a file agree on each frame, both ways."""

import math
import random
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cantools
import pytest
from cantools.database.can import Database, Message
from scapy.layers.can import CAN
from scapy.utils import wrpcap
from support import compiled

from wireloom.codec import DecodeError
from wireloom_generator import importers, importing
from wireloom_generator.importers import Coverage, SourceError
from wireloom_generator.naming import snake_case
from wireloom_protocols import pcap

_HEAD = 'VERSION "1"\nBU_: ECU Dash\n'


@dataclass
class _Made:
    """A file as cantools reads it, and the protocol that is made of it."""

    database: Database
    protocol: Any
    columns: Any
    result: importing.SpecImport

    def message(self, name: str) -> Message:
        found: Message = self.database.get_message_by_name(name)
        return found

    def row(self, name: str, data: bytes) -> Mapping[str, Any]:
        """The signals that Wireloom has of a frame, by the names of their columns."""
        row = self.protocol.parse(_frame(self.message(name), data))
        assert row["message"] == snake_case(name)
        found: Mapping[str, Any] = row[snake_case(name)]
        return found

    def text(self, name: str) -> str:
        return next(text for path, text in self.result.files.items() if path.stem == name)


def _imported(text: str, folder: Path) -> _Made:
    path = folder / "bus.dbc"
    path.write_text(text, encoding="utf-8")
    result = importing.imported([path], importers.own()["dbc"], folder / "specs")
    assert [str(problem) for problem in result.problems] == []
    for file, content in result.files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")
    database = cantools.database.load_string(text, "dbc", strict=False)
    made = compiled.compiled(folder / "specs" / "bus")
    return _Made(database, made.codec, made.columnar, result)


def _frame(message: Message, data: bytes) -> bytes:
    """A frame as it is in captures of Linux."""
    number = message.frame_id | message.is_extended_frame << 31
    is_fd = len(data) > 8
    head = number.to_bytes(4, "big") + bytes([len(data), 4 * is_fd, 0, 0])
    return head + data.ljust(64 if is_fd else 8, b"\0")


def _same(made: _Made, name: str, data: bytes) -> None:
    """Both read the same numbers in a message, and write the same bytes."""
    message = made.message(name)
    row = made.row(name, data)
    said = message.decode(data, decode_choices=False)
    for signal in message.signals:
        column = snake_case(signal.name)
        if signal.name not in said:
            assert row[column] is None, signal.name
        else:
            assert math.isclose(float(row[column]), float(said[signal.name]), rel_tol=1e-12, abs_tol=1e-12), signal.name
    frame = _frame(message, data)
    assert made.protocol.build(made.protocol.parse(frame)) == frame
    given = {snake_case(each): row[snake_case(each)] for each in said}
    given |= {key: row[key] for key in row if key.endswith("_raw") and row[key] is not None}
    rebuilt = made.protocol.build({"message": snake_case(name), snake_case(name): given})
    assert rebuilt == _frame(message, message.encode(said, scaling=True, strict=False))


def _bits(start: int, width: int, *, little: bool) -> set[int]:
    """The bits of a signal, each as its byte times 8 plus its significance in that byte."""
    if little:
        return set(range(start, start + width))
    first = start ^ 7  # bits are numbered within bytes from the lowest on, big-endian signals begin with their highest
    return {bit ^ 7 for bit in range(first, first + width)}


def _line(name: str, chosen: random.Random, taken: set[int], size: int, selected: str, *, little: bool) -> str | None:
    """A signal somewhere in a message, if there is room."""
    for _ in range(20):
        width, start = chosen.choice([1, 2, 3, 5, 8, 11, 12, 16, 24, 32]), chosen.randrange(8 * size)
        bits = _bits(start, width, little=little)
        if max(bits) >= 8 * size or bits & taken or (not little and (start ^ 7) + width > 8 * size):
            continue
        taken |= bits
        scale = chosen.choice(["1,0", "1,0", "1,-40", "0.1,0", "0.00390625,-100", "2,3"])
        sign = chosen.choice("+-")
        return f' SG_ {name}{selected} : {start}|{width}@{int(little)}{sign} ({scale}) [0|0] "V" Dash\n'
    return None


def _invented(seed: int) -> str:
    """Messages with signals of both byte orders anywhere, plain and multiplexed."""
    chosen = random.Random(seed)
    text = _HEAD
    for number in range(30):
        size = chosen.choice([1, 2, 3, 5, 8, 8, 8, 8, 12, 64])
        orders = [chosen.random() < 0.5] if number % 3 else [True, False]
        taken: set[int] = set()
        text += f"\nBO_ {number + 1} Message{number}: {size} ECU\n"
        multiplexed = number % 2 == 0 and size > 1
        if multiplexed:
            start, width = chosen.choice([(0, 1), (0, 4), (3, 5), (8 * size - 8, 8), (8 * size - 4, 3)])
            taken |= set(range(start, start + width))
            text += f' SG_ Mux M : {start}|{width}@1+ (1,0) [0|0] "" Dash\n'
        for each in range(chosen.randrange(0 if multiplexed else 1, 6)):
            text += _line(f"Plain{each}", chosen, taken, size, "", little=chosen.choice(orders)) or ""
        for selected in range(2) if multiplexed else ():
            there = set(taken)
            for each in range(chosen.randrange(1, 5)):
                little = chosen.choice(orders)
                text += _line(f"Of{selected}x{each}", chosen, there, size, f" m{selected}", little=little) or ""
    return text


@pytest.mark.parametrize("seed", range(4))
def test_signals_anywhere_are_read_and_written_as_by_cantools(seed: int, tmp_path: Path) -> None:
    made = _imported(_invented(seed), tmp_path)
    assert {outcome.coverage for outcome in made.result.outcomes} == {Coverage.WHOLE}
    chosen = random.Random(seed)
    for message in made.database.messages:
        for _ in range(10):
            data = bytearray(chosen.randbytes(message.length))
            for signal in message.signals:
                numbers = {number for each in message.signals for number in each.multiplexer_ids or ()} or {0}
                if signal.is_multiplexer:
                    _put(data, signal.start, signal.length, chosen.choice(sorted(numbers)))
            _same(made, message.name, bytes(data))


def _put(data: bytearray, start: int, width: int, number: int) -> None:
    """Set a little-endian signal."""
    whole = int.from_bytes(data, "little") & ~(((1 << width) - 1) << start)
    data[:] = (whole | number << start).to_bytes(len(data), "little")


BUS = """VERSION "1"
BU_: ECU Dash
BO_ 100 Engine: 8 ECU
 SG_ EngineSpeed : 0|16@1+ (0.25,0) [0|16383.75] "rpm" Dash
 SG_ CoolantTemp : 16|8@1+ (1,-40) [-40|215] "degC" Dash
 SG_ Torque : 31|12@0- (0.5,0) [0|0] "Nm" Dash
 SG_ Gear : 32|4@1+ (1,0) [0|0] "" Dash
 SG_ on : 40|1@1+ (1,0) [0|0] "" Dash
BO_ 2566844926 Diagnostics: 8 ECU
 SG_ Page M : 0|4@1+ (1,0) [0|0] "" Dash
 SG_ Kind m0M : 4|12@1+ (1,0) [0|0] "" Dash
 SG_ Volts m1 : 16|10@1- (0.1,0) [0|0] "V" Dash
 SG_ Amps m1 : 26|6@1- (2,0) [0|0] "A" Dash
 SG_ Ratio m2 : 16|32@1- (1,0) [0|0] "" Dash
 SG_ Place m3 : 23|20@0- (1,0) [0|0] "" Dash
CM_ BO_ 100 "What the engine
 says";
CM_ SG_ 100 EngineSpeed "Of the crankshaft";
BA_DEF_ BO_ "GenMsgCycleTime" INT 0 65535;
BA_DEF_DEF_ "GenMsgCycleTime" 0;
BA_ "GenMsgCycleTime" BO_ 100 20;
VAL_ 100 Gear 0 "neutral" 1 "1st" 14 "not available" 15 "not available" ;
SIG_VALTYPE_ 2566844926 Ratio : 1;
SG_MUL_VAL_ 2566844926 Kind Page 0-2;
SG_MUL_VAL_ 2566844926 Volts Kind 1-1, 3-4;
SG_MUL_VAL_ 2566844926 Amps Kind 2-5;
SG_MUL_VAL_ 2566844926 Ratio Kind 7-8;
SG_MUL_VAL_ 2566844926 Place Page 3-5;
"""


@pytest.fixture(scope="module")
def bus(tmp_path_factory: pytest.TempPathFactory) -> _Made:
    return _imported(BUS, tmp_path_factory.mktemp("bus"))


def test_a_message_looks_as_if_it_were_written_by_hand(bus: _Made) -> None:
    assert bus.text("engine") == (
        "# yaml-language-server: $schema=../schema.json\n"
        "message: engine\n"
        "title: Engine\n"
        "doc: What the engine says. Sent by ECU every 20 ms.\n"
        "source: {document: bus.dbc, section: line 3}\n"
        "match: {can_id: 0x64}\n"
        "enums:\n"
        "  - name: Gear\n"
        "    values:\n"
        "      - {name: neutral, value: 0}\n"
        "      - {name: n_1st, value: 1, label: 1st}\n"
        "      - {name: not_available, value: 14, label: not available}\n"
        "      - {name: not_available_15, value: 15, label: not available (15)}\n"
        "sections:\n"
        "  data:\n"
        "    - {name: engine_speed, type: u16, as: {double: {scale: 0.25}}, unit: rpm, "
        "doc: Of the crankshaft. 0 to 16383.75.}\n"
        "    - bits: u8\n"
        "      bit_order: lsb\n"
        "      fields: [{name: coolant_temp, width: 8, sign: {offset: -40}, unit: degC, doc: -40 to 215.}]\n"
        "    - bits: u16\n"
        "      byte_order: big\n"
        "      fields:\n"
        "        - {name: torque, width: 12, sign: twos_complement, as: {double: {scale: 0.5}}, unit: Nm}\n"
        "        - {name: gear, width: 4, enum: Gear}\n"
        "    - bits: u8\n"
        "      bit_order: lsb\n"
        "      fields:\n"
        '        - {name: "on", width: 1}\n'
        "        - {name: unused_41_47, width: 7, reserved: true}\n"
        "    - {name: unused_48_63, type: bytes, size: 2, reserved: true}\n"
    )


@pytest.mark.parametrize("page", [0, 1, 2, 3, 4, 5])
@pytest.mark.parametrize("kind", [1, 2, 3, 4, 5, 7, 8])
def test_multiplexers_in_multiplexers_and_ranges(bus: _Made, page: int, kind: int) -> None:
    data = bytearray(random.Random(page * 10 + kind).randbytes(8))
    _put(data, 0, 4, page)
    _put(data, 4, 12, kind)
    _put(data, 40, 8, 0x40)  # no NaN, whose bits cantools does not keep
    _same(bus, "Diagnostics", bytes(data))


def test_numbers_that_no_signal_has_are_kept(bus: _Made) -> None:
    """cantools refuses a frame whose multiplexer selects nothing."""
    data = bytes.fromhex("0f20010203040506")
    with pytest.raises(cantools.database.DecodeError):
        bus.message("Diagnostics").decode(data)
    row = bus.row("Diagnostics", data)
    assert row["page"] == 15
    assert [row[name] for name in ("kind", "volts", "amps", "ratio", "place")] == [None] * 5
    frame = _frame(bus.message("Diagnostics"), data)
    assert bus.protocol.build(bus.protocol.parse(frame)) == frame


def test_choices_are_labels(bus: _Made) -> None:
    data = bytes([0, 0, 0, 0, 0x01, 0, 0, 0])
    assert str(bus.message("Engine").decode(data)["Gear"]) == "1st"
    assert bus.row("Engine", data)["gear_name"] == "1st"


def test_a_frame_with_more_bytes_keeps_them_and_one_with_fewer_is_malformed(bus: _Made, tmp_path: Path) -> None:
    made = _imported(f'{_HEAD}BO_ 1 Short: 2 ECU\n SG_ A : 0|16@1+ (1,0) [0|0] "" Dash\n', tmp_path)
    assert dict(made.row("Short", b"\x01\x02\x03")) == {"a": 0x0201, "unknown_data": b"\x03"}
    assert made.message("Short").decode(b"\x01\x02\x03") == {"A": 0x0201}
    with pytest.raises(DecodeError, match="overrun"):
        made.row("Short", b"\x01")


def test_files_of_windows(tmp_path: Path) -> None:
    """Most tools for DBC files write them so, and cantools reads them so by default."""
    text = f'{_HEAD}BO_ 1 Air: 1 ECU\n SG_ Temp : 0|8@1- (1,0) [0|0] "\N{DEGREE SIGN}C" Dash\n'
    path = tmp_path / "bus.dbc"
    path.write_text(text, encoding="cp1252")
    result = importing.imported([path], importers.own()["dbc"], tmp_path / "specs")
    assert "unit: \N{DEGREE SIGN}C" in "".join(result.files.values())
    (signal,) = cantools.database.load_file(path).get_message_by_name("Air").signals
    assert signal.unit == "\N{DEGREE SIGN}C"


def test_remote_frames_are_no_message(bus: _Made) -> None:
    """They have the length of the data that they request, and no data."""
    frame = bytes.fromhex("40000064 08000000 0000000000000000")
    row = bus.protocol.parse(frame)
    assert (row["message"], row["is_remote"], row["identifier"]) == ("unknown", True, 100)


def test_frames_are_those_of_captures(bus: _Made, tmp_path: Path) -> None:
    """Scapy writes them as well; what Linux captures is padded."""
    packet = CAN(identifier=0x18FEF1FE, flags="extended", length=8, data=bytes.fromhex("3000000000000000"))
    row = bus.protocol.parse(bytes(packet).ljust(16, b"\0"))
    assert (row["message"], row["diagnostics"]["page"]) == ("diagnostics", 0)
    file = tmp_path / "drive.pcap"
    wrpcap(str(file), [bytes(packet).ljust(16, b"\0")] * 2, linktype=227)
    packets = pcap.decode_columnar(file.read_bytes(), capture="raw").to_pylist()
    there = [packet["packet"]["data"] for packet in packets if packet["message"] == "packet"]
    assert [bus.protocol.parse(data)["message"] for data in there] == ["diagnostics"] * 2
    columns = bus.columns.decode_columnar(_frame(bus.message("Engine"), bytes(8)) * 3)
    assert columns["message"].to_pylist() == ["engine"] * 3


@pytest.mark.parametrize("order", ["1", "0"])
def test_labels_are_of_the_number_and_its_meaning_is_computed(order: str, tmp_path: Path) -> None:
    """cantools has the choice instead of the number."""
    made = _imported(
        f"""{_HEAD}BO_ 1 Tank: 4 ECU
 SG_ Level : {7 * (order == "0")}|8@{order}+ (0.5,0) [0|0] "l" Dash
 SG_ Inner : {11 + 4 * (order == "0")}|12@{order}- (0.5,-3) [0|0] "l" Dash
 SG_ Odd : 24|1@1+ (2,0) [0|0] "" Dash
VAL_ 1 Level 255 "not available" ;
VAL_ 1 Inner -1 "not available" -2 "none" -3 "none" ;
""",
        tmp_path,
    )
    assert {outcome.coverage for outcome in made.result.outcomes} == {Coverage.WHOLE}
    for data in (bytes.fromhex("ffffff01"), bytes.fromhex("10203005"), bytes.fromhex("fffeff01")):
        _same(made, "Tank", data)
    row = made.row("Tank", bytes.fromhex("ff000000"))
    assert (row["level_raw"], row["level_raw_name"], row["level"]) == (255, "not available", 127.5)


def test_floats(tmp_path: Path) -> None:
    made = _imported(
        f"""{_HEAD}BO_ 1 Floats: 20 ECU
 SG_ Small : 0|32@1- (1,0) [0|0] "" Dash
 SG_ Turned : 39|32@0- (1,0) [0|0] "" Dash
 SG_ Large : 64|64@1- (1,0) [0|0] "" Dash
 SG_ Half : 128|16@1- (1,0) [0|0] "" Dash
BO_ 2 Askew: 8 ECU
 SG_ Flag : 0|1@1+ (1,0) [0|0] "" Dash
 SG_ Shifted : 1|32@1- (1,0) [0|0] "" Dash
SIG_VALTYPE_ 1 Small : 1;
SIG_VALTYPE_ 1 Turned : 1;
SIG_VALTYPE_ 1 Large : 2;
SIG_VALTYPE_ 1 Half : 1;
SIG_VALTYPE_ 2 Shifted : 1;
""",
        tmp_path,
    )
    data = (
        struct.pack("<f", 1.5) + struct.pack(">f", -0.25) + struct.pack("<d", 1e300) + struct.pack("<e", 2.5) + bytes(2)
    )
    _same(made, "Floats", data)
    assert [outcome.reasons for outcome in made.result.outcomes] == [
        (),
        ("shifted: a float among other bits has no type",),
    ]
    shifted = (int.from_bytes(struct.pack("<f", 1.5), "little") << 1 | 1).to_bytes(8, "little")
    assert made.row("Askew", shifted)["shifted"] == int.from_bytes(struct.pack("<f", 1.5), "little")


def test_what_does_not_fit_is_left_out_with_the_reason(tmp_path: Path) -> None:
    made = _imported(
        f"""{_HEAD}BO_ 1 Odd: 4 ECU
 SG_ First : 0|12@1+ (1,0) [0|0] "" Dash
 SG_ Second : 8|8@1+ (1,0) [0|0] "" Dash
 SG_ Far : 28|8@1+ (1,0) [0|0] "" Dash
 SG_ Turned : 27|16@0+ (1,0) [0|0] "" Dash
BO_ 2 Long: 1785 ECU
BO_ 1 Again: 4 ECU
BO_ 3221225472 VECTOR__INDEPENDENT_SIG_MSG: 0 Vector__XXX
 SG_ Loose : 0|8@1+ (1,0) [0|0] "" Vector__XXX
""",
        tmp_path,
    )
    assert [(each.name, each.at.line, str(each.coverage), set(each.reasons)) for each in made.result.outcomes] == [
        (
            "Odd",
            3,
            "in bytes",
            {
                "far is left out: it ends behind the message",
                "turned is left out: it ends behind the message",
                "second is left out: it has bits of other signals",
            },
        ),
        ("Long", 8, "refused", {"it has more than 64 bytes"}),
        ("Again", 9, "refused", {"Odd has the same identifier"}),
        ("VECTOR__INDEPENDENT_SIG_MSG", 10, "refused", {"its signals are of no message"}),
    ]
    assert dict(made.row("Odd", b"\x34\x12\x00\x00")) == {
        "first": 0x234, "unused_12_15": 1, "unused_16_31": bytes(2), "unknown_data": None
    }  # fmt: skip


def test_messages_of_j1939_are_known_by_their_group(tmp_path: Path) -> None:
    made = _imported(
        f"""{_HEAD}BO_ 2566844926 Broadcast: 8 ECU
 SG_ Speed : 0|16@1+ (1,0) [0|0] "" Dash
BO_ 2565480958 Addressed: 8 ECU
 SG_ Wish : 0|8@1+ (1,0) [0|0] "" Dash
BO_ 100 Plain: 8 ECU
BA_DEF_ BO_ "VFrameFormat" ENUM "StandardCAN","ExtendedCAN","reserved","J1939PG";
BA_DEF_DEF_ "VFrameFormat" "StandardCAN";
BA_ "VFrameFormat" BO_ 2566844926 3;
BA_ "VFrameFormat" BO_ 2565480958 3;
""",
        tmp_path,
    )

    def name(number: int) -> str:
        return str(made.protocol.parse(number.to_bytes(4, "big") + bytes([8, 0, 0, 0]) + bytes(8))["message"])

    broadcast = cantools.j1939.frame_id_unpack(0x18FEF1FE)
    other = cantools.j1939.frame_id_pack(7, 0, 0, broadcast.pdu_format, broadcast.pdu_specific, 0x21)
    assert [name(1 << 31 | 0x18FEF1FE), name(1 << 31 | other)] == ["broadcast", "broadcast"]
    addressed = cantools.j1939.frame_id_unpack(2565480958 & 0x1FFFFFFF)
    assert addressed.pdu_format < 240
    other = cantools.j1939.frame_id_pack(3, 0, 0, addressed.pdu_format, 0x44, 0x21)
    assert [name(1 << 31 | other), name(100), name(1 << 31 | 100)] == ["addressed", "plain", "unknown"]


def test_multiplexers_select_by_their_numbers(tmp_path: Path) -> None:
    """cantools compares what they mean, after the factor."""
    made = _imported(
        f"""{_HEAD}BO_ 1 Pages: 1 ECU
 SG_ Page M : 0|4@1+ (2,0) [0|0] "" Dash
 SG_ Value m1 : 4|4@1+ (1,0) [0|0] "" Dash
""",
        tmp_path,
    )
    assert (made.row("Pages", b"\x51")["page"], made.row("Pages", b"\x51")["value"]) == (2.0, 5)
    with pytest.raises(cantools.database.DecodeError, match="expected multiplexer id 1, but got 2"):
        made.message("Pages").decode(b"\x51")


def test_messages_of_one_group_are_known_by_their_whole_number(tmp_path: Path) -> None:
    made = _imported(
        f"""{_HEAD}BO_ 2566844926 First: 8 ECU
BO_ 2566844927 Second: 8 ECU
BA_DEF_ BO_ "VFrameFormat" ENUM "StandardCAN","ExtendedCAN","reserved","J1939PG";
BA_DEF_DEF_ "VFrameFormat" "J1939PG";
""",
        tmp_path,
    )
    frames = [number.to_bytes(4, "big") + bytes([8, 0, 0, 0]) + bytes(8) for number in (2566844926, 2566844927)]
    assert [made.protocol.parse(frame)["message"] for frame in frames] == ["first", "second"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("VERSION", "bus.dbc:1:1: not as DBC files are written"),
        ("BU_: A\nBO_ x", "bus.dbc:2:5: not as DBC files are written"),
        ("BO_ 1 A: 99999999 B\n", "bus.dbc:1:5: no message has 99999999 bytes; at most 1785"),
        (
            'BO_ 1 A: 8 B\n SG_ X M : 0|32@1+ (1,0) [0|0] "" B\nSG_MUL_VAL_ 1 X X 0-4294967295;\n',
            "bus.dbc:3:1: more than 65536 numbers of multiplexers",
        ),
        ('BO_ 1 A: 8 B\n SG_ X : 0|0@1+ (1,0) [0|0] "" B\n', "bus.dbc:1:1: cantools cannot read it: "),
        ("BO_ 1 A: 8 B\n" * 3 + "SG_ " * 300_000, "bus.dbc:4:5: not as DBC files are written"),
    ],
)
def test_what_is_no_dbc_file_is_refused_with_a_sentence(text: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "bus.dbc"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SourceError) as error:
        importing.imported([path], importers.own()["dbc"], tmp_path / "specs")
    assert str(error.value).removeprefix(f"{tmp_path.as_posix()}/").startswith(told)
    assert len(str(error.value)) < 400 + len(str(tmp_path))
