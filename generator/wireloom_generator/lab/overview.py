"""The picture of a capture: its records by message over offset or time, what is malformed, and how random that is."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from wireloom_generator.lab.capture_bytes import CaptureBytes
from wireloom_generator.lab.record_index import NO_TIME, FoundRecords

BINS = 240
"""How many columns the picture has."""
_ROWS = 7
"""How many messages have a row of their own; the others share one."""
_PART = 64 * 1024
"""How many records are counted at once."""
_FEWEST, _MOST = 256, 64 * 1024
"""Of how many bytes the entropy of a column is computed: of those around it if it has less."""
_HIGH = 14
"""The height of a lane."""


@dataclass(frozen=True, slots=True, eq=False)
class Lane:
    """How many ``records`` a message has, and how many of them are in each column, be it in part."""

    records: int
    columns: Any


@dataclass(frozen=True, slots=True, eq=False)
class Overview:
    """Numbers by column: those of each message, the share of malformed bytes, and the ``entropy`` of these as a
    share of what so many bytes can have; NaN where nothing is malformed. What is behind the share ``known`` of all
    columns was not read yet.

    Columns go from ``first`` to ``last``: bytes, or nanoseconds since the Unix epoch if it is ``by_time``.
    """

    messages: dict[str, Lane]
    malformed: Any
    entropy: Any
    known: float
    first: int
    last: int
    by_time: bool


def overview(capture: CaptureBytes, found: FoundRecords, names: list[str], *, by_time: bool = False) -> Overview:
    """The overview of the records that were found in a capture. Over time, all of them must have been."""
    first, last = _times(found) if by_time else (0, max(1, capture.size))
    step = (last - first) / BINS
    records, shown = np.zeros(len(names), np.int64), np.zeros((len(names), BINS + 1), np.int64)
    for part in _parts(found):
        message = found.message[part].astype(np.int64)
        places = found.time[part] if by_time else found.offset[part]
        ends = places if by_time else places + found.length[part] - 1
        known = (message >= 0) & ((not by_time) | (places != NO_TIME))
        records += np.bincount(message[known], minlength=len(names))
        for sign, where in ((1, places), (-1, ends)):
            column = ((where[known] - first) / step).clip(0, BINS - 1).astype(np.int64) + (sign < 0)
            cells = message[known] * (BINS + 1) + column
            shown += sign * np.bincount(cells, minlength=shown.size).reshape(shown.shape)
    columns = shown.cumsum(1)[:, :BINS]
    order = [code for code in np.argsort(-records, kind="stable").tolist() if records[code]]
    lanes = {names[code]: Lane(int(records[code]), columns[code]) for code in order[:_ROWS]}
    if rest := order[_ROWS:]:
        lanes[f"{len(rest)} others"] = Lane(int(records[rest].sum()), columns[rest].sum(0))
    malformed = np.zeros(BINS) if by_time else _malformed(capture, found)
    entropy = np.full(BINS, np.nan) if by_time else _entropy(capture, found, malformed)
    read = 1.0 if by_time or not capture.size else found.end / capture.size
    return Overview(lanes, malformed, entropy, read, first, last, by_time)


def _parts(found: FoundRecords) -> Iterator[slice]:
    """The records in parts that need little memory."""
    return (slice(at, at + _PART) for at in range(0, len(found), _PART))


def _times(found: FoundRecords) -> tuple[int, int]:
    """The first time of a record, and that after the last one."""
    timed = [times[times != NO_TIME] for times in (found.time[part] for part in _parts(found))]
    ends = [(int(times.min()), int(times.max()) + 1) for times in timed if len(times)]
    return (min(first for first, _ in ends), max(last for _, last in ends)) if ends else (0, 1)


def _malformed(capture: CaptureBytes, found: FoundRecords) -> Any:
    """The share of each column's bytes that is malformed."""
    step = max(1, capture.size) / BINS
    edges = np.arange(BINS + 1) * step
    start, stop = (each[found.malformed] for each in (found.offset, found.offset + found.length))
    before = np.concatenate([[0], np.cumsum(stop - start)])
    at = np.searchsorted(start, edges, "right")
    partial = np.where(at > 0, np.minimum(edges, stop[at - 1]) - start[at - 1], 0) if len(start) else np.zeros(BINS + 1)
    covered = before[np.maximum(at - 1, 0)] + partial
    return np.diff(covered) / step


