"""What a ``.ksy`` file means, in the words of the language: kinds, names, and expressions.

A type of Kaitai Struct sees what is around it (``_parent``, ``_root``, ``_io``); one of a spec sees its arguments and
the record's header. So fields of the main type are the header, and all else that a type sees is a parameter of it:
translating an expression adds to the parameters of its type, until nothing more is added.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from wireloom_generator import naming
from wireloom_generator.importers.ksy import expressions as ks
from wireloom_generator.importers.ksy.structure import Attribute, Enum, Type
from wireloom_generator.reading.source import YamlMapping, YamlScalar

NUMBER = re.compile(r"([usf])([1248])(le|be)?")
BITS = re.compile(r"b(\d{1,3})(le|be)?")
_PATH = re.compile(r"(?:::)?(\w+(?:::\w+)*)(?:\((.*)\))?", re.DOTALL)
_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
_LEVELS = {"or": 1, "and": 2, **dict.fromkeys(_COMPARISONS, 4), "|": 5, "^": 6, "&": 7, "<<": 8, ">>": 8, "+": 9,
           "-": 9, "*": 10, "/": 10, "%": 10}  # fmt: skip
_NOT, _COMPARED, _UNARY, _WHOLE = 3, 4, 11, 12
_WORDS = frozenset({"false", "index", "left", "record", "rest", "true"})
"""Words that mean something in expressions."""


class CannotSayError(Exception):
    """The language has no words for it; the argument is the reason."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What a value is: ``int``, ``float``, ``bool``, ``str``, ``bytes``, ``struct``, ``list``, ``switch`` or ``io``."""

    base: str
    type: Type | None = None
    enum: Enum | None = None
    item: "Kind | None" = None
    attribute: Attribute | None = None
    inner: str = ""
    """Of a list whose items are structs made for them: the field of a struct that has the value."""


INT, FLOAT, BOOL, STR, BYTES, IO = (Kind(base) for base in ("int", "float", "bool", "str", "bytes", "io"))


@dataclass(frozen=True, slots=True)
class Phrase:
    """An expression of the language, how tightly it holds together, and what it is."""

    text: str
    kind: Kind
    level: int = _WHOLE
    is_optional: bool = False
    """Whether it is a field that may be absent."""

    def within(self, level: int) -> str:
        """The text, in parentheses if it would fall apart beside an operator of that level."""
        return self.text if self.level >= level else f"({self.text})"


@dataclass(eq=False, slots=True)
class Struct:
    """A type of the spec: what it is called, what it is given, and where it is used."""

    type: Type
    name: str
    users: "list[tuple[Struct, Attribute]]" = field(default_factory=list)
    fields: dict[str, str] = field(default_factory=dict)
    """The names of its fields in the spec."""
    given: dict[str, ks.Node] = field(default_factory=dict)
    """What it sees of what is around it, by the names of its parameters."""
    of_header: set[str] = field(default_factory=set)
    """The fields of the header that it uses, itself or by its fields."""
    shown: set[str] = field(default_factory=set)
    """Its parameters that others ask it for."""
    is_stream: bool = False
    """Whether each use of it has a size, so that it is a stream of its own."""
    is_wrapped: bool = False
    """Whether its fields are in a section, so that expressions know where it begins and how long it is."""
    is_in_record: bool = False
    """Whether its stream is the record."""
    depth: int = 0
    """Of a type that contains itself: how many inside each other have columns."""


@dataclass(slots=True)
class Here:
    """Where an expression is."""

    struct: Struct
    key: str = ""
    item: Struct | None = None
    """In ``repeat-until``: the struct of the item."""
    before: tuple[str, ...] = ()
    """The fields before, back to one that is always there."""
    is_first: bool = False
    is_list: bool = False
    """Whether it is asked again for each item of a list."""
    is_guarded: bool = False
    """Whether numbers that may be absent are 0 then."""
    used: set[str] = field(default_factory=set)
    """The own fields, and those of the header, that it uses."""


