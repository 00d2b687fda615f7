"""Where tests cut records off."""

from support.cases import often

EDGE, STEP = 40, 7
"""So many bytes at each end of a record are cut at one by one, and only each of so many between."""


def lengths(data: bytes, first: int = 1) -> list[int]:
    """How much is left of a record that is cut off: every length of a short one, and in ``make fuzz`` of any."""
    size = len(data)
    between = range(first, size, often(STEP, 1))
    return sorted({*range(first, min(EDGE, size)), *between, *range(max(first, size - EDGE), size)})
