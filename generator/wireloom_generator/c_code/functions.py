"""Programs → statements in C, for one record. What an instruction means is said in ``opcodes`` and ``write_opcodes``.

Positions are counted from the start of the record or of the item. A check that fails ends the function.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from wireloom.codec.checksums import Crc
from wireloom.codec.checksums import table as added_by_bytes
from wireloom.programs import opcodes as op
from wireloom.programs import write_opcodes as write_op
from wireloom.programs.assembler import Assembler, Block, Instruction, Steps
from wireloom.programs.number_format import singles
from wireloom.programs.octets import lowest
from wireloom.programs.outputs import Table
from wireloom.programs.values import WORD, NoProgramError

_SIGNS = {
    op.ADD: "+", op.SUBTRACT: "-", op.MULTIPLY: "*", op.AND: "&", op.OR: "|", op.XOR: "^", op.SHIFT_RIGHT: ">>",
    op.EQUAL: "==", op.LESS: "<", op.LESS_EQUAL: "<=", op.ADD_NUMBER: "+", op.MULTIPLY_NUMBER: "*",
    op.AND_NUMBER: "&", op.EQUAL_NUMBER: "==", op.LESS_NUMBER: "<", op.MORE_NUMBER: ">",
}  # fmt: skip
_COMPARING = (op.EQUAL, op.LESS, op.LESS_EQUAL, op.EQUAL_NUMBER, op.LESS_NUMBER, op.MORE_NUMBER, op.NOT, op.SAME)
_WRAPPING = {
    op.ADD: "wrapped_sum", op.ADD_NUMBER: "wrapped_sum", op.SUBTRACT: "wrapped_difference",
    op.MULTIPLY: "wrapped_product", op.MULTIPLY_NUMBER: "wrapped_product",
}  # fmt: skip
_LOADS = {
    op.LOAD_1: (1, 0), op.LOAD_2: (2, 0), op.LOAD_2_BIG: (2, 1), op.LOAD_4: (4, 0), op.LOAD_4_BIG: (4, 1),
    op.LOAD_8: (8, 0), op.LOAD_8_BIG: (8, 1),
}  # fmt: skip
_FUNCTIONS = {op.DIVIDE: "quotient", op.MODULO: "modulo", op.SHIFT_LEFT: "shifted_left"}
_PURE = frozenset({*_SIGNS, *_FUNCTIONS, op.NUMBER, op.NOT, op.CHOOSE, op.SIGN, op.LOOK_UP, write_op.VARINT_SIZE})
_LOADING = frozenset({*_LOADS, op.LOAD_ODD})
_COLUMNS = frozenset({write_op.COLUMN, write_op.BIT, write_op.SPAN, write_op.COUNT})
_PLACE_BITS = 61
"""Positions and sizes have fewer bits than this."""
_RESULTS = {
    "truncated": "needs more bytes than there are",
    "length": "is not as long as it says",
    "trailing": "bytes are left over",
    "checksum": "is not the checksum of its bytes",
    "text": "is no text in its encoding",
    "varint": "is no number in groups of seven bits, written with as few as it takes",
    "unterminated": "has no terminator",
    "digits": "is no number in digits as it would be written",
    "packed": "is packed, and is not unpacked here",
    "differs": "does not read back as it was given",
    "padding": "has other bytes than those of its padding",
    "invalid": "is not as the specification says",
}
"""What checks find, by the words for it in their names."""


@dataclass(frozen=True, slots=True)
class FieldCheck:
    """What a field must be: its path, and what is wrong with it otherwise."""

    field: str
    what: str

    @property
    def text(self) -> str:
        return _RESULTS[self.what]


@dataclass(slots=True)
class SharedParts:
    """What functions of a protocol share: checks, tables, and which functions of the runtime they call."""

    checks: dict[FieldCheck, str] = field(default_factory=dict)
    tables: dict[tuple[str, tuple[int, ...]], str] = field(default_factory=dict)
    called: set[str] = field(default_factory=set)

    def check(self, path: str, what: str) -> str:
        """The name of a check, without the prefix of the protocol."""
        key = FieldCheck(path, what)
        if key not in self.checks:
            words = "_".join(filter(None, (*_words(path), what))).upper()
            taken = set(self.checks.values())
            while words in taken:
                words += "_"
            self.checks[key] = words
        return self.checks[key]

    def table(self, kind: str, numbers: Iterable[int]) -> str:
        """The name of a table."""
        key = kind, tuple(numbers)
        return self.tables.setdefault(key, f"table_{len(self.tables)}")

    def call(self, name: str, *arguments: object) -> str:
        """A call of a function of the runtime."""
        self.called.add(name)
        return f"{name}({', '.join(map(str, arguments))})"


def _words(path: str) -> Iterable[str]:
    return (path or "record").replace("[]", "").replace(".", "_").split("_")


@dataclass(frozen=True, slots=True)
class FunctionContext:
    """What a function knows from elsewhere: the path of a field in an error, numbers that are given from around a list
    by their places, and what the columns of a struct that is written are called, by places, too: the bytes of a column
    have a name, and where they are another.
    """

    path: Callable[[tuple[str, ...]], str]
    given: Mapping[int, str] = field(default_factory=dict)
    columns: Callable[[Instruction], Sequence[str]] | None = None


class Statements:
    """The statements of a function. ``total`` is the value with the size of what a function writes, if it does.

    ``measuring`` functions return the length of a record when it is compared with the bytes that there are, and 0 if
    there are too few to tell it. ``refused`` is what is returned in place of an error.
    """

    def __init__(
        self,
        asm: Assembler,
        shared: SharedParts,
        outside: FunctionContext,
        asked: Iterable[int],
        *,
        total: int | None = None,
        measuring: bool = False,
        refused: str = "",
    ) -> None:
        self.asm = asm
        self.shared = shared
        self.outside = outside
        self.total = total
        self.measuring = measuring
        self.refused = refused
        self.lines: list[str] = []
        wanted = [*asked, *([] if total is None else [total])]
        code, self.left = asm.needed(wanted)
        self.by: dict[int, Instruction] = {value: each for each in flat(asm.code) for value in each.sets}
        self.readers: dict[int, list[Instruction]] = {}
        self.parts: dict[int, tuple[str, ...]] = {}
        """The path of the first field that is some bits of a number, by its value."""
        for each in flat(asm.code):
            if each.kind in _LOADING:
                self.readers.setdefault(each.reads[0], []).append(each)
            for value in each.reads:
                made = self.by.get(value)
                if made is not None and made.kind in _LOADING and len(each.field) > len(made.field):
                    self.parts.setdefault(value, each.field)
        self.places: dict[str, list[tuple[tuple[int, ...], str]]] = {}
        """Where fields are, and in which blocks that is known, by their paths."""
        self.loaded: dict[int, tuple[tuple[int, ...], str]] = {}
        """The same for numbers, by their values."""
        self.scope: tuple[int, ...] = ()
        self.uses = self._uses(code, wanted)
        self.known: dict[int, str] = {op.START: "0", op.STOP: "end", op.ONES: "1"}
        self.bits: dict[int, int] = {op.START: _PLACE_BITS, op.STOP: _PLACE_BITS, op.ONES: 1}
        self.guards: dict[int, int] = {}
        self.bases: dict[int, str] = {}
        self.declared = {value for values in self.left.values() for value in values}
        self.outer: tuple[int, ...] = (op.ONES,)
        self.written = total is None
        self.defined: set[int] = set()
        self._code(code, 1)

    def _uses(self, code: Steps, asked: Iterable[int]) -> Counter[int]:
        """How often values are read; those that a statement reads must have a name."""
        uses = Counter(asked)
        for each in flat(code):
            if self.total is not None and each.kind == op.CHECK:
                continue
            often = 1 if each.kind in _PURE or each.kind == op.CHECK else 2
            for value in each.reads:
                uses[value] += often
        for block in blocks(code):
            uses[block.when] += 2
        return uses

    # What values are in C

    def __getitem__(self, value: int) -> str:
        return self.known[value]

    def pointer(self, value: int) -> str:
        """The address that a position is of."""
        base, text = self.bases.get(value, "record"), self.known[value]
        return base if text == "0" else f"{base} + {text}"

    def size(self, start: int, stop: int) -> str:
        """How many bytes are between two positions."""
        one, other = self.known[start], self.known[stop]
        return other if one == "0" else f"{other} - {one}"

    def _line(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    def _set(self, indent: int, value: int, text: str, bits: int) -> None:
        """A value is this expression, which becomes a variable unless it is read just once."""
        self.bits[value] = bits
        pure = self.by[value].kind in _PURE or (self.by[value].kind in _LOADING and self.total is None)
        if value not in self.declared and pure and self._is_inside(value, text):
            self.known[value] = text
        elif value in self.declared:
            self._line(indent, f"{self.known[value]} = {_bare(text)};")
        else:
            self.known[value] = self._name(value)
            self._line(indent, f"const int64_t {self.known[value]} = {_bare(text)};")

    def _is_inside(self, value: int, text: str) -> bool:
        """Whether an expression is a part of others."""
        if self.measuring and self.by[value].kind == op.EQUAL:
            return True
        return self.uses[value] == 1 and len(text) < 60

    def _name(self, value: int) -> str:
        """The name of the variable for a value: that of its field, if it is one that was read."""
        made = self.by[value]
        if (made.kind in _LOADING or made.kind == op.VARINT) and made.field and value == made.sets[0]:
            name = f"{made.field[-1]}_{value}"
        else:
            name = f"v{value}"
        return name

    # Statements

    def _code(self, code: Steps, indent: int) -> None:
        for each in code:
            if isinstance(each, Instruction):
                self._one(each, indent)
                continue
            for value in self.left.get(id(each), ()):
                if value in self.defined or self.by[value].kind in _COLUMNS:  # by a block around this one, or a member
                    continue
                self.defined.add(value)
                self.known[value] = self._name(value)
                self._line(indent, f"int64_t {self.known[value]} = 0;")
                self._bound(value)
            mask = self.known[each.when]
            self._line(indent, f"if ({_bare(mask)}) {{")
            outer, scope = self.outer, self.scope
            self.outer, self.scope = (*outer, each.when), (*scope, id(each))
            self._code(each.body, indent + 1)
            self.outer, self.scope = outer, scope
            self._line(indent, "}")

    def _bound(self, value: int) -> None:
        self.bits.setdefault(value, 64)

    def _one(self, each: Instruction, indent: int) -> None:
        kind, numbers = each.kind, each.numbers
        if each.kind in (*_LOADING, op.TAKE, op.VARINT, op.FIND, op.SAME, op.DIGITS):
            shift = self.asm.parts.get(each.sets[0], each.numbers[0]) if kind in _LOADING else 0
            place = self.scope, _at("", self.known[each.reads[0]], shift)
            if kind != op.SAME:
                self.places.setdefault(self._path(each), []).append(place)
            if kind in (*_LOADING, op.SAME, op.DIGITS):
                self.loaded[each.sets[0]] = place
        if kind in _PURE or kind in _LOADING:
            text, bits = self._pure(each)
            if kind == op.NUMBER and each.sets[0] not in self.declared:
                self.known[each.sets[0]] = text
                self.bits[each.sets[0]] = bits
                return
            self._base(each)
            if self.uses[each.sets[0]] or each.sets[0] in self.declared:
                self._set(indent, each.sets[0], text, bits)
            else:
                self.known[each.sets[0]], self.bits[each.sets[0]] = text, bits
            return
        read = [self.known[value] for value in each.reads if value in self.known]
        match kind:
            case op.NEED:
                self._need(each, indent)
            case op.TAKE:
                self._take(each, indent)
            case op.CHECK:
                self._check(each, indent)
            case op.CHECK_TEXT:
                call = self.shared.call("is_text", self.pointer(each.reads[0]), self.size(*each.reads[:2]), numbers[0])
                at = self._place(self._path(each), None, read[0])
                self._refuse(indent, f"!{call}", each.reads[2], each, "text", at)
            case op.CHECK_BYTES:
                ends = self.pointer(each.reads[0]), self.size(*each.reads[:2])
                others = self.pointer(each.reads[2]), self.size(*each.reads[2:4])
                call = self.shared.call("are_same", *ends, *others)
                self._refuse(indent, f"!{call}", each.reads[4], each, "differs", read[0])
            case op.VARINT | op.FIND | op.DIGITS:
                self._sought(each, indent)
            case op.UNPACK:
                self._refuse(indent, "", each.reads[2], each, "packed", read[0])
                for value, of in zip(each.sets, each.reads[:2], strict=True):
                    self._alias(value, of, indent)
            case op.SAME:
                table = self.asm.memory[numbers[0]]
                assert isinstance(table, Table)
                text = ", ".join(map(str, table.data))
                octets = f"(const uint8_t[]){{{text}}}"
                size = self.size(*each.reads)
                call = self.shared.call("are_same", self.pointer(each.reads[0]), size, octets, numbers[1])
                self._set(indent, each.sets[0], call, 1)
            case op.TRIM if numbers[1] == 1:
                call = self.shared.call("trimmed", "record", read[0], read[1], numbers[0])
                self._set(indent, each.sets[0], self._if(each.reads[2], call, read[0]), _PLACE_BITS)
            case op.SUM:
                call = self.shared.call("total", self.pointer(each.reads[0]), self.size(*each.reads[:2]), *numbers)
                self._set(indent, each.sets[0], self._if(each.reads[2], call, "0"), 63)
            case op.CRC:
                self._crc(each, indent)
            case op.GIVEN:
                self._set(indent, each.sets[0], self.outside.given[numbers[0]], 64)
            case write_op.ROW:
                pass
            case write_op.COLUMN | write_op.BIT | write_op.SPAN | write_op.COUNT:
                self._column(each, indent)
            case write_op.WRITE | write_op.WRITE_VARINT | write_op.COPY | write_op.PAD:
                self._write(each, indent)
            case _:
                raise NoProgramError(f"instruction {kind}, which has no form in C")

    def _pure(self, each: Instruction) -> tuple[str, int]:
        """An expression, and how many bits it has at most."""
        kind, numbers, call = each.kind, each.numbers, self.shared.call
        if kind == op.NUMBER:
            return _literal(numbers[0]), max(1, abs(numbers[0]).bit_length())
        if kind in _LOADING:
            return self._load(each)
        read = [self.known[value] for value in each.reads]
        sizes = [self.bits.get(value, 64) for value in each.reads]
        if kind in _SIGNS:
            if len(read) == 1:
                read.append(_literal(numbers[0]))
                sizes.append(max(1, abs(numbers[0]).bit_length()))
            if kind in (op.ADD, op.ADD_NUMBER) and "0" in read:
                return read[read[0] == "0"], max(sizes)
            if kind == op.SUBTRACT and read[1] == "0":
                return read[0], sizes[0]
            if kind == op.EQUAL_NUMBER and read[0] == read[1]:
                return "1", 1
            bits = self._bits_of(kind, sizes, numbers)
            if kind in _WRAPPING and bits > 62:
                return call(_WRAPPING[kind], *read), 64
            if kind == op.ADD_NUMBER and numbers[0] < 0:
                return f"({read[0]} - {_literal(-numbers[0])})", bits
            if kind == op.AND and sizes == [1, 1]:
                return f"({read[0]} && {read[1]})", 1
            if kind == op.OR and sizes == [1, 1]:
                return f"({read[0]} || {read[1]})", 1
            return f"({read[0]} {_SIGNS[kind]} {read[1]})", bits
        if kind in _FUNCTIONS:
            return call(_FUNCTIONS[kind], *read), 64
        if kind == op.NOT:
            return f"!{read[0]}", 1
        if kind == op.CHOOSE:
            return f"({read[0]} ? {read[1]} : {read[2]})", max(sizes[1:])
        if kind == op.SIGN:
            return call("signed_number", read[0], numbers[0]), numbers[0]
        if kind == op.LOOK_UP:
            known = self.asm.memory[numbers[0]]
            assert isinstance(known, Table)
            if known == singles():
                raise NoProgramError("a number of half precision")
            table = self.shared.table("uint32_t", (number & 0xFFFF_FFFF for number in known.numbers))
            return call("looked_up", table, numbers[1], read[0]), 32
        return call("varint_size", read[0], numbers[0]), 4

    @staticmethod
    def _bits_of(kind: int, sizes: Sequence[int], numbers: Sequence[int]) -> int:
        if kind in _COMPARING:
            return 1
        match kind:
            case op.ADD | op.SUBTRACT | op.ADD_NUMBER:
                return max(sizes) + 1
            case op.MULTIPLY | op.MULTIPLY_NUMBER:
                return sum(sizes)
            case op.AND_NUMBER if numbers[0] >= 0:
                return sizes[1]
            case op.SHIFT_RIGHT:
                return sizes[0]
        return max(sizes)

    def _load(self, each: Instruction) -> tuple[str, int]:
        (base,), shift = each.reads, each.numbers[0]
        size, big = _LOADS[each.kind] if each.kind in _LOADS else each.numbers[1:]
        at = f"{self.pointer(base)} + {shift}" if shift else self.pointer(base)
        text = self.shared.call("load", at, size, big)
        if base in self.guards:
            text = self._if(self.guards[base], text, "0")
        return text, min(64, 8 * size + (size == 8))

    def _if(self, mask: int, text: str, other: str) -> str:
        return text if mask in self.outer else f"({self.known[mask]} ? {text} : {other})"

    def _base(self, each: Instruction) -> None:
        """Note what positions that follow from others are in."""
        if each.kind not in (op.ADD, op.ADD_NUMBER, op.CHOOSE):
            return
        reads = each.reads[1:] if each.kind == op.CHOOSE else each.reads[:1]
        bases = {self.bases.get(value) for value in reads}
        if bases != {None}:
            if len(bases) > 1:
                raise NoProgramError("bytes that are in several places")
            self.bases[each.sets[0]] = bases.pop() or ""
        if each.kind != op.CHOOSE and reads[0] in self.guards:
            self.guards[each.sets[0]] = self.guards[reads[0]]

    def _alias(self, value: int, of: int, indent: int) -> None:
        """A value that is another."""
        self.bits[value] = self.bits.get(of, 64)
        if value in self.declared:
            self._line(indent, f"{self.known[value]} = {_bare(self.known[of])};")
        else:
            self.known[value] = self.known[of]
        if of in self.bases:
            self.bases[value] = self.bases[of]
        if of in self.guards:
            self.guards[value] = self.guards[of]

    def _guard(self, value: int, mask: int) -> None:
        if mask not in self.outer:
            self.guards[value] = mask

    # Checks

    def _path(self, each: Instruction) -> str:
        return self.outside.path(each.field)

    def _refuse(self, indent: int, fails: str, mask: int, each: Instruction, what: str, at: str) -> None:
        """Return an error if something fails, where the mask is set."""
        asked = [] if mask in self.outer else [self.known[mask]]
        asked += [fails] if fails else []
        text = f"return {self._failed(self._path(each), what, at)};"
        if not asked:
            self._line(indent, f"if (1) {{ {text} }}")
        else:
            tests = " && ".join(asked) if len(asked) > 1 else _bare(asked[0])
            self._line(indent, f"if ({tests}) {{ {text} }}")

    def _failed(self, path: str, what: str, at: str) -> str:
        if self.refused:
            return self.refused
        return f"failed(CHECK({self.shared.check(path, what)}), {_bare(at)})"

    def _need(self, each: Instruction, indent: int) -> None:
        (value,), (at, limit, mask), (count,) = each.sets, each.reads, each.numbers
        place, end = self.known[at], self.known[limit]
        left = end if place == "0" else f"{end} - {place}"
        guard = "" if mask in self.outer else f"{self.known[mask]} && "
        self._line(indent, f"if ({guard}{left} < {count}) {{")
        if self.measuring:
            self._line(indent + 1, "return 0;")
        else:
            self._truncated(each, left, indent + 1)
        self._line(indent, "}")
        self._alias(value, at, indent)
        self._guard(value, mask)

    def _truncated(self, each: Instruction, left: str, indent: int) -> None:
        """Return the error for the first field whose bytes are not there."""
        (value,), place, (count,) = each.sets, self.known[each.reads[0]], each.numbers
        fails: list[tuple[int, str]] = []
        for loaded in sorted(self.readers.get(value, ()), key=lambda one: one.numbers[0]):
            shift, size = loaded.numbers[0], _size(loaded)
            if shift + size <= count:
                path = self.outside.path(self.parts.get(loaded.sets[0], loaded.field))
                at = _at("", place, shift) if path else "0"
                fails.append((shift + size, self._failed(path, "truncated", at)))
        for (reach, text), (_, following) in pairwise(fails):
            if text != following:
                self._line(indent, f"if ({left} < {reach}) {{ return {text}; }}")
        path = self._path(each)
        last = fails[-1][1] if fails else self._failed(path, "truncated", place if path else "0")
        self._line(indent, f"return {last};")

    def _take(self, each: Instruction, indent: int) -> None:
        (start, stop), (at, size, limit, mask) = each.sets, each.reads
        place, count, end = (self.known[value] for value in (at, size, limit))
        left = end if place == "0" else f"{end} - {place}"
        self._refuse(indent, f"({count} < 0 || {count} > {left})", mask, each, "truncated", place)
        self._alias(start, at, indent)
        self._guard(start, mask)
        if at in self.bases:
            self.bases[stop] = self.bases[at]
        text = count if place == "0" else f"({place} + {count})"
        if self.uses[stop] or stop in self.declared:
            self._set(indent, stop, self._if(mask, text, "0"), _PLACE_BITS)
        self._guard(stop, mask)

    def _check(self, each: Instruction, indent: int) -> None:
        holds, mask = each.reads
        made = self.by.get(holds)
        if self.known[holds] == "1" or self.total is not None:  # what is written is read again
            return
        if self.measuring and made is not None and self._is_length(made):
            length = self.known[made.reads[0]]
            self._line(indent, f"return {length} > 0 ? (size_t)({_bare(length)}) : {self.refused};")
            return
        what, at = self._told(made), "0"
        path = self._path(each)
        if what in ("trailing", "padding") and made is not None:
            at = self.known[made.reads[int(what == "padding")]]
        elif path:
            at = self._place(path, made, at)
        self._refuse(indent, _negated(self.known[holds]), mask, each, what, at)

    def _place(self, path: str, made: Instruction | None, otherwise: str) -> str:
        """Where a field is of which something was found out."""
        asked = list(self._asked(made))
        mine = [self.loaded[value] for value in asked if self._path(self.by[value]) == path]
        if len(asked) == 1:
            mine.append(self.loaded[asked[0]])
        seen = [each for each in self.places.get(path, ()) if self._is_seen(each)]
        deepest = max((len(scope) for scope, _ in seen), default=0)
        places = *filter(self._is_seen, mine), *(each for each in seen if len(each[0]) == deepest)
        return next((text for _, text in places), otherwise)

    def _asked(self, made: Instruction | None) -> Iterator[int]:
        """The numbers that were read for a value, and comparisons with bytes."""
        for value in made.reads if made is not None else ():
            if value in self.loaded:
                yield value
            elif value in self.by and self.by[value].kind in _PURE:
                yield from self._asked(self.by[value])

    def _is_seen(self, place: tuple[tuple[int, ...], str]) -> bool:
        """Whether what a place is said with is known here."""
        scope, text = place
        return self.scope[: len(scope)] == scope or text.isdecimal()

    def _is_length(self, made: Instruction) -> bool:
        """Whether a number is compared with that of the bytes that there are."""
        there = self.by.get(made.reads[1]) if made.kind == op.EQUAL else None
        return there is not None and there.kind == op.SUBTRACT and there.reads == (op.STOP, op.START)

    def _told(self, made: Instruction | None) -> str:
        """What is wrong where a mask is not set."""
        if made is None:
            return "invalid"
        if self._is_length(made):
            return "length"
        if made.kind == op.EQUAL and all(self._is_place(value) for value in made.reads):
            trims = any(self.by[value].kind == op.TRIM for value in made.reads if value in self.by)
            return "padding" if trims else "trailing"
        pending, seen = [made], set[int]()
        while pending:
            one = pending.pop()
            if one.kind in (op.CRC, op.SUM):
                return "checksum"
            for value in one.reads:
                if value in self.by and value not in seen and self.by[value].kind not in op.JUDGING:
                    seen.add(value)
                    pending.append(self.by[value])
        return "invalid"

    def _is_place(self, value: int) -> bool:
        """Whether a value is a position."""
        if value in (op.START, op.STOP):
            return True
        made = self.by.get(value)
        if made is None:
            return False
        if made.kind in (op.ADD_NUMBER, op.ADD):
            return self._is_place(made.reads[0])
        if made.kind == op.CHOOSE:
            return self._is_place(made.reads[1])
        return made.kind in (op.NEED, op.TAKE, op.FIND, op.TRIM) or (made.kind == op.VARINT and value == made.sets[1])

    def _sought(self, each: Instruction, indent: int) -> None:
        """What is found by a function that says where that is, or that there is none."""
        at, limit, mask = each.reads
        place, end = self.known[at], self.known[limit]
        for value in each.sets:
            if value not in self.declared:
                self.known[value] = self._name(value)
                self._line(indent, f"int64_t {self.known[value]} = 0;")
                self.declared.add(value)
            self.bits[value] = _PLACE_BITS
        found = [self.known[value] for value in each.sets]
        match each.kind:
            case op.VARINT:
                bits, form = each.numbers
                name = ("varint", "signed_varint", "vlq", "quic")[form]
                call = self.shared.call(name, "record", place, end, bits, f"&{found[0]}", f"&{found[1]}")
                what, self.bits[each.sets[0]] = "varint", bits
            case op.FIND:
                wanted, size, needed, unit = each.numbers
                if unit > 1:
                    raise NoProgramError("a terminator of whole characters of several bytes")
                octets = ", ".join(map(str, lowest(wanted, size)))
                sought = f"(const uint8_t[]){{{octets}}}", size
                call = self.shared.call("find", "record", place, end, *sought, f"&{found[0]}")
                what = "unterminated" if needed else ""
            case _:
                call = self.shared.call("digits", "record", place, end, *each.numbers, f"&{found[0]}")
                what = "digits"
        if not what:
            inside = "" if mask in self.outer else f"if ({_bare(self.known[mask])}) "
            self._line(indent, f"{inside}(void){call};" if not inside else f"{inside}{{ (void){call}; }}")
        else:
            self._refuse(indent, f"!{call}", mask, each, what, place)

    def _crc(self, each: Instruction, indent: int) -> None:
        tables, register, _, turned = each.numbers
        algorithm = self.asm.memory[tables]
        assert isinstance(algorithm, Crc)
        table = self.shared.table("uint64_t", added_by_bytes(algorithm.bits, algorithm.poly))
        begin = f"UINT64_C({register & (1 << 64) - 1})"
        call = self.shared.call("crc", begin, self.pointer(each.reads[0]), self.size(*each.reads), table, turned)
        self._set(indent, each.sets[0], call, 64)

    # What writes

    def _column(self, each: Instruction, indent: int) -> None:
        assert self.outside.columns is not None
        texts = self.outside.columns(each)
        if each.kind == write_op.SPAN:
            start, stop = each.sets
            self.known[start] = "0"
            self.bits[start] = self.bits[stop] = _PLACE_BITS
            self.bases[start] = self.bases[stop] = texts[0]
            self.known[stop] = texts[1]
            return
        bits = {write_op.BIT: 1, write_op.COUNT: _PLACE_BITS}.get(each.kind) or min(64, 8 * each.numbers[1] + 1)
        self.known[each.sets[0]], self.bits[each.sets[0]] = texts[0], bits

    def _write(self, each: Instruction, indent: int) -> None:
        if not self.written and self.total is not None:
            self.written = True
            self._line(indent, f"const int64_t end = {self.known[self.total]};")
            self._line(indent, "*written = (size_t)end;")
            self._line(indent, "if (size < (size_t)end) { return too_small((size_t)end); }")
        read = [self.known[value] for value in each.reads]
        match each.kind:
            case write_op.WRITE:
                shift, size, big = each.numbers
                call = self.shared.call("store", _at("record", read[1], shift), read[0], size, big)
            case write_op.WRITE_VARINT:
                at = _at("record", read[1], each.numbers[0])
                call = self.shared.call("store_varint", at, read[0], each.numbers[1])
            case write_op.PAD:
                to = _at("record", read[0], 0)
                call = self.shared.call("pad", to, each.numbers[0], self.size(*each.reads[:2]))
            case _:
                to = _at("record", read[2], each.numbers[0])
                call = self.shared.call("copy", to, self.pointer(each.reads[0]), self.size(*each.reads[:2]))
        mask = each.reads[-1]
        self._line(indent, f"{call};" if mask in self.outer else f"if ({_bare(self.known[mask])}) {{ {call}; }}")


def _at(base: str, place: str, shift: int) -> str:
    return " + ".join(filter(None, (base, "" if place == "0" else place, str(shift) if shift else ""))) or "0"


def _size(each: Instruction) -> int:
    """How many bytes are loaded."""
    return _LOADS[each.kind][0] if each.kind in _LOADS else each.numbers[1]


def _literal(number: int) -> str:
    if number == -WORD:
        return "INT64_MIN"
    text = str(number) if abs(number) < 1 << 15 else f"INT64_C({number})"
    return text if number >= 0 else f"({text})"


def _bare(text: str) -> str:
    """An expression without the parentheses around all of it."""
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depth = 0
    for place, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if not depth and place < len(text) - 1:
            return text
    return text[1:-1]


def _negated(text: str) -> str:
    if text.startswith("!") and _bare(text[1:]) != text[1:]:
        return text[1:]
    return f"!{text}"


def flat(code: Steps) -> Iterable[Instruction]:
    """All instructions, those in blocks included."""
    for each in code:
        if isinstance(each, Block):
            yield from flat(each.body)
        else:
            yield each


def blocks(code: Steps) -> Iterable[Block]:
    """All blocks, those in others included."""
    for each in code:
        if isinstance(each, Block):
            yield each
            yield from blocks(each.body)
