"""The canonical form of spec files: what it looks like, that it is stable, and that it keeps values and comments."""

from pathlib import Path
from random import Random
from textwrap import dedent

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from support.paths import ROOT

from wireloom_generator.formatting import FormatError, files_in, formatted
from wireloom_generator.problems import Problem

HERE = Path("spec.yaml")
FILES = [path for folder in ("specs", "examples") for path in files_in(ROOT / folder)]
FRAGMENTS = [
    text
    for path in sorted((ROOT / "tests/language").rglob("*.yaml"))
    for text in path.read_text(encoding="utf-8").split("\n---\n")
    if len(text) < 4000
]
STRANGE = [
    "", "yes", "~", "0x10", "1e3", "006b", "12:30", "a: b", "a #b", "- a", "[", "'", '"', "it's", 'say "x"', "*a", "&a",
    "a, b", "\x85", "\u2028", "é", "\\", " a", "a ", "a\nb", "a\n\nb\n", "1_000", ".inf",
    "word " * 30 + "end", "x" * 300,
]  # fmt: skip
values = st.recursive(
    st.one_of(st.sampled_from(STRANGE), st.integers(), st.booleans(), st.none()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.sampled_from(STRANGE[2:14]), inner)),
    max_leaves=12,
)


def form(text: str) -> str:
    return formatted(dedent(text), HERE)


def form_or_reason(text: str) -> str | Problem:
    try:
        return formatted(text, HERE)
    except FormatError as error:
        return error.problem


