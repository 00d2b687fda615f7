"""What kind of value each attribute is."""

import re
from collections.abc import Callable
from dataclasses import replace

from wireloom_generator.importers.ksy import expressions as ks
from wireloom_generator.importers.ksy.attributes import (
    BITS,
    NUMBER,
    is_built_in,
    parsed,
    split_type,
    type_texts,
    user_type,
)
from wireloom_generator.importers.ksy.names import Names
from wireloom_generator.importers.ksy.phrases import BOOL, BYTES, FLOAT, INT, IO, STR, CannotSayError, Kind
from wireloom_generator.importers.ksy.structs import Struct
from wireloom_generator.importers.ksy.structure import Attribute, Type
from wireloom_generator.reading.source import YamlScalar


class ValueKinds:
    """Knows the kind of each attribute; ``of_value`` is that of an expression in a type."""

    def __init__(self, names: Names, of_value: Callable[[ks.Node, Struct], Kind]) -> None:
        self.names = names
        self._of_value = of_value
        self._known: dict[Attribute, Kind] = {}
        self._open: set[Attribute] = set()

    def of(self, attribute: Attribute, type: Type) -> Kind:
        """What an attribute is. Raises ``CannotSayError``."""
        if attribute not in self._known:
            if attribute in self._open:
                raise CannotSayError(f"{attribute.id} is computed from itself")
            self._open.add(attribute)
            try:
                self._known[attribute] = self._found(attribute, type)
            finally:
                self._open.discard(attribute)
        return self._known[attribute]

    def _found(self, attribute: Attribute, type: Type) -> Kind:
        enum = attribute.text("enum")
        of_enum = type.enum_of(enum.split("::")) if enum is not None else None
        if attribute in type.params:
            said = attribute.text("type") or "bytes"
            found = self._argument(attribute, type) if said in ("struct", "any") else _of_param(said, type)
            return replace(found, enum=of_enum)
        if (value := attribute.text("value")) is not None and digits(attribute, type) is not None:
            return INT
        if value is not None and characters(attribute, type) is not None:
            return STR
        if value is not None:
            found = self._of_value(parsed(value), self.names.struct(type))
            return replace(found, enum=of_enum) if of_enum is not None else found
        node = attribute.keys.get("type")
        if node is None:
            contents = attribute.keys.get("contents")
            found = STR if isinstance(contents, YamlScalar) and contents.text.isascii() else BYTES
        elif isinstance(node, YamlScalar):
            found = replace(of_type(node.text, type), enum=of_enum)
        else:
            is_int = all(is_built_in(each) and of_type(each, type).base == "int" for each in type_texts(attribute))
            found = replace(INT, enum=of_enum) if is_int else Kind("switch", type, attribute=attribute)
        if found.base in ("str", "bytes"):
            found = replace(found, attribute=attribute, type=type)
        inner = ""
        if found.base == "struct" and found.type is not None and found.type.is_item:
            made = found.type.seq[0]
            inner = self.names.struct(found.type).fields[made.id]
            found = self.of(made, found.type)
        return Kind("list", item=found, inner=inner) if "repeat" in attribute.keys else replace(found, inner=inner)

    def _argument(self, param: Attribute, type: Type) -> Kind:
        """What is passed for a parameter that may be any struct, where it is always of one type."""
        found: set[Kind] = set()
        number = type.params.index(param)
        for user, attribute in self.names.struct(type).users:
            for text in type_texts(attribute):
                if user_type(text, user.type) is type:
                    found.add(self._of_value(split_type(text)[1][number], user))
        if len(found) != 1:
            raise CannotSayError(f"{param.id} is not always of one type")
        return found.pop()


def digits(attribute: Attribute, type: Type) -> tuple[Attribute, int] | None:
    """The text whose digits an instance has the number of, and their base, if only the text says where it ends."""
    found = re.fullmatch(r"(\w+)\.to_i(?:\((\d+)\))?", attribute.text("value") or "")
    of = type.own(found[1]) if found is not None else None
    if found is None or of is None or of not in type.seq or {"size", "size-eos", "repeat"} & of.keys.keys():
        return None
    is_ended = of.text("type") == "strz" or (of.text("type") == "str" and "terminator" in of.keys)
    return (of, int(found[2] or "10")) if is_ended else None


def characters(attribute: Attribute, type: Type) -> tuple[Attribute, str] | None:
    """The bytes that an instance has the text of, and the encoding."""
    found = re.fullmatch(r"""(\w+)\.to_s\(['"]([\w-]+)['"]\)""", attribute.text("value") or "")
    of = type.own(found[1]) if found is not None else None
    if found is None or of is None or of not in type.seq or "size" not in of.keys:
        return None
    is_plain = not {"type", "if", "repeat", "process", "terminator", "pad-right"} & of.keys.keys()
    return (of, found[2]) if is_plain and "if" not in attribute.keys else None


def of_type(text: str, type: Type) -> Kind:
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


def _of_param(text: str, type: Type) -> Kind:
    if text.endswith("[]"):
        return Kind("list", item=_of_param(text[:-2], type))
    simple = {"bool": BOOL, "bytes": BYTES, "str": STR, "io": IO}
    if text == "io":
        raise CannotSayError(f"a parameter cannot be of type {text}")
    return simple.get(text) or of_type(text, type)


def is_alias(attribute: Attribute, kind: Kind) -> bool:
    """Whether a value instance is another name of a struct or list, which is no value of its own."""
    return "value" in attribute.keys and kind.base in ("struct", "list", "switch", "io")


def aliased(attribute: Attribute, type: Type) -> ks.Node:
    """The path that an instance is another name of."""
    node = parsed(attribute.text("value") or "")
    if not isinstance(node, ks.Name | ks.FieldOf | ks.Cast | ks.ItemOf | ks.Choice):
        raise CannotSayError("a struct or list is no value of its own")
    for each in (node.yes, node.no) if isinstance(node, ks.Choice) else ():
        of = type.own(each.name) if isinstance(each, ks.Name) else None
        if of is None or "value" in of.keys:  # names of names would double with each
            raise CannotSayError("a struct or list is no value of its own")
    return node
