"""What records weigh as columns: a batch is no heavier than memory bears, whatever its bytes become."""

import pyarrow as pa

from wireloom.codec.reader import Reader

LISTS = 64 * 1024 * 1024
"""What the lists of a batch of several records weigh at most: while they are read they take some times as much."""


class TooHeavyError(Exception):
    """Some records weigh more than they may together. ``part`` is about how much of them would not."""

    def __init__(self, part: float) -> None:
        super().__init__(part)
        self.part = part


def lists(records: int) -> int:
    """What the lists of so many records may weigh."""
    return Reader.HEAVIEST if records == 1 else min(LISTS, Reader.HEAVIEST)


def bear(weight: int, most: int | None = None, ahead: float = 0) -> None:
    """Raise ``TooHeavyError`` if a batch may not weigh so many bytes, behind which about so many more are ``ahead``."""
    most = Reader.HEAVIEST if most is None else most
    if weight > most:
        raise TooHeavyError(most / (weight + ahead))


def width(kind: pa.DataType) -> int:
    """The bits that a value takes in an Arrow array, whatever it is; of texts, bytes and lists, where they begin."""
    if pa.types.is_struct(kind):
        return sum(1 + width(field.type) for field in kind)
    return 32 if kind.num_fields or kind in (pa.string(), pa.binary()) else int(kind.bit_width)


def weight_of(array: pa.Array) -> int:
    """The bytes of a column; one of nulls is made of zeros that are there once."""
    return 0 if array.null_count == len(array) else int(array.nbytes)
