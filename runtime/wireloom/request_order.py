"""Pairs answers with requests by their order alone, from running counts of both."""

import numpy as np

from wireloom.buffers import Array


class RequestOrder:
    """Requests, then answers, in their order among those with equal ``codes``.

    ``position`` is the order of all of them. ``counts`` are how many requests each request represents, ``quiet`` is
    whether it is a queue of quiet ones; ``last`` is whether an answer is the last to its request.
    """

    def __init__(
        self, *, codes: Array, position: Array, requests: int, counts: Array, quiet: Array, last: Array
    ) -> None:
        self.requests = requests
        self.quiet = quiet
        self.order = np.lexsort((position, codes))
        asks = self.order < requests
        ends = np.zeros(len(codes), bool)
        ends[requests:] = last
        places = np.arange(len(codes))
        first = np.r_[True, np.diff(codes[self.order]) != 0] if len(codes) else np.empty(0, bool)
        self.group = np.cumsum(first) - 1
        self.start = places[first]
        begin = self.start[self.group]
        self.asks = asks
        asked, ended = np.cumsum(asks), ends[self.order]
        self.before: Array = (asked - asks)[begin]
        depth = self._sums(asks.astype(np.int64) - ended, begin)
        low = np.minimum(depth, 0) - self.group * (len(codes) + 1)
        depth -= np.minimum.accumulate(low) + self.group * (len(codes) + 1)
        self.depth = np.where(first, 0, np.r_[0, depth[:-1]]) if len(codes) else depth
        self.popped = ended & (self.depth > 0)
        self.pops = self._sums(self.popped.astype(np.int64), begin)
        weights = np.zeros(len(codes), np.int64)
        weights[:requests] = counts
        self.counted = self._sums(weights[self.order], begin)
        latest = np.maximum.accumulate(np.where(asks, places, -1)) if len(codes) else places
        self.latest = np.where(latest >= begin, latest, -1)

    @staticmethod
    def _sums(numbers: Array, begin: Array) -> Array:
        """The sums of the numbers of a group so far."""
        sums = np.cumsum(numbers)
        since: Array = sums - (sums - numbers)[begin]
        return since

    def matched(self) -> tuple[Array, Array]:
        """The number of each answer's request, or −1, and among how many it was chosen."""
        quiet = self.quiet[self.order]
        asked = np.flatnonzero(self.asks)
        oldest = self.before + self.pops - self.popped
        there = self.depth > 0
        waits = np.where(there, self.order[asked[np.where(there, oldest, 0)]] if len(asked) else -1, -1)
        latest = np.where(self.latest >= 0, self.order[self.latest], -1)
        source, choices = np.empty(len(self.order), np.int64), np.empty(len(self.order), np.int64)
        source[self.order] = np.where(quiet, latest, waits)
        choices[self.order] = np.where(quiet, self.counted, self.depth)
        return source[self.requests :], choices[self.requests :]

    def left(self) -> tuple[Array, Array]:
        """The numbers of the requests that still wait, in order, and how many each represents."""
        ends = np.r_[self.start[1:], len(self.order)] - 1
        end = ends[self.group] if len(self.order) else self.group
        quiet = self.quiet[self.order]
        number = np.cumsum(self.asks) - 1 - self.before
        stays = self.asks & np.where(quiet, np.arange(len(self.order)) == self.latest[end], number >= self.pops[end])
        counts = np.zeros(self.requests, np.int64)
        counts[self.order[stays]] = np.where(quiet, self.counted, 1)[stays]
        kept = np.sort(self.order[stays])
        return kept, counts[kept]
