"""What a capture tells of parameters, looked for in many records at once."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from wireloom.codec import Protocol
from wireloom.codec.cutting import Ahead
from wireloom.codec.found import WITHIN, Listener
from wireloom.codec.lengths import Buffer
from wireloom.columnar.batch import Batch
from wireloom.columnar.buffers import Array
from wireloom.columnar.messages import Plan
from wireloom.columnar.scanning import Cuts, Scanner, Window


class BulkAhead(Ahead):
    """Finds what ``codec.cutting.Ahead`` finds, but only looks at records of messages that say something."""

    def __init__(
        self,
        protocol: Protocol,
        plan: Plan,
        parameters: Mapping[str, Any],
        bound: int,
        scanner: Callable[[Mapping[str, Any]], Scanner],
        untold: Mapping[str, Any],
    ) -> None:
        super().__init__(protocol.framing, dict(parameters), bound)
        self.plan = plan
        self.untold = untold
        self.terminator = len(protocol.record.until)
        self.scanner = scanner(self.cutter.parameters)
        names = {name for found in protocol.found for name in (found.message, *found.asked)}
        self.telling = [number for number, message in enumerate(plan.said) if message.name in names]

    def look(self, buffer: Buffer, start: int, end: int, base: int, *, final: bool) -> Listener | None:
        at = start if self.position is None else self.position - base
        window = Window(buffer if end == len(buffer) else memoryview(buffer)[:end], base, final)
        for cuts, after in self.scanner.scan(window, at, max(at, WITHIN - base)):
            self._listen(cuts)
            at = after
            if not self.listener.open:
                return self.listener
        if base + at < WITHIN and (at < end or not final):
            self.position = base + at
            return None
        return self.listener

    def _listen(self, cuts: Cuts) -> None:
        """Look at those of some records that may be of a message that says something."""
        buffer, base = cuts.window.buffer, cuts.window.base
        for row in self._telling(cuts).tolist():
            if base + cuts.start[row] < WITHIN and not cuts.malformed(row) and not (cuts.preamble and not row):
                little = cuts.little if isinstance(cuts.little, bool) else bool(cuts.little[row])
                data = bytes(buffer[cuts.start[row] : cuts.stop[row]])
                self.listener.record(data, dict(cuts.parameters), little=little)

    def _telling(self, cuts: Cuts) -> Array:
        first, last = int(cuts.start.min()), int(cuts.stop.max())
        array = np.frombuffer(cuts.window.buffer, np.uint8)[first:last]
        known = {**self.untold, **cuts.parameters}
        batch = Batch(array, cuts.start - first, cuts.stop - first, known, cuts.little, self.terminator)
        decoded = self.plan.decode(batch, lambda header, message: np.zeros(len(message), bool))
        return np.flatnonzero(np.isin(decoded.message, self.telling) | decoded.doubtful)
