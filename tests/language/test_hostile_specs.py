"""Large and deep specs: each is compiled in the time its size takes, or refused at once with the place and a limit."""

import cProfile
import time
from collections.abc import Iterable
from pathlib import Path

import pytest
from attack import specs
from support.agreement import check_outputs
from support.compiled import folders

from wireloom_generator.generate import outputs
from wireloom_generator.problems import Problem, Severity

SOON = 20
"""Seconds that even a busy machine does not take for what takes one."""


def compiled(files: Iterable[tuple[str, str]], root: Path) -> tuple[Problem, ...]:
    folder = root / "specs" / "large"
    folder.mkdir(parents=True)
    for name, text in files:
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    generation, wanted = outputs([folder], root / "out")
    assert generation.errors or wanted.files
    return generation.problems


def named(spec: specs.Spec) -> Iterable[tuple[str, str]]:
    return specs.named(lambda _: spec)(0)


@pytest.mark.parametrize("name", specs.TAKEN)
def test_is_compiled_soon(name: str, tmp_path: Path) -> None:
    before = time.process_time()
    problems = compiled(named(specs.TAKEN[name]), tmp_path)
    assert [problem for problem in problems if problem.severity is Severity.ERROR] == []
    assert time.process_time() - before < SOON


@pytest.mark.parametrize("name", specs.REFUSED)
def test_is_refused_soon_where_it_stands(name: str, tmp_path: Path) -> None:
    spec, rule = specs.REFUSED[name]
    before = time.process_time()
    problems = compiled(named(spec), tmp_path)
    assert rule in {problem.rule for problem in problems}
    assert {problem.location.path.parent.name for problem in problems} == {"large"}
    assert time.process_time() - before < SOON


@pytest.mark.long
@pytest.mark.parametrize(
    "files",
    [
        pytest.param(named(specs.fields(5_000)), id="fields"),
        pytest.param(named(specs.enum(20_000)), id="values"),
        pytest.param(named(specs.variants(800, "u16", 2)), id="variants"),
        pytest.param(named(specs.conditions(1_000)), id="conditions on each before"),
        pytest.param(named(specs.alike(2_000)), id="conditions"),
        pytest.param(named(specs.choices(1_000)), id="choices"),
        pytest.param(named(specs.values(60, 90)), id="values of variants"),
        pytest.param(named(specs.matched(50_000)), id="values of a match"),
        pytest.param(named(specs.chain(12, times=2)), id="types in types"),
        pytest.param(specs.messages(2_000), id="messages"),
    ],
)
def test_many_are_compiled(files: Iterable[tuple[str, str]], tmp_path: Path) -> None:
    before = time.process_time()
    assert [problem for problem in compiled(files, tmp_path) if problem.severity is Severity.ERROR] == []
    assert time.process_time() - before < 3 * SOON


@pytest.mark.sweep
def test_more_variants_than_python_bears_inside_each_other(tmp_path: Path) -> None:
    problems = compiled(named(specs.variants(400)), tmp_path)
    assert "variant-order" in {problem.rule for problem in problems}  # a byte has no more than 256 values


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What is done once in a process is done."""
    for name, (made, _) in specs.GROWING.items():
        compiled(made(4), tmp_path_factory.mktemp(name.replace(" ", "_")))


@pytest.mark.sweep
@pytest.mark.parametrize("name", specs.GROWING)
def test_work_grows_as_the_spec_does(name: str, tmp_path: Path, warm: None) -> None:
    made, count = specs.GROWING[name]
    few, once, twice = (calls(made(size), tmp_path / str(size)) for size in (4, count, 2 * count))
    assert twice - few < 2.3 * (once - few)


def calls(files: Iterable[tuple[str, str]], root: Path) -> int:
    """How many calls of Python functions compiling takes: steadier than time, and as telling where each does little."""
    profile = cProfile.Profile(builtins=False)
    profile.runcall(compiled, files, root)
    return sum(entry.callcount for entry in profile.getstats())


@pytest.mark.sweep
@pytest.mark.parametrize("count", [2_000, pytest.param(10_000, marks=pytest.mark.long)])
def test_thousands_of_fields_take_seconds(count: int, tmp_path: Path) -> None:
    before = time.process_time()
    assert compiled(named(specs.spec(", ".join(specs.plain(count)), length=2 * count)), tmp_path) == ()
    assert time.process_time() - before < 15 * count / 10_000


def test_padding_and_encodings_that_no_record_has(tmp_path: Path) -> None:
    """Zeros without number, and an encoding that no name can have."""
    text = """\
protocol: p
byte_order: big
record:
  until: "7e"
  fields: [{pad: 100000000000000000000}, {name: a, type: text, size: 1, encoding: "\\0", const: b}]
---
message: m
match: {}
"""
    assert any(
        problem.rule == "encoding" or "encoding" in problem.what for problem in check_outputs([folders(text, tmp_path)])
    )
