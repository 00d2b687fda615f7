"""The unhappy path: garbage and broken records, as ``tests/attack/captures.py`` has them, read in mode PERMISSIVE.

Each is read in a process of its own, which is this module run with a name and a size: memory is that of one capture.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "tests"))

import protocols
import pyarrow as pa
import pyarrow.compute as pc
import rivals
from attack import captures as hostile
from growth import MEGABYTE
from report import Measured, Report
from resident import peak
from targets import TARGETS
from timing import Middle

SLOWEST = "unhappy"
"""The target that every one is to be read at, in megabytes a second."""
FACTOR = 20
"""How often a capture may be in memory, if it has more than 4 MB."""

ROUNDS = 2

EVERY_LOOP = "Databus: header of every second event"
"""Sound records, damage and checksums: the capture that takes every loop which the accelerator compiles."""


@dataclass(frozen=True, slots=True)
class Read:
    """The bytes read, those of the table's columns, the seconds of a processor, and how the process grew.

    Columns of nulls and of one label are in memory once, and count each time as columns.
    """

    bytes: int
    columns: int
    seconds: float
    grown: int

    @property
    def speed(self) -> float:
        """Megabytes a second."""
        return self.bytes / MEGABYTE / self.seconds


def path(size: float) -> Iterator[Report]:
    """Every hostile capture, of ``size`` megabytes, with the accelerator and without it."""
    rows, found, times = [], [], {}
    target = TARGETS[SLOWEST].plain or 0
    slowest: dict[str, float] = {}
    ways = ["1", "0"] if rivals.RIVALS["columnar_accelerated"].may_run() else ["0"]
    for one in hostile.EVERY:
        with ThreadPoolExecutor(len(ways)) as both:  # what is measured is processor time
            reads = list(both.map(partial(_apart, one.name, int(size * MEGABYTE)), ways))
        times |= {f"{one.name}, {way}": read.seconds for way, read in zip(ways, reads, strict=True)}
        found.append({"name": one.name, "reads": [asdict(read) for read in reads]})
        slowest |= {way: min(read.speed, slowest.get(way, read.speed)) for way, read in zip(ways, reads, strict=True)}
        least, most = min(read.speed for read in reads), max(read.grown / read.bytes for read in reads)
        missed = [*([f"< {target} MB/s"] if least < target else []), *([f"> {FACTOR} times"] if most > FACTOR else [])]
        rows.append(
            (
                one.name,
                *(f"{read.speed:,.1f}" for read in reads),
                f"{reads[0].columns / reads[0].bytes:.1f}",
                f"{most:.1f}",
                " and ".join(missed),
            ),
        )
    columns = (
        "",
        *({"1": "accelerated MB/s", "0": "MB/s"}[way] for way in ways),
        "columns ÷ capture",
        "memory ÷ capture",
        "",
    )
    caption = (
        f"{size:g} MB each, to a table, the better of {ROUNDS} readings. "
        f"Meant: {target} MB/s, and no more than {FACTOR} times a capture in memory."
    )
    title = "The unhappy path: nothing, or nothing sound, in the whole capture"
    measured = tuple(Measured(SLOWEST, way == "1", Middle(speed, 0)) for way, speed in slowest.items())
    yield Report(title, columns, tuple(rows), caption, found, times, measured)


def _apart(name: str, size: int, accelerated: str) -> Read:
    """The reading in a process of its own. Ends the run where it fails."""
    environment = os.environ | {"PYTHONPATH": protocols.search_path(), rivals.SWITCH: accelerated}
    command = [sys.executable, __file__, name, str(size)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        sys.exit(f"{name}: {done.stderr.strip()}")
    return Read(**json.loads(done.stdout))


def _read(name: str, size: int) -> Read:
    """Read a capture, after small ones, so that modules are there and all loops compiled.

    Compiling takes some tenths of a second a loop, once. That is not measured. The time is the best
    of some rounds. The growth is that of the first: the others have its memory.
    """
    captures = {one.name: one for one in hostile.EVERY}
    for small in (captures[EVERY_LOOP], captures[name]):
        decode = protocols.load(small.protocol).decode_columnar
        decode(small.data(min(size, 64 * 1024)), mode="PERMISSIVE")
    data = captures[name].data(size)
    first, grown, columns = _decoded(decode, data)
    others = [_decoded(decode, data)[0] for _ in range(ROUNDS - 1)]
    return Read(len(data), columns, min(first, *others), grown)


def _decoded(decode: Callable[..., pa.Table], data: bytes) -> tuple[float, int, int]:
    """The seconds of a processor that one reading takes, how the process grew, and the bytes of the table's columns."""
    before, start = peak(), time.process_time()
    table = decode(data, mode="PERMISSIVE", positions=True)
    seconds = time.process_time() - start
    grown = peak() - before
    if (told := pc.sum(table["_length"]).as_py()) != len(data):
        sys.exit(f"{told} of {len(data)} bytes are told")
    return seconds, grown, table.nbytes


if __name__ == "__main__":
    print(json.dumps(asdict(_read(sys.argv[1], int(sys.argv[2])))))
