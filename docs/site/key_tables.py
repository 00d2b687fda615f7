"""``python docs/site/key_tables.py``: the tables of keys in ``docs/reference``, from what the syntax says of each key.

A table follows a mark. ``<!-- keys: Field size prefix -->`` names a kind of mapping, and the keys to list if not all of
them. ``<!-- examples: Field -->`` has examples in place of defaults. ``make generate`` runs this, and a test compares
the pages with it.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from wireloom_generator.emitters.docs.markdown import cell, code
from wireloom_generator.reading import shape, syntax
from wireloom_generator.reading.written import KeyDoc, Written, default_of

FOLDER = Path(__file__).parents[1] / "reference"
_MARK = re.compile(r"(<!-- (keys|examples): (\w+)((?: \w+)*) -->\n\n)(?:\|.*\n)*\n?")
_HEADS = {
    "keys": "| key | default | meaning |\n|---|---|---|\n",
    "examples": "| key | meaning | example |\n|---|---|---|\n",
}


def keys(kind: str) -> list[str]:
    """The keys of a kind of mapping, its own before those it inherits, and without those of documentation."""
    of = getattr(syntax, kind)
    if of is syntax.Documented:
        return list(shape.keys(of))
    classes = (each for each in of.__mro__ if each not in (syntax.Documented, Written, object))
    names = [name for each in classes for name in each.__annotations__]
    written = {field.name: key for key, (field, _) in shape.keys(of).items()}
    own = [written[name] for name in names if name in written]
    return own + [key for key in shape.keys(of) if key not in {*own, *shape.keys(syntax.Documented)}]


def listed(page: str, table: str = "keys") -> list[tuple[str, str]]:
    """The keys in a page's tables, each with its kind of mapping."""
    found = ((kind, named.split() or keys(kind)) for _, of, kind, named in _MARK.findall(page) if of == table)
    return [(kind, key) for kind, names in found for key in names]


def filled(page: str) -> str:
    """The text of a page with its tables as they should be."""

    def table(found: re.Match[str]) -> str:
        mark, of, kind, named = found.groups()
        return f"{mark}{_HEADS[of]}{''.join(_rows(kind, named.split() or keys(kind), of))}\n"

    return _MARK.sub(table, page)


def _rows(kind: str, names: Iterable[str], table: str) -> Iterable[str]:
    known = shape.keys(getattr(syntax, kind))
    for name in names:
        field, _ = known[name]
        key: KeyDoc = field.metadata["key"]
        shown = f"[{code(name)}]({key.see})" if key.see else code(name)
        if table == "keys":
            yield f"| {shown} | {cell(default_of(field))} | {cell(key.about)} |\n"
        else:
            yield f"| {shown} | {cell(key.about)} | {cell(code(f'{name}: {key.example}'))} |\n"


if __name__ == "__main__":
    for path in sorted(FOLDER.glob("*.md")):
        path.write_text(filled(path.read_text(encoding="utf-8")), encoding="utf-8")
