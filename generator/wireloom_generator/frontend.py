"""Files → models, checked by the rules."""

import gc
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from wireloom_generator import rules
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem, Severity
from wireloom_generator.reading.spec import ReadFile, load, read_file
from wireloom_generator.resolve import resolve

_SAID_LAST = frozenset({"no-message"})
"""The rules about what specs may still lack while they are written: they report nothing as long as there are errors."""


def read(
    paths: Sequence[Path], read: ReadFile = read_file, new: Collection[Path] = ()
) -> tuple[list[Resolved], list[Problem]]:
    """The models of the specs in ``paths``, and all problems from reading them and from rules, sorted.

    ``new`` are files that are not on disk yet, but that ``read`` reads.
    """
    with uncollected():
        specs, problems = load(paths, read, new)
        models = [resolve(spec) for spec in specs]
        found = {*problems, *(problem for model in models for problem in rules.check(model))}
        if any(problem.severity is Severity.ERROR for problem in found):
            found = {problem for problem in found if problem.rule not in _SAID_LAST}
        return models, sorted(found)


@contextmanager
def uncollected() -> Iterator[None]:
    """Pause garbage collection, which would take a fifth of the time among so many objects."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
