"""The errors of records that break a rule of their message, in the codec's words.

The codec is asked once for all records with the same values in everything that the rules of their message use.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from wireloom.buffers import Array
from wireloom.codec.errors import DecodeError
from wireloom.codec.frames import Frame
from wireloom.codec.message import Message
from wireloom.columnar.arrays import Numbers

RuleErrors = tuple[str, Array, list[DecodeError]]
"""The region that errors are of, the rows, and the error of each."""


def rule_errors(
    message: Message,
    parameters: Mapping[str, Any],
    numbers: Mapping[str, Numbers],
    spans: Mapping[str, Array],
    codes: Array,
) -> Iterator[RuleErrors]:
    """What the codec says of records that break a condition of a message, for those of which it is known.

    ``numbers`` and ``spans``, which have two rows and count from the record's start, are those that the conditions
    mention; ``codes`` are the numbers of variants.
    """
    rows = np.arange(len(codes))
    for span in spans.values():
        rows = rows[span[:, rows].any(axis=0)]  # absent, or empty at the very start: the codec knows which
    keys = [codes, *(each for span in spans.values() for each in span)]
    keys += [each for column in numbers.values() for each in (column.data, column.valid) if each is not None]
    first, alike = _alike([key[rows] for key in keys])
    errors = [_error(message, parameters, numbers, spans, int(codes[row]), row) for row in rows[first].tolist()]
    for region in dict.fromkeys(error.field for error in errors if error is not None):
        mine = [number for number, error in enumerate(errors) if error is not None and error.field == region]
        chosen = np.flatnonzero(np.isin(alike, mine))
        yield (
            region,
            rows[chosen],
            [error for number in alike[chosen].tolist() if (error := errors[number]) is not None],
        )


def _alike(keys: list[Array]) -> tuple[Array, Array]:
    """The first row of each kind, and each row's kind by number."""
    kinds = np.zeros(len(keys[0]), np.int64)
    for key in keys:
        if len(key) and (key != key[0]).any():
            numbers = np.unique(key, return_inverse=True)[1]
            kinds = np.unique(kinds * len(key) + numbers, return_inverse=True)[1]
    _, first, kinds = np.unique(kinds, return_index=True, return_inverse=True)
    return first, kinds


def _error(
    message: Message,
    parameters: Mapping[str, Any],
    numbers: Mapping[str, Numbers],
    spans: Mapping[str, Array],
    code: int,
    row: int,
) -> DecodeError | None:
    """What the codec says of a row."""
    frame = Frame(dict(parameters))
    frame.update({name: (int(start), int(stop)) for name, (start, stop) in ((n, s[:, row]) for n, s in spans.items())})
    values = {
        name: column.data[row].item() if column.valid is None or column.valid[row] else None
        for name, column in numbers.items()
    }
    own = dict.fromkeys(column.name for column in message.columns)
    header = _in_structs(values)
    this = {name: header.pop(name, None) for name in own}
    return message.wrong(this, header, frame, message.variants[code] if code >= 0 else None)


def _in_structs(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values, those of names with dots in structs."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        *outer, last = name.split(".")
        struct = found
        for step in outer:
            struct = struct.setdefault(step, {})
        struct[last] = value
    return found
