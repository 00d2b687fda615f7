"""A long stream of Databus events, every field out and both checksums compared, beside what others are known to do."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import captures
from in_process import Effort, beside_struct, rates
from report import Report, named, of_rates
from rivals import DATABUS, RIVALS

ANCHOR = 2_200_000
"""Events a second of the Java reader on one core; a published measurement of another machine."""


def stream(file: Path | None, size: int, effort: Effort) -> Iterator[Report]:
    """The events of ``file``, or made up ones, repeated to ``size`` bytes."""
    block = captures.events_of(file, size) if file is not None else captures.events()
    capture = block.capture("databus.bin", size=size)
    found = rates(capture, DATABUS, effort)
    mean = capture.block_bytes / capture.block_records
    loop = named(found, RIVALS["struct"].title)
    report = of_rates(
        f"Databus, both CRCs checked, all fields out: {capture.size / 1e6:,.0f} MB, {mean:.0f} bytes an event",
        found,
        loop.name,
        "The Java reader: published measurement of another machine. The struct loop knows the byte order, "
        "calls the CRC of zlib, and gives up at a damaged event; ours finds the order out unless told.",
        "events",
        beside_struct("databus", found),
    )
    java = ("Java reader 2.2M events/s on one core", f"{ANCHOR:,}", f"{ANCHOR / loop.rate:.3f}", "", "")
    yield replace(report, rows=(*report.rows, java))
