"""Programs while they are put together, and how their values become registers.

Each instruction sets values of its own. At the end, what nobody asks for is left out, outputs are written as soon as
they are known, and values share registers.
"""

import operator
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from wireloom.codec.checksums import Crc
from wireloom.programs import opcodes as op
from wireloom.programs.outputs import Output, Table
from wireloom.programs.reasons import AnyReason, Check
from wireloom.programs.values import WORD


class Instruction(NamedTuple):
    """An operation on values. It ``sets`` some and ``reads`` others; ``numbers`` are its other operands. ``field`` is
    the path of the field that it reads, checks or writes, from the record on. What rejects rows is a ``check``.
    """

    kind: int
    sets: tuple[int, ...]
    reads: tuple[int, ...]
    numbers: tuple[int, ...]
    field: tuple[str, ...] = ()
    check: Check | None = None

    @property
    def uses(self) -> tuple[int, ...]:
        """The values that it reads, and those of which its reason tells."""
        return self.reads if self.check is None else (*self.reads, *self.check.registers())


@dataclass(slots=True)
class Block:
    """Instructions for the rows in which the mask ``when`` is set; in others, what they set may be anything.

    They are left out in tiles in which it is set in no row. What is read outside of them is 0 there.
    """

    when: int
    body: "list[Instruction | Block]" = field(default_factory=list)


@dataclass(slots=True)
class Loop(Block):
    """A block that is repeated for the rows in which ``when`` is still set.

    The values that are ``carried`` from one turn to the next have another one before the first turn, and get another
    one at the end of each, in the rows of that turn. ``when`` is one of them. ``outputs`` are the instructions that
    write something in each turn; a loop that is ``for_outputs`` alone is left out where these are not written.
    """

    carried: dict[int, tuple[int, int]] = field(default_factory=dict)
    outputs: list[Instruction] = field(default_factory=list)
    for_outputs: bool = False


Steps = list[Instruction | Block]
Memory = Output | Table | Crc
"""An output, a table, or the tables of a CRC."""


