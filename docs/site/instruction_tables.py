"""``python docs/site/instruction_tables.py``: the tables of instructions in ``docs/programs.md``.

A table follows a mark, ``<!-- instructions: NUMBER SIGN -->``, which names its first and its last instruction.
``make generate`` runs this, and a test compares the page with it.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from wireloom.programs.write_opcodes import OPCODES
from wireloom_generator.emitters.docs.markdown import cell, code, prose

PAGE = Path(__file__).parents[1] / "programs.md"
_MARK = re.compile(r"(<!-- instructions: (\w+) (\w+) -->\n)\n?(?:\|.*\n)*\n?")
_HEAD = "| instruction | written as | |\n|---|---|---|\n"


def listed(page: str) -> list[str]:
    """The instructions in a page's tables."""
    return [name for _, first, last in _MARK.findall(page) for name in _between(first, last)]


def filled(page: str) -> str:
    """The text of a page with its tables as they should be."""
    text = _MARK.sub(lambda found: f"{found[1]}\n{_HEAD}{''.join(_rows(found[2], found[3]))}\n", page)
    return text.rstrip("\n") + "\n"


def _between(first: str, last: str) -> list[str]:
    names = [each.name for each in OPCODES.values()]
    return names[names.index(first) : names.index(last) + 1]


def _rows(first: str, last: str) -> Iterator[str]:
    known = {each.name: each for each in OPCODES.values()}
    for name in _between(first, last):
        form = re.sub(r"\{(\w)\}", r"\1", known[name].form)
        yield f"| {cell(code(name))} | {cell(code(form))} | {cell(prose(known[name].doc))} |\n"


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
