"""Whatever a spec's author writes into texts, numbers and bytes is a text, a number and bytes in generated code too."""

import ast
import json
from pathlib import Path

import pytest
from support import compiled
from support.cases import each

from compiler.strange_texts import STRANGE
from wireloom_generator import expressions
from wireloom_generator.emitters import columnar, enums, package, parsers, spark
from wireloom_generator.output import OutputFile
from wireloom_generator.python_code.pretty import call, docstring, literal, render, string
from wireloom_generator.reading import spec
from wireloom_generator.resolve import protocol_of, resolve

BYTES = """\
protocol: strange
byte_order: big
record:
  length: 16
  fields: [{section: body, size: rest}]
---
message: text
match: {}
sections:
  body:
    %s
    - {name: left, type: bytes, size: rest}
"""


def _emitted(text: str, root: Path) -> dict[str, OutputFile]:
    (one,), found = spec.load([compiled.folders(text, root)])
    assert not found
    protocol = protocol_of(resolve(one))
    emitters = (package.emit, enums.emit, parsers.emit, spark.emit, columnar.emit)
    return {file.path.name: file for emit in emitters for file in emit(protocol)}


@each("text", [*STRANGE, "".join(STRANGE)])
def test_a_text_is_the_same_in_code(text: str) -> None:
    assert string(text).isprintable()
    assert ast.literal_eval(string(text)) == text


@each("text", ["word " * 60 + text + " word" * 60 for text in STRANGE] + ["x" * 300, "x" * 300 + " y", "  " * 99])
def test_a_long_text_is_the_same_in_several_lines(text: str) -> None:
    code = render(call("f", "1", said=string(text)), indent=40)
    found = ast.parse(code, mode="eval").body
    assert isinstance(found, ast.Call)
    assert ast.literal_eval(found.keywords[0].value) == text
    assert max(map(len, code.splitlines())) <= max(120, 44 + max(map(len, string(text).split(" "))) + len('said="",'))


@pytest.mark.parametrize("value", [b"", b"'", b'"', b"'\"\\\r\n\0", bytes(range(256)), 1, -1.5, True, None, "\r"])
def test_a_value_is_the_same_in_code(value: int | float | str | bytes | None) -> None:
    assert ast.literal_eval(literal(value)) == value


def test_numbers_that_are_not_finite_are_calls() -> None:
    assert [literal(float(text)) for text in ("inf", "-inf")] == ['float("inf")', 'float("-inf")']


@pytest.mark.parametrize("indent", [0, 4])
@each("text", [*STRANGE, *("word " * 40 + text for text in STRANGE), "x" * 117 + "\\" * 9])
def test_a_docstring_says_the_same_in_other_lines(text: str, indent: int) -> None:
    code = f"class A:\n{docstring(text, indent=4)}" if indent else docstring(text)
    body = ast.parse(code).body[0]
    found = ast.get_docstring(body) if isinstance(body, ast.ClassDef) else ast.get_docstring(ast.parse(code))
    assert found is not None
    assert found.split() == text.split() or found.strip() == text.strip()


@each("text", STRANGE)
def test_texts_of_expressions_are_compared_as_they_are(text: str) -> None:
    condition = json.dumps(f"s == {text!r}")
    found = compiled.of(BYTES % f'- {{name: s, type: text, size: "{len(text.encode())}", valid: {condition}}}')
    data = text.encode().ljust(16, b"-")
    assert found.codec.parse(data)["text"]["s"] == text
    with pytest.raises(ValueError, match="invalid"):
        found.codec.parse(b"x" * 16)


@pytest.mark.parametrize("byte", ["22", "27", "5c", "0a", "0d"])
def test_bytes_of_any_value_can_be_constant(byte: str) -> None:
    found = compiled.of(BYTES % f'- {{name: mark, type: bytes, size: 1, const: "{byte}"}}')
    data = bytes.fromhex(byte).ljust(16, b"-")
    assert found.codec.build(found.codec.parse(data)) == data
    with pytest.raises(ValueError, match="const"):
        found.codec.parse(b"x" * 16)


