"""Copybooks, imported and made to run, and the other record formats that their specs have as comments."""

import re
import textwrap
from pathlib import Path

from cli.calls import run
from support import compiled
from support.compiled import Compiled

ASCII = (
    ("encoding: cp037", "encoding: latin-1"),
    ('pad: "40"', 'pad: "20"'),
    ("type: zoned", "type: zoned, encoding: ascii"),
)
"""What to replace for data that is not in EBCDIC, as docs/import.md has it."""
NATIVE = (("type: ibm32", "type: f32, byte_order: little"), ("type: ibm64", "type: f64, byte_order: little"))
"""The same, for floats of GnuCOBOL on a little-endian machine."""


def fixed(text: str) -> str:
    """The lines in area A of fixed format."""
    return textwrap.indent(textwrap.dedent(text), " " * 7)


def imported(folder: Path, text: str, name: str = "book.cpy") -> Path:
    """The folder of the only protocol that a copybook becomes, which has no problems."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    result = run("import", path, "--out", folder / "specs")
    assert result.stdout.endswith(", no problems\n"), result.output
    (found,) = (each.parent for each in folder.glob("specs/*/protocol.yaml"))
    return found


def running(folder: Path, text: str) -> Compiled:
    """A copybook's protocol."""
    return compiled.compiled(imported(folder, text))


def replaced(protocol: Path, *pairs: tuple[str, str]) -> None:
    """Replace text in all files of a spec."""
    for path in protocol.glob("*.yaml"):
        text = path.read_text()
        for old, new in pairs:
            text = text.replace(old, new)
        path.write_text(text)


def instead(path: Path, which: int) -> None:
    """Write what a comment of a spec has in place of the entry below it, counting comments from 0."""
    lines = path.read_text().splitlines()
    starts = [number for number, line in enumerate(lines) if re.match(r"# [A-Z]", line)]
    (first, last), key = _block(lines, starts), lines[_block(lines, starts)[1]]
    ends = [*starts[1:], last]
    chosen = [line[2:] for line in lines[starts[which] + 1 : ends[which]] if not line.startswith("#   ") or ":" in line]
    end = next((number for number in range(last + 1, len(lines)) if lines[number][:1] not in " #-"), len(lines))
    assert any(line == key for line in chosen), chosen
    path.write_text("\n".join([*lines[:first], *chosen, *lines[end:]]) + "\n")


def _block(lines: list[str], starts: list[int]) -> tuple[int, int]:
    """The first line of the comments, and that of the entry below them."""
    return starts[0], next(number for number in range(starts[-1], len(lines)) if not lines[number].startswith("#"))
