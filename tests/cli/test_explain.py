"""``wireloom explain``: every rule has a page, whose bad example breaks the rule and whose good one does not."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from support import rule_examples
from support.cases import each
from support.paths import ROOT

from wireloom.cli import app
from wireloom_generator.compat import rules as compat_rules
from wireloom_generator.rulebook import ENTRIES, Family, RuleDoc
from wireloom_generator.rules import RULES
from wireloom_generator.types import NAMES, Integer, parse

COMPILER = ROOT / "generator" / "wireloom_generator"
OF_SPECS = tuple(entry for entry in ENTRIES if entry.family is Family.SPEC)
NOT_OF_SPECS = {"accepted", "emitted-code", "format", "generated", "no-spec", "taken", "too-large"}
"""Their examples are commands and other files than specs, too large to be shown, or only refused by `wireloom fmt`."""
PLACED = tuple(entry for entry in OF_SPECS if entry.id not in NOT_OF_SPECS)


def explained(*arguments: str, status: int = 0) -> str:
    done = CliRunner().invoke(app, ["explain", *arguments])
    assert done.exit_code == status, done.output
    return done.stdout if status == 0 else done.stderr


@each("entry", [pytest.param(entry, id=f"{entry.family}-{entry.id}") for entry in ENTRIES])
def test_every_rule_has_a_whole_page(entry: RuleDoc) -> None:
    assert entry.purpose.endswith(".")
    assert entry.text
    assert entry.bad
    assert entry.good


@each("entry", [pytest.param(entry, id=entry.id) for entry in PLACED])
def test_the_bad_example_breaks_just_this_rule(entry: RuleDoc, tmp_path: Path) -> None:
    assert {problem.rule for problem in rule_examples.problems(entry.bad, entry.id, tmp_path / entry.id)} == {entry.id}


@each("entry", [pytest.param(entry, id=entry.id) for entry in PLACED])
def test_the_good_example_breaks_none(entry: RuleDoc, tmp_path: Path) -> None:
    assert rule_examples.problems(entry.good, entry.id, tmp_path / entry.id) == []


def _told() -> Iterator[str]:
    """Every id that the compiler's source gives to a problem of no rule: literals, and the constants ``RULE``."""
    for path in COMPILER.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "Problem" and len(node.args) > 1:
                if isinstance(node.args[1], ast.Constant):
                    yield node.args[1].value
            elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "RULE":
                assert isinstance(node.value, ast.Constant)
                yield node.value.value


def test_every_rule_and_every_problem_of_the_compiler_has_a_page_and_nothing_else_has_one() -> None:
    told = set(_told())
    assert {"yaml", "taken", "example"} <= told
    assert told | set(RULES) == {entry.id for entry in OF_SPECS}
    assert {rule.id for rule in compat_rules.RULES} == {entry.id for entry in ENTRIES if entry.family is Family.COMPAT}


def test_a_page_is_named_after_its_rule() -> None:
    for folder in (COMPILER / "rules" / "pages", COMPILER / "compat" / "rules" / "pages"):
        for page in folder.iterdir():
            assert page.suffix == ".md"
            assert page.read_text(encoding="utf-8").startswith(f"# {page.stem}\n\n")


def test_the_page_about_types_names_all_of_them() -> None:
    (page,) = (entry for entry in OF_SPECS if entry.id == "known-type")
    others = {name for name in NAMES if not isinstance(parse(name), Integer)}
    assert set(re.findall(r"`(\w+)`", page.text)) - {"u8", "u64", "i8", "i64"} == others


def test_ids_are_unique_in_their_family() -> None:
    assert len({(entry.family, entry.id) for entry in ENTRIES}) == len(ENTRIES)


def test_entries_are_sorted() -> None:
    assert list(ENTRIES) == sorted(ENTRIES, key=lambda entry: (entry.family, entry.id))


def test_a_rule_is_explained() -> None:
    assert explained("padding") == (
        "padding: `pad` must be at least 1, and `align` at least 2.\n\n"
        "`pad` adds that many zero bytes. `align` adds zero bytes until the offset is a multiple of the given number, "
        "counted\nfrom the start of the record or, with `from`, of an enclosing section. Smaller numbers would add "
        "nothing, so they are\nprobably a mistake.\n\n"
        "Bad:\n\n    - {pad: 0}\n    - {align: 1}\n\n"
        "Good:\n\n    - {pad: 3}\n    - {align: 4}\n"
    )


def test_several_rules_are_explained() -> None:
    assert re.findall(r"^[\w-]+(?=: )", explained("padding", "yaml"), re.MULTILINE) == ["padding", "yaml"]


@pytest.mark.parametrize("rule", ["error[known-type]", "error[known-type]:", "[known-type]", "known_type"])
def test_a_rule_may_be_given_as_problems_have_it(rule: str) -> None:
    assert explained(rule) == explained("known-type")


def test_without_a_rule_all_are_listed() -> None:
    listed = explained()
    for entry in ENTRIES:
        assert re.search(rf"^  {entry.id} +{re.escape(entry.purpose)}$", listed, re.MULTILINE)


def test_a_rule_that_is_not_known_is_told_with_the_nearest() -> None:
    assert explained("known-typ", status=2) == "wireloom: there is no rule 'known-typ'; did you mean 'known-type'?\n"


def test_a_rule_that_is_like_no_other_is_told_with_where_to_look() -> None:
    assert explained("zzz", status=2) == "wireloom: there is no rule 'zzz'; list them with: wireloom explain\n"