@pytest.mark.parametrize("byte", ["22", "27", "5c", "0a", "0d"])
def test_bytes_of_any_value_can_terminate(byte: str) -> None:
    found = compiled.of(BYTES % f'- {{name: line, type: bytes, until: "{byte}"}}')
    data = (b"abc" + bytes.fromhex(byte)).ljust(16, b"-")
    assert found.codec.parse(data)["text"]["line"] == b"abc"


@pytest.mark.parametrize(
    "doc", [*STRANGE, 'A 5" disk', '"', 'A disk of 5"', 'import os; Int32ub("x"); Pad(1) DoubleType()']
)
def test_docs_are_only_docs(doc: str, tmp_path: Path) -> None:
    quoted = json.dumps(doc)
    text = f"""\
protocol: strange
title: {quoted}
doc: {quoted}
byte_order: big
enums:
  - {{name: Kind, doc: {quoted}, values: [{{name: One, value: 1, doc: {quoted}}}]}}
flags:
  - {{name: Marks, doc: {quoted}, values: [{{name: First, value: 1, doc: {quoted}}}]}}
types:
  - {{name: Item, doc: {quoted}, fields: [{{name: marks, type: u8, flags: Marks, doc: {quoted}}}]}}
record:
  length: 2
  fields:
    - {{name: kind, type: u8, enum: Kind, doc: {quoted}}}
    - {{section: body, size: rest}}
---
message: text
doc: {quoted}
match: {{}}
sections:
  body:
    - {{name: item, type: Item, doc: {quoted}}}
"""
    for name, file in _emitted(text, tmp_path).items():
        compile(file.text, name, "exec")
    parsed = _emitted(text, tmp_path)["parsers.py"].text
    assert "from construct import Int8ub\n" in parsed
    assert (
        "from wireloom.codec import Field, Framing, Layout, Lengths, Message, Protocol, Record, Rest, Slot\n" in parsed
    )
    assert "from .enums import Kind, Marks\n" in parsed
    assert "DoubleType,\n" not in _emitted(text, tmp_path)["spark.py"].text


def test_offsets_anywhere_in_the_coveredof_a_proof_are_numbers() -> None:
    text = compiled.FEATURES["proof_resync"].read_text(encoding="utf-8")
    text = text.replace("from: 0, to: 3", 'from: "min(offset(magic), 100)", to: "max(-(-offset(head_check)), 1)"')
    found = compiled.of(text)
    assert compiled.failures(found) == []
    (lengths,) = found.protocol.lengths
    assert lengths.checksum is not None
    covered = lengths.checksum[1].alone
    assert covered is not None
    asked = [expressions.measured(end.expression) for end in (covered.start, covered.end)]
    assert asked == [(), ()]


def test_what_messages_share_is_one_object() -> None:
    found = compiled.feature("variants_shared")
    first, second = (found.codec.messages[name] for name in ("first", "second"))
    assert first.variants[0] is second.variants[1]
    shared = [variant for message in found.protocol.messages for variant in message.variants if variant.shared]
    assert [variant.doc.text for variant in shared] == ["It was refused.", "Odd numbers are refused."]


def test_a_shared_variant_is_described_as_its_declaration_says() -> None:
    text = compiled.FEATURES["variants_shared"].read_text(encoding="utf-8")
    text = text.replace("{name: refused, shared: true}", "{name: refused, shared: true, doc: It cannot be.}")
    (file,) = parsers.emit(compiled.of(text).protocol)
    body = ast.parse(file.text).body
    names = [ast.unparse(node.targets[0]) if isinstance(node, ast.Assign) else "" for node in body]
    said = body[names.index("REFUSED_VARIANT") + 1]
    assert isinstance(said, ast.Expr)
    assert ast.literal_eval(said.value) == "It was refused."
