"""One measurement in a process of its own, so that nothing that ran before is in its memory or its environment.

``measured`` starts the process, which is this module run with a task as JSON; it answers with JSON.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import protocols
import rivals
import timing
import totals
from captures import Capture

PATIENCE = 1.5
"""Seconds that one pass over a whole capture may take; slower decoders see a part of it."""


@dataclass(frozen=True, slots=True)
class Rate:
    """How fast something went through ``records`` records a call: records a second, and the spread of the rounds."""

    name: str
    records: int
    seconds: float
    spread: float

    @property
    def rate(self) -> float:
        """Records a second."""
        return self.records / self.seconds

    def found(self) -> dict[str, Any]:
        """As it goes into the file of results."""
        return {**asdict(self), "records_per_second": round(self.rate)}


@dataclass(frozen=True, slots=True)
class Task:
    """What to measure: a rival by name; by turns in modes, or as ``protocols`` that have the same bytes, if given."""

    capture: Capture
    rival: str
    rounds: int
    least: float
    modes: tuple[str, ...] = ()
    protocols: tuple[str, ...] = ()


def measured(task: Task) -> list[Rate]:
    """The rate of a rival, or one for each mode or protocol. Ends the run where a result is wrong."""
    environment = os.environ | {"PYTHONPATH": protocols.search_path()} | rivals.RIVALS[task.rival].environment
    done = subprocess.run(
        [sys.executable, __file__],
        input=json.dumps(asdict(task)),
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    if done.returncode:
        sys.exit(f"{task.rival} of {task.capture.protocol}: {done.stderr.strip()}")
    return [Rate(**rate) for rate in json.loads(done.stdout.splitlines()[-1])]


def _run(task: Task) -> list[Rate]:
    """Check what it gives, then time it, on all of the capture or as much as fills a round."""
    rival = rivals.RIVALS[task.rival]
    decode = rival.make(task.capture.protocol)
    data = Path(task.capture.path).read_bytes()
    block = data[: task.capture.block_bytes]
    decode(block)
    blocks = _fitting(task, timing.seconds(lambda: decode(block)))
    some = data[: blocks * task.capture.block_bytes]
    calls: dict[str, Callable[[], object]] = {rival.title: partial(decode, some)}
    if task.modes:
        calls = {mode: partial(decode, some, mode=mode) for mode in task.modes}
    if task.protocols:
        calls = {protocol: partial(rival.make(protocol), some) for protocol in task.protocols}
    for call in calls.values():
        _check(totals.of(call()), task.capture.expected(blocks), rival)
    found = timing.alternating(calls, task.rounds, task.least)
    return [Rate(item.name, blocks * task.capture.block_records, item.seconds, item.spread) for item in found]


def _fitting(task: Task, seconds: float) -> int:
    """How many blocks to take when one takes so long: all of them if that is soon done, else what fills a round."""
    if seconds * task.capture.blocks <= max(PATIENCE, task.least):
        return task.capture.blocks
    return max(1, round(task.least / seconds))


def _check(found: dict[str, int], expected: dict[str, int], rival: rivals.Rival) -> None:
    for column, total in expected.items():
        compared = column in found if rival.some else column not in rival.otherwise
        if compared and found.get(column, 0) != total:
            sys.exit(f"it gives {found.get(column, 0)} in all for {column}, not {total}")


def main() -> None:
    """Read a task, run it, print the rates."""
    task = json.load(sys.stdin)
    found = _run(Task(**task | {"capture": Capture(**task["capture"])}))
    print(json.dumps([asdict(rate) for rate in found]))


if __name__ == "__main__":
    main()
