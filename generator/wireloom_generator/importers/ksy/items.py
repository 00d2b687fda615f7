"""Types that are made for values that the language has no field of: items of several types, and the like."""

from collections.abc import Iterable

from wireloom_generator.importers.ksy.attributes import is_bits, is_sized, is_switch, takes_rest, used_types, user_type
from wireloom_generator.importers.ksy.structure import Attribute, Type
from wireloom_generator.reading.source import YamlMapping, YamlScalar


def add_items(files: Iterable[Type]) -> None:
    """Give types of their own to the items of lists that the language cannot have otherwise, and to structs that leave
    bytes over where no section can be.
    """
    types = [type for file in files for type in file.all]
    unsized = {used for type in types for attribute, used in used_types(type) if not is_sized(attribute)}
    for type in types:
        for attribute in (*type.seq, *type.instances):
            if _needs_item(attribute, type) or _leaves_bytes(attribute, type, unsized):
                _add_item(type, attribute)


def _needs_item(attribute: Attribute, type: Type) -> bool:
    """Whether it is a list of several types, or of numbers, texts or bytes that are checked or end with one of them."""
    if "repeat" not in attribute.keys or is_switch(attribute):
        return "repeat" in attribute.keys
    is_single = user_type(attribute.text("type") or "str", type) is None and not is_bits(attribute)
    is_checked = attribute.text("repeat") == "until" or bool({"valid", "contents", "enum"} & attribute.keys.keys())
    is_placed = "_io.pos" in (attribute.text("type") or "")  # where each item is, so each needs a mark
    return (is_single and is_checked) or "process" in attribute.keys or is_placed


def _leaves_bytes(attribute: Attribute, type: Type, unsized: set[Type]) -> bool:
    """Whether it is a struct that need not take all of its size, at a place or in a list; and its type does not keep
    the bytes that are left, as it is one of those also used without a size.
    """
    if attribute in type.seq and "repeat" not in attribute.keys:
        return False
    used = user_type(attribute.text("type") or "str", type) if not is_switch(attribute) else None
    return used is not None and used in unsized and "size" in attribute.keys and not takes_rest(used)


_OF_LIST = ("repeat", "repeat-expr", "repeat-until", "if", "pos", "io", "doc", "doc-ref")


def _add_item(type: Type, attribute: Attribute) -> None:
    name = f"{attribute.id}_item"
    while type.type_of([name]) is not None:
        name = f"{name}_2"
    made = Type(name, attribute.at, type, {}, "", is_item=True)
    keys = {key: value for key, value in attribute.keys.items() if key not in _OF_LIST}
    at = attribute.at
    if "size" in keys and ("type" in keys or "process" in keys):
        del keys["size"]
        keys["size-eos"] = YamlScalar(at, "true", "bool")
    is_switch = isinstance(keys.get("type"), YamlMapping)
    made.seq.append(Attribute(attribute.id if is_switch else "value", at, keys))
    type.types[name] = made
    kept = {key: value for key, value in attribute.keys.items() if key in _OF_LIST}
    if keys.get("size-eos") is not None and "size" in attribute.keys:
        kept["size"] = attribute.keys["size"]
    attribute.keys = {**kept, "type": YamlScalar(at, name, "str")}
