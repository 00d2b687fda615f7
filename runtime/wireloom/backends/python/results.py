"""The values of programs as values of Python, for functions that read single records."""

import struct
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from decimal import Decimal

from construct import Container

from wireloom.backends.python.instructions import InstructionSource
from wireloom.backends.python.source import Script
from wireloom.codec import floats
from wireloom.codec.columns import Column, ColumnType, ListOf, StructOf, decimal_size, is_whole
from wireloom.codec.labels import WireEnum, named_flags, named_number
from wireloom.codec.meanings import EPOCH
from wireloom.programs import opcodes as op
from wireloom.programs.values import (
    MEANINGS,
    SIZES,
    WORD,
    Borrowed,
    Datum,
    Flags,
    Label,
    Listed,
    Listing,
    Names,
    NoItems,
    NoProgramError,
    Number,
    Octets,
    Spelled,
    Struct,
)

_WORD = 2 * WORD - 1


def registers(*data: Datum | None) -> Iterator[int]:
    """The registers that values are made of."""
    for known in data:
        if known is None:
            continue
        yield known.valid
        match known:
            case Number(register, names=names):
                yield from (register, *_masks(names))
            case Octets(start, stop):
                yield from (start, stop)
            case Spelled(start):
                yield start
            case Label(number, of=of) | Flags(number, of=of):
                yield from registers(of) if of is not None else (number,)
            case Struct(fields):
                yield from registers(*fields.values())
            case Listed(listings) | Borrowed(listings):
                for each in listings:
                    yield from (each.start, each.stop, each.limit, each.where, *each.at.given.values())
            case NoItems():
                pass


def _masks(names: Names) -> Iterator[int]:
    """The masks by which numbers have different names."""
    if isinstance(names, tuple):
        mask, *others = names
        yield mask
        for each in others:
            yield from _masks(each)


def asked_texts(*data: tuple[Datum | None, ColumnType]) -> Iterator[tuple[int, int, int]]:
    """The registers between which bytes are asked for as text, and the masks of where."""
    for known, kind in data:
        match known:
            case Octets(start, stop, valid) if kind == "string":
                yield start, stop, valid
            case Struct(fields) if isinstance(kind, StructOf):
                yield from asked_texts(*((fields.get(each.name), each.type) for each in kind.columns))
            case _:
                pass


def lists_of(data: Iterable[Datum | None]) -> Iterator[Listing]:
    """The lists among values and in them."""
    for known in data:
        match known:
            case Struct(fields):
                yield from lists_of(fields.values())
            case Listed(listings) | Borrowed(listings):
                for each in listings:
                    yield each
                    yield from lists_of([each.item])
            case _:
                pass


def doubles(*data: Datum | None) -> Iterator[int]:
    """The registers that are asked for as floats of 8 bytes."""
    for known in data:
        match known:
            case Number(register, floating=8):
                yield register
            case Struct(fields):
                yield from doubles(*fields.values())
            case _:
                pass