class Assembler:
    """Takes instructions one by one."""

    def __init__(self) -> None:
        self.code: Steps = []
        self.memory: list[Memory] = []
        """What is written and looked into, by place."""
        self.outputs: list[Instruction] = []
        """The instructions that write outputs."""
        self.values = op.FREE
        self.reach = 64
        """How many zeros are enough for what is read where nothing is."""
        self.path: tuple[str, ...] = ()
        """The path of the field that is being lowered."""
        self.message: str | None = None
        """The name of the message whose field it is; None in headers."""
        self.checks = 0
        """How many checks there are so far."""
        self.negated: dict[int, int] = {}
        """Masks by those that are set where they are not."""
        self.wide: set[int] = set()
        """Values that are the lowest 64 bits of what an operation gives."""
        self.parts: dict[int, int] = {}
        """Values that are loaded from some bytes of a number, by how many bytes that is behind the same position."""
        self._tables: dict[Memory, int] = {}
        self._known: dict[tuple[object, ...], int] = {}
        self._constants: dict[int, int] = {op.ONES: 1}
        self._checked: set[tuple[int, int]] = set()
        self._depth = 0

    def value(self, kind: int, reads: Sequence[int] = (), numbers: Sequence[int] = ()) -> int:
        """The value that an operation has."""
        numbers = tuple(map(wrapped, numbers))
        if kind == op.EQUAL and reads[0] == reads[1]:
            return op.ONES
        if kind in _FOLDED and (folded := self._folded(kind, reads, numbers)) is not None:
            return folded
        if kind == op.CHOOSE and (chosen := self._chosen(*reads)) is not None:
            return chosen
        key = (kind, *reads, "", *numbers)
        found = self._known.get(key)
        if found is None:
            (found,) = self.several(kind, 1, reads, numbers)
            if not self._depth and kind not in op.JUDGING:
                self._known[key] = found
            if kind == op.NOT:
                self.negated[found] = reads[0]
        return found

    def load(self, place: int, shift: int, size: int, *, little: bool) -> int:
        """The unsigned number of up to 8 bytes that are so many bytes behind a place."""
        if (size, little) in _LOADS:
            return self.value(_LOADS[size, little], (place,), (shift,))
        return self.value(op.LOAD_ODD, (place,), (shift, size, int(not little)))

    def _folded(self, kind: int, reads: Sequence[int], numbers: Sequence[int]) -> int | None:
        """The value of an operation on numbers that are the same in all rows; None if it has to be done."""
        known = [self._constants.get(value) for value in reads]
        if kind == op.AND and 0 in known:
            return self.number(0)
        if None in known:
            return None
        found = _FOLDED[kind](*known, *numbers)
        return op.ONES if found is True else self.number(found)

    def _chosen(self, mask: int, one: int, other: int) -> int | None:
        """What is chosen if that is known, or if it is the mask."""
        known = self.constant(mask)
        if one == other or known is not None:
            return one if one == other or known else other
        return mask if one == op.ONES and self.constant(other) == 0 else None

    def several(
        self,
        kind: int,
        count: int,
        reads: Sequence[int],
        numbers: Sequence[int] = (),
        reason: AnyReason | None = None,
    ) -> range:
        """The values that an operation has, so many, and why it rejects rows."""
        sets = range(self.values, self.values + count)
        self.values += count
        if op.LOAD_1 <= kind <= op.LOAD_ODD:
            self.reach = max(self.reach, numbers[0] + 8)
        self._append(kind, reads, numbers, sets, reason)
        return sets

    def _append(
        self,
        kind: int,
        reads: Sequence[int],
        numbers: Sequence[int] = (),
        sets: Sequence[int] = (),
        reason: AnyReason | None = None,
    ) -> None:
        check = None
        if kind in op.JUDGING:
            check = Check(self.checks, self.message, reason)
            self.checks += 1
        self.code.append(Instruction(kind, tuple(sets), tuple(reads), tuple(numbers), self.path, check))

    @contextmanager
    def field(self, name: str) -> Iterator[None]:
        """What is put together meanwhile is of the field of that name."""
        outer, self.path = self.path, (*self.path, name)
        try:
            yield
        finally:
            self.path = outer

    def number(self, number: int) -> int:
        """The value that is this number in all rows."""
        found = self.value(op.NUMBER, (), (number,))
        self._constants[found] = wrapped(number)
        return found

    def constant(self, value: int) -> int | None:
        """The number that a value is in all rows; None if none is known."""
        return self._constants.get(value)

    def shared(self, table: Memory) -> int:
        """The place of a table, or of an output, that several instructions share."""
        if table not in self._tables:
            self._tables[table] = self.place(table)
        return self._tables[table]

    def place(self, memory: Memory) -> int:
        """A place for an output, or for a table."""
        self.memory.append(memory)
        return len(self.memory) - 1

    def check(self, holds: int, where: int, reason: AnyReason | None = None) -> None:
        """Rows ``where`` it does not hold are not sound."""
        if (holds, where) in self._checked or self.constant(holds):
            return
        if not self._depth:
            self._checked.add((holds, where))
        self._append(op.CHECK, (holds, where), reason=reason)

    def check_text(
        self, start: int, stop: int, where: int, reason: AnyReason | None = None, *, is_ascii: bool = False
    ) -> None:
        """Rows ``where`` these bytes are no UTF-8, or no ASCII, are not sound."""
        self._append(op.CHECK_TEXT, (start, stop, where), (int(is_ascii),), reason=reason)

    def check_same(self, start: int, stop: int, other: int, end: int, where: int) -> None:
        """Rows ``where`` the bytes from ``start`` to ``stop`` are not those from ``other`` to ``end`` are not sound."""
        self._append(op.CHECK_BYTES, (start, stop, other, end, where))

    def same(self, start: int, stop: int, wanted: bytes) -> int:
        """Where the bytes from ``start`` to ``stop`` are these."""
        if not wanted:
            return self.value(op.EQUAL, (start, stop))
        self.reach = max(self.reach, len(wanted))
        return self.value(op.SAME, (start, stop), (self.shared(Table(wanted)), len(wanted)))

    def do(self, kind: int, reads: Sequence[int], numbers: Sequence[int]) -> None:
        """Something that sets no values."""
        self._append(kind, reads, numbers)

    def store(self, kind: int, reads: Sequence[int], numbers: Sequence[int]) -> None:
        """Write an output."""
        self.outputs.append(Instruction(kind, (), tuple(reads), tuple(numbers), self.path))

    @contextmanager
    def block(self, when: int) -> Iterator[None]:
        """What is put together meanwhile is left out where the mask is set in no row."""
        outer, self.code = self.code, []
        self._depth += 1
        try:
            yield
            outer.append(Block(when, self.code))
        finally:
            self.code = outer
            self._depth -= 1

    @contextmanager
    def loop(self, first: Sequence[int]) -> "Iterator[Loop]":
        """What is put together meanwhile is repeated. The values that are carried begin as these ``first``; the mask of
        the rows that go on is the last one. ``carry`` says what they become.
        """
        values = range(self.values, self.values + len(first))
        self.values += len(first)
        found = Loop(values[-1], carried={value: (one, value) for value, one in zip(values, first, strict=True)})
        outer, self.code = self.code, found.body
        self._depth += 1
        try:
            yield found
            outer.append(found)
        finally:
            self.code = outer
            self._depth -= 1

    def needed(self, asked: Iterable[int], *, judging: bool = True) -> tuple[Steps, Mapping[int, Sequence[int]]]:
        """The instructions for the values that are ``asked`` for at the end, and all checks unless it is not
        ``judging``; and the values that each block leaves for others, by its identity.
        """
        last = Instruction(op.NUMBER, (), tuple(asked), ())
        code = _asked(self.code, set(last.reads), judging=judging)
        return code, _left([*code, last])

    def assembled(
        self, *, judging: bool = True, outputs: "Sequence[Instruction] | None" = None, explaining: bool = False
    ) -> "Assembled":
        """The program, which writes all outputs or only these. Unless it is ``judging``, only what outputs need is
        checked. If it is ``explaining``, registers that the reasons of its checks need are kept for them.
        """
        code = _writing(self.code) if outputs is None or explaining else self.code
        outputs = self.outputs if outputs is None else outputs
        asked = {value for each in outputs for value in each.reads}
        code = _asked(code, asked, judging=judging, explaining=explaining)
        code = _with_outputs(code, outputs)
        return _allocated(list(_flat(code, _left(code))), self)


