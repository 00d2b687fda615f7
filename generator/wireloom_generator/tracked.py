"""Which files git has, where there is git: a generated file that is not committed is missing for everybody else."""

import subprocess
from collections.abc import Iterable
from pathlib import Path


def untracked(files: Iterable[Path]) -> list[Path]:
    """Those of the files that stand in a git work tree without being tracked, ignored ones too."""
    by_folder: dict[Path, list[Path]] = {}
    for path in files:
        by_folder.setdefault(path.parent, []).append(path)
    found = []
    for folder, paths in sorted(by_folder.items()):
        tracked = _tracked(folder)
        if tracked is not None:
            found += [path for path in paths if path.name not in tracked]
    return sorted(found)


def _tracked(folder: Path) -> frozenset[str] | None:
    """What git tracks in a folder, and below it; None if there is no git or no work tree."""
    command = ("git", "-C", str(folder), "ls-files", "-z")
    try:
        listed = subprocess.run(command, capture_output=True, check=False, encoding="utf-8", errors="surrogateescape")
    except OSError:
        return None
    return frozenset(listed.stdout.split("\0")) if listed.returncode == 0 else None
