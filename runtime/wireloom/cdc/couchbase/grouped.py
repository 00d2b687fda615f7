"""Rows in groups, and the rows before each in its own group."""

import numpy as np

from wireloom.cdc.couchbase.frames import Bools, Ints


class RowGroups:
    """Rows by the number of their group, each group in the order of its rows."""

    def __init__(self, groups: Ints) -> None:
        self._order = np.argsort(groups, kind="stable")
        ordered = groups[self._order]
        begins = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1]))) if len(groups) else ordered
        ends = np.append(begins[1:], len(groups))
        self._begins = np.repeat(begins, ends - begins)
        self.last_rows: Ints = self._order[ends - 1] if len(groups) else ordered
        """The last row of each group."""

    def last(self, marked: Bools) -> Ints:
        """For each row the last marked one of its group, itself included, −1 if there is none."""
        return self._rows(self._places(marked))

    def before(self, marked: Bools) -> Ints:
        """For each row, the last marked one of its group before it; -1 if there is none."""
        places = self._places(marked)
        places[1:] = places[:-1]
        places[:1] = -1
        return self._rows(places)

    def _places(self, marked: Bools) -> Ints:
        places = np.where(marked[self._order], np.arange(len(marked)), -1)
        return np.maximum.accumulate(places)

    def _rows(self, places: Ints) -> Ints:
        found = np.empty(len(places), np.int64)
        found[self._order] = np.where(places >= self._begins, self._order[places], -1)
        return found
