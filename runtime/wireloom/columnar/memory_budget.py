"""The memory budget of a batch: how much its records take as columns, and how much they may."""

import pyarrow as pa

from wireloom.codec.reader import Reader

LISTS = 64 * 1024 * 1024
"""The largest weight of the lists of several records; they take several times as much while they are read."""

_NUMBER = 8


class BatchTooLargeError(Exception):
    """Some records are too heavy together. ``part`` is about the part of them that would not be."""

    def __init__(self, part: float) -> None:
        super().__init__(part)
        self.part = part


def lists(records: int) -> int:
    """The largest weight of the lists of this many records."""
    return Reader.HEAVIEST if records == 1 else min(LISTS, Reader.HEAVIEST)


def check_budget(weight: int, most: int | None = None, ahead: float = 0) -> None:
    """Raise ``BatchTooLargeError`` if a batch may not weigh this many bytes, with about as many ``ahead`` to come."""
    most = Reader.HEAVIEST if most is None else most
    if weight > most:
        raise BatchTooLargeError(most / (weight + ahead))


def width(kind: pa.DataType) -> int:
    """The bits that every value takes in an Arrow array. Of texts, bytes and lists these say where they begin."""
    if pa.types.is_struct(kind):
        return sum(1 + width(field.type) for field in kind)
    return 32 if kind.num_fields or kind in (pa.string(), pa.binary()) else int(kind.bit_width)


def weight_of(array: pa.Array) -> int:
    """The bytes of a column. A column of nulls counts nothing: all such columns share their zeros."""
    if array.null_count == len(array):
        return 0
    try:
        return int(array.nbytes)
    except pa.ArrowTypeError:  # of views, which pyarrow 19 does not weigh
        return int(array.get_total_buffer_size())


def heaviness(value: object) -> int:
    """The bytes of texts, bytes and numbers in a row of the codec."""
    match value:
        case str() | bytes():
            return len(value)
        case dict():
            return sum(heaviness(each) for each in value.values() if each is not None)
        case list():
            return sum(map(heaviness, value))
    return 0 if value is None else _NUMBER
