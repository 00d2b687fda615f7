"""Learns parameters of a connection from its handshake messages, for many records at once."""

from collections.abc import Callable

import numpy as np

from wireloom.buffers import Array
from wireloom.codec import Protocol
from wireloom.codec.cutting import Ahead, Cutter
from wireloom.codec.lengths import Buffer
from wireloom.codec.parameter_discovery import WITHIN
from wireloom.columnar.batch import Batch, by_order
from wireloom.columnar.scanning import Cuts, Scanner, Window

_SINGLE = 16
"""How many records are looked at one by one first: most captures contain their parameters in them."""
_NEAR = 4096
"""In so many bytes a single record is looked for, as the codec's search is slow where there is none."""


class BulkAhead(Ahead):
    """As ``Ahead``, but the codec looks only at records that may be of the messages it waits for.

    After the first records, ``scanner`` cuts them.
    """

    def __init__(self, cutter: Cutter, protocol: Protocol, scanner: Callable[[Cutter], Scanner]) -> None:
        super().__init__(cutter)
        self.protocol = protocol
        self.make = scanner
        self.single = _SINGLE
        self.scanner: Scanner | None = None

    def rest(self) -> None:
        """As ``Ahead.rest``."""
        super().rest()
        self.scanner = None

    def passed(self, buffer: Buffer, at: int, end: int, base: int, *, final: bool) -> int | None:
        """As ``Ahead.passed``, after all the records that begin where captures are searched."""
        if self.single > 0 or self.cutter.awaits:
            self.single -= 1
            near = end if self.cutter.awaits else min(end, at + _NEAR)
            after = super().passed(buffer, at, near, base, final=final and near == end)
            if after is not None or near == end:
                return after
            self.single = 0
        self.scanner = self.scanner or self.make(self.cutter)
        for cuts, after in self.scanner.scan(Window(buffer, base, final), at, WITHIN - base):
            self._listen(cuts)
            return after
        return None

    def _listen(self, cuts: Cuts) -> None:
        """Let the codec look at the records that may matter."""
        buffer, known = cuts.window.buffer, dict(cuts.parameters)
        orders = np.broadcast_to(cuts.little, len(cuts.start))
        for row in self._asked(cuts).tolist():
            if not self.listener.open:
                return
            data = bytes(buffer[int(cuts.start[row]) : int(cuts.stop[row])])
            self.listener.record(data, known, little=bool(orders[row]))

    def _asked(self, cuts: Cuts) -> Array:
        """The records that are of messages that are waited for, or of which that is in doubt."""
        sound = np.ones(len(cuts.start), bool)
        sound[[*cuts.errors, *cuts.gaps.tolist()]] = False
        rows = np.flatnonzero(sound)
        if self.protocol.record.envelope is not None:
            return rows
        little = cuts.little if isinstance(cuts.little, bool) else cuts.little[rows]
        parameters, terminator = {**self.protocol.assumed, **cuts.parameters}, len(self.protocol.record.until)
        buffer = np.frombuffer(cuts.window.buffer, np.uint8)
        batch = Batch(buffer, cuts.start[rows], cuts.stop[rows], parameters, little, terminator)
        wanted = [number for number, name in enumerate(self.protocol.records) if name in self.listener.wanted]
        return rows[np.isin(self._codes(batch), [-1, *wanted])]

    def _codes(self, batch: Batch) -> Array:
        """The numbers of the messages of records, -1 where they are not known."""
        from wireloom.columnar.execution.executor import Located
        from wireloom.columnar.execution.programs import programs_of  # here, as few records do not need it

        codes = np.full(len(batch.start), -1)
        for little, rows in by_order(batch.little, len(codes)):
            if (sorter := programs_of(self.protocol, batch.parameters, little=little).sorting()) is not None:
                codes[rows] = sorter.run(Located.of(batch.buffer, batch.start[rows], batch.stop[rows])).codes
        return codes
