"""Values as lines that write them: bytes, texts, structs and lists."""

from functools import partial
from typing import Any

from wireloom.codec.ends import Until
from wireloom.codec.errors import EncodeError
from wireloom.codec.fields import packing_of
from wireloom.codec.flatbuffers import Encoded
from wireloom.codec.layout import Layout, Lone
from wireloom.codec.lists import Repeat
from wireloom.codec.packed import Packed, Through, Unpack
from wireloom.codec.reader import Reader
from wireloom.codec.straight.drafts import Room
from wireloom.codec.straight.flow import Nest
from wireloom.codec.straight.pieces import Body, PackedNumber, assembled, written_later
from wireloom.codec.straight.terms import Byte, Certain, UnsaidError, text_of
from wireloom.codec.straight.writing import WritingLines
from wireloom.codec.values import Blob, Constant, Extent, Nested, Prefixed, Rest, Size, Text
from wireloom.codec.varints import Leb128
from wireloom.codec.ways import Compressing
from wireloom.expressions.tree import may_be_absent


class ValuePieces(WritingLines):
    """Writes all parts that have a straight line; the others raise ``UnsaidError``."""

    def step(self, step: Any, nest: Nest) -> None:
        match step:
            case Lone():
                self._lone(step, nest)
            case Unpack():
                self._unpack(step, nest)
            case Encoded():
                self._table(step, nest)
            case _:
                super().step(step, nest)

    def _lone(self, part: Lone, nest: Nest) -> None:
        """A value by itself."""
        field, term, start = part.field, self.value_of(nest, part.name), self.state.pos
        variable = text_of(term)
        if part.derived or field.watched or field.meaning is not None or field.last:
            raise UnsaidError(f"{part.name}, which follows or is asked for")
        if part.raw is not None and not (isinstance(part.subcon, Text) and part.subcon.encoding == "utf-8"):
            raise UnsaidError(f"raw bytes of {part.name}")
        if part.beside and not isinstance(part.subcon, Packed):
            raise UnsaidError(f"bytes beside {part.name}")
        self.must_lack(nest, field.raw)
        if not isinstance(part.subcon, Constant):
            self.fill(nest, part.name, field, term)
        if (nest.number, part.name) in self.body.late:
            raise UnsaidError(f"{part.name}, which follows from others")
        self.value(part.subcon, nest, variable, part.name)
        self.note(nest, part.name, start)
        if field.const is not None:
            self.branches.refuse(f"{variable} != {self.source.bind(f'const_{part.name}', field.const)}")
        if field.long:
            self.branches.refuse(f"{variable} >> 63 > 0")
        if field.valid is not None:
            self.claim(field.valid, nest)

    def value(self, kind: Any, nest: Nest, variable: str, hint: str) -> None:
        """What a variable holds."""
        found = packing_of(kind, little=self.little)
        if found is not None:
            text = f"{self.source.bind(f'dump_{hint}', found.dump)}({variable})" if found.dump else variable
            self.add(PackedNumber(found.order, found.code, text), kind.sizeof())
            return
        match kind:
            case Blob(extent=extent):
                self.branches.refuse(f"type({variable}) is not bytes")
                self._ended(extent, nest, variable, hint)
            case Text(extent=extent, encoding="utf-8"):
                data = self.source.fresh(f"{hint}_data")
                self.source.add(f"{data} = {self.source.bind('encoded', str.encode)}({variable})")
                self._ended(extent, nest, data, hint)
            case Constant(value=value):
                self.branches.refuse(f"{variable} is not None and {variable} != {value!r}")
                self.add(repr(value), len(value))
            case Leb128() if type(kind) is Leb128:
                data = self.source.fresh(f"{hint}_data")
                self.source.add(f"{data} = {self.source.bind(f'leb128_{hint}', partial(_leb128, kind))}({variable})")
                self.add(data, f"len({data})")
            case Repeat():
                self._list(kind, nest, variable, hint)
            case Layout():
                data = self._struct(kind, variable, hint)
                self.add(data, f"len({data})")
            case Nested(extent=extent, layout=Layout() as layout):
                self._ended(extent, nest, self._struct(layout, variable, hint, ends=True), hint)
            case Packed():
                self._packed(kind, nest, variable, hint)
            case _:
                raise UnsaidError(f"{type(kind).__name__} {hint}")

    def _ended(self, extent: Extent, nest: Nest, data: str, hint: str) -> None:
        """Bytes that end where the extent says."""
        start = self.state.pos
        match extent:
            case Size(size=int() as size):
                self.branches.refuse(f"len({data}) != {size}")
                self.add(data, size)
            case Size(size=size) if not extent.asks_left:
                self.add(data, f"len({data})")
                self.must_measure(size, nest, start, self.state.pos, self.room)
            case Rest():
                self.add(data, f"len({data})")
                self.must_end(self.state.pos, self.room)
            case Prefixed(length=length) if (kind := packing_of(length, little=self.little)) and not kind.dump:
                size = length.sizeof()
                self.branches.refuse(f"len({data}) >> {8 * size}")
                self.add(PackedNumber(kind.order, kind.code, f"len({data})"), size)
                self.add(data, f"len({data})")
            case Until(end=mark, terminator="drop", unterminated=False, unit=1):
                self.branches.refuse(f"({data} + {mark!r}).find({mark!r}) < len({data})")
                self.add(data, f"len({data})")
                self.add(repr(mark), len(mark))
            case _:
                raise UnsaidError(f"{type(extent).__name__} of {hint}")

    def _struct(self, layout: Layout, given: str, hint: str, *, ends: bool = False) -> str:
        """The variable with the bytes of a struct. If it ``ends``, it is all of its region."""
        outer = self.body, self.state, self.room, self.guard, self.late, self.settled
        self.structs += 1
        nest = Nest(self.structs, self.structs, layout.empty)
        self.body, self.room, self.guard, self.late = Body(nest), Room(), None, False
        self.state, self.settled = self.state.copy(), set(self.settled)
        self.state.pos = Byte("", 0)
        name, values = self.source.fresh(f"{hint}_data"), self.source.fresh(f"{hint}_values")
        try:
            with self.source.aside() as lines:
                self.source.add(f"{values} = {given}")
                self.open(nest, values, layout.coercion)
                self.layout(layout, nest)
                self.room.end = self.state.pos if ends else None
                self.settle()
                self.source.add(f"{name} = {assembled(self.source, self.body.pieces)}")
            self.source.lines += [*self.cleared(), *lines]
        finally:
            self.body, self.state, self.room, self.guard, self.late, self.settled = outer
        return name

    def cleared(self) -> list[str]:
        """The line that says that no branch was taken yet."""
        return [f"{' = '.join(self.body.guards)} = False"] if self.body.guards else []

    def _list(self, kind: Repeat, nest: Nest, variable: str, hint: str) -> None:
        if kind.until is not None or kind.at is not None or kind.name or kind.numbered or kind.hollow:
            raise UnsaidError(f"items of {hint} that others ask for")
        found = packing_of(kind.item, little=self.little)
        most = Reader.HEAVIEST // max(kind.weight, 1)
        self.source.insert(f"if {variable} is None:", [f"{variable} = []"])
        self.branches.refuse(f"type({variable}) is not list or len({variable}) > {most}")
        if found is not None:
            pack = self.source.packing((found.order or ">") + found.code)
            item = f"{self.source.bind(f'dump_{hint}', found.dump)}(item)" if found.dump else "item"
            made = f"[{pack}({item}) for item in {variable}]"
        elif isinstance(kind.item, Layout):
            made, item = self.source.fresh(f"{hint}_items"), self.source.fresh("item")
            self.source.add(f"{made} = []")
            with self.source.block(f"for {item} in {variable}:"):
                try:
                    data = self._struct(kind.item, item, f"{hint}_item")
                    self.branches.refuse(f"not {data}")
                    self.source.add(f"{made}.append({data})")
                except UnsaidError as unsaid:
                    self.branches.doubts.append(str(unsaid))
                    self.source.add(self.branches.doubt)
        else:
            raise UnsaidError(f"{type(kind.item).__name__} in {hint}")
        data = self.source.fresh(f"{hint}_data")
        self.source.add(f"{data} = b''.join({made})")
        self.add(data, f"len({data})")
        if kind.count is None:
            self.must_end(self.state.pos, self.room)
            return
        if kind.count.asks_left:
            raise UnsaidError("a number of items by what is left")
        count = kind.count
        self.defer(lambda: self.branches.refuse(f"{text_of(self.scope(nest).ask(count))} != len({variable})"))

    def _packed(self, kind: Packed, nest: Nest, variable: str, hint: str) -> None:
        self._must_be_plain(kind.through, nest)
        start, room = self.state.pos, self.room
        with self.region():
            self.value(kind.value, nest, variable, hint)
        match kind.extent:
            case Rest():
                self.must_end(self.state.pos, room)
            case Size(size=size) if not kind.extent.asks_left:
                self.must_measure(size, nest, start, self.state.pos, room)
            case _:
                raise UnsaidError(f"{type(kind.extent).__name__} of {hint}")

    def _must_be_plain(self, through: Through, nest: Nest) -> None:
        """What goes through anything is left to the parts, but for what is not compressed."""
        if not isinstance(through.way, Compressing):
            raise UnsaidError(type(through.way).__name__)
        self.must_lack(nest, through.raw)
        asked = through.way.asked

        def check() -> None:
            name = self.scope(nest).ask(asked)
            if isinstance(name, Certain):
                if name.value not in ("none", None):
                    raise UnsaidError("what is compressed")
            else:
                self.branches.refuse(f"{name} != 'none'")

        check()
        if not self.is_settled(asked, nest):
            self.defer(check)

    def _unpack(self, part: Unpack, nest: Nest) -> None:
        if part.follows:
            raise UnsaidError("what follows from what is packed")
        self._must_be_plain(part.through, nest)
        self.must_lack(nest, part.trailing)
        with self.region(), self.packed():
            self.layout(part.content, nest)

    def _table(self, part: Encoded, nest: Nest) -> None:
        table, raw = (text_of(self.value_of(nest, name)) for name in (part.name, part.encoding.raw))
        self.branches.refuse(f"{table} is None or type({raw}) not in (bytes, type(None))")
        data, start = self.source.fresh(f"{part.name}_data"), self.state.pos
        self.source.add(f"{data} = {self.source.bind(f'table_{part.name}', part.octets)}({table}, {raw})")
        self._ended(part.encoding.extent, nest, data, part.name)
        self.note(nest, part.name, start)

    def settle(self) -> None:
        """Compute what follows from the rest, and see that all holds that was assumed."""
        self.late, body = True, self.body
        for late in body.sorted():
            outer = set(body.used)
            scope = self.scope(late.nest)
            tree = scope.folded(late.value)
            found = text_of(scope.term(tree))
            if late.unless is not None:
                body.used = outer  # which was seen to when it was missing
            variable = text_of(self.value_of(late.nest, late.name))
            if late.guards:
                found = f"{found} if {' or '.join(late.guards)} else None"
            if late.unless is not None:
                self.source.insert(f"if not {late.unless}:", [f"{variable} = {found}"])
            else:
                self.source.add(f"{variable} = {found}")
            if not late.guards and not may_be_absent(tree):
                self.state.nullable.discard(variable)
        written_later(self.source, body.deferred, self.branches.doubt)
        used = [text_of(self.state.values[key]) for key in sorted(body.used)]
        if used:
            self.branches.refuse(" or ".join(f"{variable} is None" for variable in used))


def _leb128(kind: Leb128, value: Any) -> bytes:
    """The bytes of a number. Raises ``EncodeError`` for what does not fit."""
    if not isinstance(value, int) or not kind.least <= value <= kind.most:
        raise EncodeError("does not fit")
    return kind.encoded(value)
