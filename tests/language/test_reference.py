"""The language's reference: its examples run, and it knows the same keys, types, calls and codes as the code."""

import dataclasses
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args, get_origin

import pytest
from support import compiled
from support.documents import dumped, loaded
from support.paths import ROOT

from language.reference_blocks import BLOCKS, README, documents
from wireloom_generator import expressions, types
from wireloom_generator.generate import check_outputs as check
from wireloom_generator.problems import Severity
from wireloom_generator.reading import shape, spec, syntax
from wireloom_generator.reading.written import Written

KINDS: dict[str, type] = {
    "source": syntax.Source,
    "deprecated": syntax.Deprecated,
    "accept": syntax.Acceptance,
    "The protocol": syntax.Protocol,
    "The library": syntax.Library,
    "A parameter": syntax.Parameter,
    "The capture": syntax.Capture,
    "An enum": syntax.Enum,
    "An enum value": syntax.EnumValue,
    "Flags": syntax.Flags,
    "A flag": syntax.FlagValue,
    "A type": syntax.Struct,
    "A FlatBuffers table": syntax.Table,
    "A table's field": syntax.TableField,
    "The record": syntax.Record,
    "A proof": syntax.Proof,
    "The message": syntax.Message,
    "A range of numbers": syntax.Between,
    "A variant": syntax.Variant,
    "An example": syntax.Example,
    "Answers": syntax.Answers,
    "What captures tell": syntax.Told,
    "A form": syntax.Form,
    "A form's entry": syntax.FormEntry,
    "A field": syntax.Field,
    "Through": syntax.Through,
    "As": syntax.Meaning,
    "A timestamp": syntax.Timestamp,
    "A duration": syntax.Duration,
    "A scale": syntax.Scaled,
    "Repeat": syntax.Repeat,
    "Checksum": syntax.Checksum,
    "A piece of a checksum": syntax.Summand,
    "A CRC": syntax.Crc,
    "Bits": syntax.Bits,
    "A bit field": syntax.BitField,
    "A choice of bits": syntax.BitChoice,
    "An alternative for bits": syntax.BitAlternative,
    "A section": syntax.Section,
    "A choice": syntax.Choice,
    "An alternative": syntax.Alternative,
    "Include": syntax.Include,
}
"""Under which heading the keys of which kind of mapping are listed."""


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
SAID = re.findall(r"(?<!\{)`(\{.*?\})`", README.partition("### What documents say")[2].partition("\n## ")[0])


@pytest.mark.parametrize("entry", SAID)
def test_what_documents_say_is_written_so(entry: str, tmp_path: Path) -> None:
    declared, said = (loaded(part) for part in DECLARED.split("---\n"))
    asked = [{"name": name, "type": "u16"} for name in ASKED if f"name: {name}," not in entry]
    lists = [{"name": "sizes", "type": "u16", "repeat": {"count": 2}}] if "sizes[" in entry else []
    said["sections"] = {"body": [*asked, *lists, loaded(entry)]}
    folder = compiled.folders(dumped(declared) + "---\n" + dumped(said), tmp_path)
    assert [str(problem) for problem in check([folder]) if problem.severity is Severity.ERROR] == []


# --- keys


def _table(heading: str) -> Iterator[list[str]]:
    """The rows of the tables of keys under a heading, up to the next one."""
    section = re.split(rf"^#+ {re.escape(heading)}\n", README, flags=re.MULTILINE)[1]
    section = re.split(r"^#+ ", section, flags=re.MULTILINE)[0]
    for table in re.findall(r"^\| key \|.*\n\|-.*\n((?:\|.*\n)+)", section, re.MULTILINE):
        for row in table.splitlines():
            yield [cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]]


def _own(kind: type) -> set[str]:
    documentation = set(shape.keys(syntax.Documented)) if issubclass(kind, syntax.Documented) else set()
    return set(shape.keys(kind)) - documentation


@pytest.mark.parametrize(("heading", "kind"), KINDS.items(), ids=KINDS)
def test_keys_are_those_of_the_syntax(heading: str, kind: type) -> None:
    assert {row[0].strip("`") for row in _table(heading)} == _own(kind)


