"""Specs as a git revision has them, laid out in a folder of their own."""

import re
import subprocess
import tarfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

_RELEASE = re.compile(r"(?:.*[-/_])?v?\d+(?:\.\d+)*")
"""A tag that is a release: a version, perhaps behind a name; ``v1.2``, ``wireloom-1.2``. Not ``1.2rc1``."""


class RevisionError(Exception):
    """Git cannot give what was asked for."""


@contextmanager
def at(revision: str, paths: Sequence[Path]) -> Iterator[tuple[Path, ...]]:
    """The paths as they were at ``revision``, the libraries beside them too. Raises ``RevisionError``."""
    inside = [_inside(path) for path in paths]
    root = _root(paths[0])
    folders = sorted({_with_libraries(root, path) for path in inside})
    names = [folder.as_posix() for folder in folders]
    data = _git(root, "archive", "--format=tar", revision, "--", *names)
    with TemporaryDirectory() as folder:
        with tarfile.open(fileobj=BytesIO(data)) as archive:
            archive.extractall(folder, filter="data")
        yield tuple(Path(folder) / path for path in inside)


def releases(paths: Sequence[Path]) -> tuple[str, ...]:
    """The tags that are releases and have the paths, oldest version first. Raises ``RevisionError``."""
    root = _root(paths[0])
    tags = _git(root, "tag", "--list", "--sort=version:refname").decode().split()
    inside = [_inside(path).as_posix() for path in paths]
    return tuple(tag for tag in tags if _RELEASE.fullmatch(tag) and all(_has(root, tag, path) for path in inside))


def _has(root: Path, revision: str, path: str) -> bool:
    return bool(_git(root, "ls-tree", "--name-only", revision, "--", path).strip())


def _root(path: Path) -> Path:
    """The work tree's top folder."""
    folder = path if path.is_dir() else path.parent
    return Path(_git(folder, "rev-parse", "--show-toplevel").decode().strip())


def _inside(path: Path) -> Path:
    """The path from the top of its work tree."""
    return path.resolve().relative_to(_root(path).resolve())


def _with_libraries(root: Path, path: Path) -> Path:
    """The folder to take along: a protocol's own needs the libraries beside it."""
    folder = path if (root / path).is_dir() else path.parent
    return folder.parent if any((root / folder).glob("*.yaml")) else folder


def _git(folder: Path, *arguments: str) -> bytes:
    try:
        done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, check=True)
    except FileNotFoundError:
        raise RevisionError("git is not there; name two folders instead") from None
    except subprocess.CalledProcessError as error:
        lines = error.stderr.decode(errors="replace").strip().splitlines()
        raise RevisionError(f"git: {lines[0].removeprefix('fatal: ') if lines else 'failed'}") from None
    return done.stdout
