"""Whether the outputs agree: the columns of the codec, of the Spark schema and of the docs, and names of numbers.

The schema and the docs are read back from the emitted text, not from the model. The Arrow schema is made of the codec's
columns; its comments are compared with those of the Spark schema.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from support import agreement_of_names
from wireloom.codec import Column, Protocol
from wireloom_generator import emitters, examples, output
from wireloom_generator.emitters import Destination
from wireloom_generator.generate import compiled
from wireloom_generator.output import OutputFile
from wireloom_generator.problems import Location, Problem

Columns = tuple[tuple[str, str], ...]
"""(name, type) in order; types as Spark writes them, ``array<…>`` and ``struct<name:type,…>``."""

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
    "TimestampType()": "timestamp",
    "DayTimeIntervalType()": "interval day to second",
}


def check_outputs(specs: Sequence[Path]) -> list[Problem]:
    """Every problem of the specs, and one for each difference between outputs."""
    protocols, problems = compiled(specs, emitters.own(), "")
    for protocol, emissions in protocols:
        with examples.running(each for each in emissions if each.destination is Destination.PACKAGE) as codec:
            found = differences(codec, {each.file.path: each.file for each in emissions})
            problems += (Problem(Location(protocol.path, 1, 1), "outputs", what) for what in found)
    return problems


def differences(codec: Protocol, files: Mapping[PurePosixPath, OutputFile]) -> Iterator[str]:
    """Each place where an output and the codec differ."""
    expected = _columns(codec.columns)
    package = PurePosixPath(codec.name)
    spark = _assigned(_text(files, package / "spark.py"))
    schema = tuple(_fields(spark.get("SCHEMA"), spark))
    yield from _differing("spark.py", expected, schema)
    if schema == expected:
        arrow = _assigned(_text(files, package / "columnar.py"))
        yield from _other_comments(dict(_comments(spark["SCHEMA"], spark)), arrow.get("COMMENTS"))
    docs = PurePosixPath("docs", codec.name)
    row = tuple((name, "struct" if name in codec.messages else kind) for name, kind in expected)
    yield from _differing("index.md", row, _table(_text(files, docs / "index.md")))
    for name, message in codec.messages.items():
        page = _table(_text(files, docs / f"{name}.md"))
        yield from _differing(f"{name}.md", _columns(message.columns), page)
    pages = [(path.name, file.text) for path, file in files.items() if path.parent == docs and path.suffix == ".md"]
    yield from agreement_of_names.differences(_text(files, package / "enums.py"), pages)


def _columns(columns: Iterable[Column]) -> Columns:
    return tuple((column.name, str(column.type)) for column in columns)


def _text(files: Mapping[PurePosixPath, OutputFile], path: PurePosixPath) -> str:
    return files[path].text if path in files else ""


def _differing(name: str, expected: Columns, found: Columns) -> Iterator[str]:
    for index in range(max(len(expected), len(found))):
        codec = expected[index] if index < len(expected) else None
        other = found[index] if index < len(found) else None
        if codec != other:
            yield f"column {index} of {name} is {other}, of the codec {codec}"
            return


def _other_comments(expected: Mapping[str, str], found: ast.expr | None) -> Iterator[str]:
    comments = ast.literal_eval(found) if found else {}
    for path in dict.fromkeys([*expected, *comments]):
        if expected.get(path) != comments.get(path):
            yield f"the comment of {path} of columnar.py is {comments.get(path)!r}, of spark.py {expected.get(path)!r}"
            return


def _assigned(text: str) -> Mapping[str, ast.expr]:
    """What generated source assigns, by name."""
    return {
        target.id: node.value
        for node in output.tree(text).body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _comments(node: ast.expr | None, assigned: Mapping[str, ast.expr], within: str = "") -> Iterator[tuple[str, str]]:
    """The path and comment of each column of a type that has one."""
    match node:
        case ast.Name(id=name):
            yield from _comments(assigned.get(name), assigned, within)
        case ast.Call(func=ast.Name(id="StructType" | "ArrayType"), args=[inner]):
            for each in inner.elts if isinstance(inner, ast.List) else [inner]:
                yield from _comments(each, assigned, within)
        case ast.Call(func=ast.Name(id="StructField"), args=[ast.Constant(value=str() as name), kind], keywords=told):
            path = f"{within}{name}"
            yield from ((path, ast.literal_eval(each.value)["comment"]) for each in told)
            yield from _comments(kind, assigned, f"{path}.")


def _fields(node: ast.expr | None, assigned: Mapping[str, ast.expr]) -> Iterator[tuple[str, str]]:
    """The columns of ``StructType([…])``; none for anything else."""
    match node:
        case ast.Call(args=[ast.List(elts=fields)], keywords=[]):
            yield from (_field(field, assigned) for field in fields)


def _field(node: ast.expr, assigned: Mapping[str, ast.expr]) -> tuple[str, str]:
    """The column of a ``StructField``; anything but ``metadata`` behind its type, such as ``nullable``, changes it."""
    match node:
        case ast.Call(args=[ast.Constant(value=str() as name), kind], keywords=[] | [ast.keyword(arg="metadata")]):
            return name, _kind(kind, assigned)
        case _:
            return "", ast.unparse(node)


def _kind(node: ast.expr, assigned: Mapping[str, ast.expr]) -> str:
    match node:
        case ast.Name(id=name) if name in assigned:
            return _kind(assigned[name], assigned)
        case ast.Call(func=ast.Name(id="ArrayType"), args=[element], keywords=[]):
            return f"array<{_kind(element, assigned)}>"
        case ast.Call(func=ast.Name(id="DecimalType"), args=[precision, scale], keywords=[]):
            return f"decimal({ast.unparse(precision)},{ast.unparse(scale)})"
        case ast.Call(func=ast.Name(id="StructType")):
            return f"struct<{','.join(f'{name}:{kind}' for name, kind in _fields(node, assigned))}>"
        case _:
            written = ast.unparse(node)
            return _SPARK.get(written, written)


def _table(text: str) -> Columns:
    """The rows of the Markdown table under the heading Columns: a name in the first cell, a type in the second."""
    section = text.partition("\n## Columns\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|", section, re.MULTILINE)
    return tuple((name, re.sub(r"([:,]) ", r"\1", kind)) for name, kind in rows)
