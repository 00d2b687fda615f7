"""The instructions of programs as Python source.

A register is a local variable, or an expression where it is used; a record is ``data``, and a position in it an index.
The source returns None for a record that a check refuses, or raises an error of values.
"""

import codecs
import struct
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate
from operator import methodcaller
from typing import ClassVar, NamedTuple

from wireloom.backends.python.source import Script
from wireloom.codec.ascii import Ascii
from wireloom.codec.checksums import Crc
from wireloom.codec.compression import COMPRESSORS
from wireloom.codec.values import Rest
from wireloom.programs import opcodes as op
from wireloom.programs.assembler import Assembler, Block, Instruction, Loop, Steps, wrapped
from wireloom.programs.escapes import escaping_of
from wireloom.programs.octets import lowest, masked, sought_in, spread, transcoded, without
from wireloom.programs.outputs import Table
from wireloom.programs.values import NoProgramError

_LONGEST = 160
"""Expressions with more characters are computed once, and kept in a variable."""

_SIGNS = {
    op.ADD: "+",
    op.SUBTRACT: "-",
    op.MULTIPLY: "*",
    op.AND: "&",
    op.OR: "|",
    op.XOR: "^",
    op.SHIFT_LEFT: "<<",
    op.SHIFT_RIGHT: ">>",
    op.EQUAL: "==",
    op.LESS: "<",
    op.LESS_EQUAL: "<=",
    op.ADD_NUMBER: "+",
    op.MULTIPLY_NUMBER: "*",
    op.AND_NUMBER: "&",
    op.EQUAL_NUMBER: "==",
    op.LESS_NUMBER: "<",
    op.MORE_NUMBER: ">",
}
_COMPARES = frozenset((op.EQUAL, op.LESS, op.LESS_EQUAL, op.EQUAL_NUMBER, op.LESS_NUMBER, op.MORE_NUMBER))
_MASKS = frozenset((op.AND, op.OR, op.XOR))
_CODES = {
    op.LOAD_1: ("B", ""),
    op.LOAD_2: ("H", "<"),
    op.LOAD_2_BIG: ("H", ">"),
    op.LOAD_4: ("I", "<"),
    op.LOAD_4_BIG: ("I", ">"),
    op.LOAD_8: ("q", "<"),
    op.LOAD_8_BIG: ("q", ">"),
}


class Load(NamedTuple):
    """A number that ``struct`` unpacks: the register for it, where it is, its code and its byte order."""

    register: int
    offset: int
    code: str
    order: str

    @property
    def end(self) -> int:
        """Where the next number may be."""
        return self.offset + struct.calcsize(f"={self.code}")


class BufferPosition(NamedTuple):
    """A position so many bytes after that in a variable, which is ``0`` for the start of the record."""

    base: str
    offset: int

    def __str__(self) -> str:
        if self.base == "0":
            return str(self.offset)
        return f"{self.base} + {self.offset}" if self.offset else self.base


