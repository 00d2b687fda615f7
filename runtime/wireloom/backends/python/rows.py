"""The instructions of programs that write as Python source: fields of a row become bytes of a record."""

import struct
from collections.abc import Callable, Collection, Iterable, Mapping
from decimal import Decimal
from functools import partial
from types import NoneType
from typing import ClassVar, NamedTuple

from wireloom.backends.python.instructions import BufferPosition, InstructionSource, literal, written_digits
from wireloom.backends.python.source import Script
from wireloom.codec import floats
from wireloom.codec.coercion import fitting
from wireloom.codec.columns import U64, Column, ColumnType, ListOf, StructOf, decimal_size, is_whole
from wireloom.codec.labels import WireEnum, WireFlags
from wireloom.codec.meanings import EPOCH, MICROSECOND, Meaning, read_back
from wireloom.codec.varints import Leb128, Quic, SignedLeb128, Vlq
from wireloom.options import MAX_RECORD_BYTES
from wireloom.programs import opcodes as op
from wireloom.programs import write_opcodes as wop
from wireloom.programs.assembler import Assembler, Block, Instruction, Steps
from wireloom.programs.outputs import Table
from wireloom.programs.values import MEANINGS, SIZES, WORD, NoProgramError
from wireloom.programs.writing.inputs import VALIDITY, VARIANT, WRITTEN, Inputs, Path
from wireloom.programs.writing.outlines import KINDS

_CODES = {1: "b", 2: "h", 4: "i", 8: "q"}
"""The codes of signed numbers by their sizes."""
_WRITES = wop.WRITE, wop.WRITE_VARINT, wop.WRITE_DIGITS, wop.WRITE_SPELLED, wop.COPY, wop.PAD
_MEMORY = frozenset((*_WRITES, op.LOAD_ODD, op.CRC, op.SUM, op.CHECK_BYTES, op.SAME))
"""The instructions that need the bytes of the record, beside those that load numbers."""


_NAMED = (WireEnum, WireFlags)
"""Numbers with names, which are written as they are."""


_ROOM = "data = bytearray(end)"


class RowValue(NamedTuple):
    """A value of a row: the name of its variable, the type of its column, and whether it may be missing."""

    name: str
    kind: ColumnType
    missing: bool


