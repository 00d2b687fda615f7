"""Expressions of Kaitai Struct → expressions of the language.

A type of Kaitai Struct sees what is around it (``_parent``, ``_root``, ``_io``); one of a spec sees its arguments and
the record's header. So fields of the main type are the header, and all else that a type sees is a parameter of it:
translating an expression adds to the parameters of its type, until nothing more is added.
"""

import re
from dataclasses import replace

from wireloom_generator import naming
from wireloom_generator.importers.ksy import expressions as ks
from wireloom_generator.importers.ksy.attributes import is_built_in, is_optional, parsed
from wireloom_generator.importers.ksy.columns import columns
from wireloom_generator.importers.ksy.constants import Constants
from wireloom_generator.importers.ksy.extras import Extras
from wireloom_generator.importers.ksy.kinds import ValueKinds, aliased, is_alias
from wireloom_generator.importers.ksy.lengths import length
from wireloom_generator.importers.ksy.names import Names
from wireloom_generator.importers.ksy.paths import base, is_left, under_parent
from wireloom_generator.importers.ksy.phrases import (
    BOOL,
    BYTES,
    COMPARISONS,
    FLOAT,
    INT,
    IO,
    LEVELS,
    NOT,
    STR,
    UNARY,
    CannotSayError,
    Kind,
    Phrase,
)
from wireloom_generator.importers.ksy.sizes import Sizes
from wireloom_generator.importers.ksy.structs import Here, member, shown
from wireloom_generator.importers.ksy.structure import Type
from wireloom_generator.importers.ksy.surroundings import Surroundings