class InstructionSource:
    """Writes the instructions of a program. ``known`` has the text of the registers that are given. Those of
    ``floats`` are asked for as floats alone, and the bytes between two registers of ``texts`` as text, where a mask is
    set.
    """

    def __init__(
        self,
        source: Script,
        asm: Assembler,
        known: Mapping[int, str],
        floats: Iterable[int] = (),
        texts: Iterable[tuple[int, int, int]] = (),
    ) -> None:
        self.source = source
        self.asm = asm
        self.floats = frozenset(floats)
        self.texts = frozenset(texts)
        self.booleans = {op.ONES}
        """The registers whose value is True or False."""
        self.doubles: set[int] = set()
        """The registers that were loaded as floats."""
        self.pads = 0
        """How many zeros must follow the record."""
        self.begun = 0
        """After how many lines of the function the program begins."""
        self.given: dict[int, str] = {}
        """The texts of numbers from around a list, by the places of outputs."""
        self._texts = dict(known)
        self._places: dict[int, BufferPosition] = {}
        self._uses: Counter[int] = Counter()
        self._outside: set[int] = set()
        self._bases: set[int] = set()
        """The registers that positions are counted from."""
        self._where: list[int] = [op.ONES]
        self._sure: dict[tuple[str, str], int] = {}
        """How far bytes are known to be there, by the position that they are counted from and by their limit."""
        self._signed_already: set[int] = set()
        """The registers whose numbers are negative if their highest bit is set."""
        self._moved: set[int] = set()
        """The loads that were written before their turn, by identity."""

    def text(self, register: int) -> str:
        """The source of a register's value, in brackets if need be."""
        found = self._texts.get(register)
        if found is None:
            place = self._places[register]
            return f"({place})" if place.offset and place.base != "0" else str(place)
        return found

    def position(self, register: int) -> BufferPosition:
        """The position that a register has."""
        known = self._places.get(register)
        if known is None:
            text = self._texts[register]
            known = BufferPosition("0", int(text)) if text.isdigit() else BufferPosition(text, 0)
        return known

    def span(self, start: int, stop: int) -> str:
        """The source of the bytes between two positions."""
        return f"data[{self.position(start)}:{self.position(stop)}]"

    def program(self, reads: Iterable[int], *, judging: bool = True) -> None:
        """What it takes to know the registers that are read at the end, and all checks unless it is not ``judging``."""
        asked = set(reads)
        steps, left = self.asm.needed(asked, judging=judging)
        self._outside = {value for values in left.values() for value in values}
        self._uses = Counter(asked) + Counter(_reads(steps))
        self._bases = set(_bases(steps))
        self._steps(steps, left)

    def _steps(self, steps: Steps, left: Mapping[int, Sequence[int]]) -> None:
        for number, each in enumerate(steps):
            if isinstance(each, Block):
                self._block(each, left)
            elif id(each) not in self._moved:
                if each.kind in _CODES:
                    self._load(steps[number:])
                elif each.kind == op.NEED:
                    self._need(each, steps[number:])
                else:
                    self._one(each)

    def _block(self, block: Block, left: Mapping[int, Sequence[int]]) -> None:
        names = [self._variable(value) for value in left.get(id(block), ())]
        if names:
            self.source.add(f"{' = '.join(names)} = 0")
        carried = block.carried if isinstance(block, Loop) else {}
        variables = [self.source.lasting("v") for _ in carried]
        self._assign(variables, [first for first, _ in carried.values()])
        self._texts.update(zip(carried, variables, strict=True))
        self._where.append(block.when)
        sure = dict(self._sure)
        with self.source.aside() as lines:
            self._steps(block.body, left)
            self._assign(variables, [following for _, following in carried.values()])
        self._sure = sure
        self._where.pop()
        if lines:
            self.source.insert(f"{'while' if carried else 'if'} {self.text(block.when)}:", lines)

    def _assign(self, variables: Sequence[str], registers: Sequence[int]) -> None:
        """Let variables have the values of registers, all at once."""
        if variables:
            self.source.add(f"{', '.join(variables)} = {', '.join(map(self.text, registers))}")

    def _variable(self, register: int) -> str:
        """The name of the variable for a register."""
        if register not in self._texts:
            self._texts[register] = self.source.lasting("v")
        return self._texts[register]

    def _set(self, register: int, text: str) -> None:
        """Let a register be an expression: a variable, unless it is used once or is short."""
        is_once = self._uses[register] <= 1 and len(text) <= _LONGEST and register not in self._bases
        if text.isidentifier():
            self._be(register, text)
        elif is_once:
            self._be(register, f"({text})")
        else:
            self.source.add(f"{self._variable(register)} = {text}")

    def _be(self, register: int, text: str) -> None:
        """Let a register be a text wherever it is used, unless that is outside of the block that sets it."""
        if register in self._outside:
            self.source.add(f"{self._variable(register)} = {text}")
        else:
            self._texts[register] = text

    def _unless(self, where: int) -> str:
        """The beginning of a condition that is about the rows where a mask is set."""
        return "" if where in self._where else f"{self.text(where)} and "

    def refuse(self, condition: str, where: int) -> None:
        """Return None for records for which a condition holds, and a mask is set."""
        self.source.add(f"if {self._unless(where)}{condition}: return None")

    # Loads

    def _load(self, steps: Steps) -> None:
        """Unpack the number of the first step, and all that are at known places after the same position.

        Where bytes are missing, it raises an error before a check would return None.
        """
        first, found = steps[0], list[Load]()
        assert isinstance(first, Instruction)
        base = self.position(first.reads[0]).base
        alone = [each for each in steps if isinstance(each, Instruction)]
        signs = {each.reads[0]: each.numbers[0] for each in alone if each.kind == op.SIGN}
        for each in alone:
            if id(each) in self._moved or not each.reads:
                continue
            place = self._known_place(each.reads[0])
            if place is None or place.base != base:
                continue
            if each.kind == op.ADD_NUMBER:
                self._move(each)
            elif each.kind in (op.NEED, op.TAKE) and each.reads[-1] in self._where:
                self._is_at(each.sets[0], place)
            elif each.kind in _CODES:
                code, order = _CODES[each.kind]
                if code == "q" and each.sets[0] in self.floats and self._uses[each.sets[0]] == 1:
                    code = "d"
                    self.doubles.add(each.sets[0])
                bits = 8 * struct.calcsize(f"={code}")
                if self._uses[each.sets[0]] == 1 and signs.get(each.sets[0]) == bits and code != "q":
                    code = code.lower()
                    self._signed_already.add(each.sets[0])
                found.append(Load(each.sets[0], place.offset + each.numbers[0], code, order))
                self._moved.add(id(each))
        self._unpack(base, sorted(found, key=lambda load: load.offset))

    def _known_place(self, register: int) -> BufferPosition | None:
        return self.position(register) if self._is_position(register) else None

    def _is_position(self, register: int) -> bool:
        text = self._texts.get(register)
        return register in self._places or (text is not None and (text.isidentifier() or text.isdigit()))

    def _move(self, each: Instruction) -> None:
        """A position so many bytes after another."""
        place = self.position(each.reads[0])
        self._is_at(each.sets[0], BufferPosition(place.base, place.offset + each.numbers[0]))
        self._moved.add(id(each))

    def _is_at(self, register: int, place: BufferPosition, where: int = op.ONES) -> None:
        """Let a register be a position; where a mask is not set, it is one after the record, where zeros are."""
        if where not in self._where:
            self.pads = max(self.pads, self.asm.reach)
            self.source.add(f"{self._variable(register)} = {place} if {self.text(where)} else end")
        elif register in self._outside:
            self.source.add(f"{self._variable(register)} = {place}")
        else:
            self._places[register] = place

    def _unpack(self, base: str, loads: Sequence[Load]) -> None:
        """Unpack numbers of one byte order that are beside each other together."""
        groups: list[list[Load]] = []
        for load in loads:
            last = groups[-1] if groups else []
            orders = {each.order for each in last} | {load.order}
            if last and 0 <= load.offset - last[-1].end <= 8 and len(orders - {""}) <= 1:
                last.append(load)
            else:
                groups.append([load])
        for group in groups:
            place = BufferPosition(base, group[0].offset)
            if len(group) == 1 and group[0].code == "B":
                self.source.add(f"{self._variable(group[0].register)} = data[{place}]")
                continue
            code = next((each.order for each in group if each.order), ">")
            at = group[0].offset
            for each in group:
                code += f"{each.offset - at}x" if each.offset > at else ""
                code += each.code
                at = each.end
            names = ", ".join(self._variable(each.register) for each in group)
            self.source.add(f"{names}, = {self.source.unpacking(code)}(data, {place})")

    # All others

    def _one(self, each: Instruction) -> None:
        kind, sets, reads, numbers = each.kind, each.sets, each.reads, each.numbers
        if kind == op.NUMBER:
            self._be(sets[0], literal(numbers[0]))
        elif kind == op.ADD_NUMBER and self._is_position(reads[0]):
            self._move(each)
        elif kind in _SIGNS:
            self._signed(each)
        elif kind in self.METHODS:
            self.METHODS[kind](self, each)
        else:
            raise NoProgramError("an instruction that is not for single records")

    def _signed(self, each: Instruction) -> None:
        one, sign = self.text(each.reads[0]), _SIGNS[each.kind]
        other = self.text(each.reads[1]) if len(each.reads) > 1 else str(each.numbers[0])
        if each.kind in (op.SHIFT_LEFT, op.SHIFT_RIGHT) and self.asm.constant(each.reads[1]) is None:
            other = f"{self.source.bind('shift', shift)}({other})"
        if (other == "0" and each.kind in (op.ADD, op.SUBTRACT)) or (one == "0" and each.kind == op.ADD):
            self._set(each.sets[0], one if other == "0" else other)
            return
        if each.kind in (op.SUBTRACT, op.EQUAL) and (known := self._difference(*each.reads)) is not None:
            self._be(each.sets[0], str(known == 0) if each.kind == op.EQUAL else literal(known))
            self.booleans |= set(each.sets) if each.kind == op.EQUAL else set()
            return
        if each.kind in _COMPARES or (each.kind in _MASKS and self.booleans.issuperset(each.reads)):
            self.booleans.add(each.sets[0])
        text = f"{one} {sign} {other}"
        if each.sets[0] in self.asm.wide:
            text = f"{self.source.bind('wrapped', wrapped)}({text})"
        self._set(each.sets[0], text)

    def _difference(self, one: int, other: int) -> int | None:
        """How far a position is after another; None if that is not known."""
        places = self._known_place(one), self._known_place(other)
        if None in places:
            return None
        (base, first), (origin, second) = places  # type: ignore[misc]
        return first - second if base == origin else None

    def _divide(self, each: Instruction) -> None:
        one, other = map(self.text, each.reads)
        sign = "//" if each.kind == op.DIVIDE else "%"
        known = self.asm.constant(each.reads[1])
        self._set(each.sets[0], f"{one} {sign} {other}" if known else f"{one} {sign} {other} if {other} else 0")

    def _not(self, each: Instruction) -> None:
        self.booleans.add(each.sets[0])
        self._set(each.sets[0], f"not {self.text(each.reads[0])}")

    def _choose(self, each: Instruction) -> None:
        mask, one, other = map(self.text, each.reads)
        if self.booleans.issuperset(each.reads[1:]):
            self.booleans.add(each.sets[0])
        self._set(each.sets[0], f"{one} if {mask} else {other}")

    def _look_up(self, each: Instruction) -> None:
        table, count = self.asm.memory[each.numbers[0]], each.numbers[1]
        assert isinstance(table, Table)
        self._signed_already.add(each.sets[0])
        name, number = self.source.bind("table", table.numbers), self.text(each.reads[0])
        self._set(each.sets[0], f"{name}[{number}] if 0 <= {number} < {count} else -1")

    def _sign(self, each: Instruction) -> None:
        if each.reads[0] in self._signed_already:
            self._be(each.sets[0], self.text(each.reads[0]))
            return
        number, half = self.text(each.reads[0]), 1 << each.numbers[0] - 1
        self._set(each.sets[0], f"(({number} & {2 * half - 1}) ^ {half}) - {half}")

    def _load_odd(self, each: Instruction) -> None:
        (first, count, is_big), place = each.numbers, self.position(each.reads[0])
        begin, end = (BufferPosition(place.base, place.offset + by) for by in (first, first + count))
        self._set(each.sets[0], f"int.from_bytes(data[{begin}:{end}], {'big' if is_big else 'little'!r})")

    def _need(self, each: Instruction, steps: Steps) -> None:
        """Refuse records without some bytes, and without those that later steps need after the same position."""
        place, limit = self.position(each.reads[0]), each.reads[1]
        most = place.offset + each.numbers[0]
        self._is_at(each.sets[0], place, each.reads[2])
        for other in steps:
            if isinstance(other, Block) or not other.reads or other is each:
                continue
            known = self._known_place(other.reads[0])
            if known is None or known.base != place.base:
                continue
            if other.kind == op.ADD_NUMBER:
                self._move(other)
            elif other.kind in (op.NEED, op.TAKE) and other.reads[-1] in self._where:
                self._is_at(other.sets[0], known)
                if other.kind == op.NEED and other.reads[1:] == each.reads[1:]:
                    most = max(most, known.offset + other.numbers[0])
        sure = place.base, str(self.position(limit))
        if most > self._sure.get(sure, -1):
            self.refuse(f"{BufferPosition(place.base, most)} > {sure[1]}", each.reads[2])
            if each.reads[2] in self._where:
                self._sure[sure] = most

    def _take(self, each: Instruction) -> None:
        position, size, limit, where = each.reads
        start, known = self.position(position), self.asm.constant(size)
        self._is_at(each.sets[0], start, where)
        if known is not None and known >= 0:
            stop = BufferPosition(start.base, start.offset + known)
            self._is_at(each.sets[1], stop)
            self.refuse(f"{stop} > {self.position(limit)}", where)
            return
        end = self._variable(each.sets[1])
        self.source.add(f"{end} = {self.text(size)}" if str(start) == "0" else f"{end} = {start} + {self.text(size)}")
        self.refuse(f"not {start} <= {end} <= {self.position(limit)}", where)

    def _varint(self, each: Instruction) -> None:
        position, limit, where = each.reads
        names = ", ".join(map(self._variable, each.sets))
        read = _VARINTS[each.numbers[1]]
        call = f"{self.source.bind(read.__name__, read)}(data, {self.position(position)}, {self.position(limit)}, "
        there = "" if where in self._where else f" if {self.text(where)} else (0, 0)"
        self.source.add(f"{names} = {call}{each.numbers[0]}){there}")

    def _find(self, each: Instruction) -> None:
        start, limit, where = each.reads
        wanted, size, needed, unit = each.numbers
        octets = lowest(wanted, size)
        found, end = self._variable(each.sets[0]), self.position(limit)
        seek = f"{found} = data.find({octets!r}, {self.position(start)}, {end})"
        if unit > 1:
            function = self.source.bind("sought_in", sought_in)
            seek = f"{found} = {function}(data, {octets!r}, {unit}, {self.position(start)}, {end})"
        there = "" if where in self._where else f" if {self.text(where)} else 0"
        self.source.add(seek + there)
        if needed:
            self.refuse(f"{found} < 0", where)
        else:
            self.source.add(f"if {found} < 0: {found} = {end}")

    def _check(self, each: Instruction) -> None:
        holds, where = each.reads
        if self.text(holds) != "True":
            self.refuse(f"not {self.text(holds)}", where)

    def _check_text(self, each: Instruction) -> None:
        start, stop, where = each.reads
        if each.numbers[0]:
            self.refuse(f"not {self.span(start, stop)}.isascii()", where)
            return
        if self.texts.intersection([(start, stop, where), (start, stop, op.ONES)]):
            return  # as they are decoded anyway
        there = "" if where in self._where else f"if {self.text(where)}: "
        self.source.add(f"{there}{self.span(start, stop)}.decode()")

    def _check_bytes(self, each: Instruction) -> None:
        start, stop, other, end, where = each.reads
        self.refuse(f"{self.span(start, stop)} != {self.span(other, end)}", where)

    def _same(self, each: Instruction) -> None:
        table = self.asm.memory[each.numbers[0]]
        assert isinstance(table, Table)
        self.booleans.add(each.sets[0])
        self._set(each.sets[0], f"{self.span(*each.reads)} == {table.data!r}")

    def _trim(self, each: Instruction) -> None:
        start, stop, where = each.reads
        padding, size = each.numbers
        begin, octets, removed = self.position(start), self.span(start, stop), lowest(padding, size)
        trimmed = f"{octets}.rstrip({removed!r})"
        if size > 1:
            trimmed = f"{self.source.bind('without', without)}({octets}, {removed!r})"
        found = f"{begin} + len({trimmed})"
        self._set(each.sets[0], found if where in self._where else f"{found} if {self.text(where)} else {begin}")

    def _crc(self, each: Instruction) -> None:
        algorithm, (_, register, _, _) = self.asm.memory[each.numbers[0]], each.numbers
        assert isinstance(algorithm, Crc)
        octets, ones = self.span(*each.reads), 0xFFFF_FFFF
        if algorithm.is_zlib:
            text = f"{self.source.bind('crc32', zlib.crc32)}({octets}, {register ^ ones}) ^ {ones}"
        else:
            text = f"{self.source.bind(f'feed_{algorithm.bits}', algorithm.feeder)}({octets}, {register})"
        self._set(each.sets[0], text)

    def _sum(self, each: Instruction) -> None:
        start, stop, where = each.reads
        modulus, initial, high = each.numbers
        octets = self.span(start, stop)
        found = f"{self.source.bind('sums', sums)}({octets}, {modulus}, {initial}, {high})" if high else None
        found = found or f"({initial} + sum({octets})) % {modulus}"
        self._set(each.sets[0], found if where in self._where else f"{found} if {self.text(where)} else 0")

    def _digits(self, each: Instruction) -> None:
        start, stop, where = each.reads
        found = f"{self.source.bind('digits', digits)}({self.span(start, stop)}, {', '.join(map(str, each.numbers))})"
        there = "" if where in self._where else f" if {self.text(where)} else 0"
        self.source.add(f"{self._variable(each.sets[0])} = {found}{there}")

    def _given(self, each: Instruction) -> None:
        self._be(each.sets[0], self.given[each.numbers[0]])

    def _unpack_snappy(self, each: Instruction) -> None:
        start, stop, where = each.reads
        most = each.numbers[1]
        unpack = self.source.bind("unsnappy", COMPRESSORS["snappy"].unpack)
        self._appended(each, f"{unpack}({self.span(start, stop)}, {most})", where)

    def _fill(self, each: Instruction) -> None:
        start, stop, where = each.reads
        self._appended(each, f"{self.span(start, stop)}.ljust({each.numbers[1]}, b'\\0')", where)

    def _mask(self, each: Instruction) -> None:
        start, stop, where, key = each.reads
        function, size = self.source.bind("masked", masked), each.numbers[1]
        self._appended(each, f"{function}({self.span(start, stop)}, {self.text(key)}, {size})", where)

    def _unescape(self, each: Instruction) -> None:
        start, stop, where = each.reads
        table = self.asm.memory[each.numbers[1]]
        assert isinstance(table, Table)
        unescaped = self.source.bind("unescaped", escaping_of(table.numbers).canonical)
        self._appended(each, f"{unescaped}({self.span(start, stop)})", where)

    def _spread(self, each: Instruction) -> None:
        start, stop, where = each.reads
        function, numbers = self.source.bind("spread", spread), ", ".join(map(str, each.numbers[1:]))
        self._appended(each, f"{function}({self.span(start, stop)}, {numbers})", where)

    def _expand(self, each: Instruction) -> None:
        start, stop, where = each.reads
        _, most, kind = each.numbers
        name, compressor = tuple(COMPRESSORS.items())[kind]
        unpack = self.source.bind(f"un{name}", compressor.unpack)
        self._appended(each, f"{unpack}({self.span(start, stop)}, {most})", where)

    def _transcode(self, each: Instruction) -> None:
        start, stop, where = each.reads
        table = self.asm.memory[each.numbers[1]]
        assert isinstance(table, Table)
        function, encoding = self.source.bind("transcoded", transcoded), table.data.decode()
        self._appended(each, f"{function}({self.span(start, stop)}, {encoding!r})", where)

    def _translate(self, each: Instruction) -> None:
        start, stop, where = each.reads
        table = self.asm.memory[each.numbers[1]]
        assert isinstance(table, Table)
        translated = self.source.bind("translated", translating(table.numbers))
        self._appended(each, f"{translated}({self.span(start, stop)})", where)

    def _appended(self, each: Instruction, octets: str, where: int) -> None:
        """Append bytes to the record, and let two registers be where they are."""
        begin, end = map(self._variable, each.sets)
        start, stop = each.reads[:2]
        lines = [f"{begin} = len(data)", f"data += {octets}", f"{end} = len(data)"]
        if where in self._where:
            for line in lines:
                self.source.add(line)
            return
        self.source.insert(f"if {self.text(where)}:", lines)
        self.source.insert("else:", [f"{begin}, {end} = {self.position(start)}, {self.position(stop)}"])

    METHODS: ClassVar[dict[int, Callable[..., None]]] = {
        op.DIVIDE: _divide,
        op.MODULO: _divide,
        op.NOT: _not,
        op.CHOOSE: _choose,
        op.LOOK_UP: _look_up,
        op.SIGN: _sign,
        op.LOAD_ODD: _load_odd,
        op.TAKE: _take,
        op.VARINT: _varint,
        op.FIND: _find,
        op.CHECK: _check,
        op.CHECK_TEXT: _check_text,
        op.CHECK_BYTES: _check_bytes,
        op.SAME: _same,
        op.TRIM: _trim,
        op.CRC: _crc,
        op.SUM: _sum,
        op.DIGITS: _digits,
        op.GIVEN: _given,
        op.UNPACK: _unpack_snappy,
        op.FILL: _fill,
        op.TRANSLATE: _translate,
        op.MASK: _mask,
        op.UNESCAPE: _unescape,
        op.SPREAD: _spread,
        op.EXPAND: _expand,
        op.TRANSCODE: _transcode,
    }
    """What writes each instruction that is not an operator."""