def comments(text: str) -> list[str]:
    return sorted(part for part in text.split() if part.startswith("#"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_files_of_this_repository_are_in_canonical_form(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert formatted(text, path) == text, f"run: wireloom fmt {path}"


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("a:   1", "a: 1"),
        ("a: 0x1F\nb: 1_000\nc: 1.50\nd: True\ne: ~", "a: 0x1F\nb: 1_000\nc: 1.50\nd: True\ne: ~"),
        ('a: "x"\nb: \'y z\'\nc: "a, b"', "a: x\nb: y z\nc: a, b"),
        ("a: {b: 'x, y', c: \"z\"}", 'a: {b: "x, y", c: z}'),
        ('a: "7.2"\nb: "00ff"\nc: "true"\nd: "x: y"', 'a: "7.2"\nb: "00ff"\nc: "true"\nd: "x: y"'),
        ("a: 1e-7\nb: 00ff", "a: 1e-7\nb: 00ff"),
        ('a: "{\\"b\\": 1}"\nc: "it\'s \\"x\\""', "a: '{\"b\": 1}'\nc: it's \"x\""),
        ("a: {   b : 1,c: 2   }", "a: {b: 1, c: 2}"),
        ("a:\n- b: 1\n  c: 2\n-   d: 3", "a:\n  - b: 1\n    c: 2\n  - d: 3"),
        ("a:\n    b:\n        c: 1", "a:\n  b:\n    c: 1"),
        ("a:\n\n\n  b: 1\n\n\n\n  c: 2\n\n\n", "a:\n  b: 1\n\n  c: 2"),
        ("a: x\n  y\n  z", "a: x y z"),
        ("a: >-\n  x\n  y", "a: x y"),
        ("a: >-\n  x: y\n  z", "a: >-\n  x: y\n  z"),
        ("a: >\n  x\n  y\n", "a: >\n  x\n  y"),
        ("a: |\n    x  # no comment\n      y\n\nb: |-\n  z", "a: |\n  x  # no comment\n    y\n\nb: |-\n  z"),
        ("a: |3\n    x\n   y\n", "a: |2\n   x\n  y"),
        ("a: &b {c: 1}\nd: *b\ne: !!str 5", "a: &b {c: 1}\nd: *b\ne: !!str 5"),
        ("a: []\nb: {}\nc:", "a: []\nb: {}\nc:"),
    ],
)  # fmt: skip
def test_one_way_to_write_it(given: str, wanted: str) -> None:
    assert form(given) == f"{wanted}\n"


def test_comments_stay_where_they_are() -> None:
    text = """\
        # head

        a: 1 # beside
        # above b
        b: # of b
          # above the item
          - x: 1 # beside x
            # below x

            # below that
          # below the items
        c: >- # of the text
          words
          and: words
        # foot
        """
    assert form(text) == dedent(text)
    assert form("a:    1    # beside\n\n\n\n# foot\n\n") == "a: 1 # beside\n\n# foot\n"
    assert form("a:\n      # far\n   - b\n # near\n   - c\n") == "a:\n  # far\n  - b\n  # near\n  - c\n"


def test_brackets_with_comments_in_them_become_lines() -> None:
    text = "a: {b: 1, # one\n    # two\n    c: [x, # of x\n        y]}\n"
    assert form(text) == "a:\n  b: 1 # one\n  # two\n  c:\n    - x # of x\n    - y\n"


def test_what_is_too_long_for_a_line_gets_several() -> None:
    words = " ".join(["word"] * 30)
    assert form(f"a: {words}") == f"a: >-\n  {words[:114]}\n  {words[115:]}\n"
    field = f"{{name: x, type: u8, doc: {words[:99]}}}"
    assert form(f"a:\n  - {field}") == f"a:\n  - name: x\n    type: u8\n    doc: {words[:99]}\n"
    assert form(f"a: [{field}]") == f"a:\n  - name: x\n    type: u8\n    doc: {words[:99]}\n"
    assert form(f"a: '{'f' * 130}'") == f'a: "\\\n  {"f" * 117}\\\n  {"f" * 13}"\n'


def test_long_lists_of_names_stay_in_the_rows_of_their_author() -> None:
    names = [f"name_{number:02}" for number in range(16)]
    rows = f"a:\n  [x, y,\n   {', '.join(names[:8])},\n   {', '.join(names[8:])}]\n"
    assert form(rows) == rows
    full = f"a:\n  [{', '.join(names[:13])},\n   {', '.join(names[13:])}]\n"
    assert form(f"a: [{', '.join(names)}]") == full
    assert form("a:\n  [x,\n   y]\n") == "a: [x, y]\n"


def test_decoded_values_stay_in_brackets() -> None:
    pairs = [f"name_{number}: {number}" for number in range(12)]
    long = f"decoded: {{{', '.join(pairs)}}}\n"
    assert form(long) == f"decoded:\n  {{{', '.join(pairs[:10])},\n   {', '.join(pairs[10:])}}}\n"
    broken = f"decoded:\n  {{{', '.join(pairs[:4])}, name_4:\n   4}}\n"
    assert form(broken) == f"decoded: {{{', '.join(pairs[:5])}}}\n"


def test_columns_stay_columns() -> None:
    text = """\
        a:
          - {key: version,   field: version}
          - {key: magicByte, field: magic,      as: signed}
          - {key: keyBytes,  field: key_bytes,             omit: absent}
          - {key: valueEnc,  const: JSON}
          - {key: total,     field: total_size, as: label, omit: absent}
        b:
          - {key: x, value: 1}
          - {key: long, value: 2}
        """
    assert form(text) == dedent(text)
    renamed = dedent(text).replace("version,  ", "the_version,  ")
    assert form(renamed).splitlines()[1:3] == [
        "  - {key: the_version, field: version}",
        "  - {key: magicByte,   field: magic,      as: signed}",
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a: [1\nb: 2", "spec.yaml:1:4: error[yaml]: this bracket is not closed"),
        ("a: 1\na: 2", "spec.yaml:2:1: error[duplicate-key]: 'a' is already given in line 1"),
        ("- a", "spec.yaml:1:1: error[wrong-type]: a mapping expected"),
        ("%YAML 1.1\n---\na: 1", "spec.yaml:1:1: error[format]: a spec has no directives, such as %YAML"),
        ("? [a]\n: 1", "spec.yaml:1:3: error[wrong-type]: a key must be a name"),
        ("? |\n  a\n: 1", "spec.yaml:1:3: error[format]: a key must be a name"),
        ("a: 1\nb: 'x\u2028'", "spec.yaml:2:6: error[format]: a line break of its own kind, U+2028"),
    ],
)
def test_what_has_no_canonical_form_is_refused(text: str, reason: str) -> None:
    with pytest.raises(FormatError) as caught:
        formatted(text, HERE)
    assert str(caught.value).startswith(reason)


@given(values.map(lambda value: {"a": value}), st.sampled_from([None, True, False]), st.sampled_from(["", '"', "'"]))
def test_values_stay_what_they_are(document: object, flow: bool | None, style: str) -> None:
    text = yaml.safe_dump(document, default_flow_style=flow, default_style=style or None)
    found = form_or_reason(text)
    if isinstance(found, Problem):
        assert found.what == "a key must be a name" or "line break" in found.what
    else:
        assert yaml.safe_load(found) == document
        assert formatted(found, HERE) == found


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(300))
def test_comments_and_line_breaks_anywhere_are_kept_or_leave_the_file_alone(seed: int) -> None:
    random = Random(seed)
    lines = random.choice(FRAGMENTS).split("\n")
    for number in range(random.randrange(1, 8)):
        at = random.randrange(len(lines))
        comma = lines[at].find(", ")
        match random.randrange(4):
            case 0:
                lines.insert(at, f"{' ' * random.randrange(9)}#above{number}")
            case 1:
                lines[at] += f"  #beside{number}"
            case 2:
                lines.insert(at, "")
            case _ if comma > 0:
                lines[at : at + 1] = [
                    f"{lines[at][: comma + 1]} #inside{number}",
                    f"{' ' * 20}{lines[at][comma + 2 :]}",
                ]
    text = "\n".join(lines)
    found = form_or_reason(text)
    if isinstance(found, Problem):
        assert found.rule != "format"
    else:
        assert yaml.safe_load(found) == yaml.safe_load(text)
        assert comments(found) == comments(text)
        assert formatted(found, HERE) == found
