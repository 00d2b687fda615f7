"""Conditions of whole records that do not hold, in the codec's words. The codec is asked once for all records that are
alike.

Records are alike if they have the same values in everything that the conditions of their message use.
"""

from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from typing import Any

import numpy as np

from wireloom.codec.errors import DecodeError
from wireloom.codec.frames import Frame
from wireloom.codec.message import Message
from wireloom.columnar.arrays import Numbers
from wireloom.columnar.buffers import Array
from wireloom.columnar.frames import Values
from wireloom.columnar.rows import Rows
from wireloom.expressions.tree import Name

Told = tuple[str, Array, list[DecodeError]]
"""The region that errors are of, the rows, and the error of each."""


def refuse(message: Message, at: Rows, this: Values, codes: Array, wrong: Array) -> None:
    """Refuse the rows that are ``wrong``; ``codes`` are the numbers of their variants, -1 for none."""
    mentioned = [mention for rule in message.rules for mention in rule.mentions]
    spans = {name.name: np.stack(at.frame.span(name.name)) - at.start for place, name in mentioned if place}
    numbers = _numbers(message, at, this, {name for place, name in mentioned if not place})
    if numbers is None:
        at.doubt(wrong)
        return
    rows = np.flatnonzero(wrong & ~at.batch.doubtful[at.index])
    mine = {name: each.take(rows) for name, each in numbers.items()}
    sure = np.zeros(len(at), bool)
    for region, which, errors in told(
        message, at.frame.parameters, mine, {name: each[:, rows] for name, each in spans.items()}, codes[rows]
    ):
        chosen = np.zeros(len(at), bool)
        chosen[rows[which]] = True
        sure |= chosen
        place = at.start.copy()
        place[rows[which]] += np.array([error.offset for error in errors])
        with at.within(region) if region else nullcontext():
            at.refuse(chosen, "invalid", place, [error.detail for error in errors])
    at.doubt(wrong & ~sure)


def told(
    message: Message,
    parameters: Mapping[str, Any],
    numbers: Mapping[str, Numbers],
    spans: Mapping[str, Array],
    codes: Array,
) -> Iterator[Told]:
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


def _numbers(message: Message, at: Rows, this: Values, names: set[Name]) -> dict[str, Numbers] | None:
    """The columns that the conditions use, by name; None if not all of them are integers."""
    own = {column.name for column in message.columns}
    found: dict[str, Numbers] = {}
    for name in names:
        if name.item is not None:
            return None
        column = (this if name.steps[0] in own else at.record).column(name.name)
        if isinstance(column, Numbers) and column.data.dtype.kind in "iub":
            found[name.name] = column
        elif column is not None:
            return None
    return found


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
