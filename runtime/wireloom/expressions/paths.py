"""The way to a value inside of structs and lists."""

from collections.abc import Mapping
from typing import Any, Self


class StructBytes(bytes):
    """The bytes of a struct in whose place they are, with its ``fields``."""

    fields: Mapping[str, Any]

    def __new__(cls, data: bytes, fields: Mapping[str, Any]) -> Self:
        """The bytes, with the fields that were read from them."""
        found = super().__new__(cls, data)
        found.fields = fields
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return bytes, (bytes(self),)


def fields(values: Any) -> Any:
    """The fields of a struct that may be there as bytes."""
    return values.fields if isinstance(values, StructBytes) else values


def inside(values: Any, *steps: str) -> Any:
    """What is found by going from struct to struct; None where one is absent, or given to be written and none."""
    for step in steps:
        values = fields(values)
        values = values.get(step) if isinstance(values, Mapping) else None
    return values


def item(values: Any, index: Any, *steps: str) -> Any:
    """What is found by going into an item of a list; None if it has none of that number."""
    if isinstance(values, list | tuple) and isinstance(index, int) and 0 <= index < len(values):
        return inside(values[index], *steps)
    return None


def last(values: Any, *steps: str) -> Any:
    """The same of the last item."""
    return item(values, len(values) - 1, *steps) if isinstance(values, list | tuple) else None
