"""``wireloom docs``: the documentation site of protocols."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import click
from click.exceptions import Exit

from wireloom import files
from wireloom.cli.diagnostics import FAILED, MisuseError, complain, say, tell
from wireloom.cli.findings import ReportFormat, report
from wireloom.cli.specs import compiler, existing, specs_
from wireloom.extras import needed


@click.command
@specs_
@click.option("--out", type=Path, default=Path("site"), help="The folder for the site; replaces a site that is there.")
def docs(specs: Sequence[Path], out: Path) -> None:
    """Build a website from specs: a page per message, with diagrams, examples and search. It needs no server.

    Exit with status 1 if the specs have errors, or if the folder contains files of something else.
    """
    paths = existing(specs)
    site = compiler("site")
    try:
        with needed("this command", "docs"):
            import_module("zensical")
    except ModuleNotFoundError as error:
        raise MisuseError(str(error)) from None
    subjects, problems = compiler("generate").subjects(paths)
    report(problems, ReportFormat.TEXT)
    if any(problem.severity == "error" for problem in problems):
        raise Exit(FAILED)
    if not subjects:
        raise MisuseError(f"there is no protocol in {' '.join(map(files.shown, paths))}, only a library")
    try:
        site.write(subjects, out)
    except site.SiteError as error:
        first, *rest = str(error).splitlines()
        say(first)
        for line in rest:
            complain(line)
        raise Exit(FAILED) from None
    tell(f"wrote {files.shown(out)}; open {files.shown(out / 'index.html')} in a browser")
