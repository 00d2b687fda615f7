"""The recipes in CONTRIBUTING.md, held against what was made by them."""

import re
from pathlib import Path
from random import Random

from support import compiled, every_type, invented_specs
from support.agreement import check_outputs as check
from support.invented import assert_says
from support.paths import ROOT

from wireloom_generator import types

MOST = 13
"""A type touches no more source files than this."""


def recipe(title: str) -> str:
    """The text of a recipe."""
    text = ROOT.joinpath("CONTRIBUTING.md").read_text(encoding="utf-8")
    return re.split(rf"^## {title}\n", text, flags=re.MULTILINE)[1].partition("\n## ")[0]


def sources() -> list[Path]:
    """What is written by hand and runs: the compiler and the runtime, without importers, which may write any type."""
    found = (path for root in ("generator", "runtime") for path in ROOT.joinpath(root).rglob("*"))
    return [path for path in found if path.suffix in (".py", ".j2", ".lua") and "importers" not in path.parts]


def test_a_type_touches_the_files_that_its_recipe_names_and_no_other() -> None:
    named = re.findall(r"`((?:generator|runtime)/[\w/<>.]+)`", recipe("Add a type"))
    touched = [path for path in sources() if re.search(r"\bbcd\b", path.read_text(encoding="utf-8"), re.IGNORECASE)]
    assert sorted(path.replace("<type>", "bcd") for path in named) == sorted(
        str(path.relative_to(ROOT)) for path in touched
    )
    assert len(touched) <= MOST


def test_every_type_that_a_spec_can_name_has_an_example() -> None:
    assert {each for each in types.ALL if list(each.spellings())} == every_type.EXAMPLES.keys()


def test_the_examples_of_types_keep_the_rules(tmp_path: Path) -> None:
    assert check([compiled.folders(every_type.text(), tmp_path)]) == []


def test_what_is_invented_of_types_keeps_the_rules_and_comes_back(tmp_path: Path) -> None:
    for seed in range(12):
        found = invented_specs.invented(Random(seed))
        assert check([compiled.folders(found.text, tmp_path / str(seed))]) == []
        for row in found.rows:
            codec, told = found.compiled.codec, found.told
            assert_says(codec.parse(codec.build(row, **told), **told), row)
        if found.header:
            first, *others = found.compiled.codec.iter_records(found.opening + b"".join(found.records))
            assert_says(first["capture"], found.header)
            assert len(others) == len(found.rows)
