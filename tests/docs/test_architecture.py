"""The folders and words of the page on the architecture are those that there are."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

import pytest
from support.paths import ROOT

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


STAGES = re.compile(
    r"(reading(?=\.(?:declarations|syntax|written)\b)|importers\.\w+|options|model|types|codec|columnar\.execution|columnar|backends\.\w+|loops|programs|expressions|traces)"
    r"(?:(?<=reading)\.\w+)?(?:(?<=programs)\.(?:reading|writing))?(?:\.\w+)?"
)
"""The modules in which a word of the language keeps its name: what was written, what it means, what reads it."""


def _names(tree: ast.Module) -> Iterator[str]:
    """The classes and aliases of types of a module; an alias is in camel case, as a class is."""
    for node in tree.body:
        match node:
            case ast.ClassDef(name=name):
                yield name
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                if re.fullmatch(r"_?[A-Z][A-Z0-9]*[a-z]\w*", name):
                    yield name


def _stages(modules: Iterable[str]) -> list[str | None]:
    return [found and found[1] for found in map(STAGES.fullmatch, modules)]


def test_classes_of_one_name_are_one_thing_at_several_stages() -> None:
    found: dict[str, list[str]] = defaultdict(list)
    for folder, _ in TREES:
        for path in ROOT.joinpath(folder).rglob("*.py"):
            module = ".".join(path.relative_to(ROOT / folder).with_suffix("").parts)
            for name in _names(ast.parse(path.read_text(encoding="utf-8"))):
                found[name].append(module)
    shared = {name: modules for name, modules in found.items() if len(modules) > 1}
    stages = {name: _stages(modules) for name, modules in shared.items()}
    assert {name: shared[name] for name, each in stages.items() if None in each or len(set(each)) < len(each)} == {}
    assert [name for name in shared if name.startswith("_")] == []
    assert {"Field", "Section", "Message"} <= shared.keys()
