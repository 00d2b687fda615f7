"""The fields of the spec for an attribute that has one of several types."""

from collections.abc import Mapping

from wireloom_generator import naming
from wireloom_generator.importers.ksy.attributes import is_built_in, is_switch, type_texts, user_type
from wireloom_generator.importers.ksy.kinds import of_type
from wireloom_generator.importers.ksy.structs import WORDS, Struct
from wireloom_generator.importers.ksy.structure import Attribute, Type


def columns(struct: Struct, attribute: Attribute) -> Mapping[Type, str]:
    """The names of a field that has one of several types, by its type."""
    type = struct.type
    taken = set(struct.fields.values())
    others = [each for each in (*type.seq, *type.instances) if each is not attribute and is_switch(each)]
    elsewhere = {used.name for each in others for text in type_texts(each) if (used := user_type(text, type))}
    found: dict[Type, str] = {}
    for text in type_texts(attribute):
        used = user_type(text, type)
        if used is not None and used not in found:
            name = naming.snake_case(used.name)
            is_free = name not in taken and used.name not in elsewhere and name not in WORDS and name[0].isalpha()
            name = name if is_free else f"{struct.fields[attribute.id]}_{name}"
            while name in found.values():
                name += "_2"
            found[used] = name
    return found


def plain_column(struct: Struct, attribute: Attribute, text: str) -> str:
    """The name of a field that has one of several types if it has one that is built in: one for each kind."""
    name = struct.fields[attribute.id]
    kinds = [_column_kind(each, struct.type) for each in type_texts(attribute) if is_built_in(each)]
    kind = _column_kind(text, struct.type)
    return name if kind == kinds[0] else f"{name}_{kind}"


def _column_kind(text: str, type: Type) -> str:
    found = of_type(text, type).base
    return text[:2] if found == "float" else found
