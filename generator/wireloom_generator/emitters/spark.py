"""spark.py: the protocol's table as a Spark ``StructType``, each field with the spec's words as its comment."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from wireloom_generator import blocks, model
from wireloom_generator.emitters import ModuleEmitter, module
from wireloom_generator.output import Bracketed, Code, OutputFile
from wireloom_generator.python_code.pretty import call, entry, mapping, names, render, string

_TYPES = {
    model.Primitive.BYTE: "ByteType()",
    model.Primitive.SHORT: "ShortType()",
    model.Primitive.INT: "IntegerType()",
    model.Primitive.LONG: "LongType()",
    model.Primitive.FLOAT: "FloatType()",
    model.Primitive.DOUBLE: "DoubleType()",
    model.Primitive.BOOLEAN: "BooleanType()",
    model.Primitive.BINARY: "BinaryType()",
    model.Primitive.STRING: "StringType()",
    model.Primitive.TIMESTAMP: "TimestampType()",
    model.Primitive.INTERVAL: "DayTimeIntervalType()",
}
NAMES = frozenset({"ArrayType", "DecimalType", "StructField", "StructType"}).union(
    text.removesuffix("()") for text in _TYPES.values()
)
"""The Spark types that the module can import."""


def emit(protocol: model.Protocol) -> Iterator[OutputFile]:
    """The module with the protocol's Spark schema."""
    found = (*(() if protocol.capture is None else (protocol.capture,)), *protocol.messages)
    structs = {each.name: blocks.message_name(each.name).upper() for each in found}
    levels: dict[int, str] = {}
    declared = []
    for each in protocol.structs:
        if each.level_of is not None:
            name = _level(each.name, {*structs.values(), "SCHEMA"})
            declared.append(render(_struct(each.columns, {}, levels), before=f"{name} = "))
            levels[id(each.columns)] = name
    declared += [render(_struct(each.columns, {}, levels), before=f"{structs[each.name]} = ") for each in found]
    schema = render(_struct(protocol.columns, structs, levels), before="SCHEMA = ")
    yield module(
        protocol,
        "spark.py",
        f"Spark schema of {protocol.doc.title}: SCHEMA is a row, the others its structs.",
        imported=sorted(NAMES & names("\n".join([*declared, schema]))),
        structs=declared,
        schema=schema,
    )


def _level(name: str, taken: Collection[str]) -> str:
    """The name of the struct of a level."""
    found = blocks.class_name(name)
    return f"{found}Struct" if found in taken or found in NAMES else found


def _struct(columns: Sequence[model.Column], declared: Mapping[str, str], levels: Mapping[int, str]) -> Code:
    """A ``StructType``; ``declared`` are the names of those before it, by column, ``levels`` those of levels of
    recursive types, by the identity of their columns.
    """
    fields = [_field(column, declared.get(column.name), levels) for column in columns]
    return call("StructType", Bracketed("", fields, "[]"))


def _field(column: model.Column, struct: str | None, levels: Mapping[int, str]) -> Code:
    comment = mapping(entry("comment", string(column.doc))) if column.doc else None
    return call("StructField", string(column.name), struct or _type(column.type, levels), metadata=comment)


def _type(kind: model.ColumnType, levels: Mapping[int, str]) -> Code:
    match kind:
        case model.ListType(element=element):
            return call("ArrayType", _type(element, levels))
        case model.StructType(columns=columns):
            return levels.get(id(columns)) or _struct(columns, {}, levels)
        case model.Decimal(precision=precision, scale=scale):
            return f"DecimalType({precision}, {scale})"
        case model.Primitive():
            return _TYPES[kind]


EMITTER = ModuleEmitter(emit)