class Translator:
    """Translates expressions. What they see of what is around their type becomes a parameter of it."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.sizes = Sizes()
        self.constants = Constants()
        self.kinds = ValueKinds(names, lambda node, struct: self.of(node, Here(struct, before=("before",))))
        self.extras = Extras(names, self.kinds, self.sizes)
        self.around = Surroundings(names, self, self.sizes)

    def of(self, node: ks.Node, here: Here) -> Kind:
        """What an expression is; nothing is added to parameters."""
        struct = here.struct
        before = dict(struct.given), set(struct.of_header)
        try:
            return self.say(node, replace(here, used=set())).kind
        finally:
            struct.given, struct.of_header = before

    def text(self, text: str, here: Here) -> Phrase:
        """An expression of Kaitai Struct in the language. Raises ``CannotSayError``."""
        return self.say(parsed(text), here)

    def say(self, node: ks.Node, here: Here) -> Phrase:
        """The same of a tree. What cannot be said otherwise may be a constant."""
        try:
            return self._said(node, here)
        except CannotSayError:
            found = self.constants.phrase(node, here.struct.type)
            if found is None:
                raise
            return found

    def _said(self, node: ks.Node, here: Here) -> Phrase:
        match node:
            case ks.Number(text):
                return Phrase(text, FLOAT if "." in text or ("e" in text and "x" not in text) else INT)
            case ks.Text(value):
                return Phrase(repr(value), STR)
            case ks.Truth(value):
                return Phrase("true" if value else "false", BOOL)
            case ks.Items():
                return self._items(node)
            case ks.EnumName(path):
                return self._enum(path, here)
            case ks.Unary(operator, of):
                inner = self.say(of, here)
                if operator == "not":
                    return Phrase(f"not {inner.within(NOT)}", BOOL, NOT)
                return Phrase(f"{operator}{inner.within(UNARY)}", inner.kind, UNARY)
            case ks.Binary():
                return self._binary(node, here)
            case ks.Choice(condition, yes, no):
                first, other = self.say(yes, here), self.say(no, here)
                said = f"{first.within(1)} if {self.say(condition, here).within(1)} else {other.within(0)}"
                return Phrase(said, first.kind, 0)
            case ks.SizeOf(text):
                size = self.sizes.of_text(text, here.struct.type)
                if size is None:
                    raise CannotSayError(f"the size of {text} is not fixed")
                return Phrase(str(size), INT)
            case ks.ItemOf(of, index):
                return self._item(of, index, here)
            case ks.Call(of, name, _):
                raise CannotSayError(f"{name}(…) has no counterpart in expressions")
            case ks.StreamStart() | ks.StreamSize():
                return self.around.stream(node, here)
            case ks.Offset(of):
                return self.around.offset(of, here)
            case ks.Name() | ks.FieldOf() | ks.Cast():
                found = self._path(node, here)
                if here.is_guarded and found.is_optional and here.key != "if" and found.kind.base in ("int", "switch"):
                    return Phrase(f"({found.text} if present({found.text}) else 0)", replace(found.kind, base="int"))
                return found

    def _items(self, node: ks.Items) -> Phrase:
        numbers = [each.text for each in node.items if isinstance(each, ks.Number)]
        if len(numbers) != len(node.items):
            if all(isinstance(each, ks.Text) for each in node.items):
                listed = ", ".join(repr(each.value) for each in node.items if isinstance(each, ks.Text))
                return Phrase(f"[{listed}]", Kind("list", item=STR))
            raise CannotSayError("lists have numbers or texts only")
        if all(number.isdigit() or number.startswith("0x") for number in numbers):
            codes = [int(number, 0) for number in numbers]
            if all(code < 256 for code in codes):
                return Phrase(f"hex('{bytes(codes).hex()}')", BYTES)
        return Phrase(f"[{', '.join(numbers)}]", Kind("list", item=INT))

    def _enum(self, path: tuple[str, ...], here: Here) -> Phrase:
        enum = here.struct.type.enum_of(path[:-1])
        value = next((each for each in enum.values if each.name == path[-1]), None) if enum is not None else None
        if enum is None or value is None:
            raise CannotSayError(f"there is no {'::'.join(path)}")
        return Phrase(f"{self.names.enum(enum)}.{naming.member(member(value.name))}", replace(INT, enum=enum))

    def _binary(self, node: ks.Binary, here: Here) -> Phrase:
        operator, level = node.operator, LEVELS[node.operator]
        if is_left(node):
            if here.key in ("if", "repeat-expr", "repeat-until"):
                return Phrase("left", INT)
            if here.key == "size":
                return Phrase("rest", INT)
        left, right = self._compared(node, here)
        if operator in ("and", "or"):
            return Phrase(f"{left.within(level)} {operator} {right.within(level)}", BOOL, level)
        bases = {left.kind.base, right.kind.base}
        if operator in COMPARISONS:
            if bases == {"str", "bytes"}:
                left, right = _alike(left, node.left), _alike(right, node.right)
            if bases & {"list", "struct", "switch"}:
                raise CannotSayError("structs and lists cannot be compared")
            return Phrase(f"{left.within(level + 1)} {operator} {right.within(level + 1)}", BOOL, level)
        if "str" in bases or "bytes" in bases:
            raise CannotSayError("texts cannot be joined")
        if "float" in bases:
            raise CannotSayError("there is no arithmetic with floats")
        sign = "//" if operator == "/" else operator
        if operator in ("/", "%") and not re.fullmatch(r"\d+|0x[0-9a-f]+", right.text):
            right = Phrase(f"max({right.text}, 1)", INT)
        if operator in ("<<", ">>") and here.is_guarded and not right.text.isdigit():
            right = Phrase(f"min({right.text}, 63)", INT)
        return Phrase(f"{left.within(level)} {sign} {right.within(level + 1)}", INT, level)

    def _compared(self, node: ks.Binary, here: Here) -> tuple[Phrase, Phrase]:
        """What is left and right of an operator. A text of length 0 is an empty one, whatever ends it."""
        right = self.say(node.right, here)
        if right.text == "0" and node.operator in ("==", "!=") and isinstance(node.left, ks.FieldOf):
            of = self.say(node.left.of, here) if node.left.name in ("length", "size") else right
            if of.kind.base in ("str", "bytes"):
                return of, Phrase("''", STR) if of.kind.base == "str" else Phrase("hex('')", BYTES)
        return self.say(node.left, here), right

    def _item(self, of: ks.Node, index: ks.Node, here: Here) -> Phrase:
        if (picked := self.extras.byte(of, index, here)) is not None:
            return picked
        number = self.say(index, here)
        if isinstance(of, ks.Items):
            listed = self._items(of)
            items = ", ".join(each.text for each in of.items if isinstance(each, ks.Number))
            listed = Phrase(f"[{items}]", Kind("list", item=INT)) if listed.kind == BYTES else listed
        else:
            listed = self.say(of, here)
        if listed.kind.base != "list" or listed.kind.item is None:
            raise CannotSayError(f"a {listed.kind.base} has no items")
        return _of_list(Phrase(f"{listed.text}[{number.text}]", listed.kind.item, is_optional=True), listed.kind)

    def _path(self, node: ks.Name | ks.FieldOf | ks.Cast, here: Here) -> Phrase:
        first = base(node)
        if first is not None and first.name in ("_parent", "_root"):
            is_inner = first.name == "_parent" and here.struct.type.is_item  # its names are those of the type around it
            return self.around.outside(under_parent(node) if is_inner else node, first.name, here)
        match node:
            case ks.Name(name):
                return self._name(name, here)
            case ks.Cast(of, type):
                return self._cast(self.say(of, here), type, here)
            case ks.FieldOf(of, name):
                return self._member(of, name, here)

    def _name(self, name: str, here: Here) -> Phrase:
        struct = here.struct
        match name:
            case "_index" if struct.type.is_item:
                return self.around.given(ks.FieldOf(ks.Name("_parent"), name), here)
            case "_index":
                return Phrase("index", INT)
            case "_io":
                return Phrase("", IO)
            case "_sizeof":
                size = self.sizes.of_type(struct.type)
                if size is None:
                    raise CannotSayError("its own size is not fixed")
                return Phrase(str(size), INT)
            case "_":
                if here.item is None:
                    raise CannotSayError("_ means nothing here")
                if here.item.type.is_item:
                    inner = here.item.type.seq[0]
                    return Phrase(here.item.fields[inner.id], self.kinds.of(inner, here.item.type))
                return Phrase("", Kind("struct", here.item.type))
        attribute = struct.type.own(name)
        if attribute is None and struct.type.is_item:
            return self.around.outside(ks.FieldOf(ks.Name("_parent"), name), "_parent", here)
        if attribute is None:
            raise CannotSayError(f"there is no {name}")
        if here.item is not None and (struct.type is not self.names.main or name in here.item.fields):
            return self.around.given(ks.FieldOf(ks.Name("_parent"), name), Here(here.item))
        kind = self.kinds.of(attribute, struct.type)
        if is_alias(attribute, kind):
            return self.say(aliased(attribute, struct.type), here)
        here.used.add(name)
        return _in_item(Phrase(naming.free(struct.fields[name]), kind, is_optional=is_optional(attribute)))

    def _cast(self, of: Phrase, type: str, here: Here) -> Phrase:
        if is_built_in(type) or type in ("bytes", "bool") or type.endswith("[]"):
            return of
        target = here.struct.type.type_of(type.lstrip(":").split("::"))
        if target is None:
            raise CannotSayError(f"there is no type {type}")
        if of.kind.base == "switch":
            return self._case(of, target)
        if of.kind.base == "struct" and of.kind.type is target:
            return of
        raise CannotSayError(f"it has no type {type}")

    def _case(self, of: Phrase, target: Type) -> Phrase:
        """A field of one of several types, as a field of one of them."""
        assert of.kind.attribute is not None
        assert of.kind.type is not None
        column = columns(self.names.struct(of.kind.type), of.kind.attribute).get(target)
        if column is None:
            raise CannotSayError(f"it is never of type {target.name}")
        outer, _, _ = of.text.rpartition(".")
        return Phrase(f"{outer}.{column}" if outer else column, Kind("struct", target))

    def _chosen(self, of: ks.Node, here: Here) -> ks.Choice | None:
        """The choice between structs or lists that something is another name of."""
        attribute = here.struct.type.own(of.name) if isinstance(of, ks.Name) else None
        if attribute is None or "value" not in attribute.keys:
            return of if isinstance(of, ks.Choice) else None
        if not is_alias(attribute, self.kinds.of(attribute, here.struct.type)):
            return None
        node = aliased(attribute, here.struct.type)
        return node if isinstance(node, ks.Choice) else None

    def _member(self, of: ks.Node, name: str, here: Here) -> Phrase:
        if (found := self.extras.next(of, name, here)) is not None:
            return found
        if (chosen := self._chosen(of, here)) is not None:
            yes, no = ks.FieldOf(chosen.yes, name), ks.FieldOf(chosen.no, name)
            return self.say(ks.Choice(chosen.condition, yes, no), here)
        if name == "_io":
            return Phrase("", IO)
        if name == "_sizeof":
            size = self._fixed_size(of, here)
            return Phrase(f"size({self.say(of, here).text})" if size is None else str(size), INT)
        inner = self.say(of, here)
        kind = inner.kind
        match kind.base:
            case "struct":
                assert kind.type is not None
                return self._field(inner, kind.type, name, here)
            case "switch":
                assert kind.type is not None
                assert kind.attribute is not None
                users = [
                    used for used in columns(self.names.struct(kind.type), kind.attribute) if used.own(name) is not None
                ]
                if len(users) != 1:
                    raise CannotSayError(f"{name} is a field of several types")
                case = self._case(inner, users[0])
                return self._field(case, users[0], name, here)
            case "list":
                if name in ("first", "last") and kind.item is not None:
                    return _of_list(Phrase(f"{name}({inner.text})", kind.item), kind)
                if name in ("size", "length"):
                    return Phrase(f"count({inner.text})", INT)
            case "bytes" | "str" if name in ("size", "length"):
                return length(inner, name)
            case "str" if name == "to_i":
                return self.extras.number(inner)
            case "int" if name == "to_i":
                return inner
            case "bool" if name == "to_i":
                return Phrase(f"1 if {inner.within(1)} else 0", INT, 0)
            case "io":
                return self.around.io(of, name, here)
        raise CannotSayError(f"{name} of a {kind.base} has no counterpart in expressions")

    def _fixed_size(self, node: ks.Node, here: Here) -> int | None:
        """The size of a field if that is fixed."""
        match node:
            case ks.Name(name):
                attribute, type = here.struct.type.own(name), here.struct.type
            case ks.FieldOf(ks.Name("_root"), name) if here.struct.type.file is self.names.main:
                attribute, type = self.names.main.own(name), self.names.main
            case ks.FieldOf(of, name):
                kind = self.of(of, here)
                attribute, type = (kind.type.own(name), kind.type) if kind.type is not None else (None, self.names.main)
            case _:
                return None
        return self.sizes.of(attribute, type) if attribute is not None else None

    def _field(self, of: Phrase, type: Type, name: str, here: Here) -> Phrase:
        attribute = type.own(name)
        if attribute is None:
            raise CannotSayError(f"there is no {name} in {type.name}")
        struct = self.names.struct(type)
        kind = self.kinds.of(attribute, type)
        start = f"{of.text}." if of.text else ""
        if attribute in type.params:
            struct.shown.add(name)
            return Phrase(f"{start}{shown(struct, name)}", kind)
        if is_alias(attribute, kind):
            inner = self.say(aliased(attribute, type), Here(struct))
            if struct.of_header or struct.given or not re.fullmatch(r"[\w.]+", inner.text):
                raise CannotSayError(f"{name} of {type.name} is not in it")
            return Phrase(f"{start}{inner.text}", inner.kind)
        text = f"{start}{naming.free(struct.fields[name])}"
        return _in_item(Phrase(text, kind, is_optional=of.is_optional or is_optional(attribute)))


def _alike(text: Phrase, node: ks.Node) -> Phrase:
    """A literal of bytes as text if it is compared with text, or the other way round."""
    if isinstance(node, ks.Items):
        codes = bytes(int(each.text, 0) for each in node.items if isinstance(each, ks.Number))
        return Phrase(repr(codes.decode("latin-1")), STR)
    if isinstance(node, ks.Text):
        return Phrase(f"hex('{node.value.encode().hex()}')", BYTES)
    return text


def _in_item(found: Phrase) -> Phrase:
    """The value in a struct that was made for it."""
    kind = found.kind
    if kind.base == "list" or not kind.inner:
        return found
    return replace(found, text=f"{found.text}.{kind.inner}", kind=replace(kind, inner=""))


def _of_list(item: Phrase, kind: Kind) -> Phrase:
    """An item, or the value in it if items are structs made for them."""
    return Phrase(f"{item.text}.{kind.inner}", item.kind, is_optional=True) if kind.inner else item
