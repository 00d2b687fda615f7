"""How work grows with its size, held against itself: a slow or busy machine is that for both sizes."""

import time
from collections.abc import Callable

LINEAR = 30
"""Ten times as much takes less than this many times as long if work is linear in it, and more if it is quadratic."""


def growth(work: Callable[[int], Callable[[], object]], size: int) -> float:
    """How many times as much processor time ten times the size takes. ``work`` prepares what is then measured."""
    little, much = work(size), work(10 * size)
    return _seconds(much) / min(_seconds(little), _seconds(little))


def _seconds(run: Callable[[], object]) -> float:
    begun = time.process_time()
    run()
    return time.process_time() - begun
