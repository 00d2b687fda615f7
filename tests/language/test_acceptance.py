"""Warnings that a spec accepts where it gives rise to them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path

import pytest
from support.agreement import check_outputs as check
from support.cases import each
from support.compiled import FEATURES, folders

from wireloom_generator.reading.spec import load
from wireloom_generator.reading.syntax import Bits, Documented, Include
from wireloom_generator.reading.written import Written
from wireloom_generator.resolve import resolve

SPEC = """\
protocol: ping
byte_order: big
ENUMSrecord:
  length: 4
  fields:
    - {name: version, type: u8}
    - {section: body, size: rest}
---
message: ping
match: {}
sections:
  body:
    - {name: index, type: u8, enum: OfIndexACCEPT}
    - {name: count, type: u8, enum: OfCount}
    - {name: last, type: u8ENUM}
"""
ACCEPT = ", accept: [{rule: deprecated, reason: Old records have it.}]"
ENUMS = """\
enums:
  - {name: OfIndex, deprecated: {}, values: [{name: One, value: 1}]}
  - {name: OfCount, deprecated: {}, values: [{name: One, value: 1}]}
"""


def found(root: Path, accept: str = "", enum: str = "") -> list[str]:
    """The rules that find something, each with what stands in quotes in what they say of it."""
    text = SPEC.replace("ENUMS", ENUMS).replace("ACCEPT", accept).replace("ENUM", enum)
    problems = check([folders(text, root)])
    return [f"{problem.severity} {problem.rule} {problem.what.split(chr(39))[1::2]}" for problem in problems]


def test_a_warning_is_accepted_where_it_stands_and_nowhere_else(tmp_path: Path) -> None:
    assert found(tmp_path / "without") == ["warning deprecated ['OfIndex']", "warning deprecated ['OfCount']"]
    assert found(tmp_path / "with", accept=ACCEPT) == ["warning deprecated ['OfCount']"]


def test_an_error_is_not_accepted(tmp_path: Path) -> None:
    enum = ", enum: Kind, accept: [{rule: known-enum, reason: It will come.}]"
    told = found(tmp_path, accept=ACCEPT, enum=enum)
    assert told == ["warning deprecated ['OfCount']", "error known-enum ['Kind']", "error accepted []"]


@pytest.mark.parametrize("rule", ["variant-overlap", "unused"])
def test_another_rule_accepts_nothing(rule: str, tmp_path: Path) -> None:
    told = found(tmp_path, accept=ACCEPT.replace("deprecated", rule))
    assert sorted(told) == ["warning accepted []", "warning deprecated ['OfCount']", "warning deprecated ['OfIndex']"]


def plain(text: str) -> str:
    """The spec without what it warns of."""
    for part in ("ENUMS", "ACCEPT", "ENUM", ", enum: OfIndex", ", enum: OfCount"):
        text = text.replace(part, "")
    return text


def test_a_protocol_may_keep_a_name_that_spark_has(tmp_path: Path) -> None:
    text = plain(SPEC).replace("ping", "kafka", 1)
    assert [problem.rule for problem in check([folders(text, tmp_path / "without")])] == ["spark-format"]
    accept = "accept: [{rule: spark-format, reason: Not for Spark.}]\nbyte_order"
    assert check([folders(text.replace("byte_order", accept, 1), tmp_path / "with")]) == []


def test_a_record_accepts_what_is_said_of_its_proof(tmp_path: Path) -> None:
    text = """\
protocol: ping
byte_order: order
parameters: [{name: order, type: text, choices: [auto, big, little], default: auto}]
record:ACCEPT
  length: length
  proof: {valid: length < 0x10000}
  fields:
    - {name: length, type: u32, derive: size(record)}
    - {section: body, size: rest}
---
message: ping
match: {}
"""
    assert [problem.rule for problem in check([folders(text.replace("ACCEPT", ""), tmp_path / "without")])] == [
        "order-proof"
    ]
    accept = "\n  accept: [{rule: order-proof, reason: Neighbours tell it.}]"
    assert check([folders(text.replace("ACCEPT", accept), tmp_path / "with")]) == []


def test_what_a_library_accepts_is_accepted_for_whoever_imports_it(tmp_path: Path) -> None:
    library = (
        "---\nlibrary: shared\nENUMStypes:\n  - {name: Pair, fields: [{name: one, type: u8, enum: OfIndexACCEPT}]}\n"
    )
    text = (
        plain(SPEC)
        .replace("byte_order", "imports: [shared]\nbyte_order")
        .replace("- {name: count, type: u8}", "- include: Pair")
    )
    assert check([folders(text + library.replace("ENUMS", ENUMS).replace("ACCEPT", ACCEPT), tmp_path)]) == []


def documented(part: object) -> Iterator[int]:
    """Every mapping in a part of a spec that can say what it accepts, by its ``id``."""
    says_nothing = isinstance(part, Bits) and part.name is None
    if isinstance(part, Documented | Include) and not says_nothing:
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
    things = {id(getattr(thing, "written", thing)) for thing in resolve(spec).things}
    assert things == set(documented((*spec.shared, *spec.messages)))
