"""c/<protocol>.h and c/<protocol>.c: functions that read and write single records, in C11, without allocation.

They are the programs of ``wireloom.columnar`` in C. A message of which these do not say all is left out, and the header
says why. The output is only made if ``c`` is named.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from wireloom.codec import As, Bits, Choice, Everything, Field, Headed, Layout, Repeat, Section, Slot, Terminated
from wireloom.codec.computed import Computed
from wireloom.codec.layout import Lone
from wireloom.codec.runs import Run
from wireloom.contents import within
from wireloom.expressions import Expression
from wireloom.expressions.tree import Name
from wireloom.options import OptionError, resolve
from wireloom.programs import opcodes as op
from wireloom.programs import write_opcodes as write_op
from wireloom.programs.assembler import Assembler, Instruction, Loop
from wireloom.programs.reading.framing import prove
from wireloom.programs.reading.items import ItemLowering
from wireloom.programs.reading.lowering import Lowering
from wireloom.programs.records import RecordLowering
from wireloom.programs.values import (
    WAYS,
    WORD,
    Datum,
    Label,
    Level,
    Listed,
    Listing,
    NoProgramError,
    Number,
    Octets,
    Spelled,
    Struct,
    is_label,
)
from wireloom.programs.writing.inputs import ITEM, VARIANT, WRITTEN, Inputs, Items, Kind, Outline
from wireloom.programs.writing.layout import Arranging, asks_left
from wireloom.programs.writing.scope import Laid
from wireloom_generator import emitters, examples, model
from wireloom_generator.c_code.functions import FunctionContext, SharedParts, Statements, blocks, flat
from wireloom_generator.emitters import Emitter, Subject
from wireloom_generator.naming import snake_case
from wireloom_generator.output import WIDTH, OutputFile, head
from wireloom_generator.templates import filled

if TYPE_CHECKING:
    from wireloom.codec import Message, Protocol

_KEYWORDS = frozenset({
    "NULL", "auto", "bool", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum",
    "errno", "extern", "false", "float", "for", "goto", "header", "if", "inline", "int", "linux", "long", "register",
    "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch", "true", "typedef", "union", "unix",
    "unsigned", "void", "volatile", "while",
})  # fmt: skip
"""What cannot be the name of a member, and the member that all messages have."""
_OWN = ("bytes", "check", "check_field", "check_text", "error", "header", "length", "message", "message_name")
"""What the header declares beside messages."""
_COMMENT = re.compile(r"/(?=\*)|\*(?=/)|\?(?=\?)")
"""What must not stand in a comment with what follows it."""
_SPELLED = ("IPv4 address", "IPv6 address", "MAC address", "UUID")


@dataclass(frozen=True, slots=True)
class CType:
    """What a value is in C: a number, if it has a ``number``; bytes, if it has nothing else; a struct with ``members``;
    or a list of an ``item``, which is read in one of several ``ways``, and for which numbers are ``given`` from around
    it. ``variants`` are the names of variants.
    """

    number: Number | None = None
    members: "Mapping[str, Member] | None" = None
    item: "CType | None" = None
    given: tuple[str, ...] = ()
    ways: int = 1
    variants: tuple[str, ...] = ()
    about: str = ""


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a struct, which may be ``optional``."""

    kind: CType
    optional: bool


def _kind(known: Datum) -> CType:
    match known:
        case Number():
            return CType(replace(known, register=0, valid=op.ONES))
        case Octets():
            return CType()
        case Spelled(way=way):
            return CType(about=_SPELLED[way])
        case Struct(fields):
            return CType(members=_members(fields))
        case Listed(listings=listings):
            items = [_kind(each.item) for each in listings]
            if any(one.number is None and one.members is None for one in items[1:]):
                raise NoProgramError("a list that is read in several ways")
            given = max((tuple(_around(each)) for each in listings), key=len)
            return CType(item=reduce(_wider, items), given=given, ways=len(listings))
        case Label(texts=texts):
            return CType(variants=texts)
    raise NoProgramError("values of this type")


def _around(listing: Listing) -> Iterator[str]:
    """The names of the numbers that items are given from around their list."""
    around = listing.at.around
    known = {**around.record.columns, **around.this.columns}
    for register in listing.at.given.values():
        yield next((name for name, each in known.items() if getattr(each, "register", None) == register), "")


def _members(fields: Mapping[str, Datum]) -> dict[str, Member]:
    """The members for values; labels and flags are told by the numbers that they are of."""
    told = {name: each for name, each in fields.items() if not is_label(each) or name == "variant"}
    return {name: Member(_kind(each), each.valid != op.ONES) for name, each in told.items()}


def _either(one: Mapping[str, Member], other: Mapping[str, Member]) -> dict[str, Member]:
    """The members of a struct that has what both have."""
    found = {name: replace(each, optional=each.optional or name not in other) for name, each in one.items()}
    for name, each in other.items():
        mine = found.get(name)
        if mine is None:
            found[name] = replace(each, optional=True)
        else:
            found[name] = Member(_wider(mine.kind, each.kind), mine.optional or each.optional)
    return found


def _wider(one: CType, other: CType) -> CType:
    if one.number is not None and other.number is not None:
        a, b = one.number, other.number
        truth = a.truth and b.truth
        return CType(replace(a, least=min(a.least, b.least), most=max(a.most, b.most), truth=truth), about=one.about)
    if one.members is not None and other.members is not None:
        return CType(members=_either(one.members, other.members))
    return one


def number_type(number: Number) -> str:
    if number.double is not None:
        raise NoProgramError("doubles that integers stand for")
    if number.floating:
        return "float" if number.floating == 4 else "double"
    if number.truth:
        return "bool"
    if number.parts == 1 and number.least >= 0:
        return f"uint{next(bits for bits in (8, 16, 32, 64) if number.most < 1 << bits)}_t"
    ends = max(number.most, -number.least - 1)
    return f"int{next(bits for bits in (8, 16, 32, 64) if ends < 1 << bits - 1)}_t"


