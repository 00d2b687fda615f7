"""Texts of specs in dissectors: those that mean harm, and those that are long."""

from pathlib import Path

import pytest
from attack.texts import ALL
from compiler.strange_texts import STRANGE
from compiler.text_places import ALL_PLACES, written
from support import tshark
from support.tshark import dissected, udp

from wireloom_generator.emitters.wireshark import lua
from wireloom_generator.emitters.wireshark.lua import entries, table
from wireloom_generator.reading import spec
from wireloom_generator.resolve import protocol_of, resolve
from wireshark.dissectors import installed

pytestmark = pytest.mark.wireshark


def test_wireshark_takes_hostile_texts(tmp_path: Path) -> None:
    (one,), _ = spec.load([written(dict.fromkeys(ALL_PLACES, ALL), tmp_path)])
    script = installed(protocol_of(resolve(one)), tmp_path)
    lines = tshark.printed(script, tmp_path).splitlines()
    assert [line for line in lines if line.count("\t") != 2 or not line.replace("\t", "").isprintable()] == []
    assert [line for line in lines if line.endswith("\tpost")] != []
    found = dissected(udp([bytes.fromhex("0700")]), {"post": script}, tmp_path)
    assert [record.reason and record.reason.partition(":")[0] for record in found] == ["truncated"]


LONG = ["word " * 60 + text + " word" * 60 for text in STRANGE]
LONG += [" " * 300, "  two  blanks  " * 30, " " + "x" * 300 + "  y " * 40, "(one two) " * 60, "a b " * 20_000]


def test_a_long_text_is_the_same_in_several_lines(tmp_path: Path) -> None:
    print_bytes = "local function hex(char) return string.format('%02x', char:byte()) end\n"
    print_bytes += "local function say(given) print('= ' .. given.text:gsub('.', hex)) end\n"
    trees = [table(entries(number="1", text=lua.string(text)), "say") for text in LONG]
    script = tmp_path / "texts.lua"
    script.write_text(print_bytes + "\n".join(map(lua.render, trees)), encoding="utf-8")
    found = [line[2:] for line in tshark.printed(script, tmp_path).splitlines() if line.startswith("= ")]
    assert found == [text.encode().hex() for text in LONG]
