"""Programs as text: an instruction a line, with names in place of registers, and blocks indented."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from wireloom.columnar.execution.executable import Executable
from wireloom.programs import opcodes as op
from wireloom.programs import write_opcodes as write_op
from wireloom.programs.write_opcodes import OPCODES

FOUND = {op.START: "start", op.STOP: "stop", op.SOUND: "sound", op.ONES: "ones"}
"""How the registers are called that every program finds."""
_SUFFIXES = {
    **dict.fromkeys(range(op.LOAD_1, op.LOAD_ODD + 1), ""),
    **dict.fromkeys((op.TAKE, op.VARINT, op.DIGITS, *op.CHANGING, write_op.COLUMN, write_op.SPAN), ""),
    op.SIGN: "signed",
    op.LOOK_UP: "entry",
    op.NEED: "at",
    op.FIND: "end",
    op.CRC: "crc",
    op.SUM: "sum",
    op.GIVEN: "given",
    write_op.ROW: "row",
    write_op.BIT: "bit",
    write_op.COUNT: "count",
}
"""What the name of a value has behind that of its field, by the instruction that sets it."""
_NUMBERS = range(op.STORE_1, op.STORE_SIGNED + 1)
_CHECKS = frozenset((op.CHECK, op.CHECK_TEXT, op.CHECK_BYTES))
_SHORTER = ((" where ones ", " "), (" + 0]", "]"), (" + 0 ", " "), (" + -", " - "), (" 1 bytes ", " 1 byte "))

FieldPath = tuple[str, ...]


class ProgramLine(NamedTuple):
    """A line of a program: how many blocks are around it, the path of its field, and which instructions it is."""

    text: str
    depth: int
    field: FieldPath
    instructions: tuple[int, ...]


@dataclass(slots=True)
class _Value:
    """What a register has from one instruction that sets it to the next. Its name is its number if it is the same in
    all rows. ``stored`` is the path of the column that it is written to.
    """

    name: str = ""
    stored: FieldPath = ()


@dataclass(frozen=True, slots=True)
class _Step:
    """An instruction. It ``begins`` a value if it sets it to 0 in front of a block, for the rows without that."""

    kind: int
    sets: Sequence[_Value]
    reads: Sequence[_Value]
    numbers: Sequence[int]
    field: FieldPath
    begins: bool


def disassembled(assembled: Executable) -> list[ProgramLine]:
    """A program as text. Numbers that are the same in all rows have no line, but stand where they are read."""
    steps = list(_steps(assembled))
    _name(steps)
    found: list[ProgramLine] = []
    for text, depth, field, instructions in reversed(list(_lines(steps))):
        found.append(ProgramLine(text, depth, found[-1].field if field is None else field, instructions))
    return found[::-1]


def _steps(assembled: Executable) -> Iterator[_Step]:
    code = assembled.code.tolist()
    beginning = _beginning(code)
    values = {register: _Value(name) for register, name in FOUND.items()}
    begun: set[int] = set()
    """The registers whose values have begun, and are yet to be set."""
    for place, (kind, *operands) in enumerate(code):
        known, begins = OPCODES[kind], place in beginning
        first, behind = len(known.sets), len(known.sets) + len(known.reads)
        reads = [values[register] for register in operands[first:behind]]
        for register in operands[:first]:
            if register not in begun:
                values[register] = _Value()
            (begun.add if begins else begun.discard)(register)
        sets = [values[register] for register in operands[:first]]
        numbers = operands[behind : behind + len(known.numbers)]
        yield _Step(kind, sets, reads, numbers, assembled.fields[place], begins)


def _beginning(code: Sequence[Sequence[int]]) -> set[int]:
    """The instructions in front of blocks that set to 0 what is set in the block and read behind it."""
    found = set()
    for place, (kind, when, count, *_) in enumerate(code):
        before = place - 1
        while kind == op.SKIP and before >= 0 and code[before][0] == op.NUMBER and code[before][2] == 0:
            register = code[before][1]
            if register != when and _is_set_first(register, code[place + 1 : place + 1 + count]):
                found.add(before)
            before -= 1
    return found


def _is_set_first(register: int, code: Sequence[Sequence[int]]) -> bool:
    """Whether instructions set a register, and do not read it before."""
    for kind, *operands in code:
        known = OPCODES[kind]
        first = len(known.sets)
        if register in operands[first : first + len(known.reads)]:
            return False
        if register in operands[:first]:
            return True
    return False


def _name(steps: Sequence[_Step]) -> None:
    """Name values after their field, if they are read from bytes or columns, or after the column that they are written
    to. Others have numbers.
    """
    for step in steps:
        if step.kind in _NUMBERS and not step.reads[0].stored:
            step.reads[0].stored = step.field
    taken: Counter[str] = Counter()
    count = 0
    for step in steps:
        for place, value in enumerate(step.sets):
            if value.name or step.begins:
                continue
            if step.kind == op.NUMBER:
                value.name = str(step.numbers[0])
                continue
            suffix = "end" if place else _SUFFIXES.get(step.kind)
            parts = [*value.stored[-1:]] if suffix is None else [*step.field[-1:], suffix]
            name = ".".join(filter(None, parts or value.stored[-1:]))
            if not name:
                count += 1
                name = str(count)
            taken[name] += 1
            value.name = f"%{name}" if taken[name] == 1 else f"%{name}.{taken[name]}"


def _lines(steps: Sequence[_Step]) -> Iterator[tuple[str, int, FieldPath | None, tuple[int, ...]]]:
    """The lines; what is in front of a block has the field of the line behind it, in place of None."""
    ends: list[int] = []
    """Where the blocks end that an instruction is in."""
    begun: list[int] = []
    for place, step in enumerate(steps):
        while ends and ends[-1] == place:
            ends.pop()
        if step.begins:
            begun.append(place)
            continue
        if begun and step.kind == op.SKIP:
            names = ", ".join(value.name for each in begun for value in steps[each].sets)
            yield f"{names} = 0", len(ends), None, tuple(begun)
            begun = []
        if step.kind == op.SKIP:
            yield f"when {step.reads[0].name}:", len(ends), None, (place,)
            ends.append(place + 1 + step.numbers[0])
        elif step.kind != op.NUMBER:
            yield _text(step), len(ends), step.field, (place,)


def _text(step: _Step) -> str:
    known = OPCODES[step.kind]
    letters = known.sets + known.reads + known.numbers
    shown = (*(value.name for value in (*step.sets, *step.reads)), *map(str, step.numbers))
    text = known.form.format_map(dict(zip(letters, shown, strict=True)))
    if step.kind in _CHECKS and step.field:
        text += f" {step.field[-1]}"
    text += " "
    for longer, shorter in _SHORTER:
        text = text.replace(longer, shorter)
    return text.rstrip()
