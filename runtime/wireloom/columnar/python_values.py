"""Values of Python as arrays of Arrow and back, exactly.

pyarrow converts most of them. It loses the signal of NaNs of single precision, and nanoseconds, and it raises for
what Python cannot hold, such as a time in the year 10000 or a text that is not UTF-8.
"""

from collections.abc import Sequence
from datetime import timedelta
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from wireloom.buffers import Array, array, as_arrow, as_numpy, valid_of
from wireloom.codec import floats
from wireloom.codec.coercion import Misfit
from wireloom.codec.meanings import EPOCH, UuidMeaning
from wireloom.units import NANOSECONDS

UUID_BYTES = pa.binary(16)
"""What UUIDs are decoded to, for consumers that have a type for them; other bytes of that size are such, too."""


def to_arrow(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """An array of values such as rows of the codec have, with every bit of NaNs."""
    if not _is_special(kind):
        return pa.array(values, kind)
    if pa.types.is_struct(kind):
        fields = [
            to_arrow([None if each is None else each.get(field.name) for each in values], field.type) for field in kind
        ]
        return pa.StructArray.from_arrays(fields, fields=list(kind), mask=_missing(values))
    if pa.types.is_list(kind):
        items = to_arrow([item for each in values if each is not None for item in each], kind.value_type)
        ends = np.cumsum([0, *(0 if each is None else len(each) for each in values)], dtype=np.int32)
        return pa.ListArray.from_arrays(as_arrow(ends), items, type=kind, mask=_missing(values))
    if kind == UUID_BYTES:
        return pa.array([UuidMeaning().octets(value) if isinstance(value, str) else value for value in values], kind)
    found = pa.array(values, kind)
    if not any(value != value for value in values):
        return found
    bits = np.array([0 if value is None else floats.dump(value) for value in values], np.uint32)
    return array(kind, len(values), valid_of(found), bits)


def _missing(values: Sequence[Any]) -> pa.Array:
    return pa.array([value is None for value in values], pa.bool_())


@cache
def _is_special(kind: pa.DataType) -> bool:
    """Whether there are numbers of single precision in it, or UUIDs, which rows have as texts."""
    if pa.types.is_struct(kind):
        return any(_is_special(field.type) for field in kind)
    return _is_special(kind.value_type) if pa.types.is_list(kind) else kind in (pa.float32(), UUID_BYTES)


def to_python(column: pa.Array) -> list[Any]:
    """The values of a column of any type, as ``build`` takes them: integers in place of decimals without a fraction,
    times in UTC if they have a zone, and ``Misfit`` in place of what Python cannot hold.
    """
    kind, types = column.type, pa.types
    if types.is_struct(kind) and kind.num_fields:
        names = [field.name for field in kind]
        rows = zip(*map(to_python, column.flatten()), strict=True)
        return _nulled([dict(zip(names, row, strict=True)) for row in rows], column)
    if any(is_one(kind) for is_one in LISTS):
        items = to_python(column.flatten())
        ends = np.cumsum([0, *lengths_of(column)]).tolist()
        return _nulled([items[start:stop] for start, stop in pairwise(ends)], column)
    if types.is_timestamp(kind) or types.is_duration(kind):
        return _moments(column)
    if types.is_floating(kind) and kind.bit_width < 64:
        return _short_floats(column)
    if kind == pa.month_day_nano_interval():
        return [None if value is None else _span(value) for value in column.to_pylist()]
    try:
        found: list[Any] = column.to_pylist()
    except (pa.ArrowException, ArithmeticError, ValueError):
        found = [_held(value) for value in column]
    if types.is_decimal(kind) and kind.scale == 0:
        return [None if value is None else int(value) for value in found]
    return found


LISTS = (
    pa.types.is_list,
    pa.types.is_large_list,
    pa.types.is_fixed_size_list,
    pa.types.is_list_view,
    pa.types.is_large_list_view,
)


def lengths_of(lists: pa.Array) -> Array:
    """How many items each list of any of ``LISTS`` has; a missing one has none."""
    import pyarrow.compute as pc  # which a table of bytes does not need

    lengths = pc.list_value_length(lists)
    found: Array = np.where(valid_of(lengths), as_numpy(lengths), 0)
    return found


def _nulled(values: list[Any], column: pa.Array) -> list[Any]:
    """The values, and None where the column has none."""
    if not column.null_count:
        return values
    return [value if there else None for value, there in zip(values, valid_of(column).tolist(), strict=True)]


def _held(value: pa.Scalar) -> Any:
    try:
        return value.as_py()
    except (pa.ArrowException, ArithmeticError, ValueError):
        kind = value.type
        if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
            return Misfit(f"{value.as_buffer().to_pybytes()!r}, which is not UTF-8")
        return Misfit(f"a value of {kind} that Python cannot hold")


def _moments(column: pa.Array) -> list[Any]:
    """Times, in UTC if their column has a zone, and durations."""
    kind = column.type
    step, is_time = NANOSECONDS[kind.unit], pa.types.is_timestamp(kind)
    begin = timedelta() if not is_time else EPOCH if kind.tz else EPOCH.replace(tzinfo=None)

    def moment(number: int) -> Any:
        microseconds, left = divmod(number * step, 1000)
        if left:
            return Misfit(f"{number} {kind.unit}, which is not in whole microseconds")
        try:
            return begin + timedelta(0, 0, microseconds)
        except OverflowError:
            return Misfit(f"{number} {kind.unit}, which is {'not in the years 1 to 9999' if is_time else 'too long'}")

    return [None if number is None else moment(number) for number in column.view(pa.int64()).to_pylist()]


def _span(interval: pa.MonthDayNano) -> Any:
    """An interval as a duration, if it is one."""
    months, days, nanoseconds = interval
    microseconds, left = divmod(nanoseconds, 1000)
    try:
        if not months and not left:
            return timedelta(days, 0, microseconds)
    except OverflowError:
        pass
    return Misfit(f"{interval}, which is not a duration in microseconds")


def _short_floats(column: pa.Array) -> list[float | None]:
    """Numbers of half and single precision with every bit, also of NaNs."""
    found: list[float | None] = column.to_pylist()
    if all(value is None or value == value for value in found):
        return found
    half = column.type == pa.float16()
    load, bits = (floats.load_half, pa.uint16()) if half else (floats.load, pa.uint32())
    return [None if number is None else load(number) for number in column.view(bits).to_pylist()]
