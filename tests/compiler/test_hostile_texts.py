"""Texts of specs and names of folders that mean harm: in all that is made of them they are texts, and nothing more."""

import ast
import os
import re
import tokenize
from functools import cache
from io import StringIO
from pathlib import Path

import pytest
from attack.texts import ALL, HARM, TEXTS
from click.testing import CliRunner
from support.documents import dumped, loaded

from compiler.rendered import foreign, github
from compiler.text_places import ALL_PLACES, ONE_VALUE, Place, written
from wireloom.cli import app
from wireloom_generator import emitted_code, emitters, examples, explained, frontend
from wireloom_generator.emitters import Destination, Subject
from wireloom_generator.generate import outputs
from wireloom_generator.output import OutputFile
from wireloom_generator.problems import Severity
from wireloom_generator.resolve import protocol_of

pytestmark = pytest.mark.xdist_group("hostile texts")


def emitted(folder: Path) -> dict[str, OutputFile] | None:
    """The files that are written of the spec, by path; None if it is refused."""
    loaded, problems = frontend.read([folder])
    if any(problem.severity is Severity.ERROR for problem in problems):
        return None
    protocol = protocol_of(loaded[0])
    modules = emitters.modules(protocol)
    with examples.running(modules) as codec:
        types = explained.differing_types(codec)
        subject = Subject(protocol, examples.run(protocol, codec)[0], explained.support(codec), types, protocol.name)
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
