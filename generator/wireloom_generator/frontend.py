"""Files → models, checked by the rules."""

import gc
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from wireloom_generator import rules
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem
from wireloom_generator.reading.spec import ReadFile, load, read_file
from wireloom_generator.resolve import resolve


def read(
    paths: Sequence[Path], read: ReadFile = read_file, new: Collection[Path] = ()
) -> tuple[list[Resolved], list[Problem]]:
    """The models of the specs in ``paths``, and all problems from reading them and from rules, sorted.

    ``new`` are files that are not on disk yet, but that ``read`` reads.
    """
    with uncollected():
        specs, problems = load(paths, read, new)
        models = [resolve(spec) for spec in specs]
        return models, sorted({*problems, *(problem for model in models for problem in rules.check(model))})


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
