"""The language's reference: its examples run, and it knows the same keys, types, calls and codes as the code."""

import dataclasses
import json
import re
import runpy
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args, get_origin

import pytest
from jsonschema import Draft202012Validator
from support import compiled
from support.agreement import check_outputs as check
from support.documents import dumped, loaded
from support.paths import ROOT

from language.reference_blocks import BLOCKS, PAGES, documents
from wireloom.expressions.tree import OF_TIMES
from wireloom_generator import expressions, types
from wireloom_generator.emitters import json_schema
from wireloom_generator.problems import Severity
from wireloom_generator.reading import shape, spec, syntax
from wireloom_generator.reading.written import Written

SCHEMA = json.loads(json_schema.schema())
TABLES = runpy.run_path(str(ROOT / "docs" / "site" / "key_tables.py"))
VARINTS = PAGES["integers"].partition("(varints)\n")[2].partition("\n## ")[0]
LINES = 400
"""A page has no more, but for the quick reference."""


# --- examples


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.splitlines()[0])
def test_examples_do_what_they_say(block: str, tmp_path: Path) -> None:
    folder = compiled.folders(documents(block), tmp_path)
    assert [str(problem) for problem in check([folder]) if problem.severity is Severity.ERROR] == []


def test_every_example_shows_bytes() -> None:
    assert [block for block in BLOCKS if "examples:" not in documents(block)] == []


# --- what documents say

DECLARED = """\
protocol: said
byte_order: big
enums: [{name: Status, values: [{name: Ok, value: 0}]}]
flags: [{name: Feature, values: [{name: Extra, value: 1}]}]
types:
  - {name: Point, fields: [{name: x, type: u8}]}
  - {name: Entry, fields: [{name: y, type: u8}]}
record:
  length: rest
  fields: [{section: body, size: rest, trailing: unused}]
---
message: said
match: {}
sections: {}
"""
ASKED = ("features", "index_offset", "kind", "order", "points_count", "words")
"""The fields that those in the table ask for."""
SAID = re.findall(
    r"(?<!\{)`(\{.*?\})`", PAGES["from-documents"].partition("## What documents say")[2].partition("\n## ")[0]
)


@pytest.mark.parametrize("entry", SAID)
def test_what_documents_say_is_written_so(entry: str, tmp_path: Path) -> None:
    declared, said = (loaded(part) for part in DECLARED.split("---\n"))
    asked = [{"name": name, "type": "u16"} for name in ASKED if f"name: {name}," not in entry]
    lists = [{"name": "sizes", "type": "u16", "repeat": {"count": 2}}] if "sizes[" in entry else []
    said["sections"] = {"body": [*asked, *lists, loaded(entry)]}
    folder = compiled.folders(dumped(declared) + "---\n" + dumped(said), tmp_path)
    assert [str(problem) for problem in check([folder]) if problem.severity is Severity.ERROR] == []


# --- keys


def _kinds(hint: Any, found: set[type] | None = None) -> set[type]:
    """The kinds of mapping that can stand in a file."""
    found = set() if found is None else found
    if get_origin(hint) is not None or get_args(hint):
        for argument in get_args(hint):
            _kinds(argument, found)
    elif isinstance(hint, type) and issubclass(hint, Written) and hint not in found:
        found.add(hint)
        for _, inner in shape.keys(hint).values():
            _kinds(inner, found)
    return found


OTHERS = (syntax.Documented, syntax.Bitmap)
"""Kinds of mapping with keys of all others, and one that is written out as others when it is read."""
KINDS = {kind.__name__: kind for kind in _kinds(syntax.File)} | {kind.__name__: kind for kind in OTHERS}
KEYS = sorted((name, key) for name in KINDS for key in TABLES["keys"](name))


@pytest.mark.parametrize("name", PAGES)
def test_tables_of_keys_are_what_the_syntax_says(name: str) -> None:
    assert PAGES[name] == TABLES["filled"](PAGES[name]), "write the tables anew: make generate"


@pytest.mark.parametrize("table", ["keys", "examples"])
def test_every_key_is_explained_once(table: str) -> None:
    assert sorted(row for page in PAGES.values() for row in TABLES["listed"](page, table)) == KEYS


