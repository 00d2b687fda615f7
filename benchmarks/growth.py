"""Captures of growing size through the command line: time grows as they do, memory does not."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import captures
import protocols
import pyarrow as pa
import rivals
from captures import Capture
from report import Measured, Report
from resident import told
from timing import Middle

MEGABYTE = 1_000_000
_GLANCE = 0.01
"""Seconds between two looks at a process."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the command: what went in, how long it took, and how much memory it had at most.

    ``peak_bytes`` are resident, the mapped capture among them; ``own_bytes`` are those that are not of any file. They
    are seen by looking now and then, and 0 where the system does not tell.
    """

    bytes: int
    records: int
    seconds: float
    peak_bytes: int
    own_bytes: int

    @property
    def speed(self) -> float:
        """Megabytes a second."""
        return self.bytes / MEGABYTE / self.seconds


def runs(sizes: Sequence[float]) -> Iterator[Report]:
    """``wireloom decode --format arrow`` of mutations, for each size in megabytes, without the accelerator and with."""
    ways = [False, *([True] if rivals.RIVALS["columnar_accelerated"].may_run() else [])]
    found: dict[bool, list[Run]] = {way: [] for way in ways}
    for number, size in enumerate(sizes):
        capture = captures.mutations().capture("growth.bin", size=int(size * MEGABYTE))
        if number == 0:
            _check(capture)
        for way in ways:
            found[way].append(_decoded(capture, Path(os.devnull), accelerated=way))
        Path(capture.path).unlink()
    rows, times = [], {}
    for way, each in found.items():
        for run in each:
            what = f"{run.bytes / MEGABYTE:,.1f} MB{', accelerated' if way else ''}"
            numbers = (f"{run.records:,}", f"{run.seconds:.2f}", f"{run.speed:,.1f}")
            own = f"{run.own_bytes / MEGABYTE:,.0f}" if run.own_bytes else ""
            rows.append((what, *numbers, f"{run.peak_bytes / MEGABYTE:,.0f}" if own else "", own))
            times[what] = run.seconds
    yield Report(
        "wireloom decode mutations CAPTURE --format arrow --output " + os.devnull,
        ("capture", "records", "seconds", "MB/s", "peak MB", "own MB"),
        tuple(rows),
        "From the start of the process to its end. The peak is of resident memory, files among it; own is "
        "what is not of files, looked at every few milliseconds.",
        [{"accelerated": way, **asdict(run)} for way, each in found.items() for run in each],
        times,
        tuple(compared for way, each in found.items() if len(each) > 1 for compared in _compared(way, *each[-2:])),
    )


def _compared(accelerated: bool, smaller: Run, larger: Run) -> Iterator[Measured]:
    """What a byte costs of the larger one, and what memory that took, beside the smaller one. One run of each."""
    if smaller.own_bytes:
        yield Measured("memory", accelerated, Middle(larger.own_bytes / smaller.own_bytes, 0))
    yield Measured("growth", accelerated, Middle(smaller.speed / larger.speed, 0))


def _decoded(capture: Capture, output: Path, *, accelerated: bool) -> Run:
    """Decode the capture in a process of its own. Ends the run where that fails."""
    command = [sys.executable, "-m", "wireloom", "decode", capture.protocol, capture.path]
    command += ["--format", "arrow", "--output", str(output)]
    environment = os.environ | {"PYTHONPATH": protocols.search_path(), rivals.SWITCH: "0"}
    if accelerated:
        environment.pop(rivals.SWITCH)  # loads it when that pays
    log = captures.BUILD / "growth.log"
    with log.open("wb") as said:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=said, stderr=said, env=environment)
        done = own = peak = 0
        while not done:
            own, peak = max(own, told(process.pid, "RssAnon")), told(process.pid, "VmHWM") or peak
            time.sleep(_GLANCE)
            done, status = os.waitpid(process.pid, os.WNOHANG)
        seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)}: {log.read_text().strip()}")
    return Run(capture.size, capture.records, seconds, peak, own)


def _check(capture: Capture) -> None:
    """See that the command writes every record. Ends the run where it does not."""
    output = captures.BUILD / "growth.arrow"
    _decoded(capture, output, accelerated=False)
    with pa.memory_map(str(output)) as file:
        reader = pa.ipc.open_file(file)
        rows = sum(reader.get_batch(number).num_rows for number in range(reader.num_record_batches))
    output.unlink()
    if rows != capture.records:
        sys.exit(f"wireloom decode wrote {rows} of {capture.records} records")
