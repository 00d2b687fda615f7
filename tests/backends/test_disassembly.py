"""Programs as text say all that programs do: each instruction once, in its block, with values that were set before."""

import re

import pytest
from support.worked import each_of, pair_of

from wireloom.codec import Protocol
from wireloom.columnar import program_texts
from wireloom.columnar.execution import disassembly
from wireloom.columnar.execution.disassembly import FOUND, disassembled
from wireloom.columnar.execution.executable import Executable
from wireloom.columnar.program_texts import ProgramText
from wireloom.programs import opcodes as op
from wireloom.programs.write_opcodes import OPCODES

NAMES = ("checksums_over_each_other", "recursion", "repeat_structs", "through", "variants", "databus", "couchbase_dcp")
VALUE = re.compile(r"%[\w.]*\w")


def printed(protocol: Protocol, monkeypatch: pytest.MonkeyPatch) -> list[tuple[ProgramText, Executable]]:
    """The programs that read and write the messages of a protocol, as text and as they are executed."""
    programs: list[Executable] = []

    def noted(one: Executable) -> list[disassembly.ProgramLine]:
        programs.append(one)
        return disassembled(one)

    monkeypatch.setattr(program_texts, "disassembled", noted)
    texts = [
        text
        for message in list(protocol.records)[:8]
        for made in (program_texts.reading, program_texts.writing)
        for text in made(protocol, message, {}).programs
    ]
    assert texts
    return list(zip(texts, programs, strict=True))


@each_of(NAMES, NAMES[:-1])
def test_programs_are_printed_whole(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for text, program in printed(pair_of(name).codec, monkeypatch):
        each_instruction_is_in_one_line(text, program)
        values_are_set_once_before_they_are_read(text)
        lines_are_in_the_blocks_of_their_instructions(text, program)
        instructions_have_the_operands_of_their_entries(program)


def each_instruction_is_in_one_line(text: ProgramText, program: Executable) -> None:
    """But for constants, which stand where they are read."""
    shown = [number for line in text.lines for number in line.instructions]
    assert shown == sorted(set(shown))
    left = set(range(len(program.code))) - set(shown)
    assert all(program.code[number, 0] == op.NUMBER for number in left)
    assert text.instructions == len(program.code)


def values_are_set_once_before_they_are_read(text: ProgramText) -> None:
    """Those of a block are read behind it only if they are 0 for rows without it."""
    done: set[str] = set()
    known: list[set[str]] = [set()]
    """The values that are known in each of the blocks around a line."""
    for line, depth, *_ in text.lines:
        del known[depth + 1 :]
        left, _, right = line.partition(" = ") if line.startswith("%") else ("", "", line)
        assert set(VALUE.findall(right)) <= set().union(*known), line
        sets = set(VALUE.findall(left))
        known[depth] |= sets
        if right != "0":
            assert not done & sets, line
            done |= sets
        if line.startswith("when "):
            known.append(set())
        assert "{" not in line


def lines_are_in_the_blocks_of_their_instructions(text: ProgramText, program: Executable) -> None:
    depths = [0] * len(program.code)
    for place, (kind, _, count, *_) in enumerate(program.code.tolist()):
        if kind == op.SKIP:
            for inside in range(place + 1, place + 1 + count):
                depths[inside] += 1
    for line in text.lines:
        assert {depths[number] for number in line.instructions} == {line.depth}


def instructions_have_the_operands_of_their_entries(program: Executable) -> None:
    assert len(program.fields) == len(program.code)
    for kind, *operands in program.code.tolist():
        known = OPCODES[kind]
        registers = len(known.sets + known.reads)
        assert all(0 <= each < program.registers for each in operands[:registers]), known.name
        assert not any(operands[registers + len(known.numbers) :]), known.name


def test_registers_that_every_program_finds_have_names() -> None:
    assert list(FOUND) == list(range(op.FREE))
