"""Whether numbers have the same labels in ``enums.py``, which the codec uses, and in the docs."""

import ast
import re
from collections.abc import Iterable, Iterator

NamedRanges = frozenset[tuple[int, int, str]]
"""(first, last, label) of a range of numbers; a single number is both first and last."""

_NUMBER = r"(-?(?:0x[0-9a-fA-F]+|\d+))"
_LABEL = r"(`+)(?!`)( ?)(.+?)\4\3(?= \|)"
"""Code in a cell, between as many backticks as it needs."""
_ROW = re.compile(rf"^\| (?:\d+ \| )?{_NUMBER}(?: to {_NUMBER})? \| {_LABEL}", re.MULTILINE)


def differences(enums: str, pages: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The differences between the classes in the text of ``enums.py`` and the tables on pages of (name, text)."""
    classes = (node for node in ast.parse(enums).body if isinstance(node, ast.ClassDef))
    declared = {node.name.rstrip("_"): frozenset(_members(node)) for node in classes}
    shown: set[str] = set()
    for page, text in pages:
        for name, table in _tables(text):
            if name in declared:
                shown.add(name)
                wrong = sorted(declared[name] ^ table)
                if wrong:
                    first, last, label = wrong[0]
                    number = str(first) if first == last else f"{first} to {last}"
                    yield f"{name} in {page}: {number} is {label} in only one of the page and enums.py"
    for name in declared.keys() - shown:
        yield f"{name} of enums.py is on no page"


def _members(node: ast.ClassDef) -> Iterator[tuple[int, int, str]]:
    for part in node.body:
        match part:
            case ast.Assign(targets=[ast.Name(id=name)], value=assigned):
                given = ast.literal_eval(assigned)
                value, label = given if isinstance(given, tuple) else (given, name)
                yield value, value, label
            case ast.FunctionDef(name="ranges", body=[*_, ast.Return(value=ast.Tuple() as listed)]):
                yield from ast.literal_eval(listed)


def _tables(text: str) -> Iterator[tuple[str, NamedRanges]]:
    """The tables of named numbers on a page, by heading."""
    for section in f"\n{text}".replace("\n### ", "\n## ").split("\n## ")[1:]:
        heading, _, body = section.partition("\n")
        rows = _ROW.findall(body.partition("Value | Name |")[2])
        if rows:
            found = ((first, last or first, label.replace("\\|", "|")) for first, last, _, _, label in rows)
            yield heading.strip(), frozenset((int(first, 0), int(last, 0), label) for first, last, label in found)
