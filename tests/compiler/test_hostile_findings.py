"""What is told of specs with control characters in them harms no terminal."""

import json
from pathlib import Path

import pytest
from attack.texts import HARM, TEXTS
from support.agreement import check_outputs as check_specs
from support.documents import dumped, loaded

from compiler.text_places import Place, Tree, written
from wireloom.cli.findings import ReportFormat, drawing, report
from wireloom_generator import frontend
from wireloom_generator.problems import Problem, Severity

pytestmark = pytest.mark.xdist_group("hostile texts")

WORDS: list[Place] = [
    ("protocol", "protocol"), ("protocol", "byte_order"), ("protocol", "imports", 0), ("protocol", "enums", 0, "name"),
    ("protocol", "enums", 0, "values", 0, "name"), ("protocol", "flags", 0, "values", 0, "name"),
    ("protocol", "types", 0, "name"), ("protocol", "tables", 0, "fields", 0, "name"), ("library", "library"),
    ("protocol", "parameters", 0, "name"), ("protocol", "record", "length"), ("message", "message"),
    ("protocol", "record", "fields", 0, "name"), ("protocol", "record", "fields", 1, "derive"),
    ("protocol", "record", "fields", 2, "section"), ("protocol", "record", "fields", 2, "trailing"),
    ("message", "sections", "body", 0, "name"), ("message", "sections", "body", 0, "type"),
    ("message", "sections", "body", 0, "enum"), ("message", "sections", "body", 2, "flags"),
    ("message", "variants", 0, "name"), ("message", "variants", 0, "when"), ("message", "forms", 0, "name"),
    ("message", "variants", 1, "sections", "body", 0, "raw"), ("message", "forms", 0, "style"),
    ("message", "examples", 0, "hex"), ("message", "examples", 0, "malformed"),
]  # fmt: skip
"""Where something else than a text is meant."""
CONTROLS = "".join(TEXTS[name] for name in ("all line ends", "an escape sequence", "other directions", "a NUL"))


def replaced(tree: Tree, place: Place, text: str) -> None:
    *outer, last = place
    for step in outer:
        tree = tree[step]  # type: ignore[index]
    tree[last] = text  # type: ignore[index]


@pytest.fixture(scope="module")
def misspelt(tmp_path_factory: pytest.TempPathFactory) -> dict[Place, list[Problem]]:
    """What is wrong with a spec for each of those places, with control characters there."""
    root, found = tmp_path_factory.mktemp("misspelt"), {}
    for number, place in enumerate(WORDS):
        folder = written({}, root / str(number))
        kind = {"message": "parcel"}.get(str(place[0]), str(place[0]))
        path = (folder.parent / "drawing" if kind == "library" else folder) / f"{kind}.yaml"
        tree = loaded(path.read_text(encoding="utf-8"))
        replaced(tree, place[1:], CONTROLS)
        path.write_text(dumped(tree), encoding="utf-8")
        found[place] = check_specs([folder])
    return found


@pytest.mark.parametrize("format", ReportFormat)
def test_what_is_told_of_it_harms_no_terminal(
    format: ReportFormat, misspelt: dict[Place, list[Problem]], capsys: pytest.CaptureFixture[str]
) -> None:
    for place, problems in misspelt.items():
        assert any(problem.severity is Severity.ERROR for problem in problems), place
        report(problems, format)
        told = capsys.readouterr()
        assert not HARM.search(told.out + told.err), place
        if format is ReportFormat.JSON:
            assert json.loads(told.out)


def test_a_source_line_on_a_terminal_is_harmless(tmp_path: Path) -> None:
    path = tmp_path / "specs" / "post" / "protocol.yaml"
    path.parent.mkdir(parents=True)
    path.write_text("protocol: post # \u202e \x9b \x85 \u2066\n", encoding="utf-8")
    _, problems = frontend.read([path.parent])
    lines = path.read_text(encoding="utf-8").split("\n")
    assert problems
    for problem in problems:
        assert not HARM.search(drawing(problem, lines, 80).plain)