def _input(number: Number) -> tuple[Kind, int]:
    """What a column with the same numbers has, and how many bits each."""
    name = number_type(number)
    known = {"float": (Kind.FLOAT, 32), "double": (Kind.FLOAT, 64), "bool": (Kind.BOOLEAN, 1)}
    if name in known:
        return known[name]
    bits = int(name.removesuffix("_t").partition("int")[2])
    if name[0] == "u":
        return (Kind.DECIMAL, 128) if bits == 64 else (Kind.UNSIGNED, bits)
    return Kind.SIGNED, bits


_Part = tuple[str, Mapping[str, Member], Mapping[str, Datum], str]
"""What is in front of the members of a struct, what they are, the values for them, and the name of its type."""


class Called(NamedTuple):
    """What a member is called in C, what says whether it is there, and its type if that is one of floats."""

    text: str
    there: str = ""
    floating: str = ""


class _Arranging(Arranging):
    """Lays out a message of which it is known what is given."""

    missed: set[str]
    """What a layout depends on and is not given, but filled in."""
    unsure: set[tuple[str, ...]]
    """The lists with items that depend on how many bytes are left."""
    finishing = False

    def known(self, name: Name) -> Datum | int | None:
        found = super().known(name)
        if found is None and not self.finishing:
            self.missed.add(name.name)
        return found

    def _derive(self) -> None:
        self.finishing = True
        super()._derive()
        self.finishing = False

    def _write_all(self) -> None:
        self.finishing = True
        super()._write_all()

    def _items(self, name: str, kind: Repeat) -> None:
        super()._items(name, kind)
        known = self.this.columns.get(name)
        if not isinstance(known, Items):
            return
        if any(map(asks_left, within([kind.item]))):
            self.unsure.add(known.path)
        if known.path not in self.items:  # whatever its items are, their bytes are given
            self._copy(known.written())

    def _value(self, name: str, said: Field, kind: object) -> None:
        if isinstance(kind, As) and type(kind.meaning) in WAYS:
            self._octets(name, kind.subcon.extent)  # they are given as they are, not as a text
        else:
            super()._value(name, said, kind)


@dataclass(slots=True)
class LoweredMessage:
    """A message in one byte order, while it is lowered."""

    at: Lowering
    level: Level
    lists: list[Listing]


@dataclass(slots=True)
class Whole:
    """A message of which programs say all: how it is read in each byte order, by whether that is little."""

    said: "Message"
    number: int
    readings: dict[bool, LoweredMessage] = field(default_factory=dict)
    members: dict[str, Member] = field(default_factory=dict)
    unwritten: str = ""


