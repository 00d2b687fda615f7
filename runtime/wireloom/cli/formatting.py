"""``wireloom fmt``: spec files in their canonical form."""

import difflib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from click.exceptions import Exit

from wireloom import files
from wireloom.cli.diagnostics import FAILED, MisuseError, say, tell
from wireloom.cli.findings import ReportFormat, report
from wireloom.cli.specs import compiler, existing, specs_

_STDIN = Path("-")


@click.command
@specs_
@click.option("--check", "only_check", is_flag=True, help="Write nothing; exit with status 1 if a file would change.")
@click.option("--diff", is_flag=True, help="As --check, and print what would change.")
def fmt(specs: Sequence[Path], only_check: bool, diff: bool) -> None:
    """Bring spec files into their canonical form, which keeps comments and the order of keys.

    `-` formats standard input. Of folders, all spec files are formatted. Exit with status 1 if a file cannot be
    formatted; it stays as it is.
    """
    formatting = compiler("formatting")
    texts, problems = {}, []
    for path, text in _texts(specs):
        try:
            texts[path] = text, formatting.formatted(text, path)
        except formatting.FormatError as error:
            problems.append(error.problem)
    changed = {path: new for path, (old, new) in texts.items() if old != new}
    report(problems, ReportFormat.TEXT)
    if diff:
        for path, new in changed.items():
            _show(path, texts[path][0], new)
    elif only_check:
        for path in changed:
            tell(f"{files.shown(path)} would change")
    elif specs == (_STDIN,):
        sys.stdout.write("".join(new for _, new in texts.values()))
    else:
        compiler("on_disk").put(changed)
        for path in changed:
            tell(f"formatted {files.shown(path)}")
    if only_check and changed:
        say(f"{_counted(len(changed))} not in canonical form; run: wireloom fmt")
    if problems or ((only_check or diff) and changed):
        raise Exit(FAILED)
    if not changed and specs != (_STDIN,):
        tell(f"{_counted(len(texts))} in canonical form")


def _texts(specs: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    """The files to format, with their texts; standard input as the file ``-``. Raises ``MisuseError``."""
    if _STDIN in specs and len(specs) > 1:
        raise MisuseError("standard input is formatted alone, without other files")
    if specs == (_STDIN,):
        yield _STDIN, _text(sys.stdin.buffer.read(), _STDIN)
        return
    for path in dict.fromkeys(each for given in existing(specs) for each in compiler("formatting").files_in(given)):
        yield path, _text(path.read_bytes(), path)


def _text(data: bytes, path: Path) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise MisuseError(f"{files.shown(path)} is not UTF-8: {error.reason} at byte {error.start}") from None


def _counted(count: int) -> str:
    return f"{count} file{' is' if count == 1 else 's are'}"


def _show(path: Path, old: str, new: str) -> None:
    name = path.as_posix()
    lines = difflib.unified_diff(
        old.splitlines(), new.splitlines(), f"{name} (on disk)", f"{name} (formatted)", lineterm=""
    )
    for line in lines:
        tell(line)
