"""Why records are malformed, for many at once: the codec's reasons, built from texts and a number per record.

The codec reports the first error, so only the first refusal of a record counts. A record that was already doubtful is
left to the codec.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from wireloom.buffers import Array, as_arrow, strings

Words = str | Array | Sequence[str]
"""Words of a text: the same for all records, or one number or text per record."""


Path = tuple[str | Array, ...]
"""The codec's path of the field being read: names, and item numbers for each row."""


def path_of(path: Path, rows: Array) -> Path:
    """The path of some rows."""
    return tuple(step if isinstance(step, str) else step[rows] for step in path)


class MessageName(str):
    """The first step of a path in a message. It is left out if a header field follows."""

    __slots__ = ()


class Unit(str):
    """A noun counted by the number before it: ``byte`` becomes ``1 byte`` or ``2 bytes``."""

    __slots__ = ()

    def behind(self, number: Array) -> Array:
        """The text after each number."""
        return np.where(number == 1, f" {self}", f" {self}s")


class Refusal(NamedTuple):
    """One error of several ``records``. ``path`` are names, and numbers of items; ``place`` is where in the buffer."""

    records: Array
    code: str
    path: Path
    place: Array
    detail: tuple[Words, ...]

    def reasons(self, origin: Array, header: frozenset[str]) -> pa.Array:
        """The texts of ``_corrupt_reason``; ``origin`` is what to add to a place for each record."""
        offset = self.place + origin
        return _joined((f"{self.code}: ", *self._shown(header), " at byte ", offset, ": ", *self.detail), len(offset))

    def _shown(self, header: frozenset[str]) -> Iterator[Words]:
        path = self.path
        if len(path) > 1 and isinstance(path[0], MessageName) and isinstance(path[1], str) and path[1] in header:
            path = path[1:]
        for number, step in enumerate(path or ("record",)):
            if isinstance(step, str):
                yield f".{step}" if number else step
            else:
                yield from ("[", step, "]")


def _joined(detail: Sequence[Words], count: int) -> pa.Array:
    """The words as one text per record."""
    merged: list[Words] = []
    for words in detail:
        if isinstance(words, Unit):
            number = merged[-1]
            assert isinstance(number, np.ndarray)
            merged.append(words.behind(number))
        elif isinstance(words, str) and merged and isinstance(merged[-1], str):
            merged[-1] += words
        else:
            merged.append(words)
    columns = [strings([words])[0] if isinstance(words, str) else _texts(words) for words in merged]
    import pyarrow.compute as pc  # here, as only malformed records need it

    found = pc.binary_join_element_wise(*columns, strings([""])[0])
    return found if isinstance(found, pa.Array) else pa.repeat(found, count)


def _texts(words: Array | Sequence[str]) -> pa.Array:
    if isinstance(words, np.ndarray) and words.dtype.kind != "U":
        return as_arrow(words.astype(words.dtype.newbyteorder("="), copy=False)).cast(pa.string())
    return strings(list(words))


@dataclass(slots=True, eq=False)
class Refusals:
    """The refusals of ``count`` records; ``why`` is the number of each record's refusal, -1 if it has none."""

    count: int
    all: list[Refusal] = field(default_factory=list)
    why: Array = field(init=False)

    def __post_init__(self) -> None:
        self.why = np.zeros(0, np.int64)

    def add(self, refusal: Refusal) -> None:
        """Refuse records that are not refused yet."""
        if not self.all:
            self.why = np.full(self.count, -1)
        self.why[refusal.records] = len(self.all)
        self.all.append(refusal)

    def of(self, records: Array) -> Array:
        """Which of the records are refused."""
        found: Array = self.why[records] >= 0 if self.all else np.zeros(len(records), bool)
        return found

    def of_records(self, records: Array) -> Iterator[tuple[Refusal, Array]]:
        """The refusals of ``records``, which ascend, each with the numbers of its records among them."""
        why = self.why[records] if self.all else np.zeros(0, np.int64)
        for number in np.unique(why[why >= 0]).tolist():
            refusal, mine = self.all[number], np.flatnonzero(why == number)
            yield _taken(refusal, np.searchsorted(refusal.records, records[mine])), mine

    def part(self, records: Array) -> "Refusals":
        """Those of ``records``, which ascend."""
        found = Refusals(len(records))
        for refusal, mine in self.of_records(records):
            found.add(refusal._replace(records=mine))
        return found

    def reasons(self, records: Array, origin: Array, header: frozenset[str]) -> pa.Array:
        """The reasons of ``records``, which are refused and in ascending order; ``origin`` is of every record."""
        parts, orders = [], []
        for refusal, mine in self.of_records(records):
            parts.append(refusal.reasons(origin[records[mine]], header))
            orders.append(mine)
        if len(parts) == 1:
            return parts[0]
        told = pa.concat_arrays(parts)
        del parts  # as much again
        return told.take(as_arrow(np.argsort(np.concatenate(orders), kind="stable")))


def _taken(refusal: Refusal, rows: Array) -> Refusal:
    """The refusal of some of its records."""
    if len(rows) == len(refusal.records):
        return refusal
    return Refusal(
        refusal.records[rows],
        refusal.code,
        path_of(refusal.path, rows),
        refusal.place[rows],
        tuple(_words(words, rows) for words in refusal.detail),
    )


def _words(words: Words, rows: Array) -> Words:
    if isinstance(words, str):
        return words
    return words[rows] if isinstance(words, np.ndarray) else [words[row] for row in rows.tolist()]