def test_keys_of_pad_and_align_are_those_of_the_syntax() -> None:
    assert {row[0].strip("`") for row in _table("Pad and align")} == _own(syntax.Pad) | _own(syntax.Align)


def test_documentation_keys_are_those_of_the_syntax() -> None:
    assert {row[0].strip("`") for row in _table("Documentation")} == set(shape.keys(syntax.Documented))


@pytest.mark.parametrize(("heading", "kind"), KINDS.items(), ids=KINDS)
def test_needed_keys_and_defaults_are_those_of_the_syntax(heading: str, kind: type) -> None:
    for key, default, _ in _table(heading):
        field = shape.keys(kind)[key.strip("`")][0]
        assert (default == "needed") == (field.default is dataclasses.MISSING), key
        if isinstance(field.default, bool | str):
            assert default == f"`{str(field.default).lower()}`", key


def test_every_kind_of_mapping_has_a_heading() -> None:
    assert _kinds(syntax.File) - {syntax.Pad, syntax.Align} == set(KINDS.values())


def test_every_key_has_an_example(tmp_path: Path) -> None:
    shown: dict[type, set[str]] = {}
    for number, block in enumerate(BLOCKS):
        folder = compiled.folders(documents(block), tmp_path / str(number))
        for spec_ in spec.load([folder])[0]:
            for file in (spec_.protocol, *spec_.messages, *spec_.libraries):
                _collect(file, shown)
    kinds = [*KINDS.values(), syntax.Pad, syntax.Align]
    missing = {(kind.__name__, key) for kind in kinds for key in _own(kind) - shown.get(kind, set())}
    assert missing == set()


def _collect(written: object, shown: dict[type, set[str]]) -> None:
    """Note which keys are given in a part of a file."""
    if isinstance(written, tuple):
        for item in written:
            _collect(item, shown)
    elif isinstance(written, Mapping):
        _collect(tuple(written.values()), shown)
    elif isinstance(written, Written):
        shown.setdefault(type(written), set()).update(written.places)
        _collect(tuple(getattr(written, field.name) for field, _ in shape.keys(type(written)).values()), shown)


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


# --- types, calls, codes


def _section(heading: str) -> str:
    return re.split(rf"^## {heading}\n", README, flags=re.MULTILINE)[1].partition("\n## ")[0]


def test_every_type_is_in_the_value_model() -> None:
    firsts = "\n".join(re.findall(r"^\| ([^|]*) \|", _section("Types and values"), re.MULTILINE))
    others = {"type", "enum", "flags", "repeat", "types"}
    assert set(re.findall(r"`([a-z0-9_]+)`", firsts)) - others == set(types.NAMES)


def test_every_call_is_explained() -> None:
    rows = "\n".join(re.findall(r"^\| (`\w+\(.*?) \|", _section("Expressions"), re.MULTILINE))
    calls = set(re.findall(r"`(\w+)\([^)]*\)`", rows))
    assert calls == set(expressions.Function)


def test_every_code_of_a_malformed_record_is_explained() -> None:
    folders = (ROOT / "runtime/wireloom" / folder for folder in ("codec", "columnar/traffic"))
    sources = "\n".join(path.read_text() for folder in folders for path in folder.glob("*.py"))
    raised = set(re.findall(r'DecodeError\(\s*"([a-z0-9-]+)"', sources))
    chosen = "\n".join(re.findall(r"\bcode(?:, where)? = (.*)", sources))
    raised |= set(re.findall(r'"([a-z0-9]+)"', chosen))
    assert set(re.findall(r"^\| `([a-z0-9-]+)` \|", _section("Malformed records"), re.MULTILINE)) == raised


def test_links_inside_lead_to_headings() -> None:
    titles = re.findall(r"^#+ (.*)$", README, re.MULTILINE)
    anchors = {re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-") for title in titles}
    assert set(re.findall(r"\]\(#([^)]*)\)", README)) <= anchors
