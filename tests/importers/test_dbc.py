"""DBC files: cantools and the spec that is made of a file agree on each frame, both ways."""

import random
from pathlib import Path

import cantools
import pytest
from scapy.layers.can import CAN
from scapy.utils import wrpcap

from importers.can_frames import HEAD, Made, bus_imported, can_frame, read_and_written_alike
from wireloom.codec import DecodeError
from wireloom_generator import importers, importing
from wireloom_generator.importers import Coverage
from wireloom_protocols import pcap


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
    text = HEAD
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
    made = bus_imported(_invented(seed), tmp_path)
    assert {outcome.coverage for outcome in made.result.outcomes} == {Coverage.WHOLE}
    chosen = random.Random(seed)
    for message in made.database.messages:
        for _ in range(10):
            data = bytearray(chosen.randbytes(message.length))
            for signal in message.signals:
                numbers = {number for each in message.signals for number in each.multiplexer_ids or ()} or {0}
                if signal.is_multiplexer:
                    _put(data, signal.start, signal.length, chosen.choice(sorted(numbers)))
            read_and_written_alike(made, message.name, bytes(data))


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
def bus(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return bus_imported(BUS, tmp_path_factory.mktemp("bus"))


def test_a_message_looks_as_if_it_were_written_by_hand(bus: Made) -> None:
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
def test_multiplexers_in_multiplexers_and_ranges(bus: Made, page: int, kind: int) -> None:
    data = bytearray(random.Random(page * 10 + kind).randbytes(8))
    _put(data, 0, 4, page)
    _put(data, 4, 12, kind)
    _put(data, 40, 8, 0x40)  # no NaN, whose bits cantools does not keep
    read_and_written_alike(bus, "Diagnostics", bytes(data))


def test_numbers_that_no_signal_has_are_kept(bus: Made) -> None:
    """cantools refuses a frame whose multiplexer selects nothing."""
    data = bytes.fromhex("0f20010203040506")
    with pytest.raises(cantools.database.DecodeError):
        bus.message("Diagnostics").decode(data)
    row = bus.row("Diagnostics", data)
    assert row["page"] == 15
    assert [row[name] for name in ("kind", "volts", "amps", "ratio", "place")] == [None] * 5
    frame = can_frame(bus.message("Diagnostics"), data)
    assert bus.protocol.build(bus.protocol.parse(frame)) == frame


def test_choices_are_labels(bus: Made) -> None:
    data = bytes([0, 0, 0, 0, 0x01, 0, 0, 0])
    assert str(bus.message("Engine").decode(data)["Gear"]) == "1st"
    assert bus.row("Engine", data)["gear_name"] == "1st"


def test_a_frame_with_more_bytes_keeps_them_and_one_with_fewer_is_malformed(bus: Made, tmp_path: Path) -> None:
    made = bus_imported(f'{HEAD}BO_ 1 Short: 2 ECU\n SG_ A : 0|16@1+ (1,0) [0|0] "" Dash\n', tmp_path)
    assert dict(made.row("Short", b"\x01\x02\x03")) == {"a": 0x0201, "unknown_data": b"\x03"}
    assert made.message("Short").decode(b"\x01\x02\x03") == {"A": 0x0201}
    with pytest.raises(DecodeError, match="overrun"):
        made.row("Short", b"\x01")


def test_files_of_windows(tmp_path: Path) -> None:
    """Most tools for DBC files write them so, and cantools reads them so by default."""
    text = f'{HEAD}BO_ 1 Air: 1 ECU\n SG_ Temp : 0|8@1- (1,0) [0|0] "\N{DEGREE SIGN}C" Dash\n'
    path = tmp_path / "bus.dbc"
    path.write_text(text, encoding="cp1252")
    result = importing.imported([path], importers.own()["dbc"], tmp_path / "specs")
    assert "unit: \N{DEGREE SIGN}C" in "".join(result.files.values())
    (signal,) = cantools.database.load_file(path).get_message_by_name("Air").signals
    assert signal.unit == "\N{DEGREE SIGN}C"


def test_remote_frames_are_no_message(bus: Made) -> None:
    """They have the length of the data that they request, and no data."""
    frame = bytes.fromhex("40000064 08000000 0000000000000000")
    row = bus.protocol.parse(frame)
    assert (row["message"], row["is_remote"], row["identifier"]) == ("unknown", True, 100)


def test_frames_are_those_of_captures(bus: Made, tmp_path: Path) -> None:
    """Scapy writes them as well; what Linux captures is padded."""
    packet = CAN(identifier=0x18FEF1FE, flags="extended", length=8, data=bytes.fromhex("3000000000000000"))
    row = bus.protocol.parse(bytes(packet).ljust(16, b"\0"))
    assert (row["message"], row["diagnostics"]["page"]) == ("diagnostics", 0)
    file = tmp_path / "drive.pcap"
    wrpcap(str(file), [bytes(packet).ljust(16, b"\0")] * 2, linktype=227)
    packets = pcap.decode_columnar(file.read_bytes(), capture="raw").to_pylist()
    there = [packet["packet"]["data"] for packet in packets if packet["message"] == "packet"]
    assert [bus.protocol.parse(data)["message"] for data in there] == ["diagnostics"] * 2
    columns = bus.columns.decode_columnar(can_frame(bus.message("Engine"), bytes(8)) * 3)
    assert columns["message"].to_pylist() == ["engine"] * 3
