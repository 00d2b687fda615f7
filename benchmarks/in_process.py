"""Bytes to rows in one process: our decoders beside what one writes by hand, and what mode PERMISSIVE costs."""

from collections.abc import Iterator
from dataclasses import dataclass

import apart
import captures
from apart import Rate, Task
from captures import Capture
from report import Report, of_rates, spread
from rivals import IN_PROCESS, RIVALS, SESSION

OURS = RIVALS["columnar"].title


@dataclass(frozen=True, slots=True)
class Effort:
    """How many records there are, how many rounds, and how many seconds a round takes at least."""

    records: int
    rounds: int
    least: float


def decoders(effort: Effort) -> Iterator[Report]:
    """All decoders on mutations and on mixed traffic."""
    yield _compared(
        f"Mutations to 18 columns: {_MUTATIONS}",
        captures.mutations().capture("mutations.bin", records=effort.records),
        effort,
        "Each decoder in a process of its own; slow ones see fewer of the same frames. Rows as Python objects are "
        "slower the more of them are kept, since the garbage collector goes through them.",
    )
    yield _compared(
        f"Mixed DCP traffic to all columns: {_MIXED}",
        captures.mixed().capture("mixed.bin", records=effort.records),
        effort,
        "Compiled construct calls lists, bits and FlatBuffers uncompiled. Rivals decode FlatBuffers without checking "
        "offsets, give a handful of statuses their names, and refuse nothing.",
    )


def session(effort: Effort) -> Iterator[Report]:
    """All decoders on a session with documents."""
    yield of_rates(
        "A session of DCP: documents of all kinds, Snappy in two of five, extended attributes, durable writes",
        rates(captures.session().capture("session.bin", records=effort.records), SESSION, effort),
        RIVALS["session_struct"].title,
        "Construct leaves the frames that set up a connection as bytes, and it cannot compile what it calls for times.",
        "frames",
    )


_MUTATIONS = "frames of 148 bytes, keys of 8 to 20 and values of 40 to 120"
_MIXED = "markers, system events, failover logs, answers, unknown frames"


def _compared(title: str, capture: Capture, effort: Effort, caption: str) -> Report:
    return of_rates(title, rates(capture, IN_PROCESS, effort), OURS, caption, "frames")


def rates(capture: Capture, names: tuple[str, ...], effort: Effort) -> list[Rate]:
    """The rate of each of these rivals that can run here."""
    found: list[Rate] = []
    for name in names:
        if RIVALS[name].may_run():
            found += apart.measured(Task(capture, name, effort.rounds, effort.least))
    return found


def modes(effort: Effort) -> Iterator[Report]:
    """PERMISSIVE beside FAILFAST on the same clean captures, in turns."""
    blocks = {"mutations": captures.mutations(), "mixed": captures.mixed(), "Databus": captures.events()}
    rows, found = [], []
    for what, block in blocks.items():
        capture = block.capture(f"modes_{what.lower()}.bin", records=effort.records)
        for name in ("columnar", "columnar_accelerated"):
            if RIVALS[name].may_run():
                task = Task(capture, name, effort.rounds, effort.least, modes=("FAILFAST", "PERMISSIVE"))
                strict, lenient = apart.measured(task)
                overhead = strict.rate / lenient.rate - 1
                label = f"{what}, {RIVALS[name].title}"
                lie = spread(strict.spread, lenient.spread)
                rows.append((label, f"{strict.rate:,.0f}", f"{lenient.rate:,.0f}", f"{overhead:+.1%}", lie))
                found.append({"name": label, "overhead": overhead, "rates": [strict.found(), lenient.found()]})
    columns = ("", "FAILFAST records/s", "PERMISSIVE records/s", "overhead", "spread")
    yield Report("Mode PERMISSIVE on clean captures", columns, tuple(rows), "In turns, in one process.", found)
