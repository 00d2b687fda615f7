"""Texts of specs and names of folders that mean harm: in all that is made of them they are texts, and nothing more."""

import ast
import importlib
import json
import os
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from attack.texts import ALL, HARM, TEXTS
from click.testing import CliRunner
from markdown_it import MarkdownIt
from support.cases import each
from support.documents import dumped, loaded
from support.paths import ROOT

from wireloom.cli import app
from wireloom.cli.findings import ReportFormat, drawing, report
from wireloom_generator import emitted_code, emitters, examples, explained, frontend
from wireloom_generator.emitters import Destination, Subject
from wireloom_generator.emitters.docs.markdown import cell, code, phrase, prose
from wireloom_generator.generate import check_outputs as check_specs
from wireloom_generator.generate import outputs
from wireloom_generator.output import OutputFile
from wireloom_generator.problems import Problem, Severity
from wireloom_generator.resolve import protocol_of

pytestmark = pytest.mark.xdist_group("hostile texts")

SITE = ROOT / "docs" / "site"

Tree = dict[str, "Tree"] | list["Tree"] | str | int | bool
Place = tuple[str | int, ...]

T = "TEXT"
L: Any = ("label",)
"""A text in one line without characters that are not seen, as labels must be."""
DOC: dict[str, Tree] = {
    "doc": T, "since": T, "deprecated": {"since": T},
    "source": {"document": T, "section": T, "revision": T}, "erratum": [T, T],
}  # fmt: skip
FILES: dict[str, Tree] = {
    "library": {
        "library": "drawing", "title": T, **DOC,
        "enums": [{"name": "Color", **DOC, "values": [{"name": "Red", "value": 1, "label": L, **DOC}]}],
    },
    "protocol": {
        "protocol": "post", "title": T, **DOC, "byte_order": "big", "imports": ["drawing"],
        "parameters": [{"name": "dialect", "type": "text", "choices": [T, "old"], "default": T, **DOC}],
        "enums": [
            {"name": "Format", **DOC, "values": [{"name": "Small", "value": 1, **DOC},
                                               {"name": "Any", "from": 2, "to": 9, "label": L, **DOC}]},
        ],
        "flags": [{"name": "Option", **DOC, "values": [{"name": "Bold", "value": 1, "label": L, **DOC}]}],
        "types": [{"name": "Point", **DOC, "fields": [{"name": "x", "type": "u8", "unit": T, **DOC}]},
                  {"name": "Stamp", **DOC, "fields": [{"name": "at", "type": "u8", **DOC}]}],
        "tables": [{"name": "Shape", **DOC, "fields": [{"name": "sides", "type": "u8", "id": 0, **DOC}]}],
        "record": {
            **DOC, "length": "2 + size",
            "fields": [{"name": "kind", "type": "u8", **DOC},
                       {"name": "size", "type": "u8", "derive": "size(body)", "unit": T, **DOC},
                       {"section": "body", "size": "size", "trailing": "more", **DOC}],
        },
    },
    "message": {
        "message": "parcel", "title": T, **DOC, "match": {"kind": 7},
        "sections": {"body": [
            {"name": "size_of_it", "type": "u8", "enum": "Format", "unit": T, **DOC},
            {"name": "color", "type": "u8", "enum": "Color", **DOC},
            {"name": "options", "type": "u8", "flags": "Option", **DOC},
            {"name": "start", "type": "Point", **DOC},
            {"include": "Stamp", "accept": [{"rule": "deprecated", "reason": T}]},
            {"bits": "u8", "fields": [{"name": "high", "width": 4, **DOC}, {"name": "low", "width": 4, **DOC}]},
            {"name": "told", "type": "bool", "compute": ("expression", "dialect == %s"), **DOC},
            {"section": "inner", "size": 1, **DOC, "fields": [{"name": "one", "type": "u8", **DOC}]},
        ]},
        "variants": [
            {"name": "marked", "title": T, **DOC, "when": "color == 1",
             "sections": {"body": [{"name": "word", "type": "text", "prefix": "u8",
                                    "valid": ("expression", "word != %s"), **DOC}]}},
            {"name": "plain", "title": T, **DOC,
             "sections": {"body": [{"name": "shape", "type": "flatbuffers", "table": "Shape", "size": "rest",
                                    "raw": "shape_raw", **DOC}]}},
        ],
        "forms": [{"name": "json", "style": "json_lines", **DOC, "entries": [
            {"key": T, "field": "size_of_it", **DOC}, {"key": "constant", "const": T, **DOC}]}],
        "examples": [{"name": T, **DOC, "hex": "07 00", "malformed": "truncated", "parameters": {"dialect": T}}],
    },
}  # fmt: skip