class Translation:
    """Writes the two files of a protocol."""

    def __init__(self, protocol: model.Protocol, codec: "Protocol") -> None:
        self.protocol = protocol
        self.codec = codec
        self.prefix = protocol.name
        self.shared = SharedParts()
        self.names: dict[str, str] = {}
        self.taken = {f"{self.prefix}_{name}" for name in _OWN}
        self.constants = {
            f"{self.prefix}_{name}".upper() for name in ("H", "NO_MESSAGE", "NO_RECORD", "OK", "TOO_SMALL")
        }
        self.constants.update(f"{self.prefix}_message_{name}".upper() for name in codec.records)
        self.left: dict[str, str] = {}
        self.types: list[dict[str, Any]] = []
        self.functions: dict[str, str] = {}
        self.sections = set(_sections(codec))
        self.header_names = {column.name for column in codec.record.columns}
        self.header: dict[str, Member] = {}
        self.whole: list[Whole] = []
        self.orders: tuple[bool, ...] = ()
        self.functions_of: dict[str, str] = {}
        """What the functions of messages begin with, by the names of these."""
        self.kinds: dict[str, CType] = {}
        """The lists, by the names of their types."""
        self.appended: list[str] = []
        """The lists that items can be appended to."""

    # Which messages

    def find(self) -> None:
        """Find the messages of which programs say all."""
        try:
            self.parameters = resolve(self.codec.parameters, {})
        except OptionError as error:
            self.left = dict.fromkeys(self.codec.records, str(error))
            return
        missing = [each.name for each in self.codec.parameters if each.name not in self.parameters]
        if missing:
            self.left = dict.fromkeys(self.codec.records, f"the parameter {missing[0]} has no default")
            return
        if (envelope := self.codec.record.envelope) is not None:
            self.left = dict.fromkeys(self.codec.records, envelope.described)
            return
        self.orders = self.codec.framing.orders(self.parameters)
        self.programs = {little: RecordLowering(self.codec, self.parameters, little=little) for little in self.orders}
        for number, said in enumerate(self.codec.records.values()):
            one = Whole(said, number)
            try:
                one.readings = {little: self._reading(said, number, little=little) for little in self.orders}
                header: dict[str, Member] = {}
                for each in one.readings.values():
                    mine, fields = _members(each.at.record.columns), _members(each.level.columns)
                    header = _either(header, mine) if header else mine
                    one.members = _either(one.members, fields) if one.members else fields
            except NoProgramError as error:
                self.left[said.name] = str(error)
                continue
            self.header = _either(self.header, header) if self.whole else header
            self.whole.append(one)

    def _reading(self, said: "Message", number: int, *, little: bool) -> LoweredMessage:
        programs = self.programs[little]
        at = self._head(little=little)
        asm = at.asm
        code = programs.message_number(asm, at.record.columns)
        with asm.field("@"):
            at.must(asm.value(op.EQUAL_NUMBER, (code,), (number,)))
        with asm.field(f"@{said.name}"):
            level = programs.message(number, at)
        at.lists, lists = [], _of_values(at.lists)
        for one in (at, *(each.at for each in _every(lists))):
            if one.left:
                raise NoProgramError("; ".join(one.left))
            if one.partial:
                raise NoProgramError("values of more than 64 bits, in other forms, or at offsets that may be wrong")
            if any(each.kind in op.CHANGING - {op.UNPACK} for each in flat(one.asm.code)):
                raise NoProgramError("bytes that stand for others and need room of their own")
            if any(isinstance(each, Loop) and not each.for_outputs for each in blocks(one.asm.code)):
                raise NoProgramError("a list that must be read to find its end")
            if isinstance(one, ItemLowering) and (one.is_placed or one.number is not None):
                raise NoProgramError("where something is, or its number, asked for in a list")
        return LoweredMessage(at, level, lists)

    def _head(self, *, little: bool, proving: bool = True) -> Lowering:
        """A program that has proven that a record is as long as it says, and has read what all records begin with."""
        proof = Lowering(self.parameters, little=little, limit=0)
        if proving:
            self._prove(proof)
            if proof.left:
                raise NoProgramError("; ".join(proof.left))
        return self.programs[little].head(proof.asm)

    def _prove(self, at: Lowering) -> None:
        (ends, *others) = self.codec.framing.lengths
        if not others and isinstance(ends, Everything) and not ends.fields and ends.valid is None:
            return
        if not others and isinstance(ends, Terminated) and not ends.enveloped and len(ends.until) < 8:
            numbers = int.from_bytes(ends.until, "little"), len(ends.until), 1, 1
            (stop,) = at.asm.several(op.FIND, 1, (op.START, op.STOP, op.ONES), numbers)
            at.must(at.asm.value(op.EQUAL, (at.moved(stop, len(ends.until)), op.STOP)))
            return
        prove(self.codec.framing, at)

    # Paths

    def path(self, names: Sequence[str], marks: Sequence[int] = ()) -> str:
        """The path of a field as errors of the codec have it, from that of an instruction. Lists are at ``marks``."""
        shown = [f"{name}[]" if place in marks else name for place, name in enumerate(names)]
        own = shown[0][1:] if shown and shown[0].startswith("@") else None
        inner = shown[1 + (shown[1:] == [own]) :] if own else shown[own is not None :]  # rules have a message's name
        inner = [name for place, name in enumerate(inner) if place == len(inner) - 1 or name not in self.sections]
        if own and (not inner or inner[0].removesuffix("[]") not in self.header_names):
            inner.insert(0, own)
        return ".".join(inner)

    # Types

    def name(self, *words: str) -> str:
        """The name of a type or a function."""
        key = "_".join((self.prefix, *words))
        while key in self.taken:
            key += "_"
        self.taken.update((key, *(f"{key}_{each}" for each in ("append", "item", "next", "read", "write"))))
        return key

    def declare(
        self,
        name: str,
        members: Mapping[str, Member],
        docs: "Docs",
        path: str,
        doc: Sequence[str] = (),
        *,
        header: bool = False,
    ) -> None:
        """Declare a struct, behind those in it."""
        rows: list[dict[str, Any]] = []
        for each, member in members.items():
            kind, inside = member.kind, f"{path}.{each}".lstrip(".")
            type_ = self._type(kind, name, each, docs, inside)
            about = docs.of(inside, kind)
            rows.append(
                {
                    "name": member_name(each),
                    "type": type_,
                    "optional": member.optional,
                    "has": has_name(each),
                    "doc": _lines(about),
                }
            )
        self.types.append({"name": name, "members": rows, "doc": doc, "header": header})

    def _type(self, kind: CType, outer: str, name: str, docs: "Docs", path: str) -> str:
        if kind.number is not None:
            return number_type(kind.number)
        words = f"{outer}_{name}".removeprefix(f"{self.prefix}_")
        if kind.variants:
            found = self._called(words)
            named = enumerate(("NONE", *kind.variants), -1)
            values = [(self._constant(f"{found}_{each}"), number) for number, each in named]
            self.types.append({"name": found, "values": values})
            return found
        if kind.members is not None:
            found = self._called(words)
            self.declare(found, kind.members, docs, path)
            return found
        if kind.item is not None:
            found = self._called(words)
            item = f"{found}_item"
            if kind.item.members is not None:
                self.declare(item, kind.item.members, docs, path)
            else:
                self.types.append({"name": item, "alias": self._type(kind.item, found, "item", docs, path)})
            self.kinds[found] = kind
            self.types.append({"name": found, "list": kind, "orders": len(self.orders)})
            return found
        return f"{self.prefix}_bytes"

    def _constant(self, name: str) -> str:
        """The name of a constant, which has no other value."""
        found = name.upper()
        while found in self.constants:
            found += "_"
        self.constants.add(found)
        return found

    def _called(self, words: str) -> str:
        found = self.name(words)
        self.names[words] = found
        return found

    # Functions that read

    def read(self, one: Whole, name: str, little: bool) -> str:
        """The statements of a function that reads a message."""
        reading = one.readings[little]
        at, level = reading.at, reading.level
        parts: list[_Part] = [("out->header.", self.header, at.record.columns, f"{self.prefix}_header")]
        parts.append(("out->", one.members, level.columns, name))
        return "\n".join(self._reader(at, reading.lists, parts, self.path, {}, little))

    def _reader(
        self,
        at: Lowering,
        lists: Sequence[Listing],
        parts: Sequence[_Part],
        path: Callable[[tuple[str, ...]], str],
        given: Mapping[int, str],
        little: bool,
        taken: int | None = None,
        marks: tuple[int, ...] = (),
        scalar: Datum | None = None,
    ) -> list[str]:
        asked = [value for _, members, known, _ in parts for value in _values(members, known)]
        asked += [value for each in lists for value in (each.start, each.stop, each.where, *each.at.given.values())]
        asked += [] if taken is None else [taken]
        if scalar is not None:
            asked += _values({"": Member(_kind(scalar), False)}, {"": scalar})
        body = Statements(at.asm, self.shared, FunctionContext(path, given), asked)
        lines = body.lines
        counts: dict[int, str] = {}
        found = {
            id(one): (name, way) for _, members, known, name in parts for one, name, way in _lists(members, known, name)
        }
        for number, each in enumerate(lists):
            words, way = found.get(id(each), ("", 0))
            list_name = self.names.get(words.removeprefix(f"{self.prefix}_"))
            if list_name is None:
                raise NoProgramError("a list that is no column")
            counts[id(each)] = f"count_{number}"
            self._item(each, list_name, little, marks, way)
            lines += self._walk(body, each, list_name, number, little, way)
        lines.append("    memset(out, 0, sizeof *out);")
        if scalar is not None:
            lines += [f"    {line}" for line in self._scalar(body, "(*out)", _kind(scalar), scalar)]
        for prefix, members, known, name in parts:
            lines += [f"    {line}" for line in self._fill(body, prefix, members, known, name, counts, little)]
        if taken is not None:
            lines.append(f"    *taken = (size_t)({body[taken]});")
        return lines

    def _walk(self, body: Statements, each: Listing, name: str, number: int, little: bool, way: int) -> list[str]:
        """Read all items of a list, to count and to check them."""
        given = [body[register] for register in each.at.given.values()]
        lines = [f"    size_t count_{number} = 0;"]
        if given:
            lines.append(f"    const int64_t given_{number}[] = {{{', '.join(given)}}};")
        array = f"given_{number}" if given else "NULL"
        lines += [
            f"    if ({body[each.where]}) {{" if body[each.where] != "1" else "    {",
            f"        for (int64_t at = {body[each.start]}; at < {body[each.stop]}; count_{number}++) {{",
            f"            {name}_item item;",
            "            size_t taken = 0;",
            f"            {self.prefix}_error found = {name}_read{_order(little)}_{way}(record + at, "
            f"(size_t)({body[each.stop]} - at), {array}, &item, &taken);",
            "            if (found.check) {",
            "                found.at += (size_t)at;",
            "                return found;",
            "            }",
            "            at += (int64_t)taken;",
            "        }",
            "    }",
        ]
        return lines

    def _item(self, each: Listing, name: str, little: bool, marks: tuple[int, ...], way: int) -> None:
        """The function that reads an item, once."""
        function = f"{name}_read{_order(little)}_{way}"
        if function in self.functions:
            return
        self.functions[function] = ""  # what is inside comes before
        inner, item = each.at, each.item
        marks = (*marks, len(inner.asm.path) - 1)
        cursor = inner.cursor
        given = {place: f"given[{number}]" for number, place in enumerate(inner.given)}
        parts: list[_Part] = []
        if isinstance(item, Struct):
            kind = self.kinds[name].item
            assert kind is not None
            parts.append(("out->", kind.members or {}, item.fields, f"{name}_item"))
        scalar = None if isinstance(item, Struct) else item
        lines = self._reader(
            inner,
            _of_values(inner.lists),
            parts,
            lambda path: self.path(path, marks),
            given,
            little,
            cursor,
            marks,
            scalar,
        )
        del self.functions[function]
        head = (
            f"static {self.prefix}_error {function}(const uint8_t *record, size_t size, const int64_t *given, "
            f"{name}_item *out, size_t *taken)"
        )
        start = ["    const int64_t end = (int64_t)size;", "    (void)given;", "    (void)end;", "    (void)record;"]
        self.functions[function] = "\n".join([head, "{", *start, *lines, "    return NONE;", "}"])

    def _fill(
        self,
        body: Statements,
        prefix: str,
        members: Mapping[str, Member],
        known: Mapping[str, Datum],
        name: str,
        counts: Mapping[int, str],
        little: bool,
    ) -> Iterator[str]:
        """Statements that fill in the members of a struct."""
        for each, member in members.items():
            value = known.get(each)
            if value is None:
                continue
            target = f"{prefix}{member_name(each)}"
            lines = list(self._one(body, target, member.kind, value, f"{name}_{each}", counts, little))
            if member.optional:
                mask = "true" if value.valid == op.ONES else body[value.valid]
                yield f"{prefix}{has_name(each)} = {mask};"
                if value.valid != op.ONES:
                    yield f"if ({mask}) {{"
                    yield from (f"    {line}" for line in lines)
                    yield "}"
                    continue
            yield from lines

    def _one(
        self,
        body: Statements,
        target: str,
        kind: CType,
        value: Datum,
        name: str,
        counts: Mapping[int, str],
        little: bool,
    ) -> Iterator[str]:
        match value:
            case Struct(fields):
                yield from self._fill(body, f"{target}.", kind.members or {}, fields, name, counts, little)
            case Listed(listings=listings):
                if len(self.orders) > 1:
                    yield f"{target}.little = {str(little).lower()};"
                for way, one in enumerate(listings):
                    yield f"if ({body[one.where]}) {{"
                    yield f"    {target}.data = {body.pointer(one.start)};"
                    yield f"    {target}.size = (size_t)({body.size(one.start, one.stop)});"
                    yield f"    {target}.count = {counts[id(one)]};"
                    if len(listings) > 1:
                        yield f"    {target}.way = {way};"
                    for number, register in enumerate(one.at.given.values()):
                        yield f"    {target}.given[{number}] = {body[register]};"
                    yield "}"
            case _:
                yield from self._scalar(body, target, kind, value)

    def _scalar(self, body: Statements, target: str, kind: CType, value: Datum) -> Iterator[str]:
        match value:
            case Number(register=register) if kind.number is not None:
                type_, text = number_type(kind.number), body[register]
                if kind.number.floating:
                    text = self.shared.call(f"{type_}_of", text)
                elif type_ != "int64_t":
                    text = f"({type_}){text}"
                yield f"{target} = {text};"
            case Octets(start, stop):
                yield f"{target}.data = {body.pointer(start)};"
                yield f"{target}.size = (size_t)({body.size(start, stop)});"
            case Spelled(start, way):
                yield f"{target}.data = {body.pointer(start)};"
                yield f"{target}.size = {(4, 16, 6, 16)[way]};"
            case Label(number):
                yield f"{target} = {body[number]};"
            case _:
                raise NoProgramError("values of this type")

    # Which message, and how long

    def sort(self, little: bool) -> str:
        """The statements of a function that tells the number of a record's message."""
        at = self._head(little=little, proving=False)
        programs = self.programs[little]
        code = programs.message_number(at.asm, at.record.columns)
        body = Statements(at.asm, self.shared, FunctionContext(self.path), [code], refused="NO_MESSAGE")
        return "\n".join([*body.lines, f"    return (int){body[code]};"])

    def length(self, little: bool) -> str:
        """The statements of a function that tells how long a record is. Raises ``NoProgramError``."""
        framing = self.codec.framing
        if any(isinstance(ends, Headed) for ends in framing.lengths):
            raise NoProgramError("a length that is read from more than is there at first")
        at = Lowering(self.parameters, little=little, limit=0)
        prove(framing, at)
        body = Statements(at.asm, self.shared, FunctionContext(self.path), [], measuring=True, refused="NO_RECORD")
        return "\n".join([*body.lines, "    return NO_RECORD;"])

    # Functions that write

    def write(self, one: Whole, name: str, little: bool) -> str:
        """The statements of a function that writes a message. Raises ``NoProgramError``."""
        codec, said = self.codec, one.said
        if codec.record.until:
            raise NoProgramError("the terminator of records")
        selectors = {name for name, each in said.match.items() if len(each.listed) == 1 and not each.spans}
        told = {name for name, field in codec.record.derived if (name, field) not in said.header_derived}
        header_filled = _filled_in([codec.record.head, *codec.record.tail]) - told | selectors
        own_filled = _filled_in(
            [*said.sections.values(), *(each for v in said.variants for each in v.sections.values())]
        )
        while True:
            asked = self._lay(one, name, little, header_filled, own_filled)
            if isinstance(asked, list):
                return "\n".join(asked)
            header_filled, own_filled = header_filled - asked, own_filled - asked

    def _lay(
        self, one: Whole, name: str, little: bool, header_filled: set[str], own_filled: set[str]
    ) -> list[str] | set[str]:
        """The statements of a function that writes a message; or the names that must not be filled in for that, as the
        layout depends on them.
        """
        codec, said = self.codec, one.said
        asm = Assembler()
        inputs = Inputs(asm)
        texts: dict[tuple[str, ...], Called] = {(VARIANT,): Called("in->variant")}
        header = self._given(inputs, (), self.header, header_filled, "in->header.", texts)
        fields = self._given(inputs, (said.name,), one.members, {*own_filled, "variant"}, "in->", texts)
        laid = _Arranging(self.parameters, asm, header, little=little)
        laid.missed, laid.unsure = set(), set()
        for each, selection in said.match.items():
            if isinstance(selection.any, str | bytes):
                raise NoProgramError("a text that selects a message")
            if each in self.header_names:
                laid.fill(header, each, selection.first)
        variant = inputs.variant() if said.variants else asm.number(-1)
        with asm.field(f"@{said.name}"):
            laid.message(said, variant, fields)
        if asked := laid.missed & (header_filled | own_filled):
            return asked
        if laid.left:
            raise NoProgramError("; ".join(laid.left))
        lines = self._laid(laid, inputs, texts, self.path)
        told = dict(_fields([codec.record.head, *codec.record.tail, *_contents(said)]))
        defaults = {each for each, one_said in told.items() if _has_default(one_said)}
        order = f", {str(little).lower()}" if len(self.orders) > 1 else ""
        lines += [
            f"    {name} out;",
            f"    const {self.prefix}_error found = {name}_read(record, (size_t)end, &out{order});",
            "    if (found.check) { return found; }",
            *self._compare("in->header.", "out.header.", self.header, header_filled, defaults, ""),
            *self._compare("in->", "out.", one.members, own_filled, defaults, f"{said.name}."),
        ]
        self._appends(laid, laid.unsure, {(): f"{self.prefix}_header", (said.name,): name}, little)
        return lines

    def _given(
        self,
        inputs: Inputs,
        path: tuple[str, ...],
        members: Mapping[str, Member],
        filled: Iterable[str],
        prefix: str,
        texts: dict[tuple[str, ...], Called],
    ) -> Laid:
        """What is given, in the members of a struct."""
        told = {name: each for name, each in members.items() if name not in set(filled)}
        outlines = {name: _outline(each) for name, each in told.items()}
        _called(path, told, prefix, texts)
        return Laid(inputs.columns(path, outlines), outlines=outlines)

    def _laid(
        self,
        laid: Arranging,
        inputs: Inputs,
        texts: Mapping[tuple[str, ...], Called],
        path: Callable[[tuple[str, ...]], str],
    ) -> list[str]:
        places: dict[tuple[str, ...], list[int]] = {}
        for place, address in inputs.taken.items():
            places.setdefault(address.path, []).append(place)

        def columns(each: Instruction) -> tuple[str, ...]:
            place = each.numbers[0]
            column = inputs.taken[place].path
            text, there, floating = texts[column]
            match each.kind:
                case write_op.SPAN:
                    return f"{text}.data", f"(int64_t){text}.size"
                case write_op.COUNT:
                    return (f"(int64_t){text}.count",)
                case write_op.BIT:
                    return (there if there and place == places[column][0] else text,)
            if each.numbers[2] == 16 and place == places[column][-1]:  # the higher half of a number of 16 bytes
                return ("0",)
            return (self.shared.call(f"{floating}_bits", text) if floating else f"(int64_t){text}",)

        body = Statements(laid.asm, self.shared, FunctionContext(path, columns=columns), [], total=laid.total)
        if not body.written:
            total = body[laid.total]
            body.lines += [f"    const int64_t end = {total};", "    *written = (size_t)end;", "    (void)size;"]
        return body.lines

    def _compare(
        self,
        one: str,
        other: str,
        members: Mapping[str, Member],
        filled: Collection[str],
        defaults: Collection[str],
        path: str,
    ) -> Iterator[str]:
        """Statements that refuse a record that does not say what was given. Defaults need not be."""
        for name, test in self._differing(one, other, members):
            if name in defaults and members[name].optional:
                test = f"{one}{has_name(name)} && ({test})"
            if name not in filled:
                check = self.shared.check(f"{path}{name}", "differs")
                yield f"    if ({test}) {{ return failed(CHECK({check}), 0); }}"

    def _differing(self, one: str, other: str, members: Mapping[str, Member]) -> Iterator[tuple[str, str]]:
        """What is true where members of two structs, which these texts are in front of, are not the same."""
        for name, each in members.items():
            test = self._differ(f"{one}{member_name(name)}", f"{other}{member_name(name)}", each.kind)
            if each.optional:
                mine, found = f"{one}{has_name(name)}", f"{other}{has_name(name)}"
                test = f"{mine} != {found}" + (f" || ({mine} && ({test}))" if test else "")
            if test:
                yield name, test

    def _differ(self, one: str, other: str, kind: CType) -> str:
        if kind.members is not None:
            return " || ".join(test for _, test in self._differing(f"{one}.", f"{other}.", kind.members))
        if kind.number is not None and kind.number.floating:
            return f"memcmp(&{one}, &{other}, sizeof {one})"
        if kind.number is not None or kind.variants:
            return f"{one} != {other}"
        ends = (text for each in (one, other) for text in (f"{each}.data", f"(int64_t){each}.size"))
        call = self.shared.call("are_same", *ends)
        return f"!{call}" + (f" || {one}.count != {other}.count" if kind.item is not None else "")

    def _appends(
        self,
        laid: Arranging,
        unsure: Collection[tuple[str, ...]],
        names: Mapping[tuple[str, ...], str],
        little: bool,
    ) -> None:
        """The functions that append an item to a list, once each; none for lists that are ``unsure``."""
        for path, inner in laid.items.items():
            base = next(base for base in (path[:-1], path[:1], ()) if base in names)
            words = "_".join((names[base], *path[len(base) :])).removeprefix(f"{self.prefix}_")
            name = self.names.get(words)
            kind = self.kinds.get(name or "")
            function = f"{name}_append{_order(little)}"
            if name is None or kind is None or kind.item is None or kind.ways > 1 or function in self.functions:
                continue
            if path in unsure or kind.item.members is None or not inner.asked.keys() <= set(kind.given):
                continue
            texts: dict[tuple[str, ...], Called] = {
                (each,): Called(f"given[{number}]") for number, each in enumerate(kind.given)
            }
            _called((ITEM,), kind.item.members, "in->", texts)
            if any(each[-1] == WRITTEN and each[:-1] not in inner.items for each in texts):
                continue
            marked = self.path(("@", *path), [len(path)])
            try:
                body = self._laid(inner, inner.inputs, texts, lambda names, marked=marked: marked)  # type: ignore[misc]
            except NoProgramError:
                continue
            check = self.shared.check(marked.lstrip("."), "differs")
            tests = ["taken != (size_t)end"]
            tests += [test for _, test in self._differing("in->", "out.", kind.item.members)]
            lines = [
                *body,
                f"    {name}_item out;",
                "    size_t taken = 0;",
                f"    const {self.prefix}_error found = {name}_read{_order(little)}_0"
                "(record, (size_t)end, given, &out, &taken);",
                "    if (found.check) { return found; }",
                f"    if ({' || '.join(tests)}) {{ return failed(CHECK({check}), 0); }}",
            ]
            head = (
                f"static {self.prefix}_error {function}(const {name}_item *in, const int64_t *given, uint8_t *record, "
                "size_t size, size_t *written)"
            )
            self.functions[function] = "\n".join([head, "{", *lines, "    return NONE;", "}"])
            if name not in self.appended:
                self.appended.append(name)
            self._appends(inner, (), {(ITEM,): f"{name}_item"}, little)

    # Files

    def files(self) -> Iterator[OutputFile]:
        """The header, and the functions."""
        self.find()
        messages, enums = [], list(self._enums())
        names = self.functions_of = {one.said.name: self.name(one.said.name) for one in self.whole}
        docs = {each.name: each for each in self.protocol.messages}
        if self.whole:
            self.declare(
                f"{self.prefix}_header",
                self.header,
                Docs(self.protocol, None),
                "",
                doc=["What all messages begin with."],
            )
        for one in list(self.whole):
            name, said = names[one.said.name], docs[one.said.name]
            kept = self._state
            try:
                self._message(name, one, Docs(self.protocol, said), said)
                messages.append(self._functions(one, name, said))
            except NoProgramError as error:
                self._state = kept
                self.whole.remove(one)
                self.left[one.said.name] = str(error)
        lengths = self._both(self.length) if self.whole else {}
        sorts = self._both(self.sort) if self.whole else {}
        values = {
            "name": self.protocol.name,
            "prefix": self.prefix,
            "upper": self.prefix.upper(),
            "head": head(self.protocol.folders, open="// "),
            "title": _lines(self.protocol.doc.title or self.protocol.name),
            "doc": _lines(self.protocol.doc.comment),
            "left": self.left,
            "parameters": dict(self._parameters()),
            "enums": enums,
            "types": self.types,
            "messages": messages,
            "all_messages": list(self.codec.records),
            "checks": [(name, check.field, check.text) for check, name in self.shared.checks.items()],
            "tables": [(kind, name, numbers) for (kind, numbers), name in self.shared.tables.items()],
            "functions": list(self.functions.values()),
            "appended": self.appended,
            "called": self.shared.called,
            "lengths": lengths,
            "sorts": sorts,
            "two": len(self.orders) > 1,
            "orders": [_order(little) for little in self.orders],
        }
        for suffix in ("h", "c"):
            text = _broken(filled(__package__, "protocol.c", file=suffix, **values))
            yield OutputFile(PurePosixPath("c", f"{self.protocol.name}.{suffix}"), text)

    def _parameters(self) -> Iterator[tuple[str, str]]:
        for each in self.protocol.parameters:
            if self.whole and each.name != self.codec.framing.byte_order:
                yield each.name, str(self.parameters[each.name]).lower()

    def _both(self, make: Callable[[bool], str]) -> dict[str, str]:
        """Statements for each byte order; none if there are none for one."""
        try:
            return {_order(little): make(little) for little in self.orders}
        except NoProgramError:
            return {}

    @property
    def _state(self) -> tuple[Any, ...]:
        """What the functions of a message add to."""
        return dict(self.shared.checks), dict(self.functions), list(self.appended), list(self.types)

    @_state.setter
    def _state(self, state: tuple[Any, ...]) -> None:
        self.shared.checks, self.functions, self.appended, self.types = state

    def _message(self, name: str, one: Whole, docs: "Docs", said: model.Message) -> None:
        self.declare(
            name, one.members, docs, "", doc=_lines(said.doc.comment or said.doc.title), header=bool(self.header)
        )

    def _functions(self, one: Whole, name: str, said: model.Message) -> dict[str, Any]:
        reads = {_order(little): self.read(one, name, little) for little in self.orders}
        kept = self._state
        try:
            writes = {_order(little): self.write(one, name, little) for little in self.orders}
        except NoProgramError as error:
            self._state = kept
            writes, one.unwritten = {}, str(error)
        return {"name": name, "message": one.said.name, "reads": reads, "writes": writes, "unwritten": one.unwritten}

    def _enums(self) -> Iterator[dict[str, Any]]:
        for each in self.protocol.enums:
            values = []
            for value in each.values:
                name = value.name.upper()
                if value.range:
                    values += [
                        (f"{name}_FIRST", value.first, _lines(value.doc.comment)),
                        (f"{name}_LAST", value.last, []),
                    ]
                else:
                    values.append((name, value.first, _lines(value.doc.comment)))
            yield self._enum(each.name, each.doc.comment, values)
        for flags in self.protocol.flags:
            yield self._enum(
                flags.name, flags.doc.comment, [(v.name.upper(), v.value, _lines(v.doc.comment)) for v in flags.values]
            )

    def _enum(self, name: str, doc: str, values: list[tuple[str, int, list[str]]]) -> dict[str, Any]:
        found = self.name(snake_case(name), "values")
        prefix = f"{self.prefix}_{snake_case(name)}".upper()
        small = all(-(1 << 31) <= number < 1 << 31 for _, number, _ in values)
        shown = [
            (self._constant(f"{prefix}_{each}"), _number(number, small=small), lines) for each, number, lines in values
        ]
        return {"name": found, "doc": _lines(doc), "values": shown, "small": small}


