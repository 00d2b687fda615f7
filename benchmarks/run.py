"""``make bench``: how fast specs compile, bytes become rows and tables, and Spark reads them, beside rivals.

Machines are noisy: what counts are ratios within one run, and the spread of its rounds is beside them. Every result is
checked against what the bytes were made of; no time is. A JSON file has the numbers.

    benchmarks/run.py --quick                    every section in seconds, at sizes that say nothing about speed
    benchmarks/run.py --only decoders            one section; --only may be repeated
    benchmarks/run.py --only decoders --compare HEAD~1
                                                 what a change did: both versions in turns
    benchmarks/run.py --full                     captures up to four gigabytes, twenty of half a one, and 242 messages
    benchmarks/run.py --only planning --cluster  on a master and two workers
"""

import argparse
import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import captures
import comparing
import consumer_types
import databus_stream
import encoding
import growth
import in_process
import messages
import protocols
import recorded
import scans
import start
import targets
import unhappy
import wide
from in_process import Effort
from report import Measured, Report
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parent.parent
MEGABYTE = 1_000_000
FEW_ROUNDS = 2
"""Of what takes long."""
ROUNDS_COMPARED = 2
"""Of each measurement, in each of the runs that are compared."""
QUICK = {
    "rounds": 1,
    "least": 0.02,
    "frames": 4_000,
    "databus_size": 0.5,
    "spark_rows": 20_000,
    "planning": [50, 2, 10],
    "growth": [0.5, 2],
    "unhappy": 0.05,
    "wide": [1, 16, 32],
}


def _effort(options: argparse.Namespace, most: int = sys.maxsize) -> Effort:
    return Effort(options.frames, min(options.rounds, most), options.least)


def _databus(options: argparse.Namespace) -> Iterator[Report]:
    return databus_stream.stream(options.databus, int(options.databus_size * MEGABYTE), _effort(options))


def _spark(options: argparse.Namespace) -> Iterator[Report]:
    if options.no_spark:
        return iter(())
    import spark_reads

    return spark_reads.reads(options.spark_rows, min(options.rounds, FEW_ROUNDS))


def _planning(options: argparse.Namespace) -> Iterator[Report]:
    if options.no_spark:
        return iter(())
    import planning

    small, large, megabytes = options.planning
    effort = planning.Effort(small, large, megabytes, options.cluster, options.store.rstrip("/"), options.memory)
    return planning.costs(effort)


SECTIONS: dict[str, Callable[[argparse.Namespace], Iterator[Report]]] = {
    "compile": lambda options: messages.compiling(options.rounds),
    "records": lambda options: messages.single(options.rounds),
    "decoders": lambda options: in_process.decoders(_effort(options)),
    "session": lambda options: in_process.session(_effort(options)),
    "databus": _databus,
    "encoders": lambda options: encoding.encoders(_effort(options)),
    "scans": lambda options: scans.scans(_effort(options)),
    "traffic": lambda options: recorded.traffic(_effort(options, FEW_ROUNDS)),
    "start": lambda options: start.times(options.rounds),
    "spark": _spark,
    "planning": _planning,
    "growth": lambda options: growth.runs(options.growth),
    "unhappy": lambda options: unhappy.path(options.unhappy),
    "wide": lambda options: wide.costs(options.wide, _effort(options, FEW_ROUNDS)),
    "modes": lambda options: in_process.modes(_effort(options, FEW_ROUNDS)),
    "types": lambda options: consumer_types.tables(_effort(options, FEW_ROUNDS)),
}
"""What there is to measure, in the order in which it runs."""


def _sizes(text: str) -> list[float]:
    return [float(size) for size in text.split(",")]


