"""The way to a value inside of structs."""

from collections.abc import Mapping
from typing import Any


def inside(values: Any, *steps: str) -> Any:
    """What is found by going from struct to struct; None where one is absent, or given to be written and none."""
    for step in steps:
        values = values.get(step) if isinstance(values, Mapping) else None
    return values