class Docs:
    """What the spec says of the fields of a message, or of the header."""

    def __init__(self, protocol: model.Protocol, message: model.Message | None) -> None:
        columns = protocol.header if message is None else message.columns
        layouts = (protocol.record.nodes,) if message is None else tuple(message.layouts)
        layouts += tuple(each.nodes for each in protocol.structs)
        self.prefix = protocol.name
        self.columns = dict(_columns(columns, ""))
        self.nodes = [node for nodes in layouts for node in model.walk(nodes)]

    def of(self, path: str, kind: CType) -> str:
        """The words for a field."""
        column = self.columns.get(path)
        if column is None:
            return kind.about
        node: Any = next((node for node in self.nodes if column in getattr(node, "columns", ())), None)
        doc = getattr(node, "doc", None)
        said = [column.doc, kind.about, f"Unit: {doc.unit}" if doc is not None and doc.unit else ""]
        named = getattr(node, "enum", None) or getattr(node, "flags", None)
        if named:
            said.append(f"See {self.prefix}_{snake_case(named)}_values")
        if kind.number is not None and kind.number.parts > 1:
            said.append(f"In steps of 1/{kind.number.parts}")
        if column.type is model.Primitive.TIMESTAMP:
            said.append("Microseconds since 1970 began, UTC")
        if column.type is model.Primitive.INTERVAL:
            said.append("In microseconds")
        return " ".join(text if text[-1] in ".!?" else f"{text}." for text in said if text)