def literal(number: int) -> str:
    """The source of a number, in brackets if need be."""
    return str(number) if number >= 0 else f"({number})"


def shift(bits: int) -> int:
    """By how many bits to shift. Raises ``ValueError`` for more than registers have, as numbers of Python grow."""
    if not 0 <= bits < 64:
        raise ValueError
    return bits


def leb128(data: bytes, at: int, limit: int, bits: int) -> tuple[int, int]:
    """The unsigned LEB128 number at a position, and its end. Raises ``ValueError`` if it is longer than needed."""
    value, size, byte = 0, 0, 0x80
    while byte >= 0x80 and at + size < limit and size < 10:
        byte = data[at + size]
        value |= (byte & 0x7F) << 7 * size
        size += 1
    if byte >= 0x80 or (byte == 0 and size > 1) or value >> bits:
        raise ValueError
    return wrapped(value), at + size


def signed_leb128(data: bytes, at: int, limit: int, bits: int) -> tuple[int, int]:
    """The same for signed LEB128."""
    end = _end(data, at, limit)
    value = sum((byte & 0x7F) << 7 * place for place, byte in enumerate(data[at:end]))
    last = data[end - 1]
    value -= (last & 0x40) << 1 + 7 * (end - 1 - at)
    if (end - at > 1 and last == (0x7F if data[end - 2] & 0x40 else 0)) or value >> bits - 1 not in (0, -1):
        raise ValueError
    return value, end


