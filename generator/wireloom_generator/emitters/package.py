"""__init__.py: what users of the protocol import, Spark and Arrow only when asked for."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from wireloom_generator import model
from wireloom_generator.emitters import Emitter, Place
from wireloom_generator.output import OutputFile, head
from wireloom_generator.python_code.pretty import docstring

LAZY = '''

def __getattr__(name: str) -> Any:
    """Schemas and the columnar decoder, imported when first asked for: they need pyspark or pyarrow."""
    if name == "spark_schema":
        with needed(name, "spark"):
            return import_module(".spark", __name__).SCHEMA
    if name in ("arrow_schema", "decode_columnar"):
        with needed(name, "cli"):
            return getattr(import_module(".columnar", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
'''


def emit(protocol: model.Protocol) -> Iterator[OutputFile]:
    """The package's front module."""
    title = f"{protocol.doc.title or protocol.name}: parsers, builders and schemas, one attribute a message."
    messages = sorted(message.name for message in protocol.messages)
    lines = [
        head(protocol.folders),
        docstring(title),
        "",
        "from importlib import import_module",
        "from typing import Any",
        "",
        "from wireloom.extras import needed",
        "",
    ]
    named = sorted([*(enum.name for enum in protocol.enums), *(flags.name for flags in protocol.flags)])
    lines += [_import("enums", named)] if named else []
    lines += [
        _import("parsers", sorted(["PROTOCOL", *messages], key=_import_order)),
        "",
        _exports(sorted([*named, *messages, "PROTOCOL", *_API], key=_all_order)),
        "",
        "parse = PROTOCOL.parse",
        "build = PROTOCOL.build",
        "iter_records = PROTOCOL.iter_records",
        "messages = PROTOCOL.messages",
    ]
    yield OutputFile(PurePosixPath(protocol.name, "__init__.py"), "\n".join(lines) + "\n" + LAZY)


_API = ("build", "iter_records", "messages", "parse")


def _import_order(name: str) -> tuple[bool, str]:
    return not name.isupper(), name


def _all_order(name: str) -> tuple[int, str]:
    return (0 if name.isupper() else 1 if name[0].isupper() else 2), name


def _import(module: str, names: list[str]) -> str:
    line = f"from .{module} import {', '.join(names)}"
    return line if len(line) <= 120 else "\n".join([f"from .{module} import (", *(f"    {n}," for n in names), ")"])


def _exports(names: list[str]) -> str:
    return "\n".join(["__all__ = [", *(f'    "{name}",' for name in names), "]"])


EMITTER = Emitter(lambda subject: emit(subject.protocol), Place.PACKAGE)