class RowSource(InstructionSource):
    """Writes the instructions of a program that writes a record of a variant by its ``number``."""

    def __init__(self, source: Script, asm: Assembler, known: Mapping[int, str], inputs: Inputs, number: int) -> None:
        super().__init__(source, asm, known)
        self.inputs = inputs
        self.items: Collection[Path] = ()
        """The lists whose items are written by functions of their own; others must have none."""
        self.total = asm.number(0)
        self.values: dict[Path, RowValue] = {}
        self._number = number
        self._is_begun = False
        self._pending: list[Instruction] = []
        self._buffers: dict[int, str] = {}
        self._cut: dict[int, tuple[int, int, bool]] = {}
        """The registers that are some bytes of others, and whether these are in two's complement."""
        self._packed: set[tuple[int, int, bool]] = set()
        """The numbers that were packed: they fit so many bytes."""
        self._bits: dict[int, int] = {}
        """How many bits the numbers of columns have, by register."""

    def take(self, path: Path, column: Column, text: str, found: type | None) -> None:
        """Let a variable be a value of that type, in the form that programs have it; None for one whose type is checked
        when there is one. Raises ``NoProgramError`` for one that is not written as it is.
        """
        name, fit = self.source.lasting(column.name), _fitting(column.type) - {NoneType}
        self.values[path] = RowValue(name, column.type, missing=False)
        self.source.add(f"{name} = {text}")
        if found is None:
            self.source.add(f"if type({name}) not in {self.source.bind('fit', fit)}: return None")
        elif found not in fit and not (is_whole(column.type) and issubclass(found, _NAMED)):
            raise NoProgramError("a value of another type than its column has")
        self._prepare(path, name, column.type)
        self._fields(path, name, column.type)

    def join(self, path: Path, write: Callable[..., bytes | None], asked: Iterable[str]) -> None:
        """Write the items of a list by a function, which takes an item and the columns that are ``asked`` for."""
        items, octets = self.values[path].name, self.source.lasting("octets")
        names = ", ".join(["item", *(self.values[name,].name for name in asked)])
        call = f"{self.source.bind('write_item', write)}({names})"
        self.source.add(f"{octets} = [{call} for item in {items} or ()]")
        self.source.add(f"if None in {octets}: return None")
        self.source.add(f"{octets} = b''.join({octets})")
        self.values[*path, WRITTEN] = RowValue(octets, "binary", missing=False)

    def _take_inner(self, path: Path, column: Column, outer: str) -> None:
        """The same for a field of a struct, which may have any type, or none."""
        name, fit = self.source.lasting(column.name), _fitting(column.type)
        self.values[path] = RowValue(name, column.type, missing=True)
        self.source.add(f"{name} = None if {outer} is None else {outer}.get({column.name!r})")
        named = f" and not isinstance({name}, {self.source.bind('NAMED', _NAMED)})" if is_whole(column.type) else ""
        self.source.add(f"if type({name}) not in {self.source.bind('fit', fit)}{named}: return None")
        with self.source.aside() as lines:
            self._prepare(path, name, column.type)
        if lines:
            self.source.insert(f"if {name} is not None:", lines)
        self._fields(path, name, column.type)

    def _fields(self, path: Path, name: str, kind: ColumnType) -> None:
        if isinstance(kind, StructOf):
            for each in kind.columns:
                self._take_inner((*path, each.name), each, name)

    def _prepare(self, path: Path, name: str, kind: ColumnType) -> None:
        """Make a value what programs have."""
        add, bind = self.source.add, self.source.bind
        match kind:
            case StructOf(columns):
                names = bind("fields", frozenset(each.name for each in columns))
                add(f"if not {names}.issuperset({name}): return None")
            case ListOf() if path not in self.items:
                add(f"if {name}: return None")
            case "timestamp":
                add(f"{name} = ({name} - {bind('EPOCH', EPOCH)}) // {bind('MICROSECOND', MICROSECOND)}")
            case "interval day to second":
                add(f"{name} = {name} // {bind('MICROSECOND', MICROSECOND)}")
            case "string":
                add(f"{name} = {name}.encode()")
            case "float" | "double":
                dump = floats.dump if kind == "float" else bits_of_double
                add(f"{name} = {bind(dump.__name__, dump)}({name})")
            case "byte" | "short" | "int" | "long":
                bits = KINDS[kind][1] - 1
                add(f"if not {-1 << bits} <= {name} < {1 << bits}: return None")
            case _ if kind == U64:
                add(f"if {name} >> 63: {name} = {bind('signed', signed)}({name})")
            case _ if size := decimal_size(kind):
                add(f"{name} = {bind('in_places', in_places)}({name}, {size[1]})")

    def _steps(self, steps: Steps, left: Mapping[int, list[int]]) -> None:  # type: ignore[override]
        for number, each in enumerate(steps):
            if not self._is_begun and _needs_memory(each):
                self._begin()
            if isinstance(each, Instruction) and each.kind == wop.WRITE and each.reads[2] in self._where:
                self._pending.append(each)
                continue
            if self._pending and (isinstance(each, Block) or _needs_memory(each)):
                self._flush()
            super()._steps([each] if isinstance(each, Block) else steps[number : number + 1], left)
        self._flush()

    def _begin(self) -> None:
        """Make room for the record."""
        self.source.add(f"end = {self.text(self.total)}")
        self.source.add(f"if not 0 <= end <= {MAX_RECORD_BYTES}: return None")
        self.source.add(_ROOM)
        self._is_begun = True

    def finish(self, name: str, parameters: str, title: str) -> Callable[..., bytes | None]:
        """The function, which returns the bytes of the record."""
        if self.pads:
            self.source.lines[self.source.lines.index(_ROOM)] = f"data = bytearray(end + {self.pads})"
        self.source.add("return bytes(data[:end])")
        return self.source.function(name, parameters, title)

    def _flush(self) -> None:
        """Write numbers, those together that are beside each other."""
        groups: list[list[tuple[BufferPosition, Instruction, str]]] = []
        for each in self._pending:
            place = self.position(each.reads[1])
            place = place._replace(offset=place.offset + each.numbers[0])
            order = "" if each.numbers[1] == 1 else "><"[not each.numbers[2]]
            last = groups[-1] if groups else []
            if last and each.numbers[1] in _CODES and last[-1][1].numbers[1] in _CODES:
                before, other, _ = last[-1]
                after = before._replace(offset=before.offset + other.numbers[1])
                if after == place and len({"", order, *(one for _, _, one in last)}) <= 2:
                    last.append((place, each, order))
                    continue
            groups.append([(place, each, order)])
        self._pending = []
        for group in groups:
            self._write_together(group)

    def _write_together(self, group: list[tuple[BufferPosition, Instruction, str]]) -> None:
        place, first, _ = group[0]
        size, is_big = first.numbers[1:]
        if size not in _CODES:
            end = place._replace(offset=place.offset + size)
            number = f"({self.text(first.reads[0])} & {(1 << 8 * size) - 1})"
            octets = f"{number}.to_bytes({size}, {'big' if is_big else 'little'!r})"
            self.source.add(f"data[{place}:{end}] = {octets}")
            return
        code = next((order for _, _, order in group if order), ">")
        for _, each, _ in group:
            one = _CODES[each.numbers[1]]
            is_signed = one == "q" or self._bits.get(each.reads[0]) == 8 * each.numbers[1]
            code += one if is_signed else one.upper()
            self._packed.add((each.reads[0], each.numbers[1], is_signed))
        values = ", ".join(self.text(each.reads[0]) for _, each, _ in group)
        self.source.add(f"{self.source.packing_into(code)}(data, {place}, {values})")

    def span(self, start: int, stop: int) -> str:
        buffer = self._buffers.get(start)
        return super().span(start, stop) if buffer is None else buffer

    # Instructions

    def _signed(self, each: Instruction) -> None:
        if each.kind == op.AND_NUMBER and (each.numbers[0] + 1).bit_count() == 1:
            self._cut[each.sets[0]] = each.reads[0], each.numbers[0].bit_length() // 8, False
        if each.kind == op.EQUAL and self._cut.get(each.reads[0]) in self._packed:
            cut = self._cut[each.reads[0]]
            if cut[0] == each.reads[1]:
                self._be(each.sets[0], "True")
                self.booleans.add(each.sets[0])
                return
        super()._signed(each)

    def _check_text(self, each: Instruction) -> None:
        if each.numbers[0]:  # text that is not ASCII was encoded here, and is compared
            super()._check_text(each)

    def _row(self, each: Instruction) -> None:
        self._be(each.sets[0], "0")

    def _column(self, each: Instruction) -> None:
        address, register = self.inputs.taken[each.numbers[0]], each.sets[0]
        if address.path == (VARIANT,):
            self._be(register, literal(self._number))
            return
        value = self.values[address.path]
        text = f"(0 if {value.name} is None else {value.name})" if value.missing else value.name
        if address.more:
            text = "0" if value.kind == U64 else f"({text} >> 63)"
        self._be(register, text)
        self._signed_already.add(register)
        self._bits[register] = 8 * each.numbers[1]

    def _sign(self, each: Instruction) -> None:
        self._cut[each.sets[0]] = each.reads[0], each.numbers[0] // 8, True
        super()._sign(each)
        if each.reads[0] in self._bits:
            self._bits[each.sets[0]] = self._bits[each.reads[0]]

    def _bit(self, each: Instruction) -> None:
        address, register = self.inputs.taken[each.numbers[0]], each.sets[0]
        name = self.values[address.path].name
        self.booleans.add(register)
        is_there = address.buffer == VALIDITY
        self._be(register, f"({name} is not None)" if is_there else f"({name} or False)")

    def _span(self, each: Instruction) -> None:
        value = self.values[self.inputs.taken[each.numbers[0]].path]
        start, stop = each.sets
        buffer = f"({value.name} or b'')" if value.missing else value.name
        self._texts[start] = "0"
        self._buffers[start] = buffer
        self._set(stop, f"len({buffer})")

    def _count(self, each: Instruction) -> None:
        value = self.values[self.inputs.taken[each.numbers[0]].path]
        self._set(each.sets[0], f"len({value.name} or ())")

    def _constant(self, each: Instruction) -> None:
        table, (start, stop) = self.asm.memory[each.numbers[0]], each.sets
        assert isinstance(table, Table)
        self._texts[start] = "0"
        self._buffers[start] = repr(table.data)
        self._set(stop, str(len(table.data)))

    def _choose(self, each: Instruction) -> None:
        if not self._buffers.keys().isdisjoint(each.reads[1:]):
            raise NoProgramError("bytes that are in several places")
        super()._choose(each)

    def _varint_size(self, each: Instruction) -> None:
        octets = self.source.bind("varint", varint)
        self._set(each.sets[0], f"len({octets}({self.text(each.reads[0])}, {each.numbers[0]}))")

    def _digits_size(self, each: Instruction) -> None:
        base, least = each.numbers
        number = self.text(each.reads[0])
        self._set(each.sets[0], f"len({self.source.bind('digits', digits)}({number}, {base}, {least}))")

    def _write(self, each: Instruction) -> None:
        (octets, size, is_big), where = each.numbers, each.reads[2]
        place = self.position(each.reads[1])
        begin, end = (place._replace(offset=place.offset + octets + more) for more in (0, size))
        value = f"({self.text(each.reads[0])} & {(1 << 8 * size) - 1})"
        text = f"data[{begin}:{end}] = {value}.to_bytes({size}, {'big' if is_big else 'little'!r})"
        self.source.add(f"if {self._unless(where)}True: {text}")

    def _write_varint(self, each: Instruction) -> None:
        place, where = self.position(each.reads[1]), each.reads[2]
        begin = place._replace(offset=place.offset + each.numbers[0])
        octets = self.source.lasting("octets")
        lines = [f"{octets} = {self.source.bind('varint', varint)}({self.text(each.reads[0])}, {each.numbers[1]})"]
        lines.append(f"data[{begin}:{begin} + len({octets})] = {octets}")
        self._when(where, lines)

    def _copy(self, each: Instruction) -> None:
        start, stop, to, where = each.reads
        place = self.position(to)
        begin = place._replace(offset=place.offset + each.numbers[0])
        octets = self.span(start, stop)
        self._when(where, [f"data[{begin}:{begin} + len({octets})] = {octets}"])

    def _write_spelled(self, each: Instruction) -> None:
        start, stop, to, where = each.reads
        offset, way = each.numbers
        begin = self.position(to)
        begin = begin._replace(offset=begin.offset + offset)
        end = begin._replace(offset=begin.offset + SIZES[way])
        read = self.source.bind(f"octets_{way}", partial(octets_of, MEANINGS[way]))
        self._when(where, [f"data[{begin}:{end}] = {read}({self.span(start, stop)})"])

    def _write_digits(self, each: Instruction) -> None:
        number, start, stop, where = each.reads
        begin, end = map(self.position, (start, stop))
        octets = f"{self.source.bind('digits', digits)}({self.text(number)}, {each.numbers[0]}, {end} - ({begin}))"
        octets = f"{octets}.upper()" if each.numbers[1] else octets
        self._when(where, [f"data[{begin}:{end}] = {octets}"])

    def _pad(self, each: Instruction) -> None:
        start, stop = map(self.position, each.reads[:2])
        self._when(each.reads[2], [f"data[{start}:{stop}] = {bytes(each.numbers)!r} * ({stop} - ({start}))"])

    def _when(self, where: int, lines: list[str]) -> None:
        if where in self._where:
            self.source.lines.extend(lines)
        else:
            self.source.insert(f"if {self.text(where)}:", lines)

    METHODS: ClassVar[dict[int, Callable[..., None]]] = InstructionSource.METHODS | {
        op.SIGN: _sign,
        op.CHECK_TEXT: _check_text,
        wop.ROW: _row,
        wop.COLUMN: _column,
        wop.BIT: _bit,
        wop.SPAN: _span,
        wop.COUNT: _count,
        wop.CONSTANT: _constant,
        op.CHOOSE: _choose,
        wop.VARINT_SIZE: _varint_size,
        wop.DIGITS_SIZE: _digits_size,
        wop.WRITE: _write,
        wop.WRITE_VARINT: _write_varint,
        wop.WRITE_DIGITS: _write_digits,
        wop.COPY: _copy,
        wop.WRITE_SPELLED: _write_spelled,
        wop.PAD: _pad,
    }


