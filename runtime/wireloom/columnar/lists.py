"""``Repeat``: lists of many rows at once, as long as a count, the last item or the section says."""

import numpy as np

from wireloom.columnar.arrays import Column, Lists, Structs
from wireloom.columnar.buffers import Array, ragged
from wireloom.columnar.fields import Block, Expression, Number, number
from wireloom.columnar.refusals import Unit
from wireloom.columnar.rows import Frame, Items, Rows, Values
from wireloom.columnar.values import Blob, Nested, Size, Text, Value
from wireloom.columnar.vectors import true

ROUNDS = 64
ALL_ROUNDS = 4096
"""Items of varying size are read one round after the other, and a round of few rows costs more than it is worth.

After so many rounds of a list, or of a batch, lists in lists included, rows are left to the codec once they are few.
"""
FEW = 256


class Repeat:
    """A list: ``count`` items, or up to and with the first for which ``until`` holds, or to the end of the section."""

    def __init__(
        self, item: Value, *, weight: int, count: Expression | int | None = None, until: Expression | None = None
    ) -> None:
        self.item = item
        self.weight = weight
        self.count = count
        self.until = until
        self.size = _size(item) if until is None else None
        self.fixed = count * self.size if isinstance(count, int) and isinstance(self.size, int) else None

    def read(self, at: Rows, this: Values) -> Column:
        left = np.maximum(at.limit - at.at, 0)
        sizes = self._sizes(at, this, left)
        counts = self._counts(at, this, left, 1 if sizes is None else sizes)
        if sizes is None or counts is None:
            return self._in_rounds(at, this, counts)
        return self._together(at, this, counts, sizes)

    def _sizes(self, at: Rows, this: Values, left: Array) -> Array | int | None:
        """How many bytes each of a row's items takes, if they are as many for all; more than there are if unknown."""
        if not callable(self.size):
            return self.size
        sizes, valid = number(self.size(this, at.record, at.frame), at)
        wrong = sizes <= 0
        return np.where(wrong if valid is None else wrong | ~valid, left + 1, sizes)

    def _counts(self, at: Rows, this: Values, left: Array, sizes: Array | int) -> Array | None:
        """How many items each row has, as far as that can be known before they are read."""
        if self.count is None:
            if self.size is None:
                return None
            counts: Array = left // sizes
            if (over := counts * sizes != left).any():
                if not isinstance(sizes, int):
                    at.doubt(over)
                    return counts
                counts = counts + over  # the last one is not whole, which shows when it is read
            return counts
        count = self.count(this, at.record, at.frame) if callable(self.count) else self.count
        counts, valid = number(count, at)
        wrong: Array = (counts < 0) | (counts > left // sizes)
        if valid is not None and not valid.all():
            at.doubt(~valid)
            wrong |= ~valid
        if wrong.any():
            self._refuse_count(at, wrong, counts, left)
            counts = np.where(wrong, 0, counts)
        return counts

    def _refuse_count(self, at: Rows, which: Array, counts: Array, left: Array) -> None:
        """Refuse rows whose count cannot be; one that is only too large for the items' size shows in an item."""
        smallest = self.item.size if isinstance(self.item, Number) else 1
        never = (counts < 0) | (counts > left // smallest)
        at.refuse(which & never, "count", at.at, counts, Unit("item"), " cannot stand in ", left, Unit("byte"))
        at.doubt(which & ~never)

    def _together(self, at: Rows, this: Values, counts: Array, sizes: Array | int) -> Column:
        """Items of one size: where each stands is known."""
        start = at.at
        at.batch.weigh(int(counts.sum()) * self.weight)
        owner = np.repeat(np.arange(len(at)), counts)
        size = sizes if isinstance(sizes, int) else sizes[owner]
        number = ragged(np.zeros(len(at), np.int64), counts)
        pos = start[owner] + size * number
        since = len(at.batch.refusals.all)
        end = np.minimum(pos + size, at.limit[owner])
        inner, outer = _inside(at, this, pos, end, owner, Items(number, since))
        inner.ordered &= at.items is None and (isinstance(self.item, Number) or _of_blocks(self.item))
        inner.path = (*inner.path, number)
        inner.ahead = self.item.fixed or inner.ahead
        items = self.item.read(inner, outer)
        at.move(start + np.minimum(counts * sizes, np.maximum(at.limit - start, 0)))
        return Lists(counts, items)

    def _in_rounds(self, at: Rows, this: Values, counts: Array | None) -> Column:
        """Items of varying size: the first of every row, the second of every row …"""
        pos, going = at.at.copy(), np.arange(len(at))
        parts: list[tuple[Array, Column]] = []
        turn = 0
        while True:
            if counts is not None:
                going = going[counts[going] > turn]
            elif self.until is None:
                going = going[pos[going] < at.limit[going]]
            if _not_worth_it(at, turn, len(going)):
                at.doubt(going)
                going = going[:0]
            if not len(going) and parts:
                break
            at.batch.weigh(len(going) * self.weight)
            inner, outer = _inside(at, this, pos[going], at.limit[going], going)
            inner.path = (*inner.path, np.full(len(going), turn))
            parts.append((going, self.item.read(inner, outer)))
            empty = inner.at == pos[going]
            at.doubt(going[empty])
            pos[going] = inner.at
            ended = empty | at.batch.doubtful[inner.index]
            if self.until is not None:
                ended |= true(self.until(self._struct(parts[-1][1], inner), inner.record, inner.frame))
            going = going[~ended]
            turn += 1
        at.move(pos)
        return _gathered(parts, len(at))

    @staticmethod
    def _struct(items: Column, rows: Rows) -> Values:
        """An item's fields, for ``until`` to ask for."""
        assert isinstance(items, Structs)
        values = Values(rows)
        values.columns = items.columns
        return values


def _size(item: Value) -> int | Expression | None:
    """The bytes of each item, where all items of a row have as many; None if they may differ."""
    if isinstance(item, Blob | Nested | Text) and isinstance(item.extent, Size):
        return item.extent.size or None
    return item.fixed or None


def _of_blocks(item: Value) -> bool:
    """Whether items are structs of numbers alone, all of which are looked at whatever is wrong with some."""
    steps = getattr(item, "steps", ())
    return bool(steps) and all(isinstance(step, Block) and not step.derived for step in steps)


def _inside(
    at: Rows, this: Values, pos: Array, limit: Array, owner: Array, items: Items | None = None
) -> tuple[Rows, Values]:
    """Rows of items, and what their sizes may ask for: the fields of the struct that the list is in."""
    inner = at.nested(pos, limit, owner, items)
    inner.frame = Frame(inner, at.frame)
    return inner, Values(inner, this)


def _not_worth_it(at: Rows, turn: int, rows: int) -> bool:
    """Whether one more round, in which so many rows would have an item, is left to the codec."""
    if rows >= FEW:
        return False
    at.batch.rounds += 1
    return turn >= ROUNDS or at.batch.rounds > ALL_ROUNDS


def _gathered(parts: list[tuple[Array, Column]], count: int) -> Column:
    """The rounds' items as one list a row."""
    counts = np.bincount(np.concatenate([rows for rows, _ in parts]), minlength=count)
    items, rest = parts[0][1], [column for _, column in parts[1:]]
    if rest:
        first = np.cumsum(counts) - counts
        place = np.concatenate([first[rows] + turn for turn, (rows, _) in enumerate(parts)])
        order = np.empty(len(place), np.int64)
        order[place] = np.arange(len(place))
        items = items.joined(rest).take(order)  # type: ignore[arg-type]
    return Lists(counts, items)