def _columns(columns: Iterable[model.Column], within: str) -> Iterator[tuple[str, model.Column]]:
    for column in columns:
        path = f"{within}{column.name}"
        yield path, column
        kind = column.type
        while isinstance(kind, model.ListType):
            kind = kind.element
        if isinstance(kind, model.StructType):
            yield from _columns(kind.columns, f"{path}.")


def _number(number: int, *, small: bool) -> str:
    if small:
        return str(number) if number > -(1 << 31) else "INT32_MIN"
    return f"INT64_C({number})" if number < WORD else f"UINT64_C({number})"


def _outline(member: Member) -> Outline:
    """A column with the values of a member."""
    kind, missing = member.kind, member.optional
    if kind.number is not None:
        if kind.number.parts > 1:
            raise NoProgramError("a number that stands for something else")
        return Outline(*_input(kind.number), missing)
    if kind.members is not None:
        return Outline(Kind.STRUCT, 0, missing, tuple((name, _outline(each)) for name, each in kind.members.items()))
    if kind.item is not None:
        return Outline(Kind.LIST, 0, missing, items=_outline(Member(kind.item, False)))
    return Outline(Kind.BYTES, 0, missing)


def _called(
    path: tuple[str, ...], members: Mapping[str, Member], prefix: str, texts: dict[tuple[str, ...], Called]
) -> None:
    """Note what members are called in C, and what says whether they are there, by the paths of columns."""
    for name, each in members.items():
        text, mine = f"{prefix}{member_name(name)}", (*path, name)
        floating = number_type(each.kind.number) if each.kind.number is not None and each.kind.number.floating else ""
        texts[mine] = Called(text, f"{prefix}{has_name(name)}" if each.optional else "", floating)
        if each.kind.members is not None:
            _called(mine, each.kind.members, f"{text}.", texts)
        if each.kind.item is not None:
            texts[*mine, WRITTEN] = Called(text)


