"""What a type sees of what is around it: fields of the header, and parameters."""

import re
from typing import Protocol

from wireloom_generator import naming
from wireloom_generator.importers.ksy import expressions as ks
from wireloom_generator.importers.ksy.attributes import is_bits, is_once, parsed
from wireloom_generator.importers.ksy.names import Names
from wireloom_generator.importers.ksy.paths import base, from_inside, is_later, is_place_later, outwards, slug, stripped
from wireloom_generator.importers.ksy.phrases import (
    BOOL,
    COMPARED,
    INT,
    LEVELS,
    UNARY,
    CannotSayError,
    Kind,
    Phrase,
)
from wireloom_generator.importers.ksy.sizes import Sizes
from wireloom_generator.importers.ksy.structs import WORDS, Here, Struct, area, mark
from wireloom_generator.importers.ksy.structure import Attribute, Type


class Translates(Protocol):
    """Who translates expressions."""

    def say(self, node: ks.Node, here: Here) -> Phrase: ...

    def of(self, node: ks.Node, here: Here) -> Kind: ...


class Surroundings:
    """Says what is around a type."""

    def __init__(self, names: Names, speaker: Translates, sizes: Sizes) -> None:
        self.names = names
        self.speaker = speaker
        self.sizes = sizes

    def outside(self, node: ks.Node, first: str, here: Here) -> Phrase:
        struct = here.struct
        if first == "_root" and struct.type.file is self.names.main:
            return self._in_header(node, here)
        if first == "_root" and struct.type.file is struct.type:
            return self.speaker.say(stripped(node), here)
        return self.given(node, here)

    def _in_header(self, node: ks.Node, here: Here) -> Phrase:
        main = self.names.struct(self.names.main)
        if (around := from_inside(node, here.struct, main)) is not None:
            return self.given(node, here) if around is node else self.speaker.say(around, here)
        inner = stripped(node)
        if here.struct is main and main.users:
            raise CannotSayError("_root of a type that is in itself")
        if here.struct is main and here.item is None:
            return self.speaker.say(inner, here)
        there = Here(main, here.key)
        said = self.speaker.say(inner, there)
        own = set(here.struct.fields.values()) | here.struct.given.keys()
        if re.search(r"\b(size|offset)\(", said.text):  # which types know of their own fields only
            return self.given(node, here)
        if any(naming.free(main.fields[name]) in own for name in there.used if name in main.fields):
            return self.given(node, here)
        here.struct.of_header |= there.used
        return said

    def given(self, node: ks.Node, here: Here) -> Phrase:
        """A parameter for what a type sees of what is around it."""
        struct = here.struct
        if not struct.users:
            raise CannotSayError("nothing is around it")
        parent, _ = struct.users[0]
        for user, attribute in struct.users:
            if is_later(node, attribute, user) or is_place_later(node, attribute, user):
                raise CannotSayError(f"{slug(node)} is read after {attribute.id}")
        is_stream = isinstance(node, ks.StreamStart | ks.StreamSize | ks.Offset)
        is_position = isinstance(node, ks.FieldOf) and node.name == "pos"
        kind = INT if is_stream or is_position else self._kind(node, parent)
        if kind.base in ("switch", "io"):
            raise CannotSayError(f"{slug(node)} cannot be an argument")
        for name, known in struct.given.items():
            if known == node:
                return Phrase(name, kind)
        taken = set(struct.fields.values()) | struct.given.keys() | WORDS
        taken |= set(self.names.struct(self.names.main).fields.values())
        name = naming.snake_case(slug(node)) or "outer"
        while name in taken:
            name = f"outer_{name}"
        struct.given[name] = node
        return Phrase(naming.free(name), kind)

    def _kind(self, node: ks.Node, parent: Struct) -> Kind:
        main = self.names.struct(self.names.main)
        first = base(node)
        if first is not None and first.name == "_root" and parent.type.file is main.type:
            return self.speaker.of(stripped(node), Here(main))
        return self.speaker.of(outwards(node, parent), Here(parent))

    def arguments(self, type: Type, values: list[ks.Node], here: Here) -> dict[str, str]:
        """What a field of the type passes to it."""
        struct = self.names.struct(type)
        if len(values) != len(type.params):
            raise CannotSayError(f"{type.name} has {len(type.params)} parameters")
        found = {
            struct.fields[param.id]: self.speaker.say(value, here).text
            for param, value in zip(type.params, values, strict=True)
        }
        for name, node in struct.given.items():
            found[name] = self.speaker.say(_of_stream(node, here.io) or outwards(node, here.struct), here).text
        return found

    def stream(self, node: ks.StreamStart | ks.StreamSize, here: Here) -> Phrase:
        struct = here.struct
        if struct.is_in_record and isinstance(node, ks.StreamStart):
            return Phrase("0", INT)
        if struct.type is self.names.main:
            return Phrase("size(record)", INT)
        if not struct.is_stream:
            return self.given(node, here)
        struct.is_wrapped = True
        return Phrase(f"{'offset' if isinstance(node, ks.StreamStart) else 'size'}({area(struct)})", INT)

    def offset(self, of: ks.Node, here: Here) -> Phrase:
        first = base(of)
        if isinstance(of, ks.Name) and of.name == "_root" and here.struct.type.file is self.names.main:
            return Phrase("0", INT)
        if first is not None and first.name in ("_parent", "_root"):
            place = ks.Offset(of)
            around = from_inside(place, here.struct, self.names.struct(self.names.main))
            return self.given(place, here) if around is None or around is place else self.speaker.say(around, here)
        order = [each.id for each in here.struct.type.seq]
        is_own = isinstance(of, ks.Name) and {of.name, here.mark} <= {*order}
        if is_own and isinstance(of, ks.Name) and order.index(of.name) >= order.index(here.mark):
            return self._ahead(of.name, here)
        return Phrase(f"offset({self.speaker.say(of, here).text})", INT)

    def io(self, of: ks.Node, name: str, here: Here) -> Phrase:
        if not (isinstance(of, ks.Name) and of.name == "_io"):
            inner = of.of if isinstance(of, ks.FieldOf) else of
            if isinstance(inner, ks.Name) and inner.name == "_root" and here.struct.type.file is self.names.main:
                if name == "size":
                    return Phrase("size(record)", INT)
            elif name == "size":
                return Phrase(f"size({self.speaker.say(inner, here).text})", INT)
            raise CannotSayError(f"{name} of another stream has no counterpart")
        if here.struct.type.is_item and name != "pos":
            return self.given(ks.FieldOf(ks.FieldOf(ks.Name("_parent"), "_io"), name), here)
        match name:
            case "size":
                return self.stream(ks.StreamSize(), here)
            case "eof":
                if here.key in ("if", "repeat-until", "repeat-expr"):
                    return Phrase("left == 0", BOOL, COMPARED)
                end = self.stream(ks.StreamSize(), here)
                return Phrase(f"{self._position(here).text} == {end.within(COMPARED + 1)}", BOOL, COMPARED)
            case "pos":
                return self._position(here)
        raise CannotSayError(f"{name} of a stream has no counterpart")

    def _position(self, here: Here) -> Phrase:
        if here.key == "repeat-until" and here.item is not None:
            size = self.stream(ks.StreamSize(), Here(here.item))
            return Phrase(f"{size.text} - left", INT, LEVELS["-"])
        if here.key in ("process", "valid"):
            raise CannotSayError("the position behind it is not known here")
        if here.is_list and here.key not in ("if", "repeat-expr"):
            raise CannotSayError("the position of each item is not known here")
        is_item = here.struct.type.is_item
        start = self.given(ks.StreamStart(), here) if is_item else self.stream(ks.StreamStart(), here)
        less = "" if start.text == "0" else f" - {start.within(UNARY)}"
        if here.is_first and not here.before and not is_item:
            if here.struct.is_stream or here.struct.type is self.names.main:
                return Phrase("0", INT)
            if all(is_once(used, user.type) for user, used in here.struct.users):
                return self.given(ks.FieldOf(ks.FieldOf(ks.Name("_parent"), "_io"), "pos"), here)
        return Phrase(f"{self.place(here)}{less}", INT, LEVELS["-"])

    def place(self, here: Here) -> str:
        """Where an attribute begins, from the start of the record, or the first item of its list."""
        if here.before:
            text, *others = (f"offset({name}) + size({name})" for name in here.before)
            for each in others:
                text = f"max({text}, {each})"
            return text
        if not here.mark:
            raise CannotSayError("the position when it is asked for is not known")
        here.struct.marked.add(here.mark)
        return f"offset({mark(here.struct, here.mark)})"

    def _ahead(self, name: str, here: Here) -> Phrase:
        """Where an attribute will begin that is not read yet, by the sizes of those before it."""
        order = [each.id for each in here.struct.type.seq]
        text = self.place(here)
        for attribute in here.struct.type.seq[order.index(here.mark) : order.index(name)]:
            text += f" + {self._size(attribute, here)}"
        return Phrase(text, INT, LEVELS["+"])

    def _size(self, attribute: Attribute, here: Here) -> str:
        type = here.struct.type
        size, one = self.sizes.of(attribute, type), self.sizes.of_one(attribute, type)
        if size is not None and not is_bits(attribute):
            return str(size)
        if "if" in attribute.keys or is_bits(attribute):
            raise CannotSayError(f"the size of {attribute.id} is not known before it")
        if "size" in attribute.keys and "repeat" not in attribute.keys:
            return self.speaker.say(parsed(attribute.text("size") or ""), here.under("size")).within(LEVELS["+"] + 1)
        if one is not None and attribute.text("repeat") == "expr":
            count = self.speaker.say(parsed(attribute.text("repeat-expr") or ""), here.under("repeat-expr"))
            return f"{one} * {count.within(LEVELS['*'] + 1)}"
        raise CannotSayError(f"the size of {attribute.id} is not known before it")


def _of_stream(node: ks.Node, io: ks.Node | None) -> ks.Node | None:
    """Where another stream begins, or how long it is, for a type that is read from it."""
    match node, io:
        case (ks.StreamStart(), ks.FieldOf(of, "_io")):
            return ks.Offset(of)
        case (ks.StreamSize(), ks.FieldOf()):
            return ks.FieldOf(io, "size")
    return None
