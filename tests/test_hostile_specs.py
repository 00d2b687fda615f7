"""Large and deep specs: each is compiled in the time its size takes, or refused at once with the place and a limit."""

import time
from collections.abc import Iterable
from pathlib import Path

import pytest
from attack import specs

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
    assert generation.errors or wanted
    return generation.problems


def named(spec: specs.Spec) -> Iterable[tuple[str, str]]:
    return zip(("protocol", "all"), spec, strict=True)


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


@pytest.mark.sweep
@pytest.mark.parametrize(
    "files",
    [
        named(specs.fields(5_000)),
        named(specs.enum(20_000)),
        named(specs.variants(200)),
        named(specs.conditions(1_000)),
        named(specs.values(60, 90)),
        specs.messages(500),
    ],
    ids=["fields", "values", "variants", "conditions", "values of variants", "messages"],
)
def test_many_are_compiled(files: Iterable[tuple[str, str]], tmp_path: Path) -> None:
    before = time.process_time()
    assert [problem for problem in compiled(files, tmp_path) if problem.severity is Severity.ERROR] == []
    assert time.process_time() - before < 3 * SOON


@pytest.mark.sweep
def test_more_variants_than_python_bears_inside_each_other(tmp_path: Path) -> None:
    problems = compiled(named(specs.variants(400)), tmp_path)
    assert "variant-order" in {problem.rule for problem in problems}  # a byte has no more than 256 values


@pytest.mark.sweep
def test_time_is_linear_in_fields(tmp_path: Path) -> None:
    taken = []
    for count in (1_000, 4_000):
        before = time.process_time()
        compiled(named(specs.fields(count)), tmp_path / str(count))
        taken.append(time.process_time() - before)
    assert taken[1] < 8 * taken[0]