def _filled_in(layouts: Iterable[Any]) -> set[str]:
    """The names that are always filled in: those of fields that are derived or constant, and of computed values."""
    filled: set[str] = set()
    given: set[str] = set()
    for name, said in _fields(layouts):
        (filled if said is None or said.derived or said.const is not None else given).add(name)
    return filled - given


def _has_default(said: Any) -> bool:
    """Whether a field has a default that is the same in all records."""
    return said is not None and said.default is not None and not isinstance(said.default, Expression)


def _fields(parts: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    """The fields of layouts, without those in structs. Those that are in no bytes are None."""
    for part in parts:
        match part:
            case Run():
                yield from part.fields
            case Lone():
                yield part.name, part.field
            case Bits():
                yield from ((name, said) for name, said, _, _ in part.fields)
                yield from [(part.whole[0], None)] if part.whole is not None else []
            case Computed():
                yield part.name, None
            case Choice():
                yield from _fields(part.alternatives)
            case Layout():
                yield from _fields(part.steps)
            case _ if isinstance(content := getattr(part, "content", None), Layout):
                yield from _fields([content])


def _order(little: bool) -> str:
    return "_little" if little else "_big"


def _sections(codec: "Protocol") -> Iterator[str]:
    contents = (each for said in codec.records.values() for each in _contents(said))
    for part in within([codec.record.head, *codec.record.tail, *contents]):
        if isinstance(part, Section | Slot):
            yield part.name


def _contents(said: "Message") -> Iterator[Layout]:
    """What a message has in sections."""
    for sections in (said.sections, *(each.sections for each in said.variants)):
        yield from sections.values()


def _of_values(lists: Iterable[Listing]) -> list[Listing]:
    """The lists without those of labels, which the numbers tell."""
    return [each for each in lists if not is_label(each.item)]


def _every(lists: Iterable[Listing]) -> Iterator[Listing]:
    for each in lists:
        yield each
        yield from _every(_of_values(each.at.lists))


def _values(members: Mapping[str, Member], known: Mapping[str, Datum]) -> Iterator[int]:
    """The values that members are filled in with."""
    for name in members:
        value = known.get(name)
        if value is None:
            continue
        yield value.valid
        match value:
            case Number(register=register) | Label(number=register) | Spelled(start=register):
                yield register
            case Octets(start, stop):
                yield from (start, stop)
            case Struct(fields):
                yield from _values(_members(fields), fields)


def _lists(members: Mapping[str, Member], known: Mapping[str, Datum], name: str) -> Iterator[tuple[Listing, str, int]]:
    """The lists among values, what they are called, and the number of the way in which they are read."""
    for each in members:
        value = known.get(each)
        match value:
            case Listed(listings=listings):
                yield from ((one, f"{name}_{each}", way) for way, one in enumerate(listings))
            case Struct(fields):
                yield from _lists(_members(fields), fields, f"{name}_{each}")


def member_name(name: str) -> str:
    return f"{name}_" if name in _KEYWORDS or name.startswith("has_") else name


def has_name(name: str) -> str:
    return f"has_{name}"


def _broken(text: str) -> str:
    """Code with its long lines broken between words. Those with texts, comments and macros stay as they are."""
    found: list[str] = []
    for line in text.splitlines():
        more = " " * (len(line) - len(line.lstrip()) + 8)
        while len(line) > WIDTH and '"' not in line and not line.lstrip().startswith(("#", "*", "/")):
            end = line.rfind(" ", len(more), WIDTH)
            if end < 0:
                break
            found.append(line[:end])
            line = more + line[end + 1 :]
        found.append(line)
    return "\n".join([*found, ""])


def _lines(text: str) -> list[str]:
    """A text in lines that fit into a comment."""
    lines = [""]
    for word in _COMMENT.sub(r"\g<0> ", text).split():
        if lines[-1] and len(lines[-1]) + len(word) > WIDTH - 12:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return [line for line in lines if line]


def emit(subject: Subject) -> Iterator[OutputFile]:
    """The two files of a protocol."""
    with examples.running(emitters.codec_modules(subject.protocol)) as codec:
        yield from Translation(subject.protocol, codec).files()


EMITTER = Emitter(emit)
