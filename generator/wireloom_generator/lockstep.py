"""The proof that nothing disagrees: the running codec, the StructType, the Arrow schema and the docs, column by column.

Each is read back from what was emitted, not from the IR it was emitted from; Spark and Arrow need not be installed.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from wireloom_generator import ir
from wireloom_generator.output import OutputFile
from wireloom_generator.problems import Location, Problem

RULE = "lockstep"

Columns = tuple[tuple[str, str], ...]
"""(name, type) in order; types as Spark writes them, ``array<…>`` and ``struct<name:type,…>``."""

_SPARK = {
    "ByteType": "byte",
    "ShortType": "short",
    "IntegerType": "int",
    "LongType": "long",
    "DecimalType": "decimal(20,0)",
    "FloatType": "float",
    "DoubleType": "double",
    "BooleanType": "boolean",
    "BinaryType": "binary",
    "StringType": "string",
}
_ARROW = {
    "int8": "byte",
    "int16": "short",
    "int32": "int",
    "int64": "long",
    "decimal128": "decimal(20,0)",
    "float32": "float",
    "float64": "double",
    "bool_": "boolean",
    "binary": "binary",
    "string": "string",
}


def check(protocol: ir.Protocol, codec: Any, files: Mapping[PurePosixPath, OutputFile]) -> Iterator[Problem]:
    """A problem for each place where an output and the codec differ."""
    expected = tuple((column.name, _codec_type(column.type)) for column in codec.columns)
    package = PurePosixPath(protocol.name)
    for name, schema, types in (("spark.py", "SCHEMA", _SPARK), ("columnar.py", "arrow_schema", _ARROW)):
        yield from _differences(protocol, name, expected, _schema(files[package / name].text, schema, types))
    docs = PurePosixPath("docs", protocol.name)
    row = tuple((name, "struct" if name in codec.messages else kind) for name, kind in expected)
    yield from _differences(protocol, "index.md", row, _table(files[docs / "index.md"].text))
    for message in codec.messages.values():
        own = tuple((column.name, _codec_type(column.type)) for column in message.columns)
        page = f"{message.name}.md"
        yield from _differences(protocol, page, own, _table(files[docs / page].text))


def _differences(protocol: ir.Protocol, name: str, expected: Columns, found: Columns) -> Iterator[Problem]:
    at = Location(protocol.path, 1, 1)
    for index in range(max(len(expected), len(found))):
        codec = expected[index] if index < len(expected) else None
        other = found[index] if index < len(found) else None
        if codec != other:
            yield Problem(at, RULE, f"column {index} of {name} is {other}, of the codec {codec}")
            return


def _codec_type(kind: Any) -> str:
    if isinstance(kind, str):
        return kind
    if hasattr(kind, "element"):
        return f"array<{_codec_type(kind.element)}>"
    return _struct((column.name, _codec_type(column.type)) for column in kind.columns)


def _struct(columns: Any) -> str:
    return f"struct<{','.join(f'{name}:{kind}' for name, kind in columns)}>"


def _schema(text: str, name: str, types: Mapping[str, str]) -> Columns:
    """The columns of the schema assigned to ``name`` in generated source, other assignments followed."""
    assigned = {
        target.id: node.value
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    return tuple(_fields(assigned[name], assigned, types))


def _fields(node: ast.expr, assigned: Mapping[str, ast.expr], types: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    assert isinstance(node, ast.Call) and isinstance(node.args[0], ast.List)
    for field in node.args[0].elts:
        parts = field.args if isinstance(field, ast.Call) else field.elts if isinstance(field, ast.Tuple) else []
        assert isinstance(parts[0], ast.Constant)
        yield str(parts[0].value), _kind(parts[1], assigned, types)


def _kind(node: ast.expr, assigned: Mapping[str, ast.expr], types: Mapping[str, str]) -> str:
    if isinstance(node, ast.Name):
        node = assigned[node.id]
    assert isinstance(node, ast.Call)
    function = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
    if function in ("ArrayType", "list_"):
        return f"array<{_kind(node.args[0], assigned, types)}>"
    if function in ("StructType", "struct"):
        return _struct(_fields(node, assigned, types))
    return types[function]


def _table(text: str) -> Columns:
    """The rows of the Markdown table under the heading Columns: a name in the first cell, a type in the second."""
    section = text.partition("\n## Columns\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|", section, re.MULTILINE)
    return tuple((name, kind.replace(" ", "")) for name, kind in rows)
