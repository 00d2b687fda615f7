"""``wireloom check`` and ``wireloom generate``: the compiler, called from the command line."""

import gc
import keyword
import re
import shlex
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import click
from click.exceptions import Exit

from wireloom import files
from wireloom.cli.changes import show
from wireloom.cli.diagnostics import FAILED, MisuseError, say, tell
from wireloom.cli.findings import ReportFormat, report
from wireloom.cli.watching import watch
from wireloom.extras import needed

if TYPE_CHECKING:
    from wireloom_generator.generate import Generation

specs_ = click.argument("specs", nargs=-1, type=Path, help="Spec files or folders; by default the folder specs.")
report_format = click.option(
    "--format",
    type=click.Choice(ReportFormat, case_sensitive=False),
    default=ReportFormat.TEXT.value,
    help="The format of the report: text, json, or github (GitHub Actions annotations).",
)

_DEFAULT = Path("specs")
_MODULE = re.compile(r"(?!__)[A-Za-z_]\w*", re.ASCII)
_DONE = {"missing": "wrote", "edited": "wrote", "orphaned": "removed", "foreign": "kept, as it is not generated:"}


@click.command
@specs_
@report_format
@click.option("--explain", is_flag=True, help="Also report which messages are decoded in bulk, and why others are not.")
@click.option("--watch", "watches", is_flag=True, help="Check again whenever a file changes, until you press Ctrl-C.")
def check(specs: Sequence[Path], format: ReportFormat, explain: bool, watches: bool) -> None:
    """Check specs for errors, and report each with its place and a fix. Exit with status 1 if there are any."""
    paths = existing(specs)
    if watches and (explain or format is not ReportFormat.TEXT):
        raise MisuseError("--watch reports problems as text, without --explain and --format")
    if watches:
        checked = compiler("generate").check
        gc.enable()  # this goes on for hours
        if watch(paths, lambda: checked(paths), _shown(paths)):
            raise Exit(FAILED)
        return
    if explain and format is not ReportFormat.TEXT:
        raise MisuseError(f"--explain needs --format text, not {format}")
    problems = compiler("generate").check(paths)
    report(problems, format)
    if any(problem.severity == "error" for problem in problems):
        raise Exit(FAILED)
    if format is ReportFormat.TEXT and not problems:
        tell(f"{_shown(paths)}: no problems")
    for name, sentences in compiler("generate").explained(paths) if explain else ():
        for sentence in sentences:
            tell(f"{name}: {sentence}")


@click.command
@specs_
@click.option("--out", type=Path, default=Path("generated"), help="The folder for generated files.")
@click.option(
    "--package",
    metavar="NAME",
    help="The Python package for the protocols, inside --out; by default the one that is already there, if any.",
)
@click.option(
    "--check",
    "only_check",
    is_flag=True,
    help="Write nothing; exit with status 1 if a generated file is out of date or not tracked by git.",
)
@report_format
@click.option(
    "--emit",
    metavar="NAME",
    multiple=True,
    help="Generate only this output, such as docs. May be repeated.",
)
def generate(
    specs: Sequence[Path], out: Path, package: str | None, only_check: bool, format: ReportFormat, emit: Sequence[str]
) -> None:
    """Generate parsers, Spark and Arrow schemas, docs and dissectors from specs.

    Exit with status 1 if the specs have errors.
    """
    paths = existing(specs)
    if package and not _is_dotted_name(package):
        raise MisuseError(f"--package must be a dotted name, such as my.protocols, not {package!r}")
    if format is not ReportFormat.TEXT and not only_check:
        raise MisuseError(f"--format {format} needs --check")
    package = _package_in(out) if package is None else package
    try:
        result = compiler("generate").generate(paths, out, write=not only_check, package=package, emit=emit)
    except compiler("emitters").EmitterError as error:
        raise MisuseError(str(error)) from error
    if only_check:
        command = _command(paths, out, package, emit)
        stale = f"{_outputs(out, emit)} {_is(emit)} out of date with {_shown(paths)}; run: {command}"
        _prove(result, format, out, stale, command)
    else:
        report(result.problems, format)
        if result.errors:
            raise Exit(FAILED)
    for change in () if only_check else result.changes:
        tell(f"{_DONE[change.kind]} {files.shown(change.path)}")
    if not result.changes and format is ReportFormat.TEXT:
        tell(f"{_outputs(out, emit)} {_is(emit)} up to date with {_shown(paths)}")


def _prove(result: "Generation", format: ReportFormat, out: Path, stale: str, command: str) -> None:
    """Report problems of the specs and outdated files, and fail if there are any.

    ``stale`` is the message for outdated files; ``command`` updates them.
    """
    if format is ReportFormat.TEXT:
        report(result.problems, format)
        show(result.changes, out, stale)
    else:
        report([*result.problems, *(change.problem(command) for change in result.changes)], format)
    if result.problems and not result.errors and format is ReportFormat.TEXT:
        say("--check also fails for warnings")
    if result.problems or result.changes:
        raise Exit(FAILED)


def _command(paths: Sequence[Path], out: Path, package: str, emit: Sequence[str]) -> str:
    """The command that generates these files."""
    options = ["--out", str(out), *(["--package", package] if package else [])]
    options += [word for name in emit for word in ("--emit", name)]
    return shlex.join(["wireloom", "generate", *map(str, paths), *options])


def _outputs(out: Path, emit: Sequence[str]) -> str:
    """The outputs that were generated: those that are named, or everything in the folder."""
    return " and ".join(emit) if emit else files.shown(out)


def _is(emit: Sequence[str]) -> str:
    return "are" if len(emit) > 1 else "is"


def _is_dotted_name(text: str) -> bool:
    return all(_MODULE.fullmatch(part) and not keyword.iskeyword(part) for part in text.split("."))


def _package_in(out: Path) -> str:
    """The package in ``out`` that already has generated protocols, if there is exactly one."""
    mark = compiler("output").MARK
    packages = set()
    for path in (*out.glob("*/parsers.py"), *out.glob("*/*/parsers.py"), *out.glob("*/*/*/parsers.py")):
        package = ".".join(path.parent.parent.relative_to(out).parts)
        with path.open(encoding="utf-8", errors="replace") as file:
            if (not package or _is_dotted_name(package)) and mark in file.readline():
                packages.add(package)
    return packages.pop() if len(packages) == 1 else ""


def existing(specs: Sequence[Path]) -> list[Path]:
    """The specs to work on: those in the folder ``specs`` if none are named. Raises ``MisuseError``."""
    paths = list(specs or [_DEFAULT])
    for path in paths:
        if not path.exists():
            hint = "" if specs else "; name the specs, or create some with: wireloom init NAME"
            raise MisuseError(f"there is no file or folder {files.shown(path)}{hint}")
    return paths


def compiler(module: str) -> ModuleType:
    """A module of the compiler, which is an extra of the package."""
    gc.disable()  # to look for garbage takes a fifth of a compiler's time
    try:
        with needed("this command", "generator"):
            return import_module(f"wireloom_generator.{module}")
    except ModuleNotFoundError as error:
        raise MisuseError(str(error)) from None


def _shown(paths: Iterable[Path]) -> str:
    return " ".join(map(files.shown, paths))
