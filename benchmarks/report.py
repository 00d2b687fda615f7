"""What a section has to show: a table of words, and the numbers behind it, for files and for who compares them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from apart import Rate
from timing import Middle


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured of something that has a target, see ``targets``, with the accelerator or without it."""

    target: str
    accelerated: bool
    middle: Middle


@dataclass(frozen=True, slots=True)
class Report:
    """One table: ``rows`` stand under ``columns``, the first of which has the names.

    ``found`` are its numbers as they go into the file of results. ``times`` are those seconds of them that another
    version may be held against, by what takes them; ``measured`` those that there are targets for.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str
    found: Any
    times: Mapping[str, float] = field(default_factory=dict)
    measured: tuple[Measured, ...] = ()


def spread(*found: float) -> str:
    """How far rounds lie apart, the worst of several measurements. A single round does not say."""
    return f"±{max(found) / 2:.0%}" if any(found) else ""


def of_rates(
    title: str,
    rates: Sequence[Rate],
    reference: str,
    caption: str,
    unit: str = "records",
    measured: tuple[Measured, ...] = (),
) -> Report:
    """Rates, and how often each has that of the one called ``reference``."""
    beside = named(rates, reference)
    rows = []
    for rate in rates:
        times = rate.over(beside)
        rows.append((rate.name, f"{rate.rate:,.0f}", f"{times.value:.3f}", spread(times.spread), f"{rate.records:,}"))
    columns = ("", f"{unit}/s", f"× {reference}", "spread", f"{unit} a call")
    found = [rate.found() for rate in rates]
    return Report(title, columns, tuple(rows), caption, found, times_of(rates), measured)


def named(rates: Sequence[Rate], name: str) -> Rate:
    """The one of this name."""
    return next(rate for rate in rates if rate.name == name)


def times_of(rates: Sequence[Rate]) -> dict[str, float]:
    """Seconds a record of each."""
    return {rate.name: rate.each.seconds for rate in rates}
