"""What a section has to show: a table of words, and the numbers behind it for the file of results."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from apart import Rate


@dataclass(frozen=True, slots=True)
class Report:
    """One table. ``found`` are its numbers; ``rows`` stand under ``columns``, the first of which has the names."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str
    found: Any


def spread(*found: float) -> str:
    """How far rounds lie apart, the worst of several measurements. A single round does not say."""
    return f"±{max(found) / 2:.0%}" if any(found) else ""


def of_rates(title: str, rates: Sequence[Rate], reference: str, caption: str, unit: str = "records") -> Report:
    """Rates, and how often each has that of the one called ``reference``."""
    beside = next(rate.rate for rate in rates if rate.name == reference)
    rows = tuple(
        (
            rate.name,
            f"{rate.rate:,.0f}",
            f"{rate.rate / beside:.3f}",
            spread(rate.spread),
            f"{rate.records:,}",
        )
        for rate in rates
    )
    columns = ("", f"{unit}/s", f"× {reference}", "spread", f"{unit} a call")
    return Report(title, columns, rows, caption, [rate.found() for rate in rates])
