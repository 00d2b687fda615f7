"""The folders that the page on the architecture prints are those that there are."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = ROOT.joinpath("docs", "architecture.md").read_text(encoding="utf-8")
TREES = re.findall(r"^```\n((?:generator|runtime)/\w+)/\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(("folder", "tree"), TREES, ids=[folder for folder, _ in TREES])
def test_the_tree_has_every_module_and_folder(folder: str, tree: str) -> None:
    printed = re.findall(r"^[├└]── ([\w./]+)", tree, re.MULTILINE)
    found = [
        f"{path.name}/" if path.is_dir() else path.name
        for path in ROOT.joinpath(folder).iterdir()
        if path.suffix == ".py" or path.joinpath("__init__.py").exists()
    ]
    assert sorted(printed) == sorted(name for name in found if not name.startswith("__"))


def test_both_trees_are_printed() -> None:
    assert [folder for folder, _ in TREES] == ["generator/wireloom_generator", "runtime/wireloom"]
