"""How specs are written: each text means what was given, and looks as if a person had written it."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from wireloom_generator.problems import Location
from wireloom_generator.spec_text import Hex, Noted, YamlValue, scalar, written

STRANGE = [
    "", "yes", "~", "0x10", "a: b", "a #b", "- a", "[", "{", "'", '"', "*a", "&a", "!a", "%", "@", "`", "2024-01-01",
    "a,b", "a, b", "\x00", "\x85", "\u2028", "\ufeff", "é", "😀", "\\", " a", "a ", "a\nb", "1_000", "1:30", ".inf",
]  # fmt: skip
long = st.text(max_size=200).filter(lambda text: text.isprintable() or len(text) < 9)
texts = st.one_of(st.sampled_from(STRANGE), long)
texts = texts.filter(lambda text: not any("\ud800" <= char <= "\udfff" for char in text))
values = st.recursive(
    st.one_of(texts, st.integers(), st.booleans(), st.integers(min_value=0).map(Hex)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)),
    max_leaves=20,
)


@given(st.dictionaries(texts, values, min_size=1))
def test_what_is_written_reads_as_it_was_given(document: dict[str, YamlValue]) -> None:
    assert yaml.safe_load(str(written(document))) == document


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3, "3"), (Hex(255), "0xff"), (True, "true"), (1.5, "1.5"), ("u16", "u16"),
        ("size(body) + 4", "size(body) + 4"), ("true", '"true"'), ("00", '"00"'), ("a == 'x: y'", "\"a == 'x: y'\""),
        ("x in [1, 2]", '"x in [1, 2]"'),
        ("\x07", '"\\x07"'), ("", '""'),
    ],
)  # fmt: skip
def test_single_values_are_quoted_only_if_they_must_be(value: YamlValue, text: str) -> None:
    assert scalar(value) == text


def test_what_fits_is_on_one_line_and_structs_are_blocks() -> None:
    at = Location(Path("a.ksy"), 7, 3)
    field: YamlValue = Noted(
        {"name": "data", "type": "bytes", "size": "rest"}, "TODO: process has no\x1bcounterpart\nSee there.", at
    )
    document: dict[str, YamlValue] = {
        "protocol": "sensor",
        "doc": " ".join(["word"] * 40),
        "types": [{"name": "Point", "fields": [{"name": "x", "type": "u8"}, {"name": "y", "type": "u8"}]}],
        "record": {
            "length": "rest",
            "fields": [{"name": "kind", "type": "u8"}, field, {"choice": [{"when": "kind == 1", "fields": [field]}]}],
        },
    }
    text = written(document, head="head")
    assert str(text) == (
        "# head\n"
        "protocol: sensor\n"
        "doc: >-\n"
        f"  {' '.join(['word'] * 23)}\n"
        f"  {' '.join(['word'] * 17)}\n"
        "types:\n"
        "  - name: Point\n"
        "    fields:\n"
        "      - {name: x, type: u8}\n"
        "      - {name: y, type: u8}\n"
        "record:\n"
        "  length: rest\n"
        "  fields:\n"
        "    - {name: kind, type: u8}\n"
        "    # TODO: process has no counterpart\n"
        "    # See there.\n"
        "    - {name: data, type: bytes, size: rest}\n"
        "    - choice:\n"
        "        - when: kind == 1\n"
        "          fields:\n"
        "            # TODO: process has no counterpart\n"
        "            # See there.\n"
        "            - {name: data, type: bytes, size: rest}\n"
    )
    assert [text.origin(line) for line in (2, 14, 15, 17, 18)] == [None, None, at, at, None]


def test_the_innermost_place_counts() -> None:
    outer, inner = Location(Path("a"), 1, 1), Location(Path("a"), 2, 1)
    fields: YamlValue = [Noted({"name": "x", "type": "u8"}, at=inner), {"name": "y", "type": "u8"}]
    text = written({"types": [Noted({"name": "T", "fields": fields}, at=outer)]})
    assert [text.origin(line) for line in range(1, 6)] == [None, outer, outer, inner, outer]


def test_on_one_line_the_innermost_place_counts_as_well() -> None:
    outer, inner = Location(Path("a"), 1, 1), Location(Path("a"), 2, 1)
    text = written({"types": [Noted({"name": "T", "fields": [Noted({"name": "x"}, at=inner)]}, at=outer)]})
    assert text.lines == ["types:", "  - name: T", "    fields: [{name: x}]"]
    assert [text.origin(line) for line in (2, 3)] == [outer, inner]


def test_what_may_stand_instead_is_a_comment_that_is_yaml() -> None:
    inner: YamlValue = Noted({"x": 1}, "One.", instead={"b": [{"x": 2, "y": [{"z": 3}]}]})
    text = str(written({"a": [Noted("x", "Or:", instead=["y", "z"])], "b": inner}))
    assert text == ("a:\n  # Or:\n  # - y\n  # - z\n  - x\n# One.\n# b:\n#   - x: 2\n#     y: [{z: 3}]\nb: {x: 1}\n")
