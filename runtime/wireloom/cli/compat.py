"""``wireloom compat``: what changed between versions of specs, and what breaks."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, TypeVar

import click
from click.exceptions import Exit

from wireloom.cli.diagnostics import FAILED, MisuseError, say, tell
from wireloom.cli.findings import ReportFormat, plain, report
from wireloom.cli.specs import compiler, existing, report_format
from wireloom.json_rows import json_text

if TYPE_CHECKING:
    from wireloom_generator.compat.changes import Direction
    from wireloom_generator.compat.compare import Version
    from wireloom_generator.compat.report import Accepted, Report, Reported

E = TypeVar("E", bound=StrEnum)


@click.command
@click.argument(
    "specs",
    metavar="[OLD NEW | SPECS]",
    nargs=-1,
    type=Path,
    help="The old and the new specs; with --against or --against-tags, only the new ones.",
)
@click.option("--against", metavar="REVISION", help="Compare with this git revision.")
@click.option("--against-tags", is_flag=True, help="Compare with all release tags, such as v1.2.")
@click.option(
    "--category",
    metavar="WIRE|CODEC|TABLE|DOCS",
    default="TABLE",
    help="What must not break. WIRE: bytes; CODEC: also the Python API; TABLE: also tables; DOCS: also documentation.",
)
@click.option(
    "--direction",
    metavar="BACKWARD|FORWARD|FULL[_TRANSITIVE]",
    default="FULL_TRANSITIVE",
    help="BACKWARD: the new version must read data of the old one; FORWARD: the old version must read data of the new"
    " one; FULL: both. With _TRANSITIVE, compare with all tags, not only the latest.",
)
@click.option("--accept", metavar="FILE", type=Path, help="A YAML file of findings to accept, each with a reason.")
@report_format
def compat(
    specs: Sequence[Path],
    against: str | None,
    against_tags: bool,
    category: str,
    direction: str,
    accept: Path | None,
    format: ReportFormat,
) -> None:
    """Compare versions of specs: what changed, and what breaks. Exit with status 1 if something does."""
    changes = compiler("compat.changes")
    kept, kept_for = _one_of(changes.Category, category), _one_of(changes.Direction, direction)
    accepted = _accepted(accept, format)
    if against is None and not against_tags:
        if len(specs) != 2:
            raise MisuseError("name the old and the new specs, or only the new ones with --against or --against-tags")
        paths = existing(specs)
        earlier, paths = {str(paths[0]): _old(str(paths[0]), paths[:1])}, paths[1:]
    else:
        paths = existing(specs)
        earlier = dict(_revisions(paths, against, kept_for if against_tags else None))
    new = _new(paths, format)
    result = compiler("compat.report").report(earlier, new, kept, kept_for, accepted)
    _tell(result, tuple(earlier), f"{kept}, {kept_for}", format)
    if result.breaking:
        raise Exit(FAILED)


def _one_of(kind: type[E], name: str) -> E:
    """The member of that name, in either case."""
    if name.upper() not in kind.__members__:
        raise MisuseError(f"--{kind.__name__.lower()} must be one of {', '.join(kind.__members__)}, not {name!r}")
    return kind[name.upper()]


def _accepted(path: Path | None, format: ReportFormat) -> "Sequence[Accepted]":
    """The entries of the file. Ends the command if they have problems."""
    if path is None:
        return ()
    if not path.exists():
        raise MisuseError(f"there is no file {path}")
    entries: Sequence[Accepted]
    entries, problems = compiler("compat.report").read_accepted(path)
    if problems:
        report(problems, format)
        raise Exit(FAILED)
    return entries


def _new(paths: Sequence[Path], format: ReportFormat) -> "Version":
    module = compiler("compat.compare")
    try:
        version: Version = module.read(paths)
    except module.BadSpecsError as error:
        report(error.problems, format)
        raise Exit(FAILED) from None
    return version


def _old(name: str, paths: Sequence[Path]) -> "Version":
    module = compiler("compat.compare")
    try:
        version: Version = module.read(paths, earlier=True)
    except module.BadSpecsError as error:
        raise MisuseError(f"the specs of {name} have errors: {error}") from None
    return version


def _revisions(
    paths: Sequence[Path], revision: str | None, tags: "Direction | None"
) -> "Iterator[tuple[str, Version]]":
    """The revision, or with ``tags`` all releases, each with its version of the specs."""
    revisions = compiler("compat.revisions")
    try:
        if revision is not None:
            try:
                with revisions.at(revision, paths) as folders:
                    yield revision, _old(revision, folders)
            except revisions.NoSpecsError as error:
                say(f"nothing to compare with: {error}")
        if tags is not None:
            yield from _releases(revisions, paths, tags)
    except revisions.GitError as error:
        raise MisuseError(str(error)) from None


def _releases(revisions: ModuleType, paths: Sequence[Path], tags: "Direction") -> "Iterator[tuple[str, Version]]":
    """The releases that can be read, newest first; only the newest unless the direction is transitive."""
    found = revisions.releases(paths)
    if not found:
        raise MisuseError("no release tag, such as v1.2, contains these specs")
    readable = 0
    for name in reversed(found):
        with revisions.at(f"refs/tags/{name}", paths) as folders:
            try:
                version = _old(name, folders)
            except MisuseError as error:  # an old release must not prevent the comparison with later ones
                say(f"skipped: {error}")
                continue
        readable += 1
        yield name, version
        if not tags.transitive:
            return
    if not readable:
        raise MisuseError("the specs of no release can be read")


def _tell(result: "Report", earlier: Sequence[str], kept: str, format: ReportFormat) -> None:
    if format is ReportFormat.JSON:
        objects = [*map(_plain, result.findings), *map(plain, result.unused)]
        print(json_text(objects))
        return
    report([*(reported.problem(earlier) for reported in result.findings), *result.unused], format)
    if format is ReportFormat.TEXT:
        notes = len(result.findings) - result.breaking
        counted = [(result.breaking, "breaking"), (notes, "compatible"), (result.accepted, "accepted")]
        told = ", ".join(f"{number} {kind}" for number, kind in counted if number) or "no findings"
        tell(f"against {', '.join(earlier) or 'nothing'}: {told} ({kept})")


def _plain(reported: "Reported") -> dict[str, object]:
    finding, change = reported.finding, reported.finding.change
    return {
        **plain(finding.problem),
        "what": change.what,
        "element": change.element,
        "category": finding.category,
        "breaks": sorted(change.breaks),
        "against": reported.against,
    }
