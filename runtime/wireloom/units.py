"""Units of time."""

from collections.abc import Mapping

NANOSECONDS: Mapping[str, int] = {
    "ns": 1,
    "us": 1_000,
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "min": 60_000_000_000,
    "h": 3_600_000_000_000,
    "d": 86_400_000_000_000,
}
"""How many nanoseconds each has."""
