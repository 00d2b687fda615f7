"""Arrow arrays as Python values without loss, and whether two of these are the same."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
"""In each unit."""


class Nanoseconds(int):
    """A time since 1970, or a duration, which is not the same as a number."""


def plain(array: pa.Array | pa.ChunkedArray) -> list[Any]:
    """The values: times and durations as ``Nanoseconds``, however many bits those have."""
    if isinstance(array, pa.ChunkedArray):
        return [value for chunk in array.chunks for value in plain(chunk)]
    kind, types = array.type, pa.types
    if types.is_dictionary(kind):
        return plain(array.dictionary_decode())
    if isinstance(kind, pa.BaseExtensionType):
        return plain(array.storage)
    if types.is_timestamp(kind) or types.is_duration(kind):
        size = NANOSECONDS[kind.unit]
        return [None if tick is None else Nanoseconds(tick * size) for tick in array.cast(pa.int64()).to_pylist()]
    if types.is_interval(kind):
        return [value and Nanoseconds(value.days * 86_400 * 10**9 + value.nanoseconds) for value in array.to_pylist()]
    if types.is_struct(kind):
        inner = {field.name: plain(part) for field, part in zip(kind, array.flatten(), strict=True)}
        return [
            {name: values[at] for name, values in inner.items()} if valid else None
            for at, valid in enumerate(array.is_valid().to_pylist())
        ]
    if types.is_list(kind) or types.is_large_list(kind):
        return [None if items.as_py() is None else plain(items.values) for items in array]
    return list(array.to_pylist())


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same to the last bit that matters: NaN is itself, and the zeros differ."""
    if isinstance(one, float) and isinstance(other, float):
        return repr(one) == repr(other)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[name]) for name, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other and all(isinstance(one, kind) is isinstance(other, kind) for kind in (bool, Nanoseconds)))
