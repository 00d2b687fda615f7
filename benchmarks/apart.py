"""Measurements in processes of their own, so that nothing that ran before is in their memory or their environment.

``measured`` starts the processes, each of which is this module run with a task as JSON, and lets them take turns, so
that all share whatever the machine does. They answer with JSON.
"""

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import captures
import protocols
import rivals
import timing
import totals
from captures import Capture
from timing import Middle, Result

from wireloom.backends.llvm import backend as llvm_backend

PATIENCE = 0.7
"""Seconds that one pass over a whole capture may take; slower decoders see a part of it."""


@dataclass(frozen=True, slots=True)
class Rate:
    """How fast something goes through records: its ``records`` a call, and the seconds each of them takes."""

    name: str
    records: int
    each: Result

    @property
    def rate(self) -> float:
        """Records a second."""
        return 1 / self.each.seconds

    @property
    def spread(self) -> float:
        """How far the rounds lie apart."""
        return self.each.spread

    def over(self, other: "Rate") -> Middle:
        """How many times as fast as another this is."""
        return other.each.over(self.each)

    def found(self) -> dict[str, Any]:
        """As it goes into the file of results."""
        return {
            "name": self.name,
            "records": self.records,
            "seconds": self.each.seconds * self.records,
            "spread": self.spread,
            "records_per_second": round(self.rate),
        }


@dataclass(frozen=True, slots=True)
class Task:
    """What to measure: a rival by name; by turns in modes, or as ``protocols`` that have the same bytes, if given."""

    capture: Capture
    rival: str
    rounds: int
    least: float
    modes: tuple[str, ...] = ()
    protocols: tuple[str, ...] = ()


def measured(*tasks: Task) -> list[Rate]:
    """The rate of each rival, or one for each of its modes or protocols. Ends the run where a result is wrong.

    They get ready one on each processor at a time. Then they take turns; all have as many rounds as the first.
    """
    with ThreadPoolExecutor(os.cpu_count()) as pool, ExitStack() as open_:
        workers = [open_.enter_context(worker) for worker in pool.map(_Worker, tasks)]
        for number in range(tasks[0].rounds):
            for worker in reversed(workers) if number % 2 else workers:
                worker.round()
        return [rate for worker in workers for rate in worker.rates()]


class _Worker:
    """The process of a task, which has decoded and is ready to measure."""

    def __init__(self, task: Task) -> None:
        self.task = task
        environment = os.environ | {"PYTHONPATH": protocols.search_path()} | rivals.RIVALS[task.rival].environment
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            [sys.executable, __file__], stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment
        )
        self.names, self.records = self._asked(asdict(task))
        self.rounds: list[dict[str, float]] = []

    def __enter__(self) -> "_Worker":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def round(self) -> None:
        """Take a round."""
        self.rounds.append(self._asked(len(self.rounds)))

    def rates(self) -> list[Rate]:
        """What the rounds gave."""
        found = timing.results(self.names, self.rounds)
        return [Rate(result.name, self.records, result.shared(self.records)) for result in found]

    def _asked(self, question: Any) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with suppress(BrokenPipeError):  # then it says why
            self.process.stdin.write(json.dumps(question) + "\n")
            self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            said = self.process.communicate()[1].strip()
            sys.exit(f"{self.task.rival} of {self.task.capture.protocol}: {said}")
        return json.loads(answer)


_SHARE = 12
"""A program that reads one in so many records, or more, has its loop before the first round, as after a long capture.
"""


def _ready(task: Task) -> tuple[timing.Turns, int]:
    """See that what it gives is right, and what to time: all of the capture, or as much as fills a round."""
    rival = rivals.RIVALS[task.rival]
    decode = rival.make(task.capture.protocol)
    data = Path(task.capture.path).read_bytes()
    given = partial(rival.given, task.capture.protocol) if rival.given else _file if task.capture.head else bytes

    def seconds(count: int) -> float:
        block = given(data[: task.capture.end(count)])
        return timing.seconds(lambda: decode(block))

    blocks = task.capture.blocks if rival.whole else _fitting(task, seconds)
    some = data[: task.capture.end(blocks)]
    taken = given(some)
    calls: dict[str, Callable[[], object]] = {rival.title: partial(decode, taken)}
    records = blocks * task.capture.block_records
    if rival.needs == rivals.ACCELERATOR:
        llvm_backend.PAYS = llvm_backend.KEPT_PAYS = records // _SHARE
    if task.modes:
        calls = {mode: partial(decode, taken, mode=mode) for mode in task.modes}
    if task.protocols:
        calls = {protocol: partial(rival.make(protocol), taken) for protocol in task.protocols}
    for call in calls.values():
        found = call()
        if rival.given:
            if bytes(found) != some:
                sys.exit("it gives other bytes")
            continue
        _check(rival.sums(taken) if rival.sums else totals.of(found), task.capture.expected(blocks), rival)
        if rival.exact and not found.equals(_ours(task, some).select(found.column_names)):
            sys.exit("it gives other columns")
    llvm_backend.PAYS = llvm_backend.KEPT_PAYS = sys.maxsize  # no round waits for another one
    return timing.Turns(calls, task.least), records


def _file(data: bytes) -> Path:
    """A file with these bytes, for this process alone."""
    path = captures.BUILD / f"recorded-{os.getpid()}.pcap"
    path.write_bytes(data)
    return path


def _fitting(task: Task, seconds: Callable[[int], float]) -> int:
    """How many blocks to take: what fills a round, or all of them if that is soon done."""
    blocks, every = 1, task.capture.blocks
    seconds(blocks)  # the first call waits for imports
    while (taken := min(seconds(blocks), seconds(blocks))) < task.least and blocks < every:
        blocks = min(max(4 * blocks, math.ceil(task.least / taken * blocks)), every)
    return every if taken / blocks * every <= PATIENCE else blocks


def _ours(task: Task, data: bytes) -> Any:
    return protocols.load(task.capture.protocol).decode_columnar(data)


def _check(found: dict[str, int], expected: dict[str, int], rival: rivals.Rival) -> None:
    for column, total in expected.items():
        compared = column in found if rival.some else column not in rival.otherwise
        if compared and found.get(column, 0) != total:
            sys.exit(f"it gives {found.get(column, 0)} in all for {column}, not {total}")


def main() -> None:
    """Read a task, and for each line behind it take a round. Other output than answers is not for who asks."""
    answers, sys.stdout = sys.stdout, sys.stderr
    task = json.loads(sys.stdin.readline())
    turns, records = _ready(Task(**task | {"capture": Capture(**task["capture"])}))
    print(json.dumps([list(turns.calls), records]), file=answers, flush=True)
    for line in sys.stdin:
        turns.warm()
        print(json.dumps(turns.take(json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main()
