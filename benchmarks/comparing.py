"""``--compare REV``: the same sections by this checkout and by another version of it, in turns, and how they differ.

The other version is a worktree of its own in a temporary folder, which has the benchmarks of this one, so that both are
measured alike.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import timing
from report import Report, spread

_PACKAGES = ("runtime", "generator", "generated")
_DIFFERENT = 0.05
"""What rounds may differ by, by chance, also where they lie close together."""


@dataclass(frozen=True, slots=True)
class Checkout:
    """A version's files, and its name."""

    folder: Path
    name: str

    def times(self, arguments: Sequence[str], output: Path) -> dict[str, float]:
        """The seconds that a run of its benchmarks gives, by what takes them. Ends the run where it fails."""
        command = [sys.executable, str(self.folder / "benchmarks" / "run.py"), *arguments, "--output", str(output)]
        path = os.pathsep.join(str(self.folder / package) for package in _PACKAGES)
        environment = os.environ | {"PYTHONPATH": path}
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{self.name}: {done.stderr.strip()}")
        return times_in(json.loads(output.read_text()))


def times_in(results: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, float]:
    """The seconds in a file of results, by what a report is called in front of a colon, and what takes them."""
    return {
        f"{report['title'].partition(':')[0]}: {what}": seconds
        for reports in results.values()
        for report in reports
        for what, seconds in report["times"].items()
    }


@contextmanager
def worktree(repository: Path, revision: str) -> Iterator[Checkout]:
    """A version of the repository, with the benchmarks of the work tree, as long as it is needed.

    Ends the run where there is no such version.
    """

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(repository), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"--compare {revision}: {done.stderr.strip()}")
        return done.stdout.strip()

    commit = git("rev-parse", "--verify", "--short", f"{revision}^{{commit}}")
    with TemporaryDirectory(prefix="wireloom-bench-") as temporary:
        folder = Path(temporary) / commit
        git("worktree", "add", "--quiet", "--detach", str(folder), commit)
        try:
            shutil.rmtree(folder / "benchmarks", ignore_errors=True)
            shutil.copytree(repository / "benchmarks", folder / "benchmarks")
            yield Checkout(folder, revision)
        finally:
            git("worktree", "remove", "--force", str(folder))


def compared(repository: Path, revision: str, arguments: Sequence[str], rounds: int) -> Iterator[Report]:
    """How fast this work tree is beside ``revision``: both run with ``arguments`` so many times, in turns."""
    with worktree(repository, revision) as other, TemporaryDirectory() as temporary:
        mine = Checkout(repository, "this work tree")
        output = Path(temporary) / "found.json"
        found: dict[Checkout, list[dict[str, float]]] = {mine: [], other: []}
        for number in range(rounds):
            print(f"round {number + 1} of {rounds}", file=sys.stderr)
            for checkout in (mine, other) if number % 2 else (other, mine):
                found[checkout].append(checkout.times(arguments, output))
        yield _told(revision, found[mine], found[other])


def _told(revision: str, mine: Sequence[Mapping[str, float]], theirs: Sequence[Mapping[str, float]]) -> Report:
    """Each measurement that both have: its seconds in both, and how many times as fast it has become."""
    rows, numbers = [], []
    for what in mine[0]:
        if what not in theirs[0]:
            continue
        before, now = ([each[what] for each in rounds] for rounds in (theirs, mine))
        ratio = timing.middle([old / new for old, new in zip(before, now, strict=True)])
        rows.append((what, f"{ratio.value:.2f}", spread(ratio.spread), verdict(ratio)))
        numbers.append({"name": what, "before": before, "now": now, "ratio": ratio.value, "spread": ratio.spread})
    caption = f"How many times as fast as {revision}: the middle of {len(mine)} runs of both, in turns."
    return Report(f"This work tree beside {revision}", ("", "times", "spread", ""), tuple(rows), caption, numbers)


def verdict(ratio: timing.Middle) -> str:
    """Whether it is faster or slower by more than rounds differ."""
    noise = max(ratio.spread / 2 * ratio.value, _DIFFERENT)
    return "faster" if ratio.value > 1 + noise else "slower" if ratio.value < 1 - noise else ""
