"""The plans of small specs: what many records are decoded by, as text."""

from pathlib import Path

import compiled
import pytest

from wireloom_generator.emitters import columnar
from wireloom_generator.reading import spec
from wireloom_generator.resolve import lower

RECORD = """\
protocol: small
byte_order: %s
record:
  length: length
  fields:
    - {name: length, type: u8, derive: size(record)}
    - {section: body, size: rest}
---
message: note
match: {}
"""


def emitted(text: str, root: Path) -> str:
    """The plan of a spec, from its record on."""
    (one,), found = spec.load([compiled.folders(text, root)])
    assert not found
    (file,) = columnar.emit(lower(one))
    start = file.text.index("RECORD = ")
    return file.text[start : file.text.index("\n\narrow_schema = ", start)]


def parts(fields: str, root: Path) -> str:
    """What the fields of a message become, less the indentation."""
    text = emitted(RECORD % "big" + "sections:\n  body:\n" + fields + "    - {pad: 99}\n" * 9, root)
    start = text.index('"body": plan.Layout(')
    found = text[start : text.index(" " * 20 + "plan.Pad(99)", start)]
    return "\n".join(line.removeprefix(" " * 20) for line in found.splitlines()[1:]) + "\n"


FIELDS = {
    "numbers": (
        """\
    - {name: a, type: u16}
    - {name: b, type: i24}
    - {name: c, type: f64, byte_order: little}
    - {name: d, type: bool, const: true}
    - {name: e, type: u8, valid: e < 3}
""",
        """\
plan.Field("a", ">u2"),
plan.Field("b", ">i3"),
plan.Field("c", "<f8"),
plan.Field("d", "?", const=True),
plan.Field("e", "u1", valid="e < 3"),
""",
    ),
    "texts": (
        """\
    - {name: size, type: u8, derive: size(word)}
    - {name: word, type: text, size: size}
    - {name: line, type: bytes, until: "0d0a"}
    - {name: last, type: text, prefix: leb128_u32}
""",
        r"""plan.Field("size", "u1", derive="size(word)"),
plan.Named("word", plan.Text(plan.Size("size")), located=True),
plan.Named("line", plan.Blob(plan.Until(b"\r\n"))),
plan.Named("last", plan.Text(plan.Prefixed(plan.Leb128(32)))),
""",
    ),
    "conditions": (
        """\
    - {name: kind, type: u8}
    - {name: more, type: u8, when: "kind in [1, 2]"}
    - choice:
        - {when: more == 1, fields: [{name: x, type: u8}]}
        - {fields: [{name: x, type: u16}]}
    - {name: tail, type: u8, optional: true}
    - {name: sum, compute: "kind + (more if present(more) else 0)", type: u16}
""",
        """\
plan.Field("kind", "u1"),
plan.When("kind in [1, 2]", plan.Field("more", "u1", located=True)),
plan.Choice(plan.When("more == 1", plan.Field("x", "u1")), plan.Layout(plan.Field("x", ">u2"))),
plan.Optional(plan.Field("tail", "u1")),
plan.Compute("sum", "kind + (more if present(more) else 0)", "int"),
""",
    ),
    "lists": (
        """\
    - {name: count, type: u8}
    - {name: numbers, type: u16, repeat: {count: count}}
    - {name: words, type: text, prefix: u8, repeat: rest}
""",
        """\
plan.Field("count", "u1"),
plan.Named("numbers", plan.Repeat(plan.Number(">u2"), count="count", weight=4)),
plan.Named("words", plan.Repeat(plan.Text(plan.Prefixed(plan.Number("u1"))), weight=5)),
""",
    ),
    "sections": (
        """\
    - {name: size, type: u8}
    - section: inner
      size: size
      trailing: left
      fields: [{name: x, type: u8}]
    - {pad: 1}
    - {align: 4}
    - bits: u8
      fields: [{name: high, width: 7}, {name: low, width: 1, type: bool}]
""",
        """\
plan.Field("size", "u1"),
plan.Section("inner", plan.Size("size"), plan.Field("x", "u1"), trailing="left"),
plan.Pad(1),
plan.Pad(align=4),
plan.Bits("u1", plan.Bit("high", 7), plan.Bit("low", 1, boolean=True)),
""",
    ),
    "left to the codec": (
        """\
    - {name: word, type: text, size: 1, encoding: latin-1}
    - {name: said, compute: word, type: text}
    - {name: number, type: u8, when: "word == 'a'"}
""",
        """\
plan.Fallback(),
plan.Fallback(),
plan.Fallback(),
""",
    ),
}
"""Fields of a message, and what they become."""


@pytest.mark.parametrize(("fields", "expected"), FIELDS.values(), ids=FIELDS)
def test_fields(fields: str, expected: str, tmp_path: Path) -> None:
    assert parts(fields, tmp_path) == expected


def test_a_plan_as_a_whole(tmp_path: Path) -> None:
    variants = """\
sections:
  body: [{name: kind, type: u8}]
variants:
  - {name: one, when: kind == 1, sections: {body: [{name: number, type: u32}]}}
  - {name: other, sections: {body: [{name: rest, type: bytes, size: rest}]}}
"""
    assert (
        emitted(RECORD % "little" + variants, tmp_path)
        == """\
RECORD = plan.Record(plan.Field("length", "u1", derive="size(record)"), plan.Slot("body", plan.Rest()))

PLAN = plan.Plan(
    record=RECORD,
    messages=(
        plan.Message(
            "note",
            RECORD,
            match={},
            sections={"body": plan.Layout(plan.Field("kind", "u1"))},
            variants=(
                plan.Variant("one", "kind == 1", {"body": plan.Layout(plan.Field("number", "<u4"))}),
                plan.Variant("other", None, {"body": plan.Layout(plan.Named("rest", plan.Blob(plan.Rest())))}),
            ),
        ),
    ),
    framing=plan.Framing(plan.Lengths(("length", 0, "u1"), length="length", linear=(0, {"length": 1}))),
)"""
    )


def test_parameters_are_the_same_for_all_rows(tmp_path: Path) -> None:
    text = RECORD % "big" + "sections: {body: [{name: left, type: bytes, size: rest}]}"
    text = text.replace(
        "record:", "parameters: [{name: dialect, type: text, choices: [old, new], default: new}]\nrecord:"
    )
    text = text.replace("length: length", "length: \"length if dialect == 'new' else length + 1\"")
    assert "length if parameters.dialect == 'new' else length + 1" in emitted(text, tmp_path)
