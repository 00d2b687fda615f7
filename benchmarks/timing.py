"""Times of calls: some rounds of each, the middle one and how far they lie apart."""

import math
import os
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

ROUND = 0.05
"""Seconds that a round takes at least, where nothing else is said."""
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Result:
    """One measurement: seconds a call, the middle of its rounds, and how far the rounds lie apart."""

    name: str
    seconds: float
    spread: float


def measure(name: str, call: Callable[[], object], rounds: int, least: float = ROUND) -> Result:
    """Time ``call``, repeated so that a round takes at least ``least`` seconds."""
    return alternating({name: call}, rounds, least)[0]


def alternating(calls: Mapping[str, Callable[[], object]], rounds: int, least: float = ROUND) -> list[Result]:
    """Time several calls in turns, a round of each after the other, so that they share whatever the machine does.

    Every other round goes through them backwards, so that none is always the first. A round of no ``least`` seconds is
    a single call.
    """
    repeats = {
        name: max(1, math.ceil(least / max(seconds(call), 1e-7))) if least else 1 for name, call in calls.items()
    }
    times: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(rounds):
        for name in reversed(calls) if number % 2 else calls:
            times[name].append(seconds(calls[name], repeats[name]))
    return [result(name, found) for name, found in times.items()]


def result(name: str, times: list[float]) -> Result:
    """The middle of ``times``, and their spread in parts of it."""
    middle = statistics.median(times)
    return Result(name, middle, (max(times) - min(times)) / middle)


def seconds(call: Callable[[], object], repeat: int = 1) -> float:
    """Seconds a call, of ``repeat`` calls one behind the other."""
    start = time.perf_counter()
    for _ in range(repeat):
        call()
    return (time.perf_counter() - start) / repeat


def busy(call: Callable[[], object]) -> tuple[float, float]:
    """The seconds that something takes, and the processor seconds of this process and all below it meanwhile."""
    before, start = _spent(), time.perf_counter()
    call()
    return time.perf_counter() - start, _spent() - before


def _spent() -> float:
    """The processor seconds of this process and those below it, and of those that have ended there."""
    parents, spent = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            values = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        parents[int(path.parent.name)] = int(values[1])
        spent[int(path.parent.name)] = sum(map(int, values[11:15])) / _TICKS
    below = {os.getpid()}
    while more := {child for child, parent in parents.items() if parent in below} - below:
        below |= more
    return sum(spent[process] for process in below)
