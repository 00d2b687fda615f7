"""A long stream of Databus events, every field out and both checksums compared, beside what others are known to do."""

from collections.abc import Iterator
from pathlib import Path

import captures
from in_process import OURS, Effort, rates
from report import Report, of_rates
from rivals import DATABUS

ANCHOR = 2_200_000
"""Events a second of the Java reader on one core; a published measurement of another machine."""


def stream(file: Path | None, size: int, effort: Effort) -> Iterator[Report]:
    """The events of ``file``, or made up ones, repeated to ``size`` bytes."""
    block = captures.events_of(file, size) if file is not None else captures.events()
    capture = block.capture("databus.bin", size=size)
    found = rates(capture, DATABUS, effort)
    mean = capture.block_bytes / capture.block_records
    report = of_rates(
        f"Databus, both CRCs checked, all fields out: {capture.size / 1e6:,.0f} MB, {mean:.0f} bytes an event",
        found,
        OURS,
        "The Java reader: published measurement of another machine. The struct loop knows the byte order, "
        "calls the CRC of zlib, and gives up at a damaged event; ours finds the order out unless told.",
        "events",
    )
    ours = next(rate.rate for rate in found if rate.name == OURS)
    java = ("Java reader 2.2M events/s on one core", f"{ANCHOR:,}", f"{ANCHOR / ours:.3f}", "", "")
    yield Report(report.title, report.columns, (*report.rows, java), report.caption, report.found)