def _entropy(capture: CaptureBytes, found: FoundRecords, malformed: Any) -> Any:
    """The entropy of the first malformed range in each column, or of what of it is in the column and near it."""
    step = capture.size / BINS
    entropy = np.full(BINS, np.nan)
    start, stop = (each[found.malformed] for each in (found.offset, found.offset + found.length))
    for number in np.flatnonzero(malformed > 0).tolist():
        begin, end = int(number * step), int((number + 1) * step) + 1
        row = int(np.searchsorted(stop, begin, "right"))
        around = max(0, _FEWEST - (end - begin)) // 2
        first = max(int(start[row]), begin - around)
        entropy[number] = relative_entropy(capture.read(first, min(int(stop[row]), end + around, first + _MOST)))
    return entropy


def relative_entropy(data: bytes) -> float:
    """The Shannon entropy of bytes as a share of what so many bytes can have: 0 of equal ones, 1 of random ones."""
    if len(data) < 2:
        return 0.0
    counts = np.bincount(np.frombuffer(data, np.uint8))
    shares = counts[counts > 0] / len(data)
    return float(abs((shares * np.log2(shares)).sum()) / np.log2(min(256, len(data))))


def drawn(overview: Overview, when: Callable[[int], str]) -> str:
    """The overview as HTML: a row for each lane, whose picture is as wide as there is room. ``when`` shows a time."""
    rows = [
        f'<span class="lab-lane-name" title="{escape(name)}">{escape(name)}</span>'
        f'<svg class="lab-lane lab-{kind} lab-hue-{number % 6}" viewBox="0 0 {BINS} {_HIGH}"'
        f' preserveAspectRatio="none">{_unseen(overview)}{_bars(heights)}</svg>'
        for number, (name, kind, heights) in enumerate(_lanes(overview))
    ]
    ends = [when(overview.first), when(overview.last)] if overview.by_time else ["0x0", f"{overview.last:#x}"]
    ticks = "".join(f"<span>{escape(end)}</span>" for end in ends)
    return (
        f'<div class="lab-overview" role="img" aria-label="{escape(_described(overview))}">{"".join(rows)}'
        f'<span></span><span class="lab-ticks">{ticks}</span></div>'
    )


def _lanes(overview: Overview) -> Iterator[tuple[str, str, Any]]:
    """The lanes: a name, a kind, and the height of each column."""
    for name, lane in overview.messages.items():
        counts = lane.columns
        heights = 3 + (_HIGH - 3) * np.log1p(counts) / np.log1p(max(1, counts.max()))
        yield name, "message", np.where(counts > 0, heights, 0)
    spoiled = overview.malformed > 0
    if spoiled.any():
        heights = np.maximum(3, _HIGH * np.minimum(overview.malformed, 1))
        yield "malformed", "malformed", np.where(spoiled, heights, 0)
        yield "entropy of these", "entropy", np.nan_to_num(np.maximum(1, _HIGH * overview.entropy))


def _bars(heights: Any) -> str:
    return "".join(
        f'<rect x="{number}" y="{_HIGH - heights[number]:.1f}" width="1.05" height="{heights[number]:.1f}"/>'
        for number in np.flatnonzero(heights).tolist()
    )


def _unseen(overview: Overview) -> str:
    """What covers the columns that were not read yet."""
    x = overview.known * BINS
    return f'<rect class="lab-unseen" x="{x:.1f}" y="0" width="{BINS - x:.1f}" height="{_HIGH}"/>' if x < BINS else ""


def _described(overview: Overview) -> str:
    """The picture in words."""
    counts = ", ".join(f"{lane.records} {name}" for name, lane in overview.messages.items())
    spoiled = f"; malformed bytes in {int((overview.malformed > 0).sum())} of {BINS} columns"
    return f"Records over {'time' if overview.by_time else 'offset'}: {counts or 'none'}{spoiled}"
