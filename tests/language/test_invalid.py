"""Every rule, a file each in ``invalid``: its mistakes are found, with these words at this line and column.

A file is a protocol: one YAML document a spec file, named by what it holds, or by a comment ``# file: name.yaml``. The
lines at its head that begin with ``#:`` are what ``wireloom check`` says, sorted, under the file's own name and lines.
"""

import ast
import builtins
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.cases import each, often
from support.paths import ROOT

from wireloom import codec
from wireloom_generator import blocks, frontend, naming
from wireloom_generator.problems import Severity
from wireloom_generator.reading import spec
from wireloom_generator.resolve import protocol_of
from wireloom_generator.rules import RULES, examples

HERE = Path(__file__).parent
FILES = sorted(HERE.joinpath("invalid").glob("*.yaml"))
GENERATED = ROOT / "generated" / "wireloom_protocols"
VALID = sorted(HERE.joinpath("valid").glob("*.yaml"))
LOADING = {
    "yaml",
    "wrong-type",
    "unknown-key",
    "missing-key",
    "duplicate-key",
    "known-import",
    "known-record",
    "one-protocol",
    "too-large",
}
"""What the loader finds before there is anything for the rules."""

_SEPARATOR = re.compile(r"^---\n", re.MULTILINE)
_KIND = re.compile(r"^(protocol|message|library): *([\w-]+)", re.MULTILINE)
_NAMED = re.compile(r"^# file: (\S+)", re.MULTILINE)


def _written(text: str, root: Path) -> Path:
    """Write the documents of ``text`` below ``root``, their lines kept; the folder of the first of them. A message
    behind a library is one of that library.
    """
    found = [match[2] for match in _KIND.finditer(text) if match[1] == "protocol"]
    folder = protocol = root / (found[0] if found else "nameless")
    first: Path | None = None
    line = 0
    for document in _SEPARATOR.split(text):
        kind, name = match.groups() if (match := _KIND.search(document)) else ("", "")
        named = _NAMED.search(document)
        folder = folder if kind == "message" else root / name if kind == "library" else protocol
        path = folder / f"{name if kind == 'message' else kind}.yaml"
        path = protocol / named[1] if named else path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n" * line + document, encoding="utf-8")
        line += document.count("\n") + 1
        first = first or path.parent
    assert first is not None
    return first


def _expected(text: str) -> list[str]:
    return [line[3:] for line in text.splitlines() if line.startswith("#: ")]


@each("path", FILES)
def test_mistakes_are_found_where_they_are(path: Path, tmp_path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    _, problems = frontend.read([_written(text, tmp_path / path.stem)])
    problems.sort(key=lambda problem: (problem.location.line, problem.location.column))
    told = [f"{path.name}:{str(problem).partition('.yaml:')[2]}" for problem in problems]
    assert told == _expected(text)
    if (rule := path.name.split(".")[0]) != "several_mistakes":
        assert {problem.rule for problem in problems} == {rule}


def test_every_rule_has_a_mistake() -> None:
    assert {path.name.split(".")[0] for path in FILES} - {"several_mistakes"} == LOADING | {"accepted"} | set(RULES)


def test_problems_are_sorted_by_place(tmp_path: Path) -> None:
    text = HERE.joinpath("invalid", "several_mistakes.yaml").read_text(encoding="utf-8")
    _, problems = frontend.read([_written(text, tmp_path)])
    places = [problem.location for problem in problems]
    assert places == sorted(places)


def test_a_folder_without_specs_is_told(tmp_path: Path) -> None:
    specs, problems = spec.load([tmp_path])
    assert not specs
    assert [problem.rule for problem in problems] == ["no-spec"]


@pytest.mark.sweep
@each("path", VALID)
def test_slips_of_the_pen_never_break_the_compiler(path: Path, tmp_path: Path) -> None:
    for number, text in enumerate(_slips(path.read_text(encoding="utf-8"), path.stem, often(1, 30))):
        specs, problems = frontend.read([_written(text, tmp_path / path.stem / str(number))])
        if not any(problem.severity is Severity.ERROR for problem in problems):
            assert [protocol_of(one) for one in specs]


def _slips(text: str, seed: str, count: int) -> Iterator[str]:
    """So many times the text with one word in another's place, or with one that has no business there."""
    chance = random.Random(seed)
    words = list(re.finditer(r"[\w.]+", text))
    strange = ["0", "-1", "70000", "rest", "true", "null", "[]", "{}", "u12", "text", "record", "size(body)", "1 +"]
    for _ in range(count):
        word = chance.choice(words)
        other = chance.choice([*strange, *(found[0] for found in words)])
        yield text[: word.start()] + other + text[word.end() :]


def test_the_names_of_building_blocks_are_those_of_the_codec() -> None:
    never_imported = {"Column", "DecodeError", "EncodeError", "Forms", "ListOf", "StructOf"}
    assert set(codec.__all__) - never_imported == blocks.BLOCKS


def _asked_for(path: Path) -> Iterator[str]:
    """What a generated module imports or takes from Python, but for the names its spec gave."""
    module = ast.parse(path.read_text(encoding="utf-8"))
    assigned = (target for node in module.body if isinstance(node, ast.Assign) for target in node.targets)
    own = {target.id for target in assigned if isinstance(target, ast.Name)}
    for node in ast.walk(module):
        match node:
            case ast.ImportFrom(module="enums" | "parsers"):
                pass
            case ast.ImportFrom() | ast.Import():
                yield from (alias.asname or alias.name for alias in node.names)
            case ast.Name(id=name, ctx=ast.Load()) if hasattr(builtins, name) and name not in own and name[:2] != "__":
                yield name


@pytest.mark.parametrize("module", ["__init__", "parsers", "columnar"])
def test_no_message_or_class_can_be_called_as_what_generated_modules_ask_for(module: str) -> None:
    asked = {name for path in GENERATED.glob(f"*/{module}.py") for name in _asked_for(path)}
    assert asked
    as_messages = {name for name in asked if naming.column_fault(name) is None and blocks.message_name(name) == name}
    free = as_messages | {name for name in asked if not blocks.class_fault(name) and blocks.class_name(name) == name}
    assert free - {"bool", "bytes", "dict", "float", "int", "list", "str", "tuple"} == set()  # asked for only by hints


def test_the_codes_of_malformed_examples_are_those_of_the_reference() -> None:
    table = ROOT.joinpath("docs", "reference", "errors.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `([\w-]+)` \|", table, re.MULTILINE)
    assert sorted(re.findall(r"^\| `([\w-]+)` \|", table, re.MULTILINE)) == list(examples._CODES)
