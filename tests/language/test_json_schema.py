"""The JSON Schema that editors use says what the compiler says: of every real file, and of broken ones."""

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner
from support.cases import each
from support.documents import all_loaded, dumped
from support.paths import ROOT

from wireloom.cli import app
from wireloom_generator.emitters import json_schema
from wireloom_generator.reading import catalogue, shape, source, vocabulary
from wireloom_generator.types import zoned

SCHEMA = json.loads(json_schema.schema())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
Path_ = tuple[str | int, ...]


def documents(path: Path) -> list[Any]:
    return all_loaded(path.read_text())


def told(path: Path) -> Any:
    """The schema that an editor is told of."""
    first = path.read_text().partition("\n")[0]
    return json.loads(path.parent.joinpath(first.removeprefix("# yaml-language-server: $schema=")).read_text())


SPECS = [path for folder in ("specs", "examples/protocols") for path in sorted((ROOT / folder).rglob("*.yaml"))]


@each("path", [*SPECS, *sorted((ROOT / "tests/language/valid").glob("*.yaml"))])
def test_every_spec_is_valid(path: Path) -> None:
    assert [error.message for document in documents(path) for error in VALIDATOR.iter_errors(document)] == []


@each("path", SPECS)
def test_editors_are_told_of_the_schema(path: Path) -> None:
    assert told(path) == SCHEMA


def test_what_init_writes_is_valid_and_told_of_the_schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(app, ["init", "mine"]).exit_code == 0
    specs = sorted(Path("specs").glob("*/*.yaml"))
    assert len(specs) == 2
    for path in specs:
        assert told(path) == SCHEMA
        assert [error.message for document in documents(path) for error in VALIDATOR.iter_errors(document)] == []