def wrapped(number: int) -> int:
    """The number of 64 bits in two's complement that has the lowest bits of a number."""
    return int(number) if -WORD <= number < WORD else _signed(number, 64)


def _signed(number: int, bits: int) -> int:
    """What the lowest bits of a number are in two's complement."""
    half = 1 << bits - 1
    return ((number & (1 << bits) - 1) ^ half) - half


_LOADS = {
    (1, False): op.LOAD_1, (1, True): op.LOAD_1,
    (2, False): op.LOAD_2_BIG, (2, True): op.LOAD_2,
    (4, False): op.LOAD_4_BIG, (4, True): op.LOAD_4,
    (8, False): op.LOAD_8_BIG, (8, True): op.LOAD_8,
}  # fmt: skip
_FOLDED: Mapping[int, Callable[..., int]] = {
    op.ADD: operator.add,
    op.SUBTRACT: operator.sub,
    op.MULTIPLY: operator.mul,
    op.AND: operator.and_,
    op.OR: operator.or_,
    op.XOR: operator.xor,
    op.EQUAL: operator.eq,
    op.LESS: operator.lt,
    op.LESS_EQUAL: operator.le,
    op.ADD_NUMBER: operator.add,
    op.MULTIPLY_NUMBER: operator.mul,
    op.AND_NUMBER: operator.and_,
    op.EQUAL_NUMBER: operator.eq,
    op.LESS_NUMBER: operator.lt,
    op.MORE_NUMBER: operator.gt,
    op.NOT: operator.not_,
    op.SIGN: _signed,
}
"""The operations that are done while a program is put together if all that they read is known."""


