"""The proof that nothing disagrees: the running codec, the StructType, the Arrow schema and the docs, column by column.

Each is read back from what was emitted, not from the model it was emitted from; Spark and Arrow need not be installed.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Protocol, runtime_checkable

from wireloom_generator import lockstep_names, model
from wireloom_generator.output import OutputFile
from wireloom_generator.problems import Location, Problem

RULE = "lockstep"

Columns = tuple[tuple[str, str], ...]
"""(name, type) in order; types as Spark writes them, ``array<…>`` and ``struct<name:type,…>``."""


@runtime_checkable
class _ListOf(Protocol):
    @property
    def element(self) -> "_Type": ...


@runtime_checkable
class _StructOf(Protocol):
    @property
    def columns(self) -> "Sequence[_Column]": ...


class _Column(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def type(self) -> "_Type": ...


class _Message(_StructOf, Protocol):
    @property
    def name(self) -> str: ...


class Codec(Protocol):
    """What is asked of the running codec: its columns, and its messages by name with theirs."""

    @property
    def columns(self) -> Sequence[_Column]: ...

    @property
    def messages(self) -> Mapping[str, _Message]: ...


_Type = str | _ListOf | _StructOf
"""A primitive by its Spark name, a list or a struct."""

_SPARK = {
    "ByteType()": "byte",
    "ShortType()": "short",
    "IntegerType()": "int",
    "LongType()": "long",
    "FloatType()": "float",
    "DoubleType()": "double",
    "BooleanType()": "boolean",
    "BinaryType()": "binary",
    "StringType()": "string",
}
_ARROW = {
    "pa.int8()": "byte",
    "pa.int16()": "short",
    "pa.int32()": "int",
    "pa.int64()": "long",
    "pa.float32()": "float",
    "pa.float64()": "double",
    "pa.bool_()": "boolean",
    "pa.binary()": "binary",
    "pa.string()": "string",
}
_MORE = ("metadata",)
"""What a field may have beside its name and type; anything else, as ``nullable``, makes it another column."""


def check(protocol: model.Protocol, codec: Codec, files: Mapping[PurePosixPath, OutputFile]) -> Iterator[Problem]:
    """A problem for each place where an output and the codec differ."""
    expected = tuple((column.name, _codec_type(column.type)) for column in codec.columns)
    package = PurePosixPath(protocol.name)
    for name, schema, types in (("spark.py", "SCHEMA", _SPARK), ("columnar.py", "arrow_schema", _ARROW)):
        yield from _differences(protocol, name, expected, _schema(_text(files, package / name), schema, types))
    docs = PurePosixPath("docs", protocol.name)
    row = tuple((name, "struct" if name in codec.messages else kind) for name, kind in expected)
    yield from _differences(protocol, "index.md", row, _table(_text(files, docs / "index.md")))
    for message in codec.messages.values():
        own = tuple((column.name, _codec_type(column.type)) for column in message.columns)
        page = f"{message.name}.md"
        yield from _differences(protocol, page, own, _table(_text(files, docs / page)))
    pages = [(path.name, file.text) for path, file in files.items() if path.parent == docs and path.suffix == ".md"]
    for what in lockstep_names.differences(_text(files, package / "enums.py"), pages):
        yield Problem(Location(protocol.path, 1, 1), RULE, what)


def _text(files: Mapping[PurePosixPath, OutputFile], path: PurePosixPath) -> str:
    return files[path].text if path in files else ""


def _differences(protocol: model.Protocol, name: str, expected: Columns, found: Columns) -> Iterator[Problem]:
    at = Location(protocol.path, 1, 1)
    for index in range(max(len(expected), len(found))):
        codec = expected[index] if index < len(expected) else None
        other = found[index] if index < len(found) else None
        if codec != other:
            yield Problem(at, RULE, f"column {index} of {name} is {other}, of the codec {codec}")
            return


def _codec_type(kind: _Type) -> str:
    if isinstance(kind, str):
        return kind
    if isinstance(kind, _ListOf):
        return f"array<{_codec_type(kind.element)}>"
    return _struct((column.name, _codec_type(column.type)) for column in kind.columns)


def _struct(columns: Iterable[tuple[str, str]]) -> str:
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
    return tuple(_fields(assigned.get(name), assigned, types))


def _fields(
    node: ast.expr | None, assigned: Mapping[str, ast.expr], types: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """The columns of ``StructType([…])``, ``pa.struct([…])`` or ``pa.schema([…])``; none of anything else."""
    match node:
        case ast.Call(args=[ast.List(elts=fields)], keywords=[]):
            for field in fields:
                yield _field(field, assigned, types)


def _field(node: ast.expr, assigned: Mapping[str, ast.expr], types: Mapping[str, str]) -> tuple[str, str]:
    match node:
        case ast.Tuple(elts=[ast.Constant(value=str() as name), kind]):
            return name, _kind(kind, assigned, types)
        case ast.Call(args=[ast.Constant(value=str() as name), kind], keywords=more) if all(
            keyword.arg in _MORE for keyword in more
        ):
            return name, _kind(kind, assigned, types)
        case _:
            return "", ast.unparse(node)


def _kind(node: ast.expr, assigned: Mapping[str, ast.expr], types: Mapping[str, str]) -> str:
    match node:
        case ast.Name(id=name) if name in assigned:
            return _kind(assigned[name], assigned, types)
        case ast.Call(func=function, args=[element], keywords=[]) if ast.unparse(function) in ("ArrayType", "pa.list_"):
            return f"array<{_kind(element, assigned, types)}>"
        case ast.Call(func=function, args=[ast.Constant(value=int() as precision), *scale], keywords=[]) if ast.unparse(
            function
        ) in ("DecimalType", "pa.decimal128"):
            return f"decimal({precision},{ast.unparse(scale[0]) if scale else 0})"
        case ast.Call(func=function) if ast.unparse(function) in ("StructType", "pa.struct"):
            return _struct(_fields(node, assigned, types))
        case _:
            written = ast.unparse(node)
            return types.get(written, written)


def _table(text: str) -> Columns:
    """The rows of the Markdown table under the heading Columns: a name in the first cell, a type in the second."""
    section = text.partition("\n## Columns\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|", section, re.MULTILINE)
    return tuple((name, kind.replace(" ", "")) for name, kind in rows)
