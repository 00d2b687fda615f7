"""DBC files: labels, floats, groups of J1939, and what a spec cannot say."""

import struct
from pathlib import Path

import cantools
import pytest

from importers.can_frames import HEAD, bus_imported, read_and_written_alike
from wireloom_generator import importers, importing
from wireloom_generator.importers import Coverage, SourceError


@pytest.mark.parametrize("order", ["1", "0"])
def test_labels_are_of_the_number_and_its_meaning_is_computed(order: str, tmp_path: Path) -> None:
    """cantools has the choice instead of the number."""
    made = bus_imported(
        f"""{HEAD}BO_ 1 Tank: 4 ECU
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
        read_and_written_alike(made, "Tank", data)
    row = made.row("Tank", bytes.fromhex("ff000000"))
    assert (row["level_raw"], row["level_raw_name"], row["level"]) == (255, "not available", 127.5)


def test_floats(tmp_path: Path) -> None:
    made = bus_imported(
        f"""{HEAD}BO_ 1 Floats: 20 ECU
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
    read_and_written_alike(made, "Floats", data)
    assert [outcome.reasons for outcome in made.result.outcomes] == [
        (),
        ("shifted: a float among other bits has no type",),
    ]
    shifted = (int.from_bytes(struct.pack("<f", 1.5), "little") << 1 | 1).to_bytes(8, "little")
    assert made.row("Askew", shifted)["shifted"] == int.from_bytes(struct.pack("<f", 1.5), "little")


def test_what_does_not_fit_is_left_out_with_the_reason(tmp_path: Path) -> None:
    made = bus_imported(
        f"""{HEAD}BO_ 1 Odd: 4 ECU
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


def test_identifiers_of_29_bits_need_no_mark_and_values_no_signal(tmp_path: Path) -> None:
    """Files of cars have both, and cantools reads neither."""
    text = f"""{HEAD}BO_ 316531288 Door: 1 ECU
 SG_ Locked : 0|1@1+ (1,0) [0|0] "" Dash
 SG_ Open : 1|1@1+ (1,0) [0|0] "" Dash
CM_ SG_ 316531288 Locked "BO_ 316531288 is {{}} locked; by key";
CM_ BO_ 316531288 "The door";
VAL_ 316531288 Locked 0 "free; BO_ 316531288" 1 "locked";
"""
    gone = 'VAL_ 316531288 Window 0 "shut;\nhere" 1 "open";\nVAL_ 7 Locked 0 "free";\n'
    marked = f" {1 << 31 | 316531288} "
    made = bus_imported(text + gone, tmp_path, text.replace(" 316531288 ", marked))
    assert [(each.name, each.at.line, str(each.coverage), each.reasons) for each in made.result.outcomes] == [
        ("Door", 3, "whole", ()),
        ("Window", 9, "refused", ("its values are of no signal of 316531288",)),
        ("Locked", 11, "refused", ("its values are of no signal of 7",)),
    ]
    row = made.row("Door", b"\x01")
    assert (row["locked_name"], row["open"]) == ("locked", 0)
    written = made.text("door")
    assert "# An extended frame, as its identifier has more than 11 bits; the file does not say so.\n" in written
    assert "BO_ 316531288 is {} locked; by key" in written


def test_messages_of_j1939_are_known_by_their_group(tmp_path: Path) -> None:
    made = bus_imported(
        f"""{HEAD}BO_ 2566844926 Broadcast: 8 ECU
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
    made = bus_imported(
        f"""{HEAD}BO_ 1 Pages: 1 ECU
 SG_ Page M : 0|4@1+ (2,0) [0|0] "" Dash
 SG_ Value m1 : 4|4@1+ (1,0) [0|0] "" Dash
""",
        tmp_path,
    )
    assert (made.row("Pages", b"\x51")["page"], made.row("Pages", b"\x51")["value"]) == (2.0, 5)
    with pytest.raises(cantools.database.DecodeError, match="expected multiplexer id 1, but got 2"):
        made.message("Pages").decode(b"\x51")


def test_messages_of_one_group_are_known_by_their_whole_number(tmp_path: Path) -> None:
    made = bus_imported(
        f"""{HEAD}BO_ 2566844926 First: 8 ECU
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