class Assembled(NamedTuple):
    """A program: the numbers of each instruction, which are its opcode, the registers that it sets and reads, and its
    other operands; the paths of their fields, how many registers it takes, what it writes to and looks into, how
    many zeros it reads at most where nothing is, and, by the places of instructions, the checks that it explains.
    """

    code: tuple[tuple[int, ...], ...]
    fields: tuple[tuple[str, ...], ...]
    registers: int
    memory: tuple[Memory, ...]
    reach: int
    checks: Mapping[int, Check] = {}


def _writing(code: Steps) -> Steps:
    """The same with the outputs that loops write in each turn."""
    found: Steps = []
    for each in code:
        match each:
            case Loop(when, body, carried, outputs, for_outputs):
                body = [*_writing(body), *outputs]
                found.append(Loop(when, body, carried, for_outputs=for_outputs and not outputs))
            case Block(when, body):
                found.append(Block(when, _writing(body)))
            case _:
                found.append(each)
    return found


def _asked(code: Steps, asked: set[int], *, judging: bool = True, explaining: bool = False) -> Steps:
    """The instructions whose values are asked for, or that judge rows. The values that these read are added to those
    that are ``asked`` for. Checks are left out of them unless it is ``explaining``.
    """
    found: Steps = []
    for each in reversed(code):
        if isinstance(each, Loop):
            found += _asked_loop(each, asked, judging=judging, explaining=explaining)
        elif isinstance(each, Block):
            body = _asked(each.body, asked, judging=judging, explaining=explaining)
            if body:
                asked.add(each.when)
                found.append(Block(each.when, body))
        elif (
            not asked.isdisjoint(each.sets)
            or each.kind == op.STORE_LIST
            or (judging and (each.kind in op.JUDGING or not each.sets))
        ):
            kept = each if explaining or each.check is None else each._replace(check=None)
            found.append(kept)
            asked.update(kept.uses)
    return found[::-1]


def _asked_loop(loop: Loop, asked: set[int], *, judging: bool, explaining: bool) -> Steps:
    """The same of a loop, if any of it is needed: what a turn asks for may be what the turn before it sets."""
    unasked = asked.isdisjoint(loop.carried)
    if loop.for_outputs or (unasked and not _asked(loop.body, set(asked), judging=judging, explaining=explaining)):
        return []
    asked.add(loop.when)
    while True:
        before = len(asked)
        asked.update(following for value, (_, following) in loop.carried.items() if value in asked)
        body = _asked(loop.body, asked, judging=judging, explaining=explaining)
        if len(asked) == before:
            break
    carried = {value: pair for value, pair in loop.carried.items() if value in asked}
    asked.update(first for first, _ in carried.values())
    return [Loop(loop.when, body, carried)]


def _with_outputs(code: Steps, outputs: Iterable[Instruction]) -> Steps:
    """The outputs as early as their values are known, and the bytes there are known to be texts."""
    known = dict.fromkeys(range(op.FREE), -1)
    for place, each in enumerate(code):
        for value in _set_by(each):
            known[value] = place
    behind: dict[int, list[Instruction]] = {}
    for output in outputs:
        behind.setdefault(max(known[value] for value in output.reads), []).append(output)
    found: Steps = list(behind.get(-1, ()))
    for place, each in enumerate(code):
        found += [each, *behind.get(place, ())]
    return found


def _set_by(part: Instruction | Block) -> Sequence[int]:
    """The values that are not known before a part."""
    if isinstance(part, Instruction):
        return part.reads if part.kind == op.CHECK_TEXT else part.sets
    found = [value for each in part.body for value in _set_by(each)]
    return [*found, *part.carried] if isinstance(part, Loop) else found