def test_a_schema_that_is_there_is_left_by_init(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("specs").mkdir()
    Path("specs", "schema.json").write_text("{}")
    assert CliRunner().invoke(app, ["init", "mine"]).exit_code == 0
    assert Path("specs", "schema.json").read_text() == "{}"


KINDS = {name: kind for name, kind in SCHEMA["$defs"].items() if "properties" in kind}


@each("kind", KINDS)
def test_every_key_tells_what_it_is_and_no_other_is_let_through(kind: str) -> None:
    assert KINDS[kind]["additionalProperties"] is False
    assert KINDS[kind]["description"]
    for key, value in KINDS[kind]["properties"].items():
        assert value.get("description"), key


def test_it_is_a_json_schema() -> None:
    VALIDATOR.check_schema(SCHEMA)


MESSAGE: dict[str, Any] = {
    "message": "thing",
    "title": "Thing",
    "match": {"kind": [1, 2]},
    "sections": {
        "body": [
            {"name": "size", "type": "u8", "derive": "size(data)", "doc": "Bytes of data.", "unit": "bytes"},
            {"name": "data", "type": "bytes", "size": "size", "erratum": ["one", "two"], "since": 1.5},
            {"bits": "u8", "fields": [{"name": "high", "width": 4}, {"name": "low", "width": 4, "reserved": True}]},
            {"section": "box", "size": 4, "fields": [{"pad": 3}, {"align": 4}, {"include": "Header"}]},
            {"choice": [{"when": "size == 1", "fields": [{"name": "point", "type": "Point"}]}, {"fields": []}]},
            {"name": "crc", "type": "u32", "checksum": {"algorithm": "crc32", "from": 0, "to": "offset(crc)"}},
            {"name": "points", "type": "Point", "repeat": {"count": "size"}},
        ]
    },
    "variants": [{"name": "one", "when": "size == 1", "source": {"document": "thing.md"}}],
    "examples": [{"name": "First", "hex": "00 # nothing\n 01", "decoded": {"size": 0, "box": None}}],
    "forms": [{"name": "json", "style": "json_lines", "entries": [{"key": "size", "field": "size", "as": "value"}]}],
}


def test_the_example_that_is_broken_below_is_valid() -> None:
    assert [error.message for error in VALIDATOR.iter_errors(MESSAGE)] == []


BROKEN: dict[str, tuple[Path_, Any]] = {
    "an unknown key": (("sections", "body", 0, "typ"), "u8"),
    "an unknown type": (("sections", "body", 0, "type"), "uint8"),
    "an unknown encoding": (("sections", "body", 1, "encoding"), "utf8"),
    "an unknown algorithm": (("sections", "body", 5, "checksum", "algorithm"), "crc"),
    "a width that is text": (("sections", "body", 2, "fields", 0, "width"), "four"),
    "an entry of two kinds": (("sections", "body", 0, "align"), 4),
    "an entry of no kind": (("sections", "body", 0), {"type": "u8"}),
    "a name that is not snake_case": (("sections", "body", 0, "name"), "Size"),
    "a repeat that is neither rest nor counted": (("sections", "body", 6, "repeat"), "all"),
    "hex that is none": (("examples", 0, "hex"), "0g"),
    "a list that is a mapping": (("variants",), {"name": "one"}),
    "a notation that there is not": (("forms", 0, "entries", 0, "as"), "hex"),
    "a file of two kinds": (("protocol",), "thing"),
}


@each(("path", "value"), [pytest.param(*case, id=name) for name, case in BROKEN.items()])
def test_a_broken_file_is_not_valid(path: Path_, value: Any) -> None:
    assert not VALIDATOR.is_valid(_changed(MESSAGE, path, value))


def test_a_file_without_what_it_needs_is_not_valid() -> None:
    assert not VALIDATOR.is_valid({key: value for key, value in MESSAGE.items() if key != "match"})


def test_what_may_be_left_out_is_what_the_compiler_says(tmp_path: Path) -> None:
    for path in _mappings(MESSAGE):
        for key in _at(MESSAGE, path):
            changed = deepcopy(MESSAGE)
            del _at(changed, path)[key]
            assert VALIDATOR.is_valid(changed) == _has_shape(changed, tmp_path / "thing.yaml"), (*path, key)


@pytest.mark.parametrize("mistake", ["unknown-key", "missing-key", "wrong-type"])
def test_mistakes_of_shape_are_told_by_both(mistake: str) -> None:
    for path in (ROOT / "tests/language/invalid").glob(f"{mistake}*.yaml"):
        assert not all(VALIDATOR.is_valid(document) for document in documents(path)), path.name


def test_words_are_those_of_the_rules() -> None:
    words = {(kind, key): _words(SCHEMA["$defs"][kind]["properties"][key]) for kind, key in RULES}
    assert words == RULES


RULES = {
    ("Field", "encoding"): {*vocabulary.ENCODINGS, *zoned.ENCODINGS},
    ("Field", "terminator"): set(vocabulary.TERMINATORS),
    ("Field", "unterminated"): set(vocabulary.UNTERMINATED),
    ("Checksum", "algorithm"): set(catalogue.ALGORITHMS),
    ("TableField", "type"): set(vocabulary.TABLE_TYPES),
    ("Form", "style"): set(vocabulary.STYLES),
    ("FormEntry", "as"): set(vocabulary.NOTATIONS),
    ("FormEntry", "omit"): set(vocabulary.OMITTED),
}


def _words(schema: dict[str, Any]) -> set[str]:
    words = schema["enum"] if "enum" in schema else schema["anyOf"][0]["enum"]
    return {"false" if word is False else word for word in words}


def _has_shape(document: Any, path: Path) -> bool:
    path.write_text(dumped(document))
    node, problems = source.read(path, path)
    if node is not None:
        problems += shape.read(node)[1]
    return not problems


def _mappings(value: Any, path: Path_ = ()) -> Iterator[Path_]:
    if isinstance(value, dict):
        yield path
        for key, inner in value.items():
            yield from _mappings(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _mappings(inner, (*path, index))


def _at(value: Any, path: Path_) -> Any:
    for step in path:
        value = value[step]
    return value


def _changed(document: Any, path: Path_, value: Any) -> Any:
    changed = deepcopy(document)
    _at(changed, path[:-1])[path[-1]] = value
    return changed
