"""Bytes to rows in one process: our decoders beside what one writes by hand, and what mode PERMISSIVE costs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import apart
import by_c
import by_kaitai_cpp
import captures
from apart import Rate, Task
from captures import Capture
from report import Measured, Report, named, of_rates, spread
from rivals import ACCELERATOR, IN_PROCESS, RIVALS, SESSION


@dataclass(frozen=True, slots=True)
class Effort:
    """How many records there are, how many rounds, and how many seconds a round takes at least."""

    records: int
    rounds: int
    least: float


def decoders(effort: Effort) -> Iterator[Report]:
    """All decoders on mutations, on mixed traffic and on snapshot markers."""
    yield _compared(
        f"Mutations to 18 columns: {_MUTATIONS}",
        captures.mutations().capture("mutations.bin", records=effort.records),
        effort,
        "Each decoder in a process of its own, in turns; slow ones see fewer of the same frames. Rows as Python "
        "objects are slower the more of them are kept, since the garbage collector goes through them. "
        + f"{by_c.told()} {by_kaitai_cpp.told()}",
        (*IN_PROCESS, "longs", "longs_accelerated", "kaitai_cpp", "c"),
        "mutations",
        (("longs", "columnar"), ("longs_accelerated", "columnar_accelerated")),
    )
    yield _compared(
        f"Mixed DCP traffic to all columns: {_MIXED}",
        captures.mixed().capture("mixed.bin", records=effort.records),
        effort,
        "Compiled construct calls lists, bits and FlatBuffers uncompiled. Rivals decode FlatBuffers without checking "
        "offsets, give a handful of statuses their names, and refuse nothing.",
        IN_PROCESS,
    )
    yield _compared(
        "Snapshot markers to all columns of DCP",
        captures.markers().capture("markers.bin", records=effort.records),
        effort,
        "Every layout of markers; all other columns of the table are nulls.",
        ("struct", "columnar", "columnar_accelerated"),
        "markers",
    )


def session(effort: Effort) -> Iterator[Report]:
    """All decoders on a session with documents."""
    yield _compared(
        "A session of DCP: documents of all kinds, Snappy in two of five, extended attributes, durable writes",
        captures.session().capture("session.bin", records=effort.records),
        effort,
        "Construct leaves the frames that set up a connection as bytes, and it cannot compile what it calls for times.",
        SESSION,
        "session",
    )


_MUTATIONS = "frames of 148 bytes, keys of 8 to 20 and values of 40 to 120"
_MIXED = "markers, system events, failover logs, answers, unknown frames"


def _compared(
    title: str,
    capture: Capture,
    effort: Effort,
    caption: str,
    names: tuple[str, ...],
    target: str = "",
    longs: tuple[tuple[str, str], ...] = (),
) -> Report:
    """Of these rivals; ``longs`` are those of them that give longs, each with the one that gives decimals instead."""
    found = rates(capture, names, effort)
    reached = beside_struct(target, found) if target else ()
    for one, other in longs:
        if RIVALS[one].may_run():
            over = named(found, RIVALS[one].title).over(named(found, RIVALS[other].title))
            reached += (Measured("longs", RIVALS[one].needs == ACCELERATOR, over),)
    return of_rates(title, found, RIVALS["struct"].title, caption, "frames", reached)


def beside_struct(target: str, found: Sequence[Rate]) -> tuple[Measured, ...]:
    """How many times as fast as a hand-written loop tables are made, without the accelerator and with it."""
    ways = {RIVALS["columnar"].title: False, RIVALS["columnar_accelerated"].title: True}
    loop = named(found, RIVALS["struct"].title)
    return tuple(Measured(target, ways[rate.name], rate.over(loop)) for rate in found if rate.name in ways)


def rates(capture: Capture, names: Sequence[str], effort: Effort) -> list[Rate]:
    """The rate of each of these rivals that can run here, in turns."""
    able = [name for name in names if RIVALS[name].may_run()]
    return apart.measured(*(Task(capture, name, effort.rounds, effort.least) for name in able))


def modes(effort: Effort) -> Iterator[Report]:
    """PERMISSIVE beside FAILFAST on the same clean captures, in turns."""
    blocks = {"mutations": captures.mutations(), "mixed": captures.mixed(), "Databus": captures.events()}
    rows, found, times = [], [], {}
    for what, block in blocks.items():
        capture = block.capture(f"modes_{what.lower()}.bin", records=effort.records)
        for name in ("columnar", "columnar_accelerated"):
            if RIVALS[name].may_run():
                task = Task(capture, name, effort.rounds, effort.least, modes=("FAILFAST", "PERMISSIVE"))
                strict, lenient = apart.measured(task)
                overhead = lenient.each.over(strict.each).value - 1
                label = f"{what}, {RIVALS[name].title}"
                lie = spread(strict.spread, lenient.spread)
                rows.append((label, f"{strict.rate:,.0f}", f"{lenient.rate:,.0f}", f"{overhead:+.1%}", lie))
                times |= {f"{label}, {rate.name}": rate.each.seconds for rate in (strict, lenient)}
                found.append({"name": label, "overhead": overhead, "rates": [strict.found(), lenient.found()]})
    columns = ("", "FAILFAST records/s", "PERMISSIVE records/s", "overhead", "spread")
    yield Report("Mode PERMISSIVE on clean captures", columns, tuple(rows), "In turns, in one process.", found, times)
