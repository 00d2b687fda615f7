"""Environments with exactly what extras bring, made of the packages that are installed here: nothing is fetched.

Each is a virtual environment of its own, whose packages are links to those of this one: what ``pyproject.toml``
requires for the extras, what that requires, and so on, by the metadata that pip goes by. So an import of anything else
fails as it would for a user.
"""

import tomllib
import venv
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from support.pages import ROOT

_PROGRAM = """#!{python}
import sys
from wireloom.__main__ import main
sys.exit(main())
"""


def environment(folder: Path, requirements: Iterable[str]) -> Path:
    """Make one in the folder with what is required; the path of its Python."""
    venv.EnvBuilder(symlinks=True).create(folder)
    python = folder / "bin" / "python"
    (packages,) = folder.glob("lib/python*/site-packages")
    for found in _distributions(requirements):
        _link(found, packages)
    (packages / "wireloom.pth").write_text(
        "".join(f"{ROOT / name}\n" for name in ("runtime", "generator", "generated"))
    )
    program = folder / "bin" / "wireloom"
    program.write_text(_PROGRAM.format(python=python))
    program.chmod(0o755)
    return python


def _distributions(requirements: Iterable[str]) -> Iterator[Distribution]:
    """All that is required, and what that requires."""
    waiting, seen = [*map(Requirement, requirements)], set[tuple[str, str]]()
    while waiting:
        needed = waiting.pop()
        found = distribution(needed.name)
        for extra in ("", *needed.extras):
            name = canonicalize_name(needed.name), canonicalize_name(extra)
            if name in seen:
                continue
            seen.add(name)
            if not extra:
                yield found
            more = map(Requirement, _required(found))
            waiting += [each for each in more if each.marker is None or each.marker.evaluate({"extra": extra})]


def _required(found: Distribution) -> list[str]:
    """As pip has it; of Wireloom, what ``pyproject.toml`` says now."""
    if found.name != "wireloom":
        return found.requires or []
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].items()
    optional = [f"{Requirement(each)} ; extra == '{extra}'" for extra, needed in extras for each in needed]
    return [*project["dependencies"], *optional]


def _link(found: Distribution, packages: Path) -> None:
    for name in {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}:
        here = Path(str(found.locate_file(name)))
        if not name.endswith(".pth") and here.exists() and not (packages / name).exists():
            (packages / name).symlink_to(here)
