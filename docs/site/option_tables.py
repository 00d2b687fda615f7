"""``python docs/site/option_tables.py``: the tables of options in ``docs``, from what the options say of themselves.

A table follows a mark, ``<!-- options: mode columns -->``, which names its rows. ``make generate`` runs this, and
a test holds the pages against it.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import timedelta
from inspect import signature
from pathlib import Path

from wireloom import options
from wireloom.options import U64, Options, ReadOptions
from wireloom.spark import options as sources
from wireloom.spark.options import SourceOptions
from wireloom.spark.writing_options import WRITING, WriteOptions
from wireloom_generator.emitters.docs.markdown import cell, code

PAGES = tuple(Path(__file__).parents[1] / name for name in ("spark.md", "traffic.md"))
_MARK = re.compile(r"(<!-- options: ([\w ]+) -->\n\n)(?:\|.*\n)*\n?")
_HEAD = "| option | type | default | |\n|---|---|---|---|\n"
_U64 = (
    "name",
    code(str(U64.default)),
    "`declared`: unsigned 64-bit numbers are `decimal(20,0)`, or `bigint` if their document bounds them below 2^63."
    " `decimal`: all are `decimal(20,0)`, and none is malformed for its size. `long`: the others are"
    " also [`bigint`](tables.md#unsigned-64-bit-numbers), which is faster, and a record with a larger one is malformed."
    f" Example: {code('long')}.",
)

_Class = type[ReadOptions | SourceOptions | WriteOptions]


def rows() -> dict[str, str]:
    """The row of each option, by its name; of one of writing that has the name of another, by ``writing_`` and that."""
    found = {
        **dict(_rows(options.READING, ReadOptions)),
        **dict(_rows(sources.READING, SourceOptions)),
        U64.name: _U64,
    }
    known = {name: _row([code(name), *cells]) for name, cells in found.items()}
    for name, cells in _rows(WRITING, WriteOptions):
        known[f"writing_{name}" if name in known else name] = _row([code(name), *cells])
    return known


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(map(cell, cells))} |\n"


def _rows(known: Options, of: _Class) -> Iterator[tuple[str, tuple[str, str, str]]]:
    """Type, default and meaning of the options that set the fields ``of`` a class, by name."""
    fields = signature(of).parameters
    for name, option in known.items():
        default = _text(fields[option.sets].default, option.type)
        yield name, (option.type, default, f"{option.about} Example: {code(option.example)}.")


def _text(default: object, kind: str) -> str:
    """A default as users would write it; nothing if there is none."""
    match default:
        case None:
            return ""
        case bool():
            return code(str(default).lower())
        case int() if kind == "bytes" and default % (1 << 20) == 0:
            return code(f"{default >> 20}m")
        case int() if kind == "duration":
            return code(f"{timedelta(microseconds=default // 1000).days}d")
    return code(str(default))


def filled(page: str) -> str:
    """The text of a page with its tables as they should be."""
    known = rows()
    return _MARK.sub(lambda found: f"{found[1]}{_HEAD}{''.join(known[name] for name in found[2].split())}\n", page)


def named(page: str) -> list[str]:
    """The options in a page's tables."""
    return [name for found in _MARK.finditer(page) for name in found[2].split()]


if __name__ == "__main__":
    for path in PAGES:
        path.write_text(filled(path.read_text(encoding="utf-8")), encoding="utf-8")