def places(tree: Tree | tuple[str, ...], at: Place = ()) -> Iterator[Place]:
    """Where texts stand."""
    match tree:
        case dict():
            for key, inner in tree.items():
                yield from places(inner, (*at, key))
        case list():
            for index, inner in enumerate(tree):
                yield from places(inner, (*at, index))
        case str() if tree == T:
            yield at
        case tuple():
            yield at


def filled(tree: Tree | tuple[str, ...], texts: dict[Place, str], at: Place = ()) -> Tree:
    """The tree with texts in their places; where nothing is said, a word."""
    match tree:
        case dict():
            return {key: filled(inner, texts, (*at, key)) for key, inner in tree.items()}
        case list():
            return [filled(inner, texts, (*at, index)) for index, inner in enumerate(tree)]
        case str() if tree == T:
            return texts.get(at, "harmless")
        case (_, str() as text):
            return text % repr(texts.get(at, "harmless"))
        case ("label",):
            visible = "".join(char for char in texts.get(at, "harmless") if char.isprintable())
            return " ".join(visible.split()) or "unseen"
    return tree


ALL_PLACES = list(places(FILES))
ONE_VALUE = [
    place for place in ALL_PLACES if place[:2] == ("protocol", "parameters") and {"default", "choices"} & {*place}
]
ONE_VALUE += [place for place in ALL_PLACES if place[-1] in ("dialect", "compute")]
"""A default, what examples give, and what a parameter is compared with are among the choices."""


def written(texts: dict[Place, str], root: Path) -> Path:
    found = filled(FILES, texts)
    assert isinstance(found, dict)
    names = {"library": "drawing/library", "protocol": "post/protocol", "message": "post/parcel"}
    for kind, name in names.items():
        path = root / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dumped(found[kind]), encoding="utf-8")
    return root / "post"


def emitted(folder: Path) -> dict[str, OutputFile] | None:
    """The files that are written of the spec, by path; None if it is refused."""
    loaded, problems = frontend.read([folder])
    if any(problem.severity is Severity.ERROR for problem in problems):
        return None
    protocol = protocol_of(loaded[0])
    modules = emitters.modules(protocol)
    with examples.running(modules) as codec:
        subject = Subject(protocol, examples.run(protocol, codec)[0], explained.account(codec), protocol.name)
        others = [made for made in emitters.others({}, subject) if made.destination is not Destination.SPECS]
    return {made.file.path.as_posix(): made.file for made in (*modules, *others)}


@cache
def harmless() -> dict[str, OutputFile]:
    import tempfile

    with tempfile.TemporaryDirectory() as root:
        found = emitted(written({}, Path(root) / "specs"))
    assert found is not None
    return found


