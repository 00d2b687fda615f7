"""A spec with a text in every place that takes one."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from support.documents import dumped

Tree = dict[str, "Tree"] | list["Tree"] | str | int | bool
Place = tuple[str | int, ...]

T = "TEXT"
L: Any = ("label",)
"""A text in one line without characters that are not seen, as labels must be."""
DOC: dict[str, Tree] = {
    "doc": T, "since": T, "deprecated": {"since": T},
    "source": {"document": T, "section": T, "revision": T}, "erratum": [T, T],
}  # fmt: skip
FILES: dict[str, Tree] = {
    "library": {
        "library": "drawing", "title": T, **DOC,
        "enums": [{"name": "Color", **DOC, "values": [{"name": "Red", "value": 1, "label": L, **DOC}]}],
    },
    "protocol": {
        "protocol": "post", "title": T, **DOC, "byte_order": "big", "imports": ["drawing"],
        "parameters": [{"name": "dialect", "type": "text", "choices": [T, "old"], "default": T, **DOC}],
        "enums": [
            {"name": "Format", **DOC, "values": [{"name": "Small", "value": 1, **DOC},
                                               {"name": "Any", "from": 2, "to": 9, "label": L, **DOC}]},
        ],
        "flags": [{"name": "Option", **DOC, "values": [{"name": "Bold", "value": 1, "label": L, **DOC}]}],
        "types": [{"name": "Point", **DOC, "fields": [{"name": "x", "type": "u8", "unit": T, **DOC}]},
                  {"name": "Stamp", **DOC, "fields": [{"name": "at", "type": "u8", **DOC}]}],
        "tables": [{"name": "Shape", **DOC, "fields": [{"name": "sides", "type": "u8", "id": 0, **DOC}]}],
        "record": {
            **DOC, "length": "2 + size",
            "fields": [{"name": "kind", "type": "u8", **DOC},
                       {"name": "size", "type": "u8", "derive": "size(body)", "unit": T, **DOC},
                       {"section": "body", "size": "size", "trailing": "more", **DOC}],
        },
    },
    "message": {
        "message": "parcel", "title": T, **DOC, "match": {"kind": 7},
        "sections": {"body": [
            {"name": "size_of_it", "type": "u8", "enum": "Format", "unit": T, **DOC},
            {"name": "color", "type": "u8", "enum": "Color", **DOC},
            {"name": "options", "type": "u8", "flags": "Option", **DOC},
            {"name": "start", "type": "Point", **DOC},
            {"include": "Stamp", "accept": [{"rule": "deprecated", "reason": T}]},
            {"bits": "u8", "fields": [{"name": "high", "width": 4, **DOC}, {"name": "low", "width": 4, **DOC}]},
            {"name": "told", "type": "bool", "compute": ("expression", "dialect == %s"), **DOC},
            {"section": "inner", "size": 1, **DOC, "fields": [{"name": "one", "type": "u8", **DOC}]},
        ]},
        "variants": [
            {"name": "marked", "title": T, **DOC, "when": "color == 1",
             "sections": {"body": [{"name": "word", "type": "text", "prefix": "u8",
                                    "valid": ("expression", "word != %s"), **DOC}]}},
            {"name": "plain", "title": T, **DOC,
             "sections": {"body": [{"name": "shape", "type": "flatbuffers", "table": "Shape", "size": "rest",
                                    "raw": "shape_raw", **DOC}]}},
        ],
        "forms": [{"name": "json", "style": "json_lines", **DOC, "entries": [
            {"key": T, "field": "size_of_it", **DOC}, {"key": "constant", "const": T, **DOC}]}],
        "examples": [{"name": T, **DOC, "hex": "07 00", "malformed": "truncated", "parameters": {"dialect": T}}],
    },
}  # fmt: skip


def places(tree: Tree | tuple[str, ...], at: Place = ()) -> Iterator[Place]:
    """Where texts stand."""
    match tree:
        case dict():
            for key, inner in tree.items():
                yield from places(inner, (*at, key))
        case list():
            for index, inner in enumerate(tree):
                yield from places(inner, (*at, index))
        case str() if tree == T:
            yield at
        case tuple():
            yield at


def filled(tree: Tree | tuple[str, ...], texts: dict[Place, str], at: Place = ()) -> Tree:
    """The tree with texts in their places; where nothing is said, a word."""
    match tree:
        case dict():
            return {key: filled(inner, texts, (*at, key)) for key, inner in tree.items()}
        case list():
            return [filled(inner, texts, (*at, index)) for index, inner in enumerate(tree)]
        case str() if tree == T:
            return texts.get(at, "harmless")
        case (_, str() as text):
            return text % repr(texts.get(at, "harmless"))
        case ("label",):
            visible = "".join(char for char in texts.get(at, "harmless") if char.isprintable())
            return " ".join(visible.split()) or "unseen"
    return tree


ALL_PLACES = list(places(FILES))
ONE_VALUE = [
    place for place in ALL_PLACES if place[:2] == ("protocol", "parameters") and {"default", "choices"} & {*place}
]
ONE_VALUE += [place for place in ALL_PLACES if place[-1] in ("dialect", "compute")]
"""A default, what examples give, and what a parameter is compared with are among the choices."""


def written(texts: dict[Place, str], root: Path) -> Path:
    found = filled(FILES, texts)
    assert isinstance(found, dict)
    names = {"library": "drawing/library", "protocol": "post/protocol", "message": "post/parcel"}
    for kind, name in names.items():
        path = root / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dumped(found[kind]), encoding="utf-8")
    return root / "post"
