"""Programs as text say all that programs do: each instruction once, in its block, with values that were set before."""

import re
from collections.abc import Iterator

import pytest
from support.worked import each_of, pair_of

from wireloom.codec import Protocol
from wireloom.columnar import program_texts
from wireloom.columnar.execution import disassembly
from wireloom.columnar.execution.disassembly import FOUND, disassembled
from wireloom.columnar.execution.executable import Executable
from wireloom.programs import opcodes as op
from wireloom.programs.write_opcodes import OPCODES

NAMES = ("checksums_over_each_other", "recursion", "repeat_structs", "through", "variants", "databus", "couchbase_dcp")
VALUE = re.compile(r"%[\w.]*\w")


@pytest.fixture
def assembled(monkeypatch: pytest.MonkeyPatch) -> list[Executable]:
    """The programs that are written as text."""
    found: list[Executable] = []

    def noted(one: Executable) -> list[disassembly.ProgramLine]:
        found.append(one)
        return disassembled(one)

    monkeypatch.setattr(program_texts, "disassembled", noted)
    return found


def texts(protocol: Protocol) -> Iterator[program_texts.ProgramText]:
    """The programs that read and write the messages of a protocol."""
    for message in list(protocol.records)[:8]:
        for made in (program_texts.reading, program_texts.writing):
            yield from made(protocol, message, {}).programs


@each_of(NAMES, NAMES[:-1])
def test_each_instruction_is_in_one_line(name: str, assembled: list[Executable]) -> None:
    """But for constants, which stand where they are read."""
    for program, found in zip(texts(pair_of(name).codec), assembled, strict=True):
        shown = [number for line in program.lines for number in line.instructions]
        assert shown == sorted(set(shown))
        left = set(range(len(found.code))) - set(shown)
        assert all(found.code[number, 0] == op.NUMBER for number in left)
        assert program.instructions == len(found.code)


@each_of(NAMES, NAMES[:-1])
def test_values_are_set_once_before_they_are_read(name: str) -> None:
    """Those of a block are read behind it only if they are 0 for rows without it."""
    for program in texts(pair_of(name).codec):
        done: set[str] = set()
        known: list[set[str]] = [set()]
        """The values that are known in each of the blocks around a line."""
        for text, depth, *_ in program.lines:
            del known[depth + 1 :]
            left, _, right = text.partition(" = ") if text.startswith("%") else ("", "", text)
            assert set(VALUE.findall(right)) <= set().union(*known), text
            sets = set(VALUE.findall(left))
            known[depth] |= sets
            if right != "0":
                assert not done & sets, text
                done |= sets
            if text.startswith("when "):
                known.append(set())
            assert "{" not in text


@each_of(NAMES, NAMES[:-1])
def test_lines_are_in_the_blocks_of_their_instructions(name: str, assembled: list[Executable]) -> None:
    for program, found in zip(texts(pair_of(name).codec), assembled, strict=True):
        depths = [0] * len(found.code)
        for place, (kind, _, count, *_) in enumerate(found.code.tolist()):
            if kind == op.SKIP:
                for inside in range(place + 1, place + 1 + count):
                    depths[inside] += 1
        for line in program.lines:
            assert {depths[number] for number in line.instructions} == {line.depth}


@each_of(NAMES, NAMES[:-1])
def test_instructions_have_the_operands_of_their_entries(name: str, assembled: list[Executable]) -> None:
    assert list(texts(pair_of(name).codec))
    for found in assembled:
        assert len(found.fields) == len(found.code)
        for kind, *operands in found.code.tolist():
            known = OPCODES[kind]
            registers = len(known.sets + known.reads)
            assert all(0 <= each < found.registers for each in operands[:registers]), known.name
            assert not any(operands[registers + len(known.numbers) :]), known.name


def test_registers_that_every_program_finds_have_names() -> None:
    assert list(FOUND) == list(range(op.FREE))