def _counts(text: str) -> list[int]:
    return [int(count) for count in text.split(",")]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--only", action="append", choices=SECTIONS, help="this section and no other; may be repeated")
    add("--quick", action="store_true", help="tiny sizes: shows that all of it works")
    add("--full", action="store_true", help="a growth to 4 GB; 10,000 small captures and 20 of 500 MB; 242 messages")
    add("--rounds", type=int, default=3, help=f"rounds of each measurement, of Spark at most {FEW_ROUNDS}")
    add("--least", type=float, default=0.15, help="seconds that a round in one process takes at least")
    add("--frames", type=int, default=200_000, help="frames in the captures that are decoded in one process")
    add("--databus", type=Path, default=_vectors(), help="Databus events, version 1 and big endian; else made up ones")
    add("--databus-size", type=float, default=260, metavar="MB", help="to which those are repeated")
    add("--spark-rows", type=int, default=300_000, help="rows that go through Spark at a time")
    sizes = "how many small captures, how many large ones, and the size of these"
    add("--planning", type=_counts, default=[1_000, 4, 150], metavar="N,N,MB", help=sizes)
    add("--cluster", action="store_true", help="plan for a standalone cluster, which is started, instead of local[2]")
    add("--store", default="", metavar="URI", help="plan files below this, such as s3://bucket/bench; else local ones")
    add("--memory", default="2g", help="what the JVMs of --planning may use")
    add("--no-spark", action="store_true", help="leave Spark out")
    add(
        "--growth", type=_sizes, default=[10, 100, 1000], metavar="MB,MB", help="sizes of captures for the command line"
    )
    counts = "how many messages the protocols have that are declared over the same bytes"
    add("--wide", type=_counts, default=[1, 16, 60], metavar="N,N", help=counts)
    add("--unhappy", type=float, default=1, metavar="MB", help="size of each hostile capture")
    add("--compare", metavar="REV", help="the same sections by another version too, in turns, and how they differ")
    add("--output", type=Path, default=ROOT / "build" / "bench.json", help="where the numbers go")
    return parser


def _options() -> argparse.Namespace:
    """The arguments. ``--quick`` and ``--full`` change what holds when a size is not given."""
    parser = _parser()
    chosen = parser.parse_args()
    if chosen.full:
        parser.set_defaults(growth=[10, 100, 1000, 4000], planning=[10_000, 20, 500], wide=[1, 16, 242])
    if chosen.quick:
        parser.set_defaults(**QUICK)
    return parser.parse_args()


def _vectors() -> Path | None:
    file = Path(os.environ.get("WIRELOOM_VECTORS", ""), "databus", "perf_v1_be_8mb.bin")
    return file if "WIRELOOM_VECTORS" in os.environ and file.is_file() else None


def _shown(report: Report) -> Table:
    table = Table(title=report.title, caption=report.caption, title_justify="left", caption_justify="left")
    for number, column in enumerate(report.columns):
        table.add_column(column, justify="right" if number else "left", no_wrap=True)
    for row in report.rows:
        table.add_row(*row)
    return table


def main() -> None:
    """Measure, print, write the results down."""
    options = _options()
    if options.compare:
        _write(options.output, {"compare": _compared(options)})
    else:
        _write(options.output, _measured(options))


def _write(path: Path, results: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(results, indent=1) + "\n")


def _console() -> Console:
    # A table is as wide as it is, also where the output is no terminal and would count as 80 columns.
    return Console(width=None if sys.stdout.isatty() else 160)


def _compared(options: argparse.Namespace) -> list[Any]:
    """This work tree beside another version, each run as this one was called."""
    own = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    for name in ("--compare", "--output", "--rounds"):
        own.add_argument(name)
    arguments = [*own.parse_known_args()[1], "--rounds", str(ROUNDS_COMPARED)]
    reports = list(comparing.compared(ROOT, options.compare, arguments, options.rounds))
    for report in reports:
        _console().print(_shown(report))
    return [report.found for report in reports]


def _measured(options: argparse.Namespace) -> dict[str, Any]:
    """All chosen sections."""
    console = _console()
    sections = options.only or SECTIONS
    protocols.generate(*([partial(wide.write, counts=options.wide)] if "wide" in sections else []))
    results: dict[str, Any] = {}
    measured: list[Measured] = []

    def show(section: str, report: Report) -> None:
        console.print(_shown(report))
        told = {"title": report.title, "found": report.found, "times": dict(report.times)}
        results.setdefault(section, []).append(told)
        measured.extend(report.measured)

    began = time.monotonic()
    try:
        for name in sections:
            since = time.monotonic()
            for report in SECTIONS[name](options):
                show(name, report)
            console.print(f"[dim]{name}: {time.monotonic() - since:.0f} s[/dim]\n")
    finally:
        shutil.rmtree(captures.BUILD)
    for report in targets.told(measured, "At sizes that say nothing about speed: " if options.quick else ""):
        show("targets", report)
    console.print(f"[dim]all: {time.monotonic() - began:.0f} s[/dim]")
    return results


if __name__ == "__main__":
    main()
