"""Failover logs, and the branch of a vbucket's history that a seqno is on."""

from itertools import accumulate

import numpy as np

from wireloom.cdc.couchbase.frames import Ints, Uints

FailoverLog = tuple[tuple[int, int], ...]
"""The branches of a vbucket, newest first: the uuid of each, and the seqno that it began at."""


class Histories:
    """Failover logs by number; 0 is the one without entries. Equal logs have one number."""

    def __init__(self) -> None:
        self._numbers: dict[FailoverLog, int] = {(): 0}
        self._logs: list[FailoverLog] = [()]
        self._laid_out = 0
        self._starts, self._ends = np.empty(0, np.int64), np.empty(0, np.int64)
        self._uuids, self._seqnos = np.empty(0, np.uint64), np.empty(0, np.int64)

    def __getitem__(self, number: int) -> FailoverLog:
        return self._logs[number]

    def number(self, log: FailoverLog) -> int:
        """The number of a log."""
        number = self._numbers.setdefault(log, len(self._logs))
        if number == len(self._logs):
            self._logs.append(log)
        return number

    def branches(self, logs: Ints, seqnos: Ints) -> Uints:
        """The branch of each seqno by the log of that number, 0 if the log does not go back so far.

        It is that of the newest entry whose seqno is below: an entry's own seqno belongs to the branch before.
        """
        self._lay_out()
        entry, end = self._starts[logs], self._ends[logs]
        while (looks := entry < end).any():  # half of the rest of each log at a time
            middle = (entry + end) // 2
            above = np.zeros(len(seqnos), np.bool_)
            above[looks] = self._seqnos[middle[looks]] >= seqnos[looks]
            entry, end = np.where(above, middle + 1, entry), np.where(looks & ~above, middle, end)
        found, there = np.zeros(len(seqnos), np.uint64), entry < self._ends[logs]
        found[there] = self._uuids[entry[there]]
        return found

    def _lay_out(self) -> None:
        """The entries of new logs after those of the others, each with the lowest seqno up to there: they decrease."""
        new = self._logs[self._laid_out :]
        if not new:
            return
        ends = len(self._uuids) + np.cumsum([len(log) for log in new])
        lowest = [seqno for log in new for seqno in accumulate((seqno for _, seqno in log), min)]
        self._starts = np.concatenate((self._starts, [len(self._uuids)], ends[:-1]))
        self._ends = np.concatenate((self._ends, ends))
        self._uuids = np.append(self._uuids, np.array([vb_uuid for log in new for vb_uuid, _ in log], np.uint64))
        self._seqnos = np.append(self._seqnos, np.array(lowest, np.int64))
        self._laid_out = len(self._logs)
