"""Parts of layouts as lines that read them: sections, conditions, texts, bytes, structs and lists."""

import struct as packing
from collections.abc import Iterator
from functools import partial
from typing import Any

from construct import Container

from wireloom.codec.bits import Bits
from wireloom.codec.checksums import summing
from wireloom.codec.computed import Computed
from wireloom.codec.ends import Until
from wireloom.codec.fields import Field, packing_of
from wireloom.codec.flatbuffers import Encoded
from wireloom.codec.layout import Layout, Lone
from wireloom.codec.lists import Repeat
from wireloom.codec.meanings import As
from wireloom.codec.packed import Packed, Through, Unpack
from wireloom.codec.parts import Choice, Optional, Pad, Section, When
from wireloom.codec.reader import Reader
from wireloom.codec.runs import Run
from wireloom.codec.straight.flow import Nest
from wireloom.codec.straight.numbers import NumberLines
from wireloom.codec.straight.state import ConditionalLines, EndedError
from wireloom.codec.straight.terms import NONE, Byte, Certain, Operand, UnsaidError, distance, text_of
from wireloom.codec.values import Blob, Constant, Extent, Nested, Prefixed, Rest, Size, Text
from wireloom.codec.varints import Leb128
from wireloom.codec.ways import Compressing


class PartLines(NumberLines):
    """Reads all parts that have a straight line; the others raise ``UnsaidError``."""

    def layout(self, layout: Layout, struct: Nest) -> None:
        """All parts of a layout."""
        for step in layout.steps:
            self.step(step, struct)

    def step(self, step: Any, struct: Nest) -> None:
        """One part."""
        match step:
            case Run():
                self.run(step, struct)
            case Computed():
                self.computed(step, struct)
            case Bits():
                self.bits(step, struct)
            case Section():
                outer = self.enter(step, struct)
                self.layout(step.content, struct)
                self.leave(struct, outer, step.trailing)
            case When():
                self.choose([self._alternative(step, struct)])
            case Choice():
                self.choose(list(self._alternatives(step, struct)))
            case Optional():
                self.choose([self._optional(step, struct)])
            case Pad():
                self._pad(step, struct)
            case Unpack():
                self._unpack(step, struct)
            case Encoded():
                self._table(step, struct)
            case Lone():
                self._lone(step, struct)
            case _:
                raise UnsaidError(type(step).__name__)

    def enter(self, part: Section, struct: Nest) -> Byte:
        """Begin a section; returns where the region around it ends."""
        scope, outer = self.scope(struct), self.state.limit
        self.flush()
        self.source.add(f"# {part.name}")
        if isinstance(part.extent, Size):
            self.state.limit = self.end_behind(scope.ask_number(part.extent.size), part.name)
        self.note(struct, part.name, self.state.pos, self.state.limit)
        return outer

    def _alternative(self, part: When | Layout, struct: Nest) -> ConditionalLines:
        if isinstance(part, When):
            return self.scope(struct).ask(part.condition), lambda: self.layout(part.content, struct)
        return None, lambda: self.layout(part, struct)

    def _alternatives(self, part: Choice, struct: Nest) -> Iterator[ConditionalLines]:
        for each in part.alternatives:
            if isinstance(each, When) and each.condition.asks_left:
                raise UnsaidError("a choice by what is left")
            yield (found := self._alternative(each, struct))
            if isinstance(found[0], Certain) and found[0].value:
                return

    def _optional(self, part: Optional, struct: Nest) -> ConditionalLines:
        self.flush()
        left = distance(self.state.pos, self.state.limit)
        there = Certain(left > 0, "") if isinstance(left, int) else f"{self.state.pos} < {self.state.limit}"
        return there, lambda: self.layout(part.content, struct)

    def _pad(self, part: Pad, struct: Nest) -> None:
        if part.align != 1:
            raise UnsaidError("padding up to a multiple")
        start, end, self.state.pos = self._span(part.extent, struct, "padding")
        self.branches.refuse(f"any(data[{start}:{end}])")

    def _span(self, extent: Extent, struct: Nest, hint: str) -> tuple[Byte, Byte, Byte]:
        """Where a value starts, where it ends, and where reading goes on."""
        self.flush()
        start = self.state.pos
        match extent:
            case Rest():
                return start, self.state.limit, self.state.limit
            case Size(size=size):
                end = self.end_behind(self.scope(struct).ask_number(size), hint)
                return start, end, end
            case Prefixed(length=length):
                count = self.value(length, struct, f"{hint}_length")
                start = self.state.pos
                end = self.end_behind(count, hint)
                return start, end, end
            case Until(end=mark, terminator=where, unterminated=False, unit=1):
                found = self.source.fresh(f"{hint}_end")
                self.source.add(f"{found} = data.index({mark!r}, {start}, {self.state.limit})")
                end, behind = Byte(found, 0), Byte(found, len(mark))
                return start, behind if where == "keep" else end, end if where == "leave" else behind
            case _:
                raise UnsaidError(f"{type(extent).__name__} of {hint}")

    def _lone(self, part: Lone, struct: Nest) -> None:
        """A value by itself."""
        field = part.field
        self.flush()
        start = self.state.pos
        if part.raw is not None and not (isinstance(part.subcon, Text) and part.subcon.encoding == "utf-8"):
            raise UnsaidError(f"raw bytes of {part.name}")
        if (
            part.raw is not None
            and isinstance(part.subcon.extent, Prefixed)
            and not packing_of(part.subcon.extent.length)
        ):
            raise UnsaidError(f"raw bytes of {part.name}, whose length varies in size")
        if part.beside and not isinstance(part.subcon, Packed):
            raise UnsaidError(f"bytes beside {part.name}")
        variable = self.value(part.subcon, struct, part.name)
        self.note(struct, part.name, start)
        if field.watched:
            raise UnsaidError(f"places in {part.name}")
        self.loaded(struct, part.name, field, variable)
        if field.valid is not None:
            self.must_hold(field.valid, struct)

    def _varies(self, extent: Prefixed) -> bool:
        return packing_of(extent.length, little=self.little) is None

    def value(self, kind: Any, struct: Nest, hint: str) -> str:
        """The variable that holds a value once it is read."""
        if packing_of(kind, little=self.little) is not None:
            return self._lone_number(kind, hint)
        match kind:
            case Blob(extent=extent):
                return self._bytes(extent, struct, hint, "")
            case Text(extent=extent, encoding="utf-8"):
                return self._bytes(extent, struct, hint, ".decode()")
            case Constant(value=value):
                return self._constant(value, hint)
            case Leb128():
                return self._leb128(kind, hint)
            case As(subcon=inner, meaning=meaning):
                name = self.value(inner, struct, hint)
                self.source.add(f"{name} = {self.source.bind(f'meant_{hint}', meaning.value)}({name})")
                return name
            case Repeat():
                return self._list(kind, struct, hint)
            case Layout():
                return self._struct(kind, hint)
            case Nested(extent=extent, layout=layout):
                return self._nested(extent, layout, struct, hint)
            case Packed():
                return self._packed(kind, struct, hint)
            case _:
                raise UnsaidError(f"{type(kind).__name__} {hint}")

    def _lone_number(self, kind: Any, hint: str) -> str:
        found = packing_of(kind, little=self.little)
        assert found is not None
        size, name = packing.calcsize((found.order or ">") + found.code), self.source.fresh(hint)
        start = self.state.pos
        self.take(size)
        unpack = self.source.unpacking((found.order or ">") + found.code)
        self.source.add(f"({name},) = {unpack}(data, {start})")
        if found.load is not None:
            self.source.add(f"{name} = {self.source.bind(f'load_{hint}', found.load)}({name})")
        return name

    def _bytes(self, extent: Extent, struct: Nest, hint: str, then: str) -> str:
        start, end, self.state.pos = self._span(extent, struct, hint)
        name = self.source.fresh(hint)
        self.source.add(f"{name} = data[{start}:{end}]{then}")
        return name

    def _constant(self, value: bytes, hint: str) -> str:
        start, name = self.state.pos, self.source.fresh(hint)
        self.take(len(value))
        self.source.add(f"{name} = data[{start}:{self.state.pos}]")
        self.branches.refuse(f"{name} != {value!r}")
        return name

    def _leb128(self, kind: Leb128, hint: str) -> str:
        """A number of one byte, or of several."""
        if type(kind) is not Leb128 or kind.bits <= 7:
            raise UnsaidError(f"{type(kind).__name__} {hint}")
        start = self.state.pos
        self.take(1)
        name, pos = self.source.fresh(hint), self.source.fresh("pos")
        self.source.add(f"{name}, {pos} = data[{start}], {start.behind(1)}")
        longer = self.source.bind(f"longer_{hint}", partial(_longer, kind))
        self.source.insert(f"if {name} > 0x7f:", [f"{name}, {pos} = {longer}(data, {start}, {self.state.limit})"])
        self.state.pos = Byte(pos, 0)
        return name

    def _struct(self, layout: Layout, hint: str) -> str:
        """A struct, which has columns and places of its own."""
        if any(field.checksum is not None for _, field in layout.derived):
            raise UnsaidError(f"a checksum in {hint}")
        self.structs += 1
        struct = Nest(self.structs, self.structs, layout.empty)
        self.layout(layout, struct)
        self.verify(struct, layout.derived)
        name = self.source.fresh(hint)
        self.source.add(f"{name} = {self.container(struct)}")
        self.forget(struct)
        return name

    def container(self, struct: Nest) -> str:
        """The source of a struct's values."""
        entries = (f"{column!r}: {text_of(self.value_of(struct, column))}" for column in struct.columns)
        return f"{self.source.bind('Container', Container)}({{{', '.join(entries)}}})"

    def verify(self, struct: Nest, derived: list[tuple[str, Any]]) -> None:
        """Values that follow from the rest must be what they follow to."""
        for name, field in derived:
            found = self.value_of(struct, name)
            if found == NONE:
                continue
            expected = self._expected(struct, field)
            if found == expected and found not in self.state.nullable:
                continue
            there = f"{text_of(found)} is not None and " if found in self.state.nullable else ""
            self.branches.refuse(f"{there}{text_of(found)} != {text_of(expected)}")

    def _expected(self, struct: Nest, field: Field) -> Operand:
        """What a derived value must be."""
        scope = self.scope(struct)
        if field.checksum is None:
            assert field.derive is not None
            return scope.ask(field.derive)
        pieces = [
            repr(each) if isinstance(each, bytes) else f"data[{':'.join(text_of(scope.must(bound)) for bound in each)}]"
            for each in field.checksum.over
        ]
        total = pieces[0] if len(pieces) == 1 else f"b''.join(({', '.join(pieces)},))"
        return f"{self.source.bind('sum', summing(field.checksum.algorithm))}({total})"

    def _nested(self, extent: Extent, layout: Any, struct: Nest, hint: str) -> str:
        _, end, after = self._span(extent, struct, hint)
        outer, self.state.limit = self.state.limit, end
        name = self.value(layout, struct, hint)
        self.leave(struct, outer, None)
        self.state.pos = after
        return name

    def _packed(self, kind: Packed, struct: Nest, hint: str) -> str:
        _, end, after = self._span(kind.extent, struct, hint)
        self._must_be_plain(kind.through, struct)
        outer, self.state.limit = self.state.limit, end
        with self.packed():
            name = self.value(kind.value, struct, hint)
            self.flush()
        self.state.pos, self.state.limit = after, outer
        return name

    def _must_be_plain(self, through: Through, struct: Nest) -> None:
        """What goes through anything is left to the parts, but for what is not compressed."""
        if not isinstance(through.way, Compressing):
            raise UnsaidError(type(through.way).__name__)
        name = self.scope(struct).ask(through.way.asked)
        if isinstance(name, Certain):
            if name.value not in ("none", None):
                raise UnsaidError("what is compressed")
        else:
            self.branches.refuse(f"{name} != 'none'")
        if through.raw is not None:
            self.let(struct, through.raw, NONE)

    def _unpack(self, part: Unpack, struct: Nest) -> None:
        if part.follows:
            raise UnsaidError("what follows from what is packed")
        self._must_be_plain(part.through, struct)
        with self.packed():
            self.layout(part.content, struct)
            self.leave(struct, self.state.limit, part.trailing)

    def _table(self, part: Encoded, struct: Nest) -> None:
        self.flush()
        begin = self.state.pos
        start, end, after = self._span(part.encoding.extent, struct, part.name)
        raw, name = self.source.fresh(part.encoding.raw), self.source.fresh(part.name)
        self.source.add(f"{raw} = data[{start}:{end}]")
        self.source.add(f"{name} = {self.source.bind(f'read_{part.name}', part.encoding.table.read)}({raw})")
        self.state.pos = after
        self.let(struct, part.name, name)
        self.let(struct, part.encoding.raw, raw)
        self.note(struct, part.name, begin)

    def _list(self, kind: Repeat, struct: Nest, hint: str) -> str:
        if kind.until is not None or kind.at is not None or kind.name or kind.numbered or kind.hollow:
            raise UnsaidError(f"items of {hint} that others ask for")
        self.flush()
        scope = self.scope(struct)
        left = distance(self.state.pos, self.state.limit)
        if kind.count is None and left == 0:
            name = self.source.fresh(hint)
            self.source.add(f"{name} = []")
            return name
        self.weight += kind.weight
        if packing_of(kind.item, little=self.little) is not None:
            return self._numbers(kind, struct, hint)
        count = None if kind.count is None else text_of(scope.ask(kind.count))
        name, pos = self.source.fresh(hint), self.source.fresh("pos")
        self.source.add(f"{name} = []")
        self.source.add(f"{pos} = {self.state.pos}")
        if count is not None:
            self.branches.refuse(f"{count} < 0")
        head = f"while {pos} < {self.state.limit}:" if count is None else f"for _ in range({count}):"
        outside = self.state
        self.state = outside.copy()
        self.state.pos = Byte(pos, 0)
        with self.source.aside() as lines:
            try:
                self._item(kind, struct, name, pos)
            except UnsaidError as unsaid:
                self.branches.doubts.append(str(unsaid))
                lines.append(self.branches.doubt)
            except EndedError:
                pass
        self.source.insert(head, lines)
        self.state = outside
        self.state.pos = Byte(pos, 0)
        return name

    def _item(self, kind: Repeat, struct: Nest, name: str, pos: str) -> None:
        """An item of the list ``name``, which stands at ``pos``."""
        item = self.value(kind.item, struct, f"{name}_item")
        self.flush()
        if isinstance(distance(Byte(pos, 0), self.state.pos), str):
            self.branches.refuse(f"{self.state.pos} == {pos}")
        self.source.add(f"{name}.append({item})")
        self.source.add(f"{pos} = {self.state.pos}")

    def _numbers(self, kind: Repeat, struct: Nest, hint: str) -> str:
        """A list of numbers side by side."""
        found = packing_of(kind.item, little=self.little)
        assert found is not None
        code = (found.order or ">") + found.code
        size, state = packing.calcsize(code), self.state
        if kind.count is None:
            start, end = state.pos, state.limit
        else:
            count = self.scope(struct).ask(kind.count)
            start, end = state.pos, self.end_behind(f"{text_of(count)} * {size}", hint)
        name = self.source.fresh(hint)
        unpack = self.source.bind(f"UNPACK_ALL_{found.code}", packing.Struct(code).iter_unpack)
        one = "number" if found.load is None else f"{self.source.bind(f'load_{hint}', found.load)}(number)"
        self.source.add(f"{name} = [{one} for (number,) in {unpack}(data[{start}:{end}])]")
        state.pos = end
        return name


def _longer(kind: Leb128, data: bytes, start: int, limit: int) -> tuple[int, int]:
    """A number of several bytes, and where it ends. Raises ``DecodeError``."""
    reader = Reader(data)
    reader.pos, reader.limit = start, limit
    return kind._parse(reader, {}, ""), reader.pos