def vlq(data: bytes, at: int, limit: int, bits: int) -> tuple[int, int]:
    """The same for a number in groups of seven bits, the highest first."""
    end, value = _end(data, at, limit), 0
    for byte in data[at:end]:
        value = value << 7 | byte & 0x7F
    if data[at] == 0x80 or value >> bits:
        raise ValueError
    return wrapped(value), end


def _end(data: bytes, at: int, limit: int) -> int:
    """Where a number ends, behind the first byte whose highest bit is not set."""
    for place in range(at, min(limit, at + 10)):
        if data[place] < 0x80:
            return place + 1
    raise ValueError


def quic(data: bytes, at: int, limit: int, bits: int) -> tuple[int, int]:
    """The same for the form of QUIC."""
    size = 1 << (data[at] >> 6)
    value = int.from_bytes(data[at : at + size]) & (1 << 8 * size - 2) - 1
    if at + size > limit or (size > 1 and not value >> 4 * size - 2) or value >> bits:
        raise ValueError
    return value, at + size


_VARINTS = (leb128, signed_leb128, vlq, quic)
"""What reads numbers of variable length, by their forms."""


def sums(data: bytes, modulus: int, initial: int, high: int) -> int:
    """The sum of bytes, and of the sums after each byte, which are ``high`` bits higher."""
    totals = sum(accumulate(data)) + initial * len(data)
    return totals % modulus << high | (initial + sum(data)) % modulus


