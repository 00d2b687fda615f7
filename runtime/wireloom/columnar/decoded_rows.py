"""Selects and merges decoded rows, those of programs and those of the codec, into the batches of a table."""

from collections.abc import Collection, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from wireloom.buffers import (
    Array,
    Places,
    Valid,
    array,
    as_arrow,
    ends_of,
    lists,
    nulls,
    numbers,
    octets,
    placed,
    valid_of,
)
from wireloom.columnar.arrays import Spread
from wireloom.columnar.batch import Batch
from wireloom.columnar.counters import Counted
from wireloom.columnar.python_values import to_arrow
from wireloom.columnar.refusals import Refusals
from wireloom.options import Mode


def made(values: list[Any], kind: pa.DataType) -> pa.Array:
    """A column of the codec's values; only nulls cost nothing."""
    return nulls(kind, len(values)) if all(value is None for value in values) else to_arrow(values, kind)


Numbered = tuple[pa.RecordBatch, Array]
"""Rows with the numbers of their records."""


_PLACES = 4
"""In up to this many places, one batch splits another; merging them would copy all of it."""


def both(one: Numbered, other: Numbered) -> list[Numbered]:
    """The rows of both by the numbers of their records."""
    places = np.searchsorted(one[1], other[1])
    if len(np.unique(places)) <= _PLACES:
        return _interleaved(one, other, places)
    columns = [merged(*each, places) for each in zip(one[0].columns, other[0].columns, strict=True)]
    return [(pa.RecordBatch.from_arrays(columns, schema=one[0].schema), np.sort(np.concatenate([one[1], other[1]])))]


def _interleaved(one: Numbered, other: Numbered, places: Array) -> list[Numbered]:
    """Parts of ``one``, with the parts of ``other`` that come before the ``places`` in it."""
    found: list[Numbered] = []
    at = begin = 0
    for place, count in zip(*np.unique(places, return_counts=True), strict=True):
        for (batch, rows), start, stop in ((one, at, int(place)), (other, begin, begin + int(count))):
            if stop > start:
                found.append((batch.slice(start, stop - start), rows[start:stop]))
        at, begin = int(place), begin + int(count)
    if at < len(one[1]):
        found.append((one[0].slice(at), one[1][at:]))
    return found


def merged(one: pa.Array, other: pa.Array, places: Array) -> pa.Array:
    """An array with the values of ``other`` before the ``places`` in ``one``; nulls in both cost nothing."""
    kind, count = one.type, len(one) + len(other)
    if one.null_count == len(one) and other.null_count == len(other):
        return nulls(kind, count)
    if not len(other):
        return one
    if _has_items_of_columns(kind):
        return (_merged_lists if pa.types.is_list(kind) else _merged_structs)(one, other, places)
    order = np.insert(np.arange(len(one)), places, len(one) + np.arange(len(other)))
    return pa.concat_arrays([one, other]).take(as_arrow(order))


def _merged_structs(one: pa.Array, other: pa.Array, places: Array) -> pa.Array:
    fields = range(one.type.num_fields)
    children = [merged(one.field(number), other.field(number), places) for number in fields]
    return array(one.type, len(one) + len(other), _merged_valid(one, other, places), children=children)


def _merged_lists(one: pa.Array, other: pa.Array, places: Array) -> pa.Array:
    mine, others = ends_of(one), ends_of(other)
    items, further = (each.values[int(ends[0]) : int(ends[-1])] for each, ends in ((one, mine), (other, others)))
    merge = _merged_structs if pa.types.is_struct(items.type) else merged
    found = merge(items, further, np.repeat(mine[places] - mine[0], np.diff(others)))
    counts = np.insert(np.diff(mine), places, np.diff(others))
    return lists(one.type, counts, found, _merged_valid(one, other, places), None)


def _merged_valid(one: pa.Array, other: pa.Array, places: Array) -> Valid:
    if not one.null_count and not other.null_count:
        return None
    mine, others = (valid_of(each) for each in (one, other))
    return np.insert(mine, places, others)


@cache
def _has_items_of_columns(kind: pa.DataType) -> bool:
    """Whether it has lists of structs, in which many columns may be all null."""
    if pa.types.is_list(kind):
        return pa.types.is_struct(kind.value_type) or _has_items_of_columns(kind.value_type)
    return pa.types.is_struct(kind) and any(_has_items_of_columns(field.type) for field in kind)


class Decoded(NamedTuple):
    """What is decoded of a batch: columns of the ``header``, and the number of each record's ``message``.

    ``structs`` are the messages' fields by number. Values of ``doubtful`` rows are meaningless except for their
    ``head``; ``headless`` rows have none. ``refusals`` says why rows are malformed if that is known.
    """

    batch: Batch
    header: Mapping[str, pa.Array]
    message: Array
    structs: Mapping[int, Spread]
    doubtful: Array
    refusals: Refusals
    headless: Array
    head: frozenset[str]

    @classmethod
    def headless_of(cls, batch: Batch) -> "Decoded":
        """Of records whose headers cannot be read, and that are refused in their batch."""
        count = len(batch.start)
        every = np.ones(count, bool)
        codes = np.full(count, -1)
        return cls(batch, {}, codes, {}, every, batch.refusals, every, frozenset())

    def refused(self) -> Array:
        """Which rows are known to be malformed."""
        return self.refusals.of(np.arange(len(self.doubtful)))