class Names:
    """Which types and enums there are, what they are called, and who uses them."""

    def __init__(self, main: Type) -> None:
        self.main = main
        self.structs: dict[Type, Struct] = {}
        self.enums: dict[Enum, str] = {}
        self.taken: set[str] = set()
        self._reach(main)
        for struct in self.structs.values():
            sized = [is_sized(attribute) for _, attribute in struct.users]
            struct.is_stream = struct.type is not main and bool(sized) and all(sized)
        self._find_record()

    def _find_record(self) -> None:
        """Find the types whose stream is always that of the record."""
        found = {self.main}
        while True:
            more = {
                type
                for type, struct in self.structs.items()
                if type not in found and all(user.type in found and not is_sized(used) for user, used in struct.users)
            }
            if not more:
                break
            found |= more
        for type in found:
            self.structs[type].is_in_record = True

    def struct(self, type: Type) -> Struct:
        if type not in self.structs:
            raise CannotSayError(f"nothing has the type {type.name}")
        return self.structs[type]

    def enum(self, enum: Enum) -> str:
        """The name of an enum in the spec."""
        if enum not in self.enums:
            self.enums[enum] = self._free(enum.name, "code")
        return self.enums[enum]

    def _free(self, name: str, more: str, outer: Type | None = None) -> str:
        found = camel(name)
        while found in self.taken and outer is not None and outer.outer is not None:
            found, outer = camel(outer.name) + found, outer.outer
        if found in self.taken:
            found += camel(more)
        return naming.unused(found, self.taken)

    def _reach(self, main: Type) -> None:
        waiting = [main]
        while waiting:
            type = waiting.pop(0)
            if type in self.structs:
                continue
            struct = self.structs[type] = Struct(type, self._free(type.name, "type", type.outer))
            struct.fields = dict(_fields(struct, is_main=type is main))
            waiting += [used for _, used in used_types(type)]
        for struct in self.structs.values():
            for attribute, used in used_types(struct.type):
                self.structs[used].users.append((struct, attribute))

    def find_cycles(self, inside: Mapping[Type, list[Type]]) -> None:
        """Give a depth to types that contain themselves: the fewest that a walk from the main type comes back to."""
        done: set[Type] = set()
        open: set[Type] = set()
        stack: list[tuple[Type, Iterator[Type]]] = []
        for struct in self.structs.values():
            struct.depth = 0

        def enter(type: Type) -> None:
            open.add(type)
            stack.append((type, iter(inside[type])))

        enter(self.main)
        while stack:
            type, inner = stack[-1]
            used = next(inner, None)
            if used is None:
                stack.pop()
                open.discard(type)
                done.add(type)
            elif used in open:
                self.structs[used].depth = 3
            elif used not in done:
                enter(used)


def _fields(struct: Struct, *, is_main: bool) -> Iterator[tuple[str, str]]:
    taken = set(_WORDS) | ({"message", "variant"} if is_main else set())
    type = struct.type
    for attribute in (*type.params, *type.seq, *type.instances):
        name = naming.snake_case(attribute.id) or "field"
        name = name if name[0].isalpha() else f"field_{name}"
        name = f"{name}_value" if name in _WORDS or (is_main and name in ("message", "variant")) else name
        yield attribute.id, naming.unused(name, taken, "_")


def camel(name: str) -> str:
    """A name in CamelCase."""
    found = "".join(part[:1].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]+", name) if part)
    return found if found[:1].isalpha() else f"T{found}"


def is_sized(attribute: Attribute) -> bool:
    """Whether something says where an attribute ends."""
    return bool({"size", "size-eos", "terminator", "process"} & attribute.keys.keys())


def split_type(text: str) -> tuple[tuple[str, ...], list[ks.Node]]:
    """A type as it is used: its path, and its arguments. Raises ``CannotSayError``."""
    found = _PATH.fullmatch(text.strip())
    if found is None:
        raise CannotSayError(f"{text!r} is not a type")
    arguments = parsed(f"[{found[2]}]") if found[2] is not None else ks.Items(())
    assert isinstance(arguments, ks.Items)
    return tuple(found[1].split("::")), list(arguments.items)


def parsed(text: str) -> ks.Node:
    """The tree of an expression. Raises ``CannotSayError``."""
    try:
        return ks.parsed(text)
    except ks.ExpressionError as error:
        raise CannotSayError(str(error)) from None


def is_built_in(text: str) -> bool:
    return text in ("str", "strz") or bool(NUMBER.fullmatch(text) or BITS.fullmatch(text))


