"""What sort of value a field of a spec has."""

from wireloom_generator import types
from wireloom_generator.reading import syntax
from wireloom_generator.types import Integer, Kind


def bit_range(field: syntax.BitField) -> Integer:
    """The numbers that a bit field holds."""
    return Integer(max(field.width, 0), signed=False)


def is_boolean(field: syntax.BitField) -> bool:
    """Whether a bit field is true or false; a single bit is, unless an enum names its two numbers."""
    return field.type == "bool" or (field.width == 1 and field.enum is None)


def kind(node: syntax.Field | syntax.BitField | syntax.Parameter) -> Kind:
    """What sort of value a field or parameter has."""
    if isinstance(node, syntax.BitField):
        return Kind.CONDITION if is_boolean(node) else Kind.NUMBER
    if isinstance(node, syntax.Field) and node.repeat is not None:
        return Kind.LIST
    found = types.of(node) if isinstance(node, syntax.Field) else types.parse(node.type)
    return Kind.STRUCT if found is None else found.kind


def column_type(node: syntax.Field | syntax.BitField) -> str:
    """What its column holds, in words that are equal when the columns can be one; all integers can."""
    if isinstance(node, syntax.BitField):
        return "boolean" if is_boolean(node) else "integer"
    if node.repeat is not None:
        return f"list of {node.type}"
    found = types.of(node)
    return node.type if found is None else found.holds