@cache
def written_digits(base: int, least: int, *, upper: bool = False) -> Ascii:
    """Numbers in ASCII digits of a base, with zeros in front if they have fewer than ``least`` characters."""
    return Ascii(Rest(), 64, base=base, digits=least, upper=upper)


def digits(data: bytes, base: int, least: int, form: int) -> int:
    """The number that ASCII digits are. Raises ``ValueError`` unless it is written with ``least`` characters, or as few
    as it takes, and for more digits than programs read; ``form`` adds 1 if it may be negative, and 2 if letters are
    capital.
    """
    value = int(data, base)
    written = written_digits(base, least, upper=bool(form & 2)).encoded(value)
    if len(written) - (value < 0) > op.MOST_DIGITS or (value < 0 and not form & 1) or written != data:
        raise ValueError
    return value


def translating(table: Iterable[int]) -> Callable[[bytes], bytes]:
    """Translates bytes by a table, as ``TRANSLATE`` does. Raises ``ValueError`` for one that stands for none."""
    known = [(each & 0xFFFFFF).to_bytes(3, "little")[: each >> 24] for each in table]
    if all(len(octets) == 1 for octets in known):
        return methodcaller("translate", b"".join(known))
    characters = "".join(octets.decode() or "\ufffe" for octets in known)  # which codecs take for none
    return lambda data: codecs.charmap_decode(data, "strict", characters)[0].encode()


def _bases(steps: Steps) -> Iterator[int]:
    """The registers that steps count positions from."""
    for each in steps:
        if isinstance(each, Loop):
            yield from each.carried
        if isinstance(each, Block):
            yield from _bases(each.body)
        elif each.kind in _CODES or each.kind in (op.NEED, op.TAKE, op.FIND, op.VARINT, op.LOAD_ODD):
            yield each.reads[0]


def _reads(steps: Steps) -> Iterator[int]:
    for each in steps:
        if isinstance(each, Loop):
            for pair in each.carried.values():
                yield from pair
        if isinstance(each, Block):
            yield each.when
            yield from _reads(each.body)
        else:
            yield from each.reads