def shape(text: str) -> str:
    """Python without what its texts say."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
    return ast.dump(tree)


LUA_TEXT = re.compile(r'"(?:[^"\\\n]|\\[\\"]|\\\d{3})*"')
LUA_TEXTS = re.compile(rf"{LUA_TEXT.pattern}(?: \.\.\n *{LUA_TEXT.pattern})*")
"""A text, on several lines if it is long."""


def lua_shape(text: str) -> list[str]:
    """Lua without what its texts say, and without how long that makes its lines."""
    return re.findall(r"[^\s{},]+", LUA_TEXTS.sub("text", text))


def comments(text: str) -> int:
    return sum(token.type == tokenize.COMMENT for token in tokenize.generate_tokens(StringIO(text).readline))


class Elements(HTMLParser):
    """The elements of a page and their attributes, and where links lead."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: Counter[str] = Counter()
        self.text = ""
        self.comments = 0
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        shown = sorted((name, value) for name, value in attrs if name in self.told(tag))
        self.found[f"{tag} {sorted(name for name, _ in attrs)} {shown}"] += 1

    @staticmethod
    def told(tag: str) -> tuple[str, ...]:
        """The attributes whose values count; the ids of headings are made of their letters."""
        return ("href", "src", "class", "style", *(() if re.fullmatch(r"h\d", tag) else ("id",)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        self.comments += 1


FREE = {"p", "br", "code"}
"""Paragraphs, and code between backticks, may be more."""


def foreign(found: Elements, usual: Elements) -> dict[str, int]:
    kept = {name: count for name, count in found.found.items() if name.split(" [")[0] not in FREE or "[]" not in name}
    more = {name: count - usual.found[name] for name, count in kept.items() if count > usual.found[name]}
    return more | ({"comments": found.comments} if found.comments != usual.comments else {})


def github(text: str) -> Elements:
    return Elements(MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(text))


def site(text: str) -> Elements:
    markdown = pytest.importorskip("markdown")
    extensions = ["attr_list", "md_in_html", "tables", "toc", "pymdownx.highlight", "pymdownx.superfences"]
    return Elements(markdown.markdown(text, extensions=[*extensions, "pymdownx.inlinehilite"]))


def assert_only_texts(found: dict[str, OutputFile]) -> None:
    for name, file in harmless().items():
        text = found[name].text
        if name.endswith(".py"):
            assert shape(text) == shape(file.text)
            assert comments(text) == 2
            if not name.startswith("pyspark_"):  # which the compiler does not run
                emitted_code.admit(found[name])
            assert text.replace("\n", "").isprintable()
        elif name.endswith(".lua"):
            assert lua_shape(text) == lua_shape(file.text)
            assert text.replace("\n", "").isprintable()
        else:
            assert foreign(github(text), github(file.text)) == {}
            assert not HARM.search(text)


def check(texts: dict[Place, str], root: Path, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether the spec is taken; what is made of it holds texts, and running it leaves nothing behind."""
    monkeypatch.chdir(root)
    found = emitted(written(texts, root / "specs"))
    if found is not None:
        assert_only_texts(found)
    assert sorted(path.name for path in root.iterdir()) == ["specs"]
    return found is not None


@pytest.mark.sweep
def test_all_texts_in_all_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert check(dict.fromkeys(ALL_PLACES, ALL), tmp_path, monkeypatch)


@pytest.mark.long
@pytest.mark.parametrize("name", TEXTS)
def test_a_text_in_all_places(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert check(dict.fromkeys(ALL_PLACES, TEXTS[name]), tmp_path, monkeypatch)


@pytest.mark.long
@pytest.mark.parametrize("place", ALL_PLACES, ids=lambda place: ".".join(map(str, place)))
def test_all_texts_in_a_place(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    together = ONE_VALUE if place in ONE_VALUE else [place]
    assert check(dict.fromkeys(together, ALL), tmp_path, monkeypatch)


FOLDERS = {name: text for name, text in TEXTS.items() if "\0" not in text and len(os.fsencode(text)) < 256}
FOLDERS = {name: text.replace("/", "|") for name, text in FOLDERS.items()} | {
    "no UTF-8": os.fsdecode(b"\xff\xfe"), "a coding": "coding:utf-7", "another": "vim: set fileencoding=utf-7 :",
}  # fmt: skip


FAST = ("code behind a line break", "the end of a comment", "no UTF-8", "a coding")


@pytest.mark.parametrize("name", [*FAST, *(pytest.param(n, marks=pytest.mark.long) for n in FOLDERS if n not in FAST)])
def test_folders_that_specs_and_output_stand_in(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    specs, out = Path(f"{FOLDERS[name]}") / "post", Path("out", FOLDERS[name])
    written({}, specs.parent)
    done = CliRunner().invoke(app, ["generate", "--out", str(out), "--", str(specs)])
    assert done.exit_code == 0, done.output
    assert not HARM.search(done.stdout)
    for path in out.rglob("*"):
        if path.is_file():
            usual = harmless()[path.relative_to(out).as_posix()].text.partition("\n")
            text = path.read_text(encoding="utf-8").partition("\n")
            assert text[2] == usual[2]
            assert re.fullmatch(r"(# |-- |<!-- )Generated by wireloom from [\w/%., ~-]+( -->)?", text[0], re.ASCII)
            assert not re.search(r"coding[:=]", text[0])
    again = CliRunner().invoke(app, ["generate", "--check", "--out", str(out), "--", str(specs)])
    assert again.exit_code == 0, again.output
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted({"out", FOLDERS[name]})


@each("name", TEXTS)
def test_prose_is_shown_unchanged(name: str) -> None:
    shown = TEXTS[name].replace("`", "")
    text = prose(shown)
    assert github(text).text.split() == site(text).text.split() == shown_as(shown)
    assert github(phrase(shown)).found == site(phrase(shown)).found == {"p [] []": 1}


@each("name", TEXTS)
def test_code_is_shown_unchanged(name: str) -> None:
    text = f"a {code(TEXTS[name])} b"
    assert github(text).text.split() == ["a", *shown_as(TEXTS[name]), "b"]
    assert site(text).found == {"p [] []": 1, "code [] []": 1}


def shown_as(text: str) -> list[str]:
    seen = "".join(
        char if char.isprintable() or char in "\n\xa0" else char.encode("unicode_escape").decode() for char in text
    )
    return seen.split()


@each("name", TEXTS)
def test_a_cell_ends_no_cell(name: str) -> None:
    for text in (prose(TEXTS[name]), code(TEXTS[name])):
        table = f"| a | b |\n|---|---|\n| {cell(text)} | {cell(text)} |\n"
        for rendered in (github, site):
            assert rendered(table).found["td [] []"] == 2
            assert rendered(table).found["tr [] []"] == 2


@pytest.fixture
def site_pages(monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.syspath_prepend(SITE)
    yield importlib.import_module("protocol_pages")
    for name in ("protocol_pages", "navigation", "staging"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    "name",
    [pytest.param("all", marks=pytest.mark.sweep), *(pytest.param(name, marks=pytest.mark.long) for name in TEXTS)],
)
def test_the_pages_of_the_site(name: str, tmp_path: Path, site_pages: object) -> None:
    rendered = {}
    for kind, text in (("usual", "harmless"), ("hostile", TEXTS.get(name, ALL))):
        folder = written(dict.fromkeys(ALL_PLACES, text), tmp_path / kind / "specs")
        (one,) = site_pages.compiled(folder)
        listed = site_pages.protocols_page([one]), site_pages.errata_page([one])
        rendered[kind] = [*(file.text for file in one.files), *listed]
    for usual, hostile in zip(rendered["usual"], rendered["hostile"], strict=True):
        assert foreign(site(hostile), site(usual)) == {}


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


def test_a_library_stands_beside_the_protocol(tmp_path: Path) -> None:
    outside = tmp_path / "elsewhere"
    written({}, tmp_path / "specs")
    (tmp_path / "specs" / "drawing").rename(outside)
    for name in ("../elsewhere", str(outside), "../../specs/../elsewhere", "."):
        path = tmp_path / "specs" / "post" / "protocol.yaml"
        tree = loaded(path.read_text(encoding="utf-8"))
        tree["imports"] = [name]
        path.write_text(dumped(tree), encoding="utf-8")
        _, problems = frontend.read([tmp_path / "specs" / "post"])
        assert "known-import" in {problem.rule for problem in problems}
        assert {problem.location.path.parent.name for problem in problems} == {"post"}


def test_what_is_emitted_for_hostile_folders_is_in_place(tmp_path: Path) -> None:
    folder = written({}, tmp_path / "specs")
    _, wanted = outputs([folder], tmp_path / "out", "a.b")
    assert {path.relative_to(tmp_path).parts[0] for path in wanted.files} == {"out", "specs"}
