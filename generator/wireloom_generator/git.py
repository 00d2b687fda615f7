"""Queries git. This is the only module that runs it."""

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

_LOCAL = (
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE",
)  # fmt: skip
"""Variables that git sets for its hooks. Their repository need not be that of the files."""


class GitError(Exception):
    """Git failed, with git's own message."""


class MissingGitError(GitError):
    """Git is not installed."""


def run(folder: Path, *arguments: str) -> bytes:
    """What git prints when run in ``folder``. Raises ``GitError``."""
    environment = {name: value for name, value in os.environ.items() if name not in _LOCAL}
    command = ("git", "-C", str(folder), *arguments)
    try:
        done = subprocess.run(command, capture_output=True, check=True, env=environment)
    except FileNotFoundError:
        raise MissingGitError("git is not installed") from None
    except subprocess.CalledProcessError as error:
        lines = os.fsdecode(error.stderr).strip().splitlines()
        raise GitError(lines[0].removeprefix("fatal: ") if lines else f"git {arguments[0]} failed") from None
    return done.stdout


def untracked(files: Iterable[Path]) -> list[Path]:
    """The files that are in a work tree and not tracked, ignored ones included. Raises ``GitError``."""
    trees: dict[Path, dict[Path, list[Path]]] = {}
    for path in files:
        folder = path.parent.resolve()
        if (tree := work_tree(folder)) is not None:
            trees.setdefault(tree, {}).setdefault(folder, []).append(path)
    found = []
    for tree, folders in trees.items():
        asked = [str(folder.relative_to(tree)) for folder in folders]
        listed = os.fsdecode(run(tree, "--literal-pathspecs", "ls-files", "-z", "--", *asked))
        tracked = {str(tree / name) for name in listed.split("\0")}
        found += [path for folder, paths in folders.items() for path in paths if str(folder / path.name) not in tracked]
    return sorted(found)


def work_tree(folder: Path) -> Path | None:
    """The top folder of the repository that a folder is in, judging by its files alone."""
    inside = folder.resolve()
    return next((parent for parent in (inside, *inside.parents) if (parent / ".git").exists()), None)
