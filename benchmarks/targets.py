"""What is meant to be reached, and the table that says whether a run reached it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from report import Measured, Report, spread


@dataclass(frozen=True, slots=True)
class Target:
    """What to reach without the accelerator and with it; None where nothing is meant. ``of`` is the unit.

    Of seconds and of growth it is the most that there may be, of everything else the least.
    """

    what: str
    of: str
    plain: float | None
    accelerated: float | None
    most: bool = False

    def reached(self, measured: Measured) -> bool | None:
        """Whether this is reached. None where nothing is meant."""
        goal = self.goal(accelerated=measured.accelerated)
        if goal is None:
            return None
        value = measured.middle.value
        return value <= goal if self.most else value >= goal

    def goal(self, *, accelerated: bool) -> float | None:
        """What is meant."""
        return self.accelerated if accelerated else self.plain


_LOOP, _CONSTRUCT, _COMPILED = "× struct loop", "× construct", "× construct, compiled"
_FLOOR, _CPU, _DECIMALS = "of the floor", "s CPU", "× with decimals"
TARGETS = {
    "mutations": Target("mutations, 18 columns", _LOOP, 5, 30),
    "markers": Target("markers in the whole DCP table", _LOOP, 6, 40),
    "session": Target("DCP session, all columns", _LOOP, 6, 20),
    "longs": Target("mutations, u64 as longs", _DECIMALS, None, None),
    "types_session": Target("DCP session, types=arrow", "× types=spark", 1.3, None),
    "types_session_bytes": Target("its bytes a row", "of types=spark", 0.5, None, most=True),
    "types_u64": Target("unsigned 64-bit numbers, types=arrow", "× longs", 1, None),
    "types_u64_bytes": Target("their bytes a row", "of types=spark", 0.5, None, most=True),
    "databus": Target("Databus, both CRCs", "× struct and zlib loop", 3, 18),
    "encode_dcp": Target("encode DCP markers", _CONSTRUCT, 60, 200),
    "encode_mixed": Target("encode mixed DCP", _CONSTRUCT, 60, 200),
    "encode_databus": Target("encode Databus", _CONSTRUCT, 60, 300),
    "snapshot marker: decode": Target("parse a marker", _COMPILED, 1, None),
    "snapshot marker: encode": Target("build a marker", _COMPILED, 1, None),
    "system event: decode": Target("parse a system event", _COMPILED, 1, None),
    "system event: encode": Target("build a system event", _COMPILED, 1, None),
    "failover log: decode": Target("parse a failover log", _COMPILED, 1, None),
    "failover log: encode": Target("build a failover log", _COMPILED, 1, None),
    "Databus event: decode": Target("parse a Databus event", _COMPILED, 1, None),
    "Databus event: encode": Target("build a Databus event", _COMPILED, 1, None),
    "scan_mutations": Target("where to split mutations", "of a bare hop", None, 0.7),
    "scan_mixed": Target("where to split mixed DCP", "of a bare hop", None, 0.7),
    "packets_dpkt": Target("packets, all columns", "× dpkt", 10, 10),
    "packets_scapy": Target("packets, all columns", "× Scapy", 100, 100),
    "packets_tshark": Target("packets, all columns", "× tshark", 1, 1),
    "records_tshark": Target("DCP in packets", "× tshark", 1, 1),
    "records_raw": Target("DCP in packets", "of end to end", None, None),
    "spark_read": Target("Spark, all columns of mutations", _FLOOR, 0.75, 0.9),
    "spark_longs": Target("Spark, the same, u64 as longs", _DECIMALS, 1.3, 1.3),
    "spark_few_longs": Target("Spark, three columns, u64 as longs", _DECIMALS, 1.3, 1.3),
    "spark_write": Target("Spark, write mutations", _FLOOR, 0.7, 0.8),
    "from_wire": Target("from_wire", _FLOOR, 0.8, 0.9),
    "unhappy": Target("the slowest hostile capture", "MB/s CPU", 10, 10),
    "first": Target("first decode_columnar", _CPU, 0.35, 0.35, most=True),
    "help": Target("wireloom --help", _CPU, 0.15, 0.15, most=True),
    "frame": Target("wireloom decode of one frame", _CPU, 0.15, 0.15, most=True),
    "memory": Target("own memory, largest capture", "× the next smaller's", 1.2, 1.2, most=True),
    "growth": Target("time a byte, largest capture", "× the next smaller's", 1.2, 1.2, most=True),
}
"""By the names that sections give to what they measure, in the order in which they are told."""


def told(measured: Sequence[Measured], note: str = "") -> Iterator[Report]:
    """One table of all that was measured and has a target. Nothing where there is none of it."""
    found = {(each.target, each.accelerated): each for each in measured}
    names = [name for name in TARGETS if (name, False) in found or (name, True) in found]
    if not names:
        return
    rows = []
    for name in names:
        target = TARGETS[name]
        cells = [cell for way in (False, True) for cell in _cells(target, found.get((name, way)), accelerated=way)]
        rows.append((target.what, target.of, *cells))
    said = [TARGETS[each.target].reached(each) for each in found.values()]
    held, missed = said.count(True), said.count(False)
    columns = ("", "", "without accel", "target", "", "with accel", "target", "")
    caption = f"{note}{held} targets hold, {missed} are missed. Middle and spread of rounds in turns."
    numbers = [
        {
            "target": each.target,
            "accelerated": each.accelerated,
            "value": each.middle.value,
            "spread": each.middle.spread,
            "goal": TARGETS[each.target].goal(accelerated=each.accelerated),
            "holds": TARGETS[each.target].reached(each),
        }
        for each in found.values()
    ]
    yield Report("Targets", columns, tuple(rows), caption, numbers)


def _cells(target: Target, measured: Measured | None, *, accelerated: bool) -> tuple[str, str, str]:
    """What was measured and its spread, what is meant, and whether it is reached."""
    goal = target.goal(accelerated=accelerated)
    meant = "" if goal is None else f"{'≤' if target.most else '≥'} {goal:g}"
    if measured is None:
        return "", meant, "not measured" if meant else ""
    middle = measured.middle
    verdict = {None: "", True: "holds", False: "misses"}[target.reached(measured)]
    return f"{middle.value:.3g} {spread(middle.spread)}".rstrip(), meant, verdict