def _flat(code: Steps, left: Mapping[int, Sequence[int]]) -> Iterator[Instruction]:
    """All instructions. Values that are asked for outside of a block, which are ``left`` by it, are 0 before it."""
    for each in code:
        if isinstance(each, Instruction):
            yield each
        else:
            body = list(_flat(each.body, left))
            if isinstance(each, Loop):
                yield from (_copied(value, first) for value, (first, _) in each.carried.items())
                body += _carried(each)
                body.append(Instruction(op.REPEAT, (), (each.when,), (len(body),), (), Check(0, None)))
            yield from (Instruction(op.NUMBER, (value,), (), (0,)) for value in left.get(id(each), ()))
            yield Instruction(op.SKIP, (), (each.when,), (len(body),))
            yield from body


def _copied(value: int, other: int) -> Instruction:
    return Instruction(op.ADD_NUMBER, (value,), (other,), (0,))


def _carried(loop: Loop) -> Iterator[Instruction]:
    """What ends a turn: values become what the turn found for them, the mask of the rows that go on last of all."""
    others = [(value, following) for value, (_, following) in loop.carried.items() if value != loop.when]
    for value, following in (*others, (loop.when, loop.carried[loop.when][1])):
        yield Instruction(op.CHOOSE, (value,), (loop.when, following, value), ())


def _left(code: Steps) -> dict[int, list[int]]:
    """The values that are set in a block and read outside of it, by the identity of the block."""
    found: defaultdict[int, dict[int, None]] = defaultdict(dict)
    within: dict[int, tuple[int, ...]] = {}

    def go(code: Steps, blocks: tuple[int, ...]) -> None:
        for each in code:
            if isinstance(each, Loop):
                for first, _ in each.carried.values():
                    read(first, blocks)
                within.update(dict.fromkeys(each.carried, blocks))
                inside = (*blocks, id(each))
                go(each.body, inside)
                for _, following in each.carried.values():
                    read(following, inside)
            elif isinstance(each, Block):
                read(each.when, blocks)
                go(each.body, (*blocks, id(each)))
            else:
                for value in each.uses:
                    if value in within:
                        read(value, blocks)
                if blocks:
                    within.update(dict.fromkeys(each.sets, blocks))

    def read(value: int, blocks: tuple[int, ...]) -> None:
        for block in within.get(value, ()):
            if block not in blocks:
                found[block][value] = None

    go(code, ())
    return {block: list(values) for block, values in found.items()}


def _keep(code: Sequence[Instruction], begin: int, end: int, last: dict[int, int]) -> None:
    """Values that a loop reads before it sets them are read until it ends."""
    found: set[int] = set()
    for each in code[begin:end]:
        for value in each.uses:
            if value not in found:
                last[value] = max(last[value], end)
        found.update(each.sets)


def _allocated(code: list[Instruction], asm: Assembler) -> Assembled:
    """Registers for the values: one is free again behind the last instruction that reads it."""
    last: dict[int, int] = {}
    for place, each in enumerate(code):
        for value in (*each.uses, *each.sets):
            last[value] = place
    for place, each in enumerate(code):
        if each.kind == op.REPEAT:
            _keep(code, place - each.numbers[0], place, last)
    behind: defaultdict[int, list[int]] = defaultdict(list)
    for value, place in last.items():
        if value >= op.FREE:
            behind[place].append(value)
    registers = {value: value for value in range(op.FREE)}
    free: list[int] = []
    count = op.FREE
    rows, checks = [], {}
    for place, each in enumerate(code):
        if each.check is not None:
            reason = each.check.reason
            told = None if reason is None else reason.renamed(registers.__getitem__)
            checks[place] = each.check._replace(reason=told)
        for value in each.sets:
            if value in registers:
                continue  # it was 0 before a block
            if not free:
                free, count = [count], count + 1
            registers[value] = free.pop()
        operands = map(registers.__getitem__, (*each.sets, *each.reads))
        rows.append((each.kind, *operands, *each.numbers))
        if place in behind:
            free += map(registers.__getitem__, behind[place])
    fields = tuple(each.field for each in code)
    return Assembled(tuple(rows), fields, count, tuple(asm.memory), asm.reach, checks)
