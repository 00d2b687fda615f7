"""columnar.py: the protocol's table as an Arrow schema, and its decoder into Arrow."""

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from wireloom_generator import ir
from wireloom_generator.output import OutputFile, head
from wireloom_generator.pretty import Call, Tree, docstring, group, render, string

_TYPES = {
    ir.Primitive.BYTE: "pa.int8()",
    ir.Primitive.SHORT: "pa.int16()",
    ir.Primitive.INT: "pa.int32()",
    ir.Primitive.LONG: "pa.int64()",
    ir.Primitive.DECIMAL: "pa.decimal128(20, 0)",
    ir.Primitive.FLOAT: "pa.float32()",
    ir.Primitive.DOUBLE: "pa.float64()",
    ir.Primitive.BOOLEAN: "pa.bool_()",
    ir.Primitive.BINARY: "pa.binary()",
    ir.Primitive.STRING: "pa.string()",
}

_DECODER = '''

def decode_columnar(
    buffer: bytes, columns: Sequence[str] | None = None, mode: str = "FAILFAST", **parameters: Any
) -> pa.Table:
    """The records of ``buffer`` as a table; see ``wireloom.columnar.decode_columnar``."""
    return columnar.decode_columnar(PROTOCOL, buffer, arrow_schema, columns, mode, **parameters)
'''


def emit(protocol: ir.Protocol) -> Iterator[OutputFile]:
    """The module with the protocol's Arrow schema."""
    blocks = [render(_struct(message.columns), before=f"{message.name.upper()} = ") for message in protocol.messages]
    structs = {message.name: message.name.upper() for message in protocol.messages}
    fields = [_field(column, structs.get(column.name)) for column in protocol.columns]
    blocks.append(render(Call("pa.schema", (_array(fields),)), before="arrow_schema = "))
    title = docstring(f"Arrow schema of {protocol.doc.title or protocol.name}, and its records as Arrow tables.")
    imports = [
        "from collections.abc import Sequence",
        "from typing import Any",
        "",
        "import pyarrow as pa",
        "",
        "from wireloom import columnar",
        "",
        "from .parsers import PROTOCOL",
        "",
    ]
    text = "\n".join([head(protocol.sources), title, "", *imports, "\n\n".join(blocks), _DECODER])
    yield OutputFile(PurePosixPath(protocol.name, "columnar.py"), text)


def _struct(columns: Sequence[ir.Column]) -> Tree:
    return Call("pa.struct", (_array([_field(column) for column in columns]),))


def _array(items: Sequence[Tree]) -> Call:
    return Call("", items, "[]")


def _field(column: ir.Column, struct: str | None = None) -> Tree:
    return group(string(column.name), struct or _type(column.type))


def _type(kind: ir.ColumnType) -> Tree:
    match kind:
        case ir.ListType(element=element):
            return Call("pa.list_", (_type(element),))
        case ir.StructType(columns=columns):
            return _struct(columns)
        case _:
            return _TYPES[kind]
