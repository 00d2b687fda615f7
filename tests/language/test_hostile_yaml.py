"""Spec files that mean harm, or that YAML does not read as they are meant: each is refused in a sentence, soon, and
without a traceback.
"""

import os
from pathlib import Path

import pytest

from wireloom_generator.reading import source

BOMB = "\n".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}' if n else 'x'] * 9)}]" for n in range(9))

DEEP = "more than 100 lists and mappings inside each other"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("title: " + "[" * 3000 + "]" * 3000, DEEP),
        ("title: " + "[" * 25_000, DEEP),
        ("title: " + "{a: " * 300 + "1" + "}" * 300, DEEP),
        ("\n".join("  " * depth + "a:" for depth in range(2500)), DEEP),
        ("title: &x [*x]", "nested too deeply"),
        (BOMB, "not YAML: more than 200000 values, each counted as often as it is repeated"),
        ("a:\n\tb: 1", "found character that cannot start any token"),
        ("- 1", "a mapping expected"),
        ("\0", "not YAML: unacceptable character #x0000: control characters are not allowed"),
    ],
    ids=[
        "lists",
        "open lists",
        "mappings",
        "blocks",
        "a loop",
        "a bomb of aliases",
        "a tab",
        "a list",
        "a NUL",
    ],
)
def test_is_refused(text: str, what: str, tmp_path: Path) -> None:
    path = tmp_path / "protocol.yaml"
    path.write_text(text, encoding="utf-8")
    node, (problem,) = source.read(path, path)
    assert node is None
    assert problem.what == what


def test_more_values_than_anybody_writes_are_refused_before_they_are_loaded(tmp_path: Path) -> None:
    path = tmp_path / "protocol.yaml"
    path.write_text("values:\n" + "- {name: A, value: 1}\n" * 50_000 + "- [never closed", encoding="utf-8")
    node, (problem,) = source.read(path, path)
    assert node is None
    assert (problem.what, problem.location.line) == ("more than 200000 values", 40_001)


def test_aliases_are_read(tmp_path: Path) -> None:
    path = tmp_path / "protocol.yaml"
    path.write_text("a: &a [1, 2]\nb: *a\n")
    node, problems = source.read(path, path)
    assert node is not None
    assert problems == []
    assert node.entries[0][1] == node.entries[1][1]


def test_a_number_that_nothing_holds_is_text(tmp_path: Path) -> None:
    path = tmp_path / "protocol.yaml"
    path.write_text(f"a: {'9' * 5000}\nb: 0x{'f' * 5000}\n")
    node, _ = source.read(path, path)
    assert node is not None
    assert [value.kind for _, value in node.entries if isinstance(value, source.YamlScalar)] == ["str", "str"]


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "protocol.yaml"
    os.mkfifo(path)
    assert source.read(path, path)[1][0].what == "not a file"


@pytest.mark.parametrize(
    ("text", "place", "hint"),
    [
        ("{a: x,\n b: y: z}", (2, 6), "': '"),
        ("{a: it's #1, b: y}\nc: d", (1, 10), "' #'"),
        ("{a: 'the #1', b: y #2}\nc: d", (1, 20), "' #'"),
        ("{a: 1, # a comment\n b: x: y}", (2, 6), "': '"),
        ("a: x: y", (1, 5), "': '"),
        ("a:\n  - {b: 1, c: {d}\n  - {b: 2}", (2, 5), ""),
        ('{a: "b}\nc: d', (1, 5), ""),
        ('{a: "b" c}', (1, 9), "in quotes"),
        ('a: "b" c', (1, 8), "in quotes"),
        ("{a: b in [1, 2]}", (1, 10), "brackets"),
        ("a: %d", (1, 4), "%"),
        ("a: *x", (1, 4), "*"),
        ("a: &x y", (1, 4), "&"),
        ("a: !x y", (1, 4), "!"),
        ("a: !!python/name:x y", (1, 4), "!"),
        ("a: - x", (1, 4), "-"),
        ("a: | x", (1, 6), "|"),
        ('a: "\\d"', (1, 5), "backslash"),
        ("a: 1\n---\nb: 2", (2, 1), "a file of its own"),
    ],
)
def test_what_yaml_reads_otherwise_is_told_where_it_stands(
    text: str, place: tuple[int, int], hint: str, tmp_path: Path
) -> None:
    path = tmp_path / "protocol.yaml"
    path.write_text(text, encoding="utf-8")
    _, problems = source.read(path, path)
    assert [(problem.location.line, problem.location.column) for problem in problems] == [place]
    assert hint in problems[0].hint
