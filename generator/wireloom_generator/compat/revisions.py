"""Specs from a git revision, written to a temporary folder."""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from wireloom_generator import git
from wireloom_generator.git import GitError, MissingGitError
from wireloom_generator.reading.spec import home

_RELEASE = re.compile(r"(?:.*[-/_])?v?\d+(?:\.\d+)*")
"""A tag of a release: a version, perhaps after a name, such as ``v1.2`` or ``wireloom-1.2``, but not ``1.2rc1``."""


class NoSpecsError(Exception):
    """The revision has no specs yet."""


@contextmanager
def at(revision: str, paths: Sequence[Path]) -> Iterator[tuple[Path, ...]]:
    """The specs in ``paths`` in a revision, with the libraries beside them. Raises ``GitError``, ``NoSpecsError``."""
    root = _root(paths[0])
    commit = _commit(root, revision)
    inside = [_inside(root, path) for path in paths]
    with TemporaryDirectory() as folder:
        for path in inside:
            files = [name for name in _files(root, commit, path) if name.suffix == ".yaml"]
            if not any(name.is_relative_to(path) for name in files):
                raise NoSpecsError(f"{revision} has no specs in {path} yet")
            for name in files:
                target = Path(folder) / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(git.run(root, "cat-file", "blob", f"{commit}:{name}"))
        yield tuple(Path(folder) / path for path in inside)


def releases(paths: Sequence[Path]) -> tuple[str, ...]:
    """The tags that are releases and have specs in the paths, oldest version first. Raises ``GitError``."""
    root = _root(paths[0])
    inside = [_inside(root, path) for path in paths]
    tags = git.run(root, "tag", "--list", "--sort=version:refname").decode().split()
    return tuple(tag for tag in tags if _RELEASE.fullmatch(tag) and _has(root, f"refs/tags/{tag}", inside))


def _has(root: Path, revision: str, paths: Sequence[PurePosixPath]) -> bool:
    commit = _commit(root, revision)
    return all(git.run(root, "ls-tree", "--name-only", commit, "--", str(path)).strip() for path in paths)


def _commit(root: Path, revision: str) -> str:
    """The revision's commit id, which git cannot mistake for an option."""
    try:
        found = git.run(root, "rev-parse", "--quiet", "--verify", "--end-of-options", f"{revision}^{{commit}}")
    except MissingGitError:
        raise
    except GitError:
        is_shallow = git.run(root, "rev-parse", "--is-shallow-repository").strip() == b"true"
        hint = "; the clone is shallow, fetch its history" if is_shallow else ""
        raise GitError(f"there is no revision {revision!r}{hint or _known(root)}") from None
    return found.decode().split()[-1]


_TOLD = 8
"""How many branches and tags an error message lists."""


def _known(root: Path) -> str:
    """The branches and tags, each sorted from the highest version down."""
    kinds = ("refs/heads", "refs/remotes", "refs/tags")
    listed = (git.run(root, "for-each-ref", "--sort=-version:refname", "--format=%(refname)", kind) for kind in kinds)
    names = [name.split("/", 2)[2] for one in listed for name in os.fsdecode(one).splitlines()]
    more = f" and {len(names) - _TOLD} more" if len(names) > _TOLD else ""
    return f"; there is {', '.join(names[:_TOLD])}{more}" if names else "; there is no branch or tag"


def _files(root: Path, commit: str, path: PurePosixPath) -> Iterator[PurePosixPath]:
    """The files of the protocols in ``path``, with the libraries beside it if it is the folder of one protocol."""
    is_protocol = any((root / path).glob("*.yaml")) or (root / path).is_file()
    own = path.parent if (root / path).is_file() else path
    folder = PurePosixPath(home(root / own).relative_to(root)).parent if is_protocol else path
    listed = git.run(root, "ls-tree", "-r", "-z", "--name-only", commit, "--", str(folder))
    for name in listed.decode().split("\0"):
        if name and folder in PurePosixPath(name).parents[1:3]:
            yield PurePosixPath(name)


def _root(path: Path) -> Path:
    """The work tree's top folder."""
    folder = path if path.is_dir() else path.parent
    return Path(git.run(folder, "rev-parse", "--show-toplevel").decode().rstrip("\n"))


def _inside(root: Path, path: Path) -> PurePosixPath:
    """The path from the top of its work tree."""
    try:
        return PurePosixPath(path.resolve().relative_to(root.resolve()).as_posix())
    except ValueError:
        raise GitError(f"{path} does not belong to {root}") from None
