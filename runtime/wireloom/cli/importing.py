"""``wireloom import``: specs from descriptions that other tools have of a format."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.exceptions import Exit

from wireloom import files
from wireloom.cli.diagnostics import FAILED, FailedError, MisuseError, complain, tell
from wireloom.cli.findings import ReportFormat, report
from wireloom.cli.specs import compiler
from wireloom.extras import needed

if TYPE_CHECKING:
    from wireloom_generator.importing import SpecImport


_SPECS = Path("specs")
"""Where ``wireloom generate`` looks for specs."""


@click.command("import")
@click.argument("paths", metavar="FILE...", nargs=-1, required=True, type=Path, help="Files of one format.")
@click.option("--format", "format_name", metavar="NAME", help="The format; by default the files say it.")
@click.option("--out", type=Path, default=_SPECS, help="The folder for the specs.")
def import_(paths: Sequence[Path], format_name: str | None, out: Path) -> None:
    """Write specs for formats that are described for other tools, such as Kaitai Struct.

    What a spec cannot say is bytes there, with a comment that begins with TODO and has the reason.

    Exit with status 1 if a file is not of its format, or if the written spec has errors.
    """
    importers, importing = compiler("importers"), compiler("importing")
    try:
        sources = importers.Sources()
        names = [format_name] if format_name else sorted({importers.importer_of(path, sources) for path in paths})
        if len(names) > 1:
            raise MisuseError(f"the files are of several formats, {' and '.join(names)}; import each by itself")
        with needed("this format", "generator"):
            result = importing.imported(paths, importers.named(names[0]), out, sources)
    except importers.SourceError as error:
        raise FailedError(str(error)) from error
    except (importers.ImporterError, importing.TakenError, ModuleNotFoundError) as error:
        raise MisuseError(str(error)) from error
    _write(result, out)
    is_broken = any(problem.severity == "error" for problem in result.problems)
    if result.files and not is_broken:
        _tell_what_is_next(result, out)
    for outcome in result.outcomes:
        if outcome.reasons:
            complain(f"{outcome.at}: {outcome.name}: {outcome.coverage}: {'; '.join(outcome.reasons)}")
    report(result.problems, ReportFormat.TEXT)
    counts = importing.counted(result.outcomes)
    listed = [word for word in importers.Coverage if word in counts or word is not importers.Coverage.VALUES]
    said = ", ".join(f"{counts.get(word, 0)} {word}" for word in listed)
    clean = "" if result.problems else ", no problems"
    tell(f"messages and types: {said}{clean}")
    if is_broken:
        raise Exit(FAILED)


def _write(result: "SpecImport", out: Path) -> None:
    """Write the specs, a folder for each protocol, with the schema for editors if there is none."""
    texts = dict(result.files)
    schema = out / "schema.json"
    if texts and not schema.exists():
        texts[schema] = compiler("emitters.json_schema").schema()
    compiler("on_disk").put(texts)
    for folder, count in Counter(path.parent for path in result.files).items():
        tell(f"wrote {files.shown(folder)} ({count} files)")
    if schema in texts:
        tell(f"wrote {files.shown(schema)}")


def _tell_what_is_next(result: "SpecImport", out: Path) -> None:
    """Say how records are decoded by the first of the protocols."""
    name = min(path.relative_to(out).parts[0] for path in result.files)
    named = "" if out == _SPECS else f" {files.shown(out)}"
    tell("Read them, then run:")
    tell(f"  wireloom generate{named} --out my_protocols")
    tell(f"  wireloom decode my_protocols.{name} CAPTURE")