def type_texts(attribute: Attribute) -> Iterator[str]:
    """The types that an attribute can have, as they are written."""
    node = attribute.keys.get("type")
    if isinstance(node, YamlScalar):
        yield node.text
    elif isinstance(node, YamlMapping):
        cases = {key.text: value for key, value in node.entries}.get("cases")
        if isinstance(cases, YamlMapping):
            yield from (value.text for _, value in cases.entries if isinstance(value, YamlScalar))


def user_type(text: str, type: Type) -> Type | None:
    """The type that a text names in a type, if it is not one of those built in."""
    if is_built_in(text):
        return None
    try:
        path, _ = split_type(text)
    except CannotSayError:
        return None
    return type.type_of(path)


def used_types(type: Type) -> Iterator[tuple[Attribute, Type]]:
    """The types of a type's fields and instances."""
    for attribute in (*type.seq, *type.instances):
        for text in type_texts(attribute):
            found = user_type(text, type)
            if found is not None:
                yield attribute, found


class Translator:
    """Translates expressions. What they see of what is around their type becomes a parameter of it."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.changed = False
        self._kinds: dict[Attribute, Kind] = {}
        self._open: set[Attribute] = set()
        self._sizing: set[Type] = set()

    # Kinds

    def kind(self, attribute: Attribute, type: Type) -> Kind:
        """What an attribute is. Raises ``CannotSayError``."""
        if attribute not in self._kinds:
            if attribute in self._open:
                raise CannotSayError(f"{attribute.id} is computed from itself")
            self._open.add(attribute)
            try:
                self._kinds[attribute] = self._kind(attribute, type)
            finally:
                self._open.discard(attribute)
        return self._kinds[attribute]

    def _kind(self, attribute: Attribute, type: Type) -> Kind:
        enum = attribute.text("enum")
        of_enum = type.enum_of(enum.split("::")) if enum is not None else None
        if attribute in type.params:
            return replace(self._of_param(attribute.text("type") or "bytes", type), enum=of_enum)
        if (value := attribute.text("value")) is not None and self.digits(attribute, type) is not None:
            return INT
        if value is not None and self.characters(attribute, type) is not None:
            return STR
        if value is not None:
            found = self.of(parsed(value), Here(self.names.struct(type)))
            return replace(found, enum=of_enum) if of_enum is not None else found
        node = attribute.keys.get("type")
        if node is None:
            contents = attribute.keys.get("contents")
            found = STR if isinstance(contents, YamlScalar) and contents.text.isascii() else BYTES
        elif isinstance(node, YamlScalar):
            found = replace(self._of_type(node.text, type), enum=of_enum)
        else:
            is_int = all(
                is_built_in(each) and self._of_type(each, type).base == "int" for each in type_texts(attribute)
            )
            found = replace(INT, enum=of_enum) if is_int else Kind("switch", type, attribute=attribute)
        if found.base in ("str", "bytes"):
            found = replace(found, attribute=attribute)
        if "repeat" not in attribute.keys:
            return found
        if found.base == "struct" and found.type is not None and found.type.is_item:
            inner = found.type.seq[0]
            return Kind("list", item=self.kind(inner, found.type), inner=self.names.struct(found.type).fields[inner.id])
        return Kind("list", item=found)

    @staticmethod
    def digits(attribute: Attribute, type: Type) -> tuple[Attribute, int] | None:
        """The text whose digits an instance has the number of, and their base, if only the text says where it ends."""
        found = re.fullmatch(r"(\w+)\.to_i(?:\((\d+)\))?", attribute.text("value") or "")
        of = type.own(found[1]) if found is not None else None
        if found is None or of is None or of not in type.seq or {"size", "size-eos", "repeat"} & of.keys.keys():
            return None
        is_ended = of.text("type") == "strz" or (of.text("type") == "str" and "terminator" in of.keys)
        return (of, int(found[2] or "10")) if is_ended else None

    @staticmethod
    def characters(attribute: Attribute, type: Type) -> tuple[Attribute, str] | None:
        """The bytes that an instance has the text of, and the encoding."""
        found = re.fullmatch(r"""(\w+)\.to_s\(['"]([\w-]+)['"]\)""", attribute.text("value") or "")
        of = type.own(found[1]) if found is not None else None
        if found is None or of is None or of not in type.seq or "size" not in of.keys:
            return None
        is_plain = not {"type", "if", "repeat", "process", "terminator", "pad-right"} & of.keys.keys()
        return (of, found[2]) if is_plain and "if" not in attribute.keys else None

    def _of_type(self, text: str, type: Type) -> Kind:
        if (number := NUMBER.fullmatch(text)) is not None:
            return FLOAT if number[1] == "f" else INT
        if (bits := BITS.fullmatch(text)) is not None:
            return BOOL if bits[1] == "1" else INT
        if text in ("str", "strz"):
            return STR
        found = user_type(text, type)
        if found is None:
            raise CannotSayError(f"there is no type {text}")
        return Kind("struct", found)

    def _of_param(self, text: str, type: Type) -> Kind:
        if text.endswith("[]"):
            return Kind("list", item=self._of_param(text[:-2], type))
        simple = {"bool": BOOL, "bytes": BYTES, "str": STR, "io": IO}
        if text in ("struct", "any", "io"):
            raise CannotSayError(f"a parameter cannot be of type {text}")
        return simple.get(text) or self._of_type(text, type)

    def of(self, node: ks.Node, here: Here) -> Kind:
        """What an expression is; nothing is added to parameters."""
        struct = here.struct
        before = dict(struct.given), set(struct.of_header), self.changed
        try:
            return self.say(node, replace(here, used=set())).kind
        finally:
            struct.given, struct.of_header, self.changed = before

    # Expressions

    def text(self, text: str, here: Here) -> Phrase:
        """An expression of Kaitai Struct in the language. Raises ``CannotSayError``."""
        return self.say(parsed(text), here)

    def say(self, node: ks.Node, here: Here) -> Phrase:
        """The same of a tree."""
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
                    return Phrase(f"not {inner.within(_NOT)}", BOOL, _NOT)
                return Phrase(f"{operator}{inner.within(_UNARY)}", inner.kind, _UNARY)
            case ks.Binary():
                return self._binary(node, here)
            case ks.Choice(condition, yes, no):
                first, other = self.say(yes, here), self.say(no, here)
                said = f"{first.within(1)} if {self.say(condition, here).within(1)} else {other.within(0)}"
                return Phrase(said, first.kind, 0)
            case ks.SizeOf(text):
                size = self.static_text(text, here.struct.type)
                if size is None:
                    raise CannotSayError(f"the size of {text} is not fixed")
                return Phrase(str(size), INT)
            case ks.ItemOf(of, index):
                return self._item(of, index, here)
            case ks.Call(of, name, _):
                raise CannotSayError(f"{name}(…) has no counterpart in expressions")
            case ks.StreamStart() | ks.StreamSize():
                return self._stream(node, here)
            case ks.Offset(of):
                return self._offset(of, here)
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
        operator, level = node.operator, _LEVELS[node.operator]
        if is_left(node):
            if here.key in ("if", "repeat-expr", "repeat-until"):
                return Phrase("left", INT)
            if here.key == "size":
                return Phrase("rest", INT)
        left, right = self.say(node.left, here), self.say(node.right, here)
        if operator in ("and", "or"):
            return Phrase(f"{left.within(level)} {operator} {right.within(level)}", BOOL, level)
        bases = {left.kind.base, right.kind.base}
        if operator in _COMPARISONS:
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

    def _item(self, of: ks.Node, index: ks.Node, here: Here) -> Phrase:
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
            return self._outside(node, first.name, here)
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
                return self._given(ks.FieldOf(ks.Name("_parent"), name), here)
            case "_index":
                return Phrase("index", INT)
            case "_io":
                return Phrase("", IO)
            case "_sizeof":
                size = self.static(struct.type)
                if size is None:
                    raise CannotSayError("its own size is not fixed")
                return Phrase(str(size), INT)
            case "_":
                if here.item is None:
                    raise CannotSayError("_ means nothing here")
                if here.item.type.is_item:
                    inner = here.item.type.seq[0]
                    return Phrase(here.item.fields[inner.id], self.kind(inner, here.item.type))
                return Phrase("", Kind("struct", here.item.type))
        attribute = struct.type.own(name)
        if attribute is None and struct.type.is_item:
            return self._outside(ks.FieldOf(ks.Name("_parent"), name), "_parent", here)
        if attribute is None:
            raise CannotSayError(f"there is no {name}")
        if here.item is not None and (struct.type is not self.names.main or name in here.item.fields):
            return self._given(ks.FieldOf(ks.Name("_parent"), name), Here(here.item))
        kind = self.kind(attribute, struct.type)
        if self.is_alias(attribute, kind):
            return self.say(self._aliased(attribute), here)
        here.used.add(name)
        return Phrase(naming.free(struct.fields[name]), kind, is_optional=is_optional(attribute))

    @staticmethod
    def is_alias(attribute: Attribute, kind: Kind) -> bool:
        """Whether a value instance is another name of a struct or list, which is no value of its own."""
        return "value" in attribute.keys and kind.base in ("struct", "list", "switch", "io")

    @staticmethod
    def _aliased(attribute: Attribute) -> ks.Node:
        """The path that an instance is another name of."""
        node = parsed(attribute.text("value") or "")
        if not isinstance(node, ks.Name | ks.FieldOf | ks.Cast | ks.ItemOf):
            raise CannotSayError("a struct or list is no value of its own")
        return node

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
        column = self.columns(of.kind.attribute, of.kind.type).get(target)
        if column is None:
            raise CannotSayError(f"it is never of type {target.name}")
        outer, _, _ = of.text.rpartition(".")
        return Phrase(f"{outer}.{column}" if outer else column, Kind("struct", target))

    def columns(self, attribute: Attribute, type: Type) -> Mapping[Type, str]:
        """The names of a field that has one of several types, by its type."""
        struct = self.names.struct(type)
        taken = set(struct.fields.values())
        others = [each for each in (*type.seq, *type.instances) if each is not attribute and is_switch(each)]
        elsewhere = {used.name for each in others for text in type_texts(each) if (used := user_type(text, type))}
        found: dict[Type, str] = {}
        for text in type_texts(attribute):
            used = user_type(text, type)
            if used is not None and used not in found:
                name = naming.snake_case(used.name)
                is_free = name not in taken and used.name not in elsewhere and name not in _WORDS and name[0].isalpha()
                name = name if is_free else f"{struct.fields[attribute.id]}_{name}"
                while name in found.values():
                    name += "_2"
                found[used] = name
        return found

    def plain_column(self, attribute: Attribute, text: str, type: Type) -> str:
        """The name of a field that has one of several types if it has one that is built in: one for each kind."""
        name = self.names.struct(type).fields[attribute.id]
        kinds = [self._column_kind(each, type) for each in type_texts(attribute) if is_built_in(each)]
        kind = self._column_kind(text, type)
        return name if kind == kinds[0] else f"{name}_{kind}"

    def _column_kind(self, text: str, type: Type) -> str:
        found = self._of_type(text, type).base
        return text[:2] if found == "float" else found

    def _member(self, of: ks.Node, name: str, here: Here) -> Phrase:
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
                users = [used for used in self.columns(kind.attribute, kind.type) if used.own(name) is not None]
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
                if kind.attribute is None or not re.fullmatch(r"[\w.]+(\[[\w.]+\])?[\w.]*", inner.text):
                    raise CannotSayError(f"{name} of what is computed")
                if {"terminator", "pad-right"} & kind.attribute.keys.keys() or kind.attribute.text("type") == "strz":
                    raise CannotSayError(f"the {name} without what ends it")
                return Phrase(f"size({inner.text})", INT)
            case "int" if name == "to_i":
                return inner
            case "bool" if name == "to_i":
                return Phrase(f"1 if {inner.within(1)} else 0", INT, 0)
            case "io":
                return self._io(of, name, here)
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
        return self.size(attribute, type) if attribute is not None else None

    def _field(self, of: Phrase, type: Type, name: str, here: Here) -> Phrase:
        attribute = type.own(name)
        if attribute is None:
            raise CannotSayError(f"there is no {name} in {type.name}")
        struct = self.names.struct(type)
        kind = self.kind(attribute, type)
        start = f"{of.text}." if of.text else ""
        if attribute in type.params:
            struct.shown.add(name)
            return Phrase(f"{start}{self.shown(struct, name)}", kind)
        if self.is_alias(attribute, kind):
            inner = self.say(self._aliased(attribute), Here(struct))
            if struct.of_header or struct.given or not re.fullmatch(r"[\w.]+", inner.text):
                raise CannotSayError(f"{name} of {type.name} is not in it")
            return Phrase(f"{start}{inner.text}", inner.kind)
        text = f"{start}{naming.free(struct.fields[name])}"
        return Phrase(text, kind, is_optional=of.is_optional or is_optional(attribute))

    @staticmethod
    def shown(struct: Struct, name: str) -> str:
        """The field that shows the argument of a parameter."""
        found = f"{struct.fields[name]}_value"
        while found in struct.fields.values():
            found += "_2"
        return found

    # What is around a type

    def _outside(self, node: ks.Node, first: str, here: Here) -> Phrase:
        struct = here.struct
        if first == "_root" and struct.type.file is self.names.main:
            return self._in_header(node, here)
        if first == "_root" and struct.type.file is struct.type:
            return self.say(stripped(node), here)
        return self._given(node, here)

    def _in_header(self, node: ks.Node, here: Here) -> Phrase:
        main = self.names.struct(self.names.main)
        inner = stripped(node)
        if here.struct is main and main.users:
            raise CannotSayError("_root of a type that is in itself")
        if here.struct is main and here.item is None:
            return self.say(inner, here)
        there = Here(main, here.key)
        said = self.say(inner, there)
        own = set(here.struct.fields.values()) | here.struct.given.keys()
        if re.search(r"\b(size|offset)\(", said.text):  # which types know of their own fields only
            return self._given(node, here)
        if any(naming.free(main.fields[name]) in own for name in there.used if name in main.fields):
            return self._given(node, here)
        here.struct.of_header |= there.used
        return said

    def _given(self, node: ks.Node, here: Here) -> Phrase:
        """A parameter for what a type sees of what is around it."""
        struct = here.struct
        if not struct.users:
            raise CannotSayError("nothing is around it")
        parent, _ = struct.users[0]
        is_stream = isinstance(node, ks.StreamStart | ks.StreamSize | ks.Offset)
        is_position = isinstance(node, ks.FieldOf) and node.name == "pos"
        kind = INT if is_stream or is_position else self.of(outwards(node, parent), Here(parent))
        if kind.base in ("switch", "io"):
            raise CannotSayError(f"{slug(node)} cannot be an argument")
        for name, known in struct.given.items():
            if known == node:
                return Phrase(name, kind)
        taken = set(struct.fields.values()) | struct.given.keys() | _WORDS
        taken |= set(self.names.struct(self.names.main).fields.values())
        name = naming.snake_case(slug(node)) or "outer"
        while name in taken:
            name = f"outer_{name}"
        struct.given[name] = node
        self.changed = True
        return Phrase(naming.free(name), kind)

    def arguments(self, type: Type, values: list[ks.Node], here: Here) -> dict[str, str]:
        """What a field of the type passes to it."""
        struct = self.names.struct(type)
        if len(values) != len(type.params):
            raise CannotSayError(f"{type.name} has {len(type.params)} parameters")
        found = {
            struct.fields[param.id]: self.say(value, here).text
            for param, value in zip(type.params, values, strict=True)
        }
        for name, node in struct.given.items():
            found[name] = self.say(outwards(node, here.struct), here).text
        return found

    # Streams

    def _stream(self, node: ks.StreamStart | ks.StreamSize, here: Here) -> Phrase:
        struct = here.struct
        if struct.is_in_record and isinstance(node, ks.StreamStart):
            return Phrase("0", INT)
        if struct.type is self.names.main:
            return Phrase("size(record)", INT)
        if not struct.is_stream:
            return self._given(node, here)
        if not struct.is_wrapped:
            struct.is_wrapped = self.changed = True
        return Phrase(f"{'offset' if isinstance(node, ks.StreamStart) else 'size'}({area(struct)})", INT)

    def _offset(self, of: ks.Node, here: Here) -> Phrase:
        first = base(of)
        if isinstance(of, ks.Name) and of.name == "_root" and here.struct.type.file is self.names.main:
            return Phrase("0", INT)
        if first is not None and first.name in ("_parent", "_root"):
            return self._given(ks.Offset(of), here)
        return Phrase(f"offset({self.say(of, here).text})", INT)

    def _io(self, of: ks.Node, name: str, here: Here) -> Phrase:
        if not (isinstance(of, ks.Name) and of.name == "_io"):
            inner = of.of if isinstance(of, ks.FieldOf) else of
            if isinstance(inner, ks.Name) and inner.name == "_root" and here.struct.type.file is self.names.main:
                if name == "size":
                    return Phrase("size(record)", INT)
            elif name == "size":
                return Phrase(f"size({self.say(inner, here).text})", INT)
            raise CannotSayError(f"{name} of another stream has no counterpart")
        if here.struct.type.is_item:
            return self._given(ks.FieldOf(ks.FieldOf(ks.Name("_parent"), "_io"), name), here)
        match name:
            case "size":
                return self._stream(ks.StreamSize(), here)
            case "eof":
                if here.key not in ("if", "repeat-until", "repeat-expr"):
                    raise CannotSayError("the end of the stream is not known here")
                return Phrase("left == 0", BOOL, _COMPARED)
            case "pos":
                return self._position(here)
        raise CannotSayError(f"{name} of a stream has no counterpart")

    def _position(self, here: Here) -> Phrase:
        if here.key == "repeat-until" and here.item is not None:
            size = self._stream(ks.StreamSize(), Here(here.item))
            return Phrase(f"{size.text} - left", INT, _LEVELS["-"])
        if here.key == "value":
            raise CannotSayError("the position when it is asked for is not known")
        if here.is_list and here.key not in ("if", "repeat-expr"):
            raise CannotSayError("the position of each item is not known here")
        start = self._stream(ks.StreamStart(), here)
        if here.before:
            ends = [f"offset({name}) + size({name})" for name in here.before]
            text = ends[0]
            for each in ends[1:]:
                text = f"max({text}, {each})"
            less = "" if start.text == "0" else f" - {start.within(_UNARY)}"
            return Phrase(f"{text}{less}", INT, _LEVELS["+"])
        if here.is_first and (here.struct.is_stream or here.struct.type is self.names.main):
            return Phrase("0", INT)
        if here.is_first:
            return self._given(ks.FieldOf(ks.FieldOf(ks.Name("_parent"), "_io"), "pos"), here)
        raise CannotSayError("the position is not known here")

    # Sizes

    def static(self, type: Type) -> int | None:
        """The size of a type if it is fixed."""
        bits = total = 0
        if type in self._sizing:
            return None
        self._sizing.add(type)
        try:
            for attribute in type.seq:
                node = attribute.keys.get("type")
                found = BITS.fullmatch(node.text) if isinstance(node, YamlScalar) else None
                if found is not None and not {"if", "repeat"} & attribute.keys.keys():
                    bits += int(found[1])
                    continue
                total, bits = total + (bits + 7) // 8, 0
                size = self.size(attribute, type)
                if size is None:
                    return None
                total += size
            return total + (bits + 7) // 8
        finally:
            self._sizing.discard(type)

    def size(self, attribute: Attribute, type: Type) -> int | None:
        """The size of an attribute if it is fixed."""
        if "if" in attribute.keys:
            return None
        count = 1
        if "repeat" in attribute.keys:
            times = attribute.text("repeat-expr") if attribute.text("repeat") == "expr" else None
            if times is None or not times.isdigit():
                return None
            count = int(times)
        one = self.size_of_one(attribute, type)
        return None if one is None else one * count

    def size_of_one(self, attribute: Attribute, type: Type) -> int | None:
        """The size of one item."""
        size = attribute.text("size")
        if size is not None:
            try:
                return int(size, 0)
            except ValueError:
                return None
        contents = attribute.keys.get("contents")
        if contents is not None:
            return len(contents_of(contents))
        node = attribute.keys.get("type")
        if not isinstance(node, YamlScalar) or {"size-eos", "terminator"} & attribute.keys.keys():
            return None
        return self.static_text(node.text, type)

    def static_text(self, text: str, type: Type) -> int | None:
        """The size of a type, as it is written, if it is fixed."""
        if (number := NUMBER.fullmatch(text)) is not None:
            return int(number[2])
        if (bits := BITS.fullmatch(text)) is not None:
            return (int(bits[1]) + 7) // 8
        used = user_type(text, type)
        return self.static(used) if used is not None else None


def contents_of(node: object) -> bytes:
    """The bytes of ``contents``. Raises ``CannotSayError``."""
    if isinstance(node, YamlScalar):
        if node.kind == "int":
            return bytes([int(node.text, 0)])
        return node.text.encode()
    found = b""
    for each in getattr(node, "items", ()):
        if not isinstance(each, YamlScalar):
            raise CannotSayError("contents has more than numbers and texts")
        try:
            found += bytes([int(each.text, 0)]) if each.kind == "int" else each.text.encode()
        except ValueError:
            raise CannotSayError("contents has a number that is not a byte") from None
    return found


def is_optional(attribute: Attribute) -> bool:
    """Whether an attribute may be absent."""
    return "if" in attribute.keys or is_switch(attribute)


def is_switch(attribute: Attribute) -> bool:
    return isinstance(attribute.keys.get("type"), YamlMapping)


def is_left(node: ks.Node) -> bool:
    """Whether it is ``_io.size - _io.pos``, the bytes left."""
    io = ks.Name("_io")
    return node == ks.Binary("-", ks.FieldOf(io, "size"), ks.FieldOf(io, "pos"))


def area(struct: Struct) -> str:
    """The section that has the fields of a struct."""
    taken = set(struct.fields.values())
    found = naming.snake_case(struct.type.name)
    while found in taken or found in _WORDS:
        found += "_area"
    return found


def member(name: str) -> str:
    """A name of a value, as the language allows it."""
    found = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_")
    return found if found[:1].isalpha() else f"n_{found}"


def base(node: ks.Node) -> ks.Name | None:
    """The name that a path begins with."""
    while isinstance(node, ks.FieldOf | ks.Cast | ks.Offset):
        node = node.of
    return node if isinstance(node, ks.Name) else None


def stripped(node: ks.Node) -> ks.Node:
    """A path without its first name, as it is said there."""
    match node:
        case ks.FieldOf(ks.Name() | ks.Cast(ks.Name()), name):
            return ks.Name(name)
        case ks.FieldOf(of, name):
            return ks.FieldOf(stripped(of), name)
        case ks.Cast(ks.Name(name), _):
            raise CannotSayError(f"{name} by itself has no counterpart")
        case ks.Cast(of, type):
            return ks.Cast(stripped(of), type)
        case ks.Offset(ks.Name() | ks.Cast(ks.Name())):
            return ks.StreamStart()
        case ks.Offset(of):
            return ks.Offset(stripped(of))
        case _:
            raise CannotSayError(f"{slug(node)} by itself has no counterpart")


def outwards(node: ks.Node, parent: Struct) -> ks.Node:
    """What a type sees outside, as its parent says it."""
    first = base(node)
    if first is None or (first.name == "_root" and parent.type.outer is not None):
        return node
    return stripped(node)


def slug(node: ks.Node) -> str:
    """A name for what a path leads to."""
    match node:
        case ks.Name(name):
            return "" if name in ("_parent", "_root") else name
        case ks.FieldOf(of, name):
            return "_".join(filter(None, (slug(of), name.lstrip("_"))))
        case ks.Cast(of, _):
            return slug(of)
        case ks.Offset(of):
            return "_".join(filter(None, (slug(of), "offset")))
        case ks.StreamStart():
            return "start"
        case ks.StreamSize():
            return "stream_size"
        case _:
            return "outer"


def _alike(text: Phrase, node: ks.Node) -> Phrase:
    """A literal of bytes as text if it is compared with text, or the other way round."""
    if isinstance(node, ks.Items):
        codes = bytes(int(each.text, 0) for each in node.items if isinstance(each, ks.Number))
        return Phrase(repr(codes.decode("latin-1")), STR)
    if isinstance(node, ks.Text):
        return Phrase(f"hex('{node.value.encode().hex()}')", BYTES)
    return text


def _of_list(item: Phrase, kind: Kind) -> Phrase:
    """An item, or the value in it if items are structs made for them."""
    return Phrase(f"{item.text}.{kind.inner}", item.kind, is_optional=True) if kind.inner else item
