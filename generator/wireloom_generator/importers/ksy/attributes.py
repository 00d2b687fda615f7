"""What the keys of an attribute say by themselves: its types, and whether something ends it, or makes it optional."""

import re
from collections.abc import Iterator

from wireloom_generator.importers.ksy import expressions as ks
from wireloom_generator.importers.ksy.phrases import CannotSayError
from wireloom_generator.importers.ksy.structure import Attribute, Type
from wireloom_generator.reading.source import YamlMapping, YamlScalar

NUMBER = re.compile(r"([usf])([1248])(le|be)?")
BITS = re.compile(r"b(\d{1,3})(le|be)?")
_PATH = re.compile(r"(?:::)?(\w+(?:::\w+)*)(?:\((.*)\))?", re.DOTALL)


def is_sized(attribute: Attribute) -> bool:
    """Whether something says where an attribute ends."""
    return bool({"size", "size-eos", "terminator", "process"} & attribute.keys.keys())


def is_optional(attribute: Attribute) -> bool:
    """Whether an attribute may be absent."""
    return "if" in attribute.keys or is_switch(attribute)


def is_switch(attribute: Attribute) -> bool:
    return isinstance(attribute.keys.get("type"), YamlMapping)


def is_bits(attribute: Attribute) -> bool:
    return not is_switch(attribute) and bool(BITS.fullmatch(attribute.text("type") or ""))


def is_once(attribute: Attribute, type: Type) -> bool:
    """Whether an attribute of a type is in its sequence, and no list."""
    return attribute in type.seq and "repeat" not in attribute.keys


def io_of(attribute: Attribute) -> ks.Node | None:
    """The stream that an attribute is read from, if that is another one. Raises ``CannotSayError``."""
    node = parsed(attribute.text("io") or "_io")
    return None if node == ks.Name("_io") else node


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


def takes_rest(type: Type, inside: frozenset[Type] = frozenset()) -> bool:
    """Whether the last field of a type always takes all bytes that are left; ``inside`` are the types around it."""
    if not type.seq or type in inside:
        return False
    last = type.seq[-1]
    if "if" in last.keys or ("process" in last.keys and not last.says("size-eos")):
        return False
    if last.says("size-eos") or last.text("repeat") == "eos":
        return True
    if {"size", "repeat", "terminator"} & last.keys.keys() or is_switch(last):
        return False
    used = user_type(last.text("type") or "str", type)
    return used is not None and takes_rest(used, inside | {type})


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
