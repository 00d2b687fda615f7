"""The names that a spec may use, and their names in Python: those that Python already uses get an underscore."""

import json
import keyword
import re
from collections.abc import Container
from itertools import chain, count

_SNAKE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_MEMBER = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_EXPRESSION_WORDS = frozenset({"false", "record", "rest", "true"})
_MEMBERS_TAKEN = frozenset({"label", "mro", "ranges"})
"""Attributes that enum classes have: Python's ``mro``, and ``label`` and ``ranges`` of ``WireEnum``."""

ROW = frozenset(
    {
        "_connection", "_corrupt_reason", "_corrupt_record", "_file", "_from_client", "_gap_before", "_length",
        "_offset", "_time", "message",
    }
)  # fmt: skip
"""Columns that every row has or can have."""

MODULE = frozenset({
    "arrow_schema", "available", "build", "columnar", "dataset", "decode_by_message", "decode_columnar",
    "encode_columnar", "encode_records", "enums", "float", "getattr", "globals", "import_module", "iter_records",
    "messages", "needed", "parse", "parsers", "recursive", "scan", "schema", "spark", "spark_schema", "str", "summary",
    "to_batches",
})  # fmt: skip
"""The names that generated modules use themselves, besides one attribute for each message.

``SCHEMA`` would collide with the schema of a message, whose name is the message's in capitals.
"""

IMPORTED = frozenset({"collections", "construct", "importlib", "numpy", "pyarrow", "pyspark", "typing", "wireloom"})
"""The packages that generated modules import; a protocol of that name could hide one."""


FOUND = "pyspark_"
"""The prefix of packages in which Spark looks for formats."""
SPARK_FORMATS = frozenset({
    "avro", "binaryfile", "console", "csv", "delta", "hive", "hudi", "iceberg", "image", "jdbc", "json", "kafka",
    "libsvm", "memory", "noop", "orc", "parquet", "rate", "socket", "statestore", "text", "xml",
})  # fmt: skip
"""Spark's own formats, and table formats that are often installed with it."""


def snake_case(name: str) -> str:
    """The name in snake_case that is closest to ``name``."""
    parts = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", re.sub(r"[^A-Za-z0-9]+", "_", name)).strip("_").lower()
    return re.sub(r"_+", "_", parts)


def column_like(name: str, taken: set[str]) -> str:
    """A name of a column or message that is close to ``name`` and is not ``taken``; it is taken then."""
    found = snake_case(name.lower() if name.isupper() else name)
    found = found if _SNAKE.fullmatch(found) else f"field_{found}".strip("_")
    return unused(f"{found}_value" if found in _EXPRESSION_WORDS else found, taken, "_")


def protocol_like(name: str, what: str) -> str:
    """A name of a protocol that is close to ``name``; ``what`` it is of is added if that cannot be one."""
    found = snake_case(name)
    if column_fault(found) or option_fault(found) or found in SPARK_FORMATS | IMPORTED:
        return f"{found}_{what}" if found[:1].isalpha() else f"{what}_{found}".strip("_")
    return found


def class_like(name: str, taken: set[str]) -> str:
    """A name of a declaration that is close to ``name`` and is not ``taken``; it is taken then."""
    parts = [part.capitalize() if part.isupper() else part[0].upper() + part[1:] for part in _words(name)]
    found = "".join(parts)
    return unused(found if found[:1].isalpha() else f"Type{found}", taken)


def value_like(name: str, taken: set[str]) -> dict[str, str]:
    """The keys ``name`` and ``label`` of a value that is called ``name``."""
    found = "_".join(_words(name))
    word = unused(found if _MEMBER.fullmatch(found) else f"Value_{found}".strip("_"), taken, "_")
    return {"name": word} if word == name or label_fault(name) is not None else {"name": word, "label": name}


def unused(name: str, taken: set[str], before_number: str = "") -> str:
    """``name``, with a number behind it if it is ``taken``; it is taken then."""
    names = chain([name], (f"{name}{before_number}{number}" for number in count(2)))
    found = next(each for each in names if each not in taken)
    taken.add(found)
    return found


def _words(name: str) -> list[str]:
    return re.findall(r"[A-Za-z0-9]+", name)


def column_fault(name: str) -> tuple[str, str] | None:
    """Why ``name`` cannot be the name of a column or message, and how to fix it; None if it can."""
    if name.startswith("_"):
        return f"{name!r} begins with an underscore", "such names are reserved for readers"
    if not _SNAKE.fullmatch(name):
        return f"{name!r} is not snake_case", _better(snake_case(name))
    return None


def asked_fault(name: str) -> tuple[str, str] | None:
    """Why expressions cannot use ``name``, which has another meaning there."""
    if name in _EXPRESSION_WORDS:
        return f"{name!r} has a meaning of its own in expressions", f"add to it, as in '{name}_value'"
    return None


def option_fault(name: str) -> tuple[str, str] | None:
    """Why ``name`` cannot be given as an argument in Python, or be imported."""
    if keyword.iskeyword(name):
        return f"{name!r} is a Python keyword", f"add to it, as in '{name}_value'"
    return None


def free(name: str, taken: Container[str] = ()) -> str:
    """The Python name of ``name``: with an underscore if it is a Python keyword or ``taken``."""
    return f"{name}_" if keyword.iskeyword(name) or name in taken else name


def member(name: str) -> str:
    """The Python name of an enum's value or a flag."""
    return free(name, _MEMBERS_TAKEN)


def _better(name: str) -> str:
    """The hint to write ``name``, or the closest allowed name."""
    if not _SNAKE.fullmatch(name):
        return "a name has small letters, digits and single underscores, and begins with a letter"
    return f"write {name if asked_fault(name) is None else f'{name}_value'!r}"


def word_fault(name: str) -> tuple[str, str] | None:
    """Why ``name`` cannot be the name of an enum's value, a flag or a table's field."""
    if _MEMBER.fullmatch(name):
        return None
    better = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")
    if _MEMBER.fullmatch(better) and label_fault(name) is None:
        label = json.dumps(name, ensure_ascii=False)
        return f"{name!r} cannot name a value", f"write name: {better}, label: {label}"
    return f"{name!r} cannot name a value", "a name has letters, digits and underscores, and begins with a letter"


def label_fault(label: str) -> tuple[str, str] | None:
    """Why ``label`` cannot be the label of a number."""
    words = label.split(" ")
    if not label.isprintable() or not all(words):
        return f"{label!r} cannot be a label", "a label is visible text in one line, with single blanks inside"
    return None
