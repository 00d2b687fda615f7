"""Records decoded by programs, as far as these find them sound."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from wireloom.columnar.arrays import Made, Numbers, Spread, Structs
from wireloom.columnar.batch import Batch
from wireloom.columnar.buffers import Array, row_numbers
from wireloom.columnar.chosen import Decoded
from wireloom.columnar.machine.filled import Shared
from wireloom.columnar.machine.programs import Dispatched, Programs, ViewPrograms
from wireloom.columnar.machine.rejections import Buffer, explained
from wireloom.columnar.machine.stages import Located, Program
from wireloom.columnar.refusals import Refusals
from wireloom.columnar.viewed import ViewedColumns

Keep = Callable[[Mapping[str, Numbers], Array], Array]
"""Decides which records are wanted, from columns of their headers and the numbers of their messages."""


@dataclass(frozen=True, slots=True)
class Sorting:
    """Records by message: what was ``told`` of them, and which of the sound ones are ``wanted``. The columns of their
    header were read for a ``view``, unless that is None.
    """

    told: Dispatched
    wanted: Array
    view: ViewedColumns | None


class Machine:
    """Decodes batches of one byte order and with the same parameters by the programs for these."""

    def __init__(self, programs: Programs, batch: Batch) -> None:
        self.programs = programs
        self.batch = batch
        record = programs.records.protocol.record
        self.header = frozenset(column.name for column in record.columns)
        self.head = frozenset(("message", *(column.name for column in record.head.columns())))
        """The columns of the header that malformed rows have: what is after the sections is not read."""

    @cached_property
    def records(self) -> Located:
        """Where the batch is in memory."""
        batch = self.batch
        return Located.of(batch.buffer, batch.start, batch.stop)

    def sort(self, asked: frozenset[str], keep: Keep, view: ViewedColumns | None, *, judging: bool) -> Sorting | None:
        """The records by message. ``keep`` decides by these fields of the header which are wanted. None if no program
        can tell. With a ``view``, of which all are wanted, the columns of their header are read, too. With ``judging``
        those that are left out have a sound header.
        """
        names = sorted(asked & self.header)
        sorter = self._viewed(view).sorter if view is not None else self.programs.sorting(names, judging=judging)
        if sorter is None:
            return None
        told = sorter.run(self.records)
        return Sorting(told, keep(told.columns, told.codes) & told.sound, view)

    def headless(self, rows: Array) -> Decoded:
        """Records whose header cannot be read, or is of no message, and why if that is known."""
        batch = self.batch.part(rows)
        if (outline := self.programs.outline) is not None:
            self._explain(outline, self.records.take(rows), row_numbers(len(rows)), batch.refusals)
        return Decoded.headless_of(batch)

    def _viewed(self, view: ViewedColumns) -> ViewPrograms:
        return self.programs.viewed(view, self.header)

    def decode(self, rows: Array, sorting: Sorting, view: ViewedColumns) -> Decoded:
        """The ``rows`` of the batch as columns of a view. Why rows are not sound is said where their programs know it;
        those of messages without a program are not.
        """
        programs, told = self._viewed(view), sorting.told
        count, batch = len(rows), self.batch
        records, codes, head = self.records, told.codes, told.header if sorting.view is view else None
        if count < len(batch.start):
            records, codes, head = records.take(rows), codes[rows], None
            batch = batch.part(rows)
        counts = np.bincount(codes)
        alone = head is None and np.count_nonzero(counts) == 1
        if alone:
            columns, structs, sound, good = _alone(programs, records, counts, batch)
        else:
            columns, structs, sound, good = _mixed(programs, records, codes, counts, head, batch)
        for code in np.unique(codes[good & ~sound]).tolist():
            if (program := programs.alone(code) if alone else programs[code]) is not None:
                self._explain(program, records, np.flatnonzero(good & ~sound & (codes == code)), batch.refusals)
        made = Structs(count, {name: Made(column) for name, column in columns.items()})
        headless = np.zeros(count, bool)
        return Decoded(batch, made, codes, structs, ~sound, batch.refusals, headless, self.head)

    def _explain(self, program: Program, records: Located, rows: Array, refusals: Refusals) -> None:
        """Say why a program rejects some of the records, as far as it knows."""
        some, buffer = records.take(rows), Buffer(self.batch.buffer.ctypes.data, self.batch.parameters)
        for refusal in explained(program, some, some.stop - self.batch.terminator, buffer).refusals.all:
            refusals.add(refusal._replace(records=rows[refusal.records]))


Yielded = tuple[dict[str, pa.Array], dict[int, tuple[Array, Structs | Spread]], Array, Array]
"""Columns of the header, the structs of messages with the places of their rows, which rows are sound, and which have a
sound header.
"""


def _alone(programs: ViewPrograms, records: Located, counts: Array, batch: Batch) -> Yielded:
    """What records of a single message are, the last one that is counted."""
    count, code = len(records.start), len(counts) - 1
    program = programs.alone(code)
    if program is None:
        return {}, {}, np.zeros(count, bool), np.zeros(count, bool)
    places = row_numbers(count)
    written, sound = program.run(records, places, count)
    batch.weigh(written.heavy)
    header, good = program.head(written), sound
    if sound.all():
        return header, {code: (places, Spread(program.fields(written), None, count))}, sound, sound
    if (head := programs[-1]) is not None:  # which reads all of the header where the message is malformed
        outline, good = head.run(records, places, count)
        header = head.head(outline)
    return header, {code: (places, Spread(program.fields(written), np.flatnonzero(sound), count))}, sound, good


def _mixed(
    programs: ViewPrograms,
    records: Located,
    codes: Array,
    counts: Array,
    header: dict[str, pa.Array] | None,
    batch: Batch,
) -> Yielded:
    """What records of several messages are. There are so many of each. The columns of their ``header`` may be known."""
    count, sound = len(codes), np.zeros(len(codes), bool)
    good = np.ones(count, bool)
    if header is None:
        if (head := programs[-1]) is None:
            return {}, {}, sound, sound
        written, good = head.run(records, row_numbers(count), count)
        header = head.head(written)
    structs: dict[int, tuple[Array, Structs | Spread]] = {}
    shared = Shared(count)
    ends = np.cumsum(counts)
    rows, grouped = records.grouped(codes, ends - counts)
    for code in np.flatnonzero(counts).tolist():
        if (program := programs[code]) is None:
            continue
        mine = slice(int(ends[code] - counts[code]), int(ends[code]))
        which = rows[mine]
        written, sound[which] = program.run(grouped.take(mine), which, count, shared=shared)
        batch.weigh(written.heavy)
        structs[code] = which, Spread(program.fields(written), which[sound[which]], count)
    return header, structs, sound & good, good
