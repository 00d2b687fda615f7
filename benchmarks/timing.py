"""Times of calls: some rounds of each, the middle one and how far they lie apart."""

import math
import os
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROUND = 0.05
"""Seconds that a round takes at least, where nothing else is said."""
_WARM, _LONG = 0.1, 0.4
"""For so many seconds calls are made that do not count, if none of them takes as long as the other."""
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Middle:
    """The middle one of some numbers, and how far these lie apart, in parts of it."""

    value: float
    spread: float


def middle(found: Sequence[float]) -> Middle:
    """Of the numbers that rounds gave."""
    value = statistics.median(found)
    return Middle(value, (max(found) - min(found)) / value)


@dataclass(frozen=True, slots=True)
class Result:
    """One measurement: seconds a call in each of its rounds."""

    name: str
    times: tuple[float, ...]

    @property
    def seconds(self) -> float:
        """Seconds a call in the middle round."""
        return middle(self.times).value

    @property
    def spread(self) -> float:
        """How far the rounds lie apart."""
        return middle(self.times).spread

    def over(self, other: "Result") -> Middle:
        """How many times as long as another this takes, which was measured in turns with it."""
        return middle([mine / its for mine, its in zip(self.times, other.times, strict=True)])

    def shared(self, count: float) -> "Result":
        """Seconds for each of so many things that a call does."""
        return Result(self.name, tuple(each / count for each in self.times))


class Turns:
    """Several calls, a round of each after the other, so that they share whatever the machine does.

    Every other round goes through them backwards, so that none is always the first. A round takes at least ``least``
    seconds; one of none is a single call.
    """

    def __init__(self, calls: Mapping[str, Callable[[], object]], least: float) -> None:
        self.calls = calls
        self.took = {name: max(seconds(call), 1e-7) for name, call in calls.items()} if least else {}
        self.repeats = {name: math.ceil(least / self.took[name]) if least else 1 for name in calls}

    def warm(self) -> None:
        """Make calls that do not count, as a processor is slow where a process has waited, and its caches are cold."""
        for name, took in self.took.items():
            if took < _LONG:
                seconds(self.calls[name], math.ceil(_WARM / took))

    def take(self, number: int) -> dict[str, float]:
        """Seconds a call, by name, in round ``number``."""
        names = reversed(self.calls) if number % 2 else self.calls
        return {name: seconds(self.calls[name], self.repeats[name]) for name in names}


def alternating(calls: Mapping[str, Callable[[], object]], rounds: int, least: float = ROUND) -> list[Result]:
    """Time several calls in turns, warm: the first records of a kind have functions made for them."""
    Turns(calls, least).warm()
    turns = Turns(calls, least)
    return results(calls, [turns.take(number) for number in range(rounds)])


def results(names: Iterable[str], rounds: Sequence[Mapping[str, float]]) -> list[Result]:
    """What rounds gave, by name."""
    return [Result(name, tuple(each[name] for each in rounds)) for name in names]


def measure(name: str, call: Callable[[], object], rounds: int, least: float = ROUND) -> Result:
    """Time one call."""
    return alternating({name: call}, rounds, least)[0]


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