def _fitting(kind: ColumnType) -> frozenset[type]:
    """The types of values that are written as they are, or without their point."""
    size = decimal_size(kind)
    return fitting(kind) | {Decimal} if size is not None and size[1] else fitting(kind)


def _needs_memory(step: Instruction | Block) -> bool:
    """Whether a step reads or writes the record."""
    if isinstance(step, Block):
        return any(map(_needs_memory, step.body))
    loads = op.LOAD_1 <= step.kind <= op.LOAD_ODD
    return loads or op.STOP in step.reads or step.kind in _MEMORY or step.kind in op.JUDGING - {op.CHECK}


_VARINTS = Leb128(64), SignedLeb128(64), Vlq(64), Quic(62)
"""What writes numbers of variable length, by their forms."""


def varint(number: int, form: int) -> bytes:
    """A number in a form of variable length. Raises ``ValueError`` if it has none."""
    if form == op.QUIC and number >> 62:
        raise ValueError
    return _VARINTS[form].encoded(number if form == op.SIGNED_LEB128 else number & 2 * WORD - 1)


def octets_of(meaning: Meaning, text: bytes) -> bytes:
    """The bytes whose value is a text. Raises ``ValueError`` if there are none."""
    found = read_back(meaning, text)
    if found is None:
        raise ValueError
    return found


def signed(number: int) -> int:
    """What 64 unsigned bits are in two's complement. Raises ``ValueError`` if it has more."""
    if not WORD <= number < 2 * WORD:
        raise ValueError
    return number - 2 * WORD


def in_places(number: int | Decimal, places: int) -> int:
    """A decimal without its point, which has so many places. Raises ``ValueError`` if it has more, or is too large."""
    found = int(number * 10**places if isinstance(number, int) else number.scaleb(places))
    if not -WORD <= found < WORD or Decimal(found).scaleb(-places) != number:
        raise ValueError
    return found


def digits(number: int, base: int, least: int) -> bytes:
    """The ASCII digits of a number in a base, with zeros in front if they are fewer than ``least``."""
    return written_digits(base, least).encoded(number)


def bits_of_double(number: float) -> int:
    """The 64 bits of a number, in two's complement."""
    found: int = struct.unpack("<q", struct.pack("<d", number))[0]
    return found