class ResultSource:
    """Writes the values that a program has found."""

    def __init__(self, source: Script, instructions: InstructionSource) -> None:
        self.source = source
        self.instructions = instructions
        self._named: dict[tuple[int, Names], tuple[str, str]] = {}
        self._lists: dict[int, str] = {}

    def struct(self, columns: Iterable[Column], values: Mapping[str, Datum]) -> str:
        """A struct with these columns."""
        entries = (f"{each.name!r}: {self.value(values.get(each.name), each.type)}" for each in columns)
        return f"{self.source.bind('Container', Container)}({{{', '.join(entries)}}})"

    def value(self, known: Datum | None, kind: ColumnType) -> str:
        """A value of a column of that type. Raises ``NoProgramError``."""
        if known is None or self.instructions.asm.constant(known.valid) == 0:
            return "None"
        text = self._present(known, kind)
        return text if known.valid == op.ONES else f"({text} if {self.instructions.text(known.valid)} else None)"

    def _present(self, known: Datum, kind: ColumnType) -> str:
        instructions, bind = self.instructions, self.source.bind
        match known:
            case Number():
                return self._number(known, kind)
            case Octets(start, stop):
                octets = instructions.span(start, stop)
                return f"{octets}.decode()" if kind == "string" else octets
            case Spelled(start, way):
                place, size = instructions.position(start), SIZES[way]
                value = bind(f"text_{way}", MEANINGS[way].value)
                return f"{value}(data[{place}:{place._replace(offset=place.offset + size)}])"
            case Label(number, texts, of=None):
                return f"{bind('texts', (*texts, None))}[{instructions.text(number)}]"
            case Label(of=Number() as number):
                return self._named_number(number)[1]
            case Flags(of=Number() as number):
                return f"[*{self._named_number(number)[1]}]"
            case NoItems():
                return "[]"
            case Listed():
                assert isinstance(kind, ListOf)
                return self._list(known, kind.element)
            case Borrowed():
                return self._borrowed(known, kind)
            case Struct(fields) if isinstance(kind, StructOf):
                return self.struct(kind.columns, fields)
        raise NoProgramError("values of this type")

    def _number(self, known: Number, kind: ColumnType) -> str:
        register, bind = known.register, self.source.bind
        text = self.instructions.text(register)
        is_boolean = register in self.instructions.booleans
        if kind == "boolean":
            if not known.truth:
                raise NoProgramError("values of this type")
            return f"({text} != 0)"
        if known.double is not None:
            return f"{self.source.bind('double_of', known.double.value)}({_unsigned(known, text)})"
        if known.floating:
            if known.floating == 8:
                return text if register in self.instructions.doubles else f"{bind('double', double)}({text})"
            return f"{bind('single', floats.load)}({text})"
        if kind == "timestamp":
            return f"{bind('EPOCH', EPOCH)} + {bind('timedelta', timedelta)}(0, 0, {text})"
        if kind == "interval day to second":
            return f"{bind('timedelta', timedelta)}(0, 0, {text})"
        if not is_whole(kind):
            size = decimal_size(kind)
            if size is None or known.parts != 10 ** size[1]:
                raise NoProgramError("values of this type")
            return f"{bind('Decimal', Decimal)}(f'{{{text}}}e-{size[1]}')"
        if known.names is not None:
            return self._named_number(known)[0]
        return f"int({text})" if is_boolean else _unsigned(known, text)

    def _named_number(self, known: Number) -> tuple[str, str]:
        """The names of variables for a number with names, and for its label or its labels."""
        key, constant = (known.register, known.names), self.instructions.asm.constant(known.register)
        if isinstance(known.names, type) and issubclass(known.names, WireEnum) and constant is not None:
            member, label = named_number(known.names)(constant)
            self._named[key] = self.source.constant(known.names.__name__, member), repr(label)
        if key not in self._named:
            call = self._find(known.names, _unsigned(known, self.instructions.text(known.register)))
            if known.valid != op.ONES:
                call += f" if {self.instructions.text(known.valid)} else (None, ())"
            found = self.source.lasting("number"), self.source.lasting("label")
            self.source.add(f"{', '.join(found)} = {call}")
            self._named[key] = found
        return self._named[key]

    def _find(self, names: Names, number: str) -> str:
        """The source of what is found for a number: the member that it is, and its label or its labels."""
        if names is None:
            return f"({number}, None)"
        if isinstance(names, tuple):
            mask, one, other = names
            return f"({self._find(one, number)} if {self.instructions.text(mask)} else {self._find(other, number)})"
        find = named_number(names) if issubclass(names, WireEnum) else named_flags(names)
        return f"{self.source.bind(f'find_{names.__name__}', find)}({number})"

    def _list(self, known: Listed, kind: ColumnType) -> str:
        """The name of the variable for a list, whose items are read first."""
        key = id(known.listings[0])
        if key not in self._lists:
            name = self._lists[key] = self.source.lasting("items")
            self.source.add(f"{name} = []")
            for each in known.listings:
                with self.source.aside() as lines:
                    self._items(each, kind, name)
                if each.where == op.ONES:
                    self.source.lines.extend(lines)
                else:
                    self.source.insert(f"if {self.instructions.text(each.where)}:", lines)
        return self._lists[key]

    def _borrowed(self, known: Borrowed, kind: ColumnType) -> str:
        """The name of the variable for a value whose bytes belong to others, which is read first. Those are counted."""
        source, outer = self.source, self.instructions
        name = source.lasting("value")
        for each in known.listings:
            value, begin, stop = known.value(each), outer.position(each.start), outer.position(each.stop)
            with source.aside() as lines:
                source.add(f"left -= {stop} - {begin}")
                source.add("if left < 0: return None")
                places = {op.START: str(begin), op.STOP: str(outer.position(each.limit)), op.ONES: "True"}
                items = self._inner(each, places, value, kind)
                items.program(registers(value))
                source.add(f"{name} = {ResultSource(source, items).value(value, kind)}")
                outer.pads = max(outer.pads, items.pads)
            source.insert(f"if {outer.text(each.where)}:", lines)
        return name

    def _inner(self, listing: Listing, known: Mapping[int, str], item: Datum, kind: ColumnType) -> InstructionSource:
        """The program of a list's items, which is given what it asks for."""
        asm = listing.at.asm
        found = InstructionSource(self.source, asm, known, doubles(item), asked_texts((item, kind)))
        found.given = {place: self.instructions.text(register) for place, register in listing.at.given.items()}
        return found

    def _items(self, listing: Listing, kind: ColumnType, name: str) -> None:
        source, lowering, outer = self.source, listing.at, self.instructions
        begin, stop = outer.position(listing.start), str(outer.position(listing.stop))
        if str(begin) == stop:
            return
        at = source.lasting("at")
        limit = str(outer.position(listing.limit))
        known = {op.START: at, op.STOP: limit, op.ONES: "True"}
        items = self._inner(listing, known, listing.item, kind)
        if lowering.number is not None:
            items.given[lowering.number] = self.source.lasting("number")
            source.add(f"{items.given[lowering.number]} = -1")
        reads = [*registers(listing.item), *(() if listing.size else (lowering.cursor,))]
        if listing.size is not None:
            head = f"for {at} in range({begin}, {stop}, {listing.size}):"
        else:
            source.add(f"{at} = {begin}")
            head = f"while {at} < {stop}:"
        with source.block(head):
            if lowering.number is not None:
                source.add(f"{items.given[lowering.number]} += 1")
            items.program(reads)
            source.add(f"{name}.append({ResultSource(source, items).value(listing.item, kind)})")
            outer.pads = max(outer.pads, items.pads)
            if listing.size is None:
                after = source.lasting("after")
                source.add(f"{after} = {items.position(lowering.cursor)}")
                source.add(f"if {after} <= {at}: return None")
                source.add(f"{at} = {after}")


def _unsigned(known: Number, text: str) -> str:
    """The source of a number, whose register may have it as one that is negative."""
    return f"({text} & {_WORD})" if known.most >= WORD and known.least >= 0 else text


def double(bits: int) -> float:
    """The number with these 64 bits in two's complement."""
    found: float = struct.unpack("<d", struct.pack("<q", bits))[0]
    return found
