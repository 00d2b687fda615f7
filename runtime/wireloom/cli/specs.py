"""``wireloom check`` and ``wireloom generate``: the compiler, called from the command line."""

from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated

import typer

from wireloom.cli.diagnostics import FAILED, MisuseError, complain, say

if TYPE_CHECKING:
    from wireloom_generator.generate import Change
    from wireloom_generator.problems import Problem

Specs = Annotated[list[Path] | None, typer.Argument(metavar="SPECS", help="Folders or files; specs otherwise.")]

_DEFAULT = Path("specs")
_DONE = {"added": "wrote", "edited": "wrote", "orphaned": "removed", "foreign": "left what is not generated:"}
_DIFF_LINES = 20
_DIFF_FILES = 5
"""How many lines of each file's difference are shown, and of how many files."""


def check(specs: Specs = None) -> None:
    """See whether specs are right; tells every mistake with its line and what would do. Status 1: they are not."""
    paths = _existing(specs)
    _tell(_generator().check(paths))
    print(f"{_shown(paths)}: no problems")


def generate(
    specs: Specs = None,
    out: Annotated[Path, typer.Option(help="The folder for what is generated.")] = Path("generated"),
    package: Annotated[
        str | None, typer.Option(help="The package below it that holds the protocols' own; the one there is, if any.")
    ] = None,
    only_check: Annotated[bool, typer.Option("--check", help="Write nothing; status 1 if something would be.")] = False,
) -> None:
    """Parsers, Spark and Arrow schemas and documentation from specs. Status 1: the specs are not right."""
    paths = _existing(specs)
    if package and not _is_dotted_name(package):
        raise MisuseError(f"--package is a dotted name, not {package!r}")
    compiler = _generator()
    package = _package_in(out) if package is None else package
    result = compiler.generate(paths, out, write=not only_check, package=package)
    _tell(result.problems)
    if only_check and result.changes:
        _show(result.changes)
        options = f"--out {out} --package {package}" if package else f"--out {out}"
        if all(change.kind == "foreign" for change in result.changes):
            say(f"{out} has files that are not generated; keep them elsewhere")
        else:
            say(f"{out} is not what {_shown(paths)} gives; run: wireloom generate {_shown(paths)} {options}")
        raise typer.Exit(FAILED)
    for change in result.changes:
        print(f"{_DONE[change.kind]} {change.path}")
    if not result.changes:
        print(f"{out} is what {_shown(paths)} gives")


def _is_dotted_name(text: str) -> bool:
    return all(part.isidentifier() for part in text.split("."))


def _package_in(out: Path) -> str:
    """The package in which ``out`` has generated protocols already, if it is one."""
    mark = import_module("wireloom_generator.output").MARK
    packages = set()
    for path in (*out.glob("*/parsers.py"), *out.glob("*/*/parsers.py"), *out.glob("*/*/*/parsers.py")):
        package = ".".join(path.parent.parent.relative_to(out).parts)
        with path.open(encoding="utf-8", errors="replace") as file:
            if (not package or _is_dotted_name(package)) and mark in file.readline():
                packages.add(package)
    return packages.pop() if len(packages) == 1 else ""


def _existing(specs: Sequence[Path] | None) -> list[Path]:
    paths = list(specs or [_DEFAULT])
    for path in paths:
        if not path.exists():
            hint = "" if specs else "; name the specs, or make some with: wireloom init NAME"
            raise MisuseError(f"there is no file or folder {path}{hint}")
    return paths


def _generator() -> ModuleType:
    try:
        return import_module("wireloom_generator.generate")
    except ModuleNotFoundError as error:
        raise MisuseError(f"this needs {error.name}; pip install 'wireloom[generator]'") from None


def _shown(paths: Iterable[Path]) -> str:
    return " ".join(map(str, paths))


def _tell(problems: "Sequence[Problem]") -> None:
    """Tell all problems; end the command if one of them is an error."""
    for problem in problems:
        complain(str(problem))
    errors = sum(problem.severity == "error" for problem in problems)
    if errors:
        say(f"{errors} error{'s' if errors > 1 else ''}")
        raise typer.Exit(FAILED)


def _show(changes: "Sequence[Change]") -> None:
    for number, change in enumerate(changes):
        complain(f"{change.path}: {change.kind}")
        lines = change.diff.splitlines() if number < _DIFF_FILES else []
        for line in lines[:_DIFF_LINES]:
            complain(f"  {line}")
        if len(lines) > _DIFF_LINES:
            complain(f"  … {len(lines) - _DIFF_LINES} more lines")