@pytest.mark.parametrize(("name", "key"), KEYS)
def test_the_example_of_a_key_is_valid(name: str, key: str) -> None:
    said = shape.keys(KINDS[name])[key][0].metadata["key"]
    schema = {"$ref": f"#/$defs/{name}/properties/{key}", "$defs": SCHEMA["$defs"]}
    if name == "Documented":
        schema["$ref"] = f"#/$defs/Field/properties/{key}"
    assert [error.message for error in Draft202012Validator(schema).iter_errors(loaded(said.example))] == []


def test_every_key_has_an_example(tmp_path: Path) -> None:
    shown: dict[type, set[str]] = {}
    for number, block in enumerate(BLOCKS):
        folder = compiled.folders(documents(block), tmp_path / str(number))
        for spec_ in spec.load([folder])[0]:
            for file in (spec_.protocol, *spec_.messages, *spec_.libraries):
                _collect(file, shown)
    shown[syntax.Documented] = set().union(*shown.values())
    assert [(name, key) for name, key in KEYS if key not in shown.get(KINDS[name], set())] == []


def _collect(written: object, shown: dict[type, set[str]]) -> None:
    """Note which keys are given in a part of a file."""
    if isinstance(written, tuple):
        for item in written:
            _collect(item, shown)
    elif isinstance(written, Mapping):
        _collect(tuple(written.values()), shown)
    elif isinstance(written, Written):
        kind = syntax.Struct if isinstance(written, syntax.Level) else type(written)
        kind = syntax.Bitmap if isinstance(written, syntax.Bits) and written.bitmap else kind
        shown.setdefault(kind, set()).update(written.places)
        _collect(tuple(getattr(written, field.name) for field in dataclasses.fields(written)), shown)


# --- types, calls, codes


def test_every_type_is_in_the_value_model() -> None:
    firsts = "\n".join(re.findall(r"^\| ([^|]*) \|", PAGES["types"] + VARINTS, re.MULTILINE))
    others = {"type", "enum", "flags", "repeat", "types"}
    assert set(re.findall(r"`([a-z0-9_]+)`", firsts)) - others == set(types.NAMES)


def test_every_call_is_explained() -> None:
    rows = "\n".join(re.findall(r"^\| (`\w+\(.*?) \|", PAGES["expressions"], re.MULTILINE))
    calls = set(re.findall(r"`(\w+)\([^)]*\)`", rows))
    assert calls == set(expressions.Function) - set(OF_TIMES)  # which only the compiler calls


def test_every_code_of_a_malformed_record_is_explained() -> None:
    folders = (ROOT / "runtime/wireloom" / folder for folder in ("codec", "columnar/traffic"))
    sources = "\n".join(path.read_text() for folder in folders for path in folder.glob("*.py"))
    raised = set(re.findall(r'DecodeError\(\s*"([a-z0-9-]+)"', sources))
    chosen = "\n".join(re.findall(r"\bcode(?:, where)? = (.*)", sources))
    raised |= set(re.findall(r'"([a-z0-9]+)"', chosen))
    assert set(re.findall(r"^\| `([a-z0-9-]+)` \|", PAGES["errors"], re.MULTILINE)) == raised


# --- pages


def test_links_lead_to_headings() -> None:
    anchors = {f"{name}.md": set(_anchors(page)) for name, page in PAGES.items()}
    for name, page in PAGES.items():
        for target, anchor in re.findall(r"\]\(([\w-]+\.md)?#([^)]+)\)", page):
            assert anchor in anchors[target or f"{name}.md"], f"{name}: {target}#{anchor}"


def _anchors(page: str) -> Iterator[str]:
    outside = re.sub(r"^```.*?^```", "", page, flags=re.MULTILINE | re.DOTALL)
    for title in re.findall(r"^#+ (.*)$", outside, re.MULTILINE):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title)
        yield re.sub(r"[^a-z0-9 _-]", "", plain.lower()).strip().replace(" ", "-")


def test_every_page_is_a_chapter() -> None:
    linked = re.findall(r"\]\(([\w-]+)\.md\)", PAGES["index"])
    assert set(linked) == PAGES.keys() - {"index"}


def test_chapters_are_short() -> None:
    assert [name for name, page in PAGES.items() if name != "quick-reference" and page.count("\n") > LINES] == []
