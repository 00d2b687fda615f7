"""Failover logs, and the branch of a vbucket's history that a seqno is on."""

import numpy as np

from wireloom.cdc.couchbase.frames import HIGHEST, Ints, Uints

FailoverLog = tuple[tuple[int, int], ...]
"""The branches of a vbucket, newest first: the uuid of each, and the seqno that it began at."""


class Histories:
    """Failover logs by number; 0 is the one without entries. Equal logs have one number."""

    def __init__(self) -> None:
        self._numbers: dict[FailoverLog, int] = {(): 0}
        self._uuids = np.zeros((1, 0), np.uint64)
        self._seqnos = np.zeros((1, 0), np.int64)

    def __getitem__(self, number: int) -> FailoverLog:
        return tuple(self._numbers)[number]

    def number(self, log: FailoverLog) -> int:
        """The number of a log."""
        return self._numbers.setdefault(log, len(self._numbers))

    def branches(self, logs: Ints, seqnos: Ints) -> Uints:
        """The branch of each seqno by the log of that number, 0 if the log does not go back so far.

        It is that of the newest entry whose seqno is below: an entry's own seqno belongs to the branch before.
        """
        if len(self._uuids) < len(self._numbers):
            self._lay_out()
        found = np.zeros(len(seqnos), np.uint64)
        for age in reversed(range(self._uuids.shape[1])):
            began = self._seqnos[logs, age] < seqnos
            found[began] = self._uuids[logs[began], age]
        return found

    def _lay_out(self) -> None:
        """All logs as a rectangle, the newest branches in the first column."""
        shape = len(self._numbers), max(map(len, self._numbers))
        self._uuids, self._seqnos = np.zeros(shape, np.uint64), np.full(shape, HIGHEST, np.int64)
        for number, log in enumerate(self._numbers):
            for age, (vb_uuid, seqno) in enumerate(log):
                self._uuids[number, age], self._seqnos[number, age] = vb_uuid, seqno
