"""Warnings that a spec accepts where it gives rise to them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path

import pytest
from cases import each
from compiled import FEATURES, folders

from wireloom_generator.generate import check
from wireloom_generator.reading.spec import load
from wireloom_generator.reading.syntax import Documented
from wireloom_generator.reading.written import Written
from wireloom_generator.resolve import resolve

SPEC = """\
protocol: ping
byte_order: big
record:
  length: 4
  fields:
    - {name: version, type: u8}
    - {section: body, size: rest}
---
message: ping
match: {}
sections:
  body:
    - {name: index, type: u8ACCEPT}
    - {name: count, type: u8}
    - {name: last, type: u8ENUM}
"""
ACCEPT = ", accept: [{rule: name-style, reason: The document calls it so.}]"


def found(root: Path, accept: str = "", enum: str = "") -> list[str]:
    """The rules that find something, each with what stands in quotes in what they say of it."""
    problems = check([folders(SPEC.replace("ACCEPT", accept).replace("ENUM", enum), root)])
    return [f"{problem.severity} {problem.rule} {problem.what.split(chr(39))[1::2]}" for problem in problems]


def test_a_warning_is_accepted_where_it_stands_and_nowhere_else(tmp_path: Path) -> None:
    assert found(tmp_path / "without") == ["warning name-style ['index']", "warning name-style ['count']"]
    assert found(tmp_path / "with", accept=ACCEPT) == ["warning name-style ['count']"]


def test_an_error_is_not_accepted(tmp_path: Path) -> None:
    enum = ", enum: Kind, accept: [{rule: known-enum, reason: It will come.}]"
    told = found(tmp_path, accept=ACCEPT, enum=enum)
    assert told == ["warning name-style ['count']", "error known-enum ['Kind']", "error accepted []"]


@pytest.mark.parametrize("rule", ["variant-overlap", "unused"])
def test_another_rule_accepts_nothing(rule: str, tmp_path: Path) -> None:
    told = found(tmp_path, accept=ACCEPT.replace("name-style", rule))
    assert told == ["warning name-style ['index']", "warning accepted []", "warning name-style ['count']"]


def test_a_protocol_may_keep_a_name_that_spark_has(tmp_path: Path) -> None:
    text = SPEC.replace("name: index", "name: first").replace("name: count", "name: second").replace("ENUM", "")
    text = text.replace("ACCEPT", "").replace("ping", "kafka", 1)
    assert [problem.rule for problem in check([folders(text, tmp_path / "without")])] == ["spark-format"]
    accept = "accept: [{rule: spark-format, reason: Not for Spark.}]\nbyte_order"
    assert check([folders(text.replace("byte_order", accept, 1), tmp_path / "with")]) == []


def test_what_a_library_accepts_is_accepted_for_whoever_imports_it(tmp_path: Path) -> None:
    library = "---\nlibrary: shared\ntypes:\n  - {name: Pair, fields: [{name: index, type: u8ACCEPT}]}\n"
    text = SPEC.replace("byte_order", "imports: [shared]\nbyte_order").replace(
        "- {name: count, type: u8}", "- include: Pair"
    )
    text = text.replace("name: index, type: u8ACCEPT", "name: first, type: u8").replace("ENUM", "")
    assert check([folders(text + library.replace("ACCEPT", ACCEPT), tmp_path)]) == []


def documented(part: object) -> Iterator[int]:
    """Every mapping in a part of a spec that can say what it accepts, by its ``id``."""
    if isinstance(part, Documented):
        yield id(part)
    inside: Iterable[object] = ()
    if isinstance(part, Written):
        inside = (getattr(part, key.name) for key in fields(part))
    elif isinstance(part, tuple | Mapping):
        inside = part.values() if isinstance(part, Mapping) else part
    for inner in inside:
        yield from documented(inner)


@each("name", FEATURES)
def test_whatever_can_accept_is_in_the_model(name: str, tmp_path: Path) -> None:
    (spec,), _ = load([folders(FEATURES[name].read_text(encoding="utf-8"), tmp_path / name)])
    things = {id(thing.written) for thing in resolve(spec).things}
    assert things == set(documented((*spec.shared, *spec.messages)))