class RejectedRows(NamedTuple):
    """The malformed ``rows`` of the stretch among those decoded, and the counts for the tallies of each capture.

    ``reasons`` has those of all rows, or of the first of each capture.
    """

    rows: Array
    reasons: pa.Array
    counted: tuple[Counted, ...]

    @classmethod
    def of(cls, rows: Array, sources: Array, firsts: Array, sizes: Array, reasons: pa.Array) -> "RejectedRows":
        """The malformed ``rows`` with their captures and sizes; ``firsts`` are the places of each capture's first."""
        told = reasons.take(as_arrow(firsts)) if len(reasons) == len(rows) else reasons
        counts, totals = np.diff(firsts, append=len(rows)), np.add.reduceat(sizes, firsts)
        numbers = (each.tolist() for each in (rows[firsts], sources[firsts], totals, counts))
        return cls(rows, reasons, tuple(map(Counted, *numbers, told.to_pylist())))

    def part(self, which: Array) -> "RejectedRows | None":
        """Those at these places, of all of which there are reasons, counted elsewhere; None if there are none."""
        return RejectedRows(self.rows[which], self.reasons.take(as_arrow(which)), ()) if len(which) else None


class DecodedRows(NamedTuple):
    """Rows that were decoded: those ``chosen`` among all of a batch, which are ``rows`` of the stretch.

    ``sure`` are those not left to the codec, ``refused`` those that are malformed.
    """

    decoded: Decoded
    chosen: Array
    rows: Array
    sure: Array
    mode: Mode
    refused: RejectedRows | None

    @property
    def batch(self) -> Batch:
        """The batch of all rows."""
        return self.decoded.batch

    @property
    def whole(self) -> bool:
        return len(self.chosen) == len(self.decoded.message)

    @property
    def dropped(self) -> Array:
        """The malformed rows of the stretch that are left out."""
        return self.rows[:0] if self.refused is None or self.mode is Mode.PERMISSIVE else self.refused.rows

    @property
    def malformed(self) -> Array | None:
        """Which of the chosen rows are malformed; None if none is."""
        if self.refused is None or len(self.dropped):
            return None
        found: Array = self.decoded.doubtful[self.chosen]
        return found

    @property
    def has_head(self) -> Array | None:
        """Which of the chosen rows have a header; None if all have."""
        headless = self.of(self.decoded.headless) if self.decoded.headless.any() else self.chosen[:0]
        return ~headless if headless.any() else None

    def of(self, values: Array) -> Array:
        return values if self.whole else values[self.chosen]

    def record(self, kind: pa.DataType) -> pa.Array:
        """The bytes of malformed rows."""
        malformed = self.malformed
        if malformed is None:
            return nulls(kind, len(self.chosen))
        batch, chosen = self.batch, self.chosen
        return octets(batch.buffer, batch.start[chosen], batch.stop[chosen], malformed, None)

    def reason(self, kind: pa.DataType) -> pa.Array:
        """Why rows are malformed."""
        malformed = self.malformed
        if malformed is None or self.refused is None:
            return nulls(kind, len(self.chosen))
        reasons, rows = self.refused.reasons, np.flatnonzero(malformed)
        return reasons if len(rows) == len(malformed) else placed(reasons, Places(rows, len(malformed)), hidden=False)

    def header(self, name: str) -> pa.Array | None:
        """A column of the header, null in rows in which it was not read; None if there is none of that name."""
        column = self.decoded.header.get(name)
        if column is None:
            return None
        malformed = self.malformed
        return self._taken(column, self.has_head if name in self.decoded.head or malformed is None else ~malformed)

    def _taken(self, column: pa.Array, there: Valid) -> pa.Array:
        """The chosen rows of a column of all, null where they are not there."""
        if self.whole and there is None:
            return column
        return column.take(numbers(pa.int64(), self.chosen, there, None))

    def part(self, which: Array) -> "DecodedRows":
        """The chosen rows at these places, which ascend."""
        refused, malformed = self.refused, self.malformed
        if refused is not None and malformed is not None:
            refused = refused.part((np.cumsum(malformed) - 1)[which[malformed[which]]])
        return self._replace(chosen=self.chosen[which], rows=self.rows[which], refused=refused)

    def fields(self, code: int, names: Collection[str]) -> dict[str, pa.Array]:
        """Those fields of the single message of all rows that are among ``names``."""
        struct, malformed = self.decoded.structs.get(code), self.malformed
        columns = {} if struct is None else struct.columns
        there = None if malformed is None else ~malformed
        return {name: self._taken(column, there) for name, column in columns.items() if name in names}

    def struct(self, code: int, kind: pa.DataType) -> pa.Array | None:
        """The fields of a message as a struct, null in rows of other messages; None if no row is of it."""
        struct = self.decoded.structs.get(code)
        if struct is None:
            return None
        return (struct if self.whole else struct.take(self.chosen)).arrow(kind)
