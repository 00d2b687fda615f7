"""Records decoded by programs, as far as these find them sound."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from wireloom.buffers import Array
from wireloom.columnar.arrays import Numbers, Spread
from wireloom.columnar.batch import Batch
from wireloom.columnar.decoded_rows import Decoded
from wireloom.columnar.execution.executor import Located, Program
from wireloom.columnar.execution.output_memory import Shared
from wireloom.columnar.execution.programs import Programs, ViewPrograms, single_of
from wireloom.columnar.execution.rejections import Buffer, explained
from wireloom.columnar.refusals import Refusals
from wireloom.columnar.view_columns import ViewedColumns

Keep = Callable[[Mapping[str, Numbers], Array], Array]
"""Decides which records are wanted, from columns of their headers and the numbers of their messages."""


_EXPLAINED = 256 * 1024
"""About how many bytes of rejected records are explained at once, as each may be an item of a list."""


@dataclass(frozen=True, slots=True)
class Sorting:
    """The numbers of the messages of records, -1 where they are not known, and which are ``wanted`` of those that are.
    The columns of their ``header`` were read for a ``view``, unless that is None.
    """

    codes: Array
    wanted: Array
    header: dict[str, pa.Array]
    view: ViewedColumns | None

    @property
    def single(self) -> int | None:
        """The number of the message that all are of; None if they are of several, or that of one is not known."""
        return single_of(self.codes)


class Machine:
    """Decodes batches of one byte order and with the same parameters by the programs for these."""

    def __init__(self, programs: Programs, batch: Batch) -> None:
        self.programs = programs
        self.batch = batch

    @cached_property
    def records(self) -> Located:
        """Where the batch is in memory."""
        batch = self.batch
        return Located.of(batch.buffer, batch.start, batch.stop)

    def sort(self, asked: frozenset[str], keep: Keep, view: ViewedColumns | None, *, judging: bool) -> Sorting | None:
        """Dispatches each record to its message. None if the protocol's header has no program.

        ``keep`` is the filter, by the ``asked`` fields of the header. With a ``view``, the columns of the header are
        decoded in the same pass, and no record may be filtered out. With ``judging``, records that are filtered out
        have a sound header.
        """
        names = sorted(asked & self.programs.header)
        sorter = (
            self.programs.viewed(view).sorter if view is not None else self.programs.sorting(names, judging=judging)
        )
        if sorter is None:
            return None
        told = sorter.run(self.records)
        codes = np.where(self.batch.doubtful, -1, told.codes)
        return Sorting(codes, keep(told.columns, codes) & (codes >= 0), told.header, view)

    def decode(self, rows: Array, sorting: Sorting, view: ViewedColumns) -> Decoded:
        """The ``rows`` of the batch as columns of a view. Why rows are not sound is said where their programs know it;
        those of messages without a program are not.
        """
        programs, count = self.programs.viewed(view), len(rows)
        records, codes, head = self.records, sorting.codes, sorting.header if sorting.view is view else None
        batch = self.batch
        if count < len(batch.start):
            records, codes, head, batch = records.take(rows), codes[rows], None, batch.part(rows)
        headless = codes < 0
        if len(unknown := np.flatnonzero(headless & ~batch.doubtful)):
            self._explain(self.programs.outline, records, unknown, batch.refusals)
        some = KnownRecords(records, np.flatnonzero(~headless), codes, count, batch)
        single = single_of(codes[some.rows]) if head is None else None
        found = _mixed(programs, some, head) if single is None else _alone(programs, some, single)
        wrong = found.good & ~found.sound
        for code in np.unique(codes[wrong]).tolist():
            program = programs[code] if single is None else programs.alone(code)
            self._explain(program, records, np.flatnonzero(wrong & (codes == code)), batch.refusals)
        return Decoded(
            batch, found.header, codes, found.structs, ~found.sound, batch.refusals, headless, self.programs.head
        )

    def _explain(self, program: Program | None, records: Located, rows: Array, refusals: Refusals) -> None:
        """Say why a program rejects some of the records, as far as it knows."""
        if program is None:
            return
        buffer = Buffer(self.batch.buffer.ctypes.data, self.batch.parameters)
        parts = np.cumsum((records.stop - records.start)[rows]) // _EXPLAINED
        for mine in np.split(rows, np.flatnonzero(np.diff(parts)) + 1):
            some = records.take(mine)
            for refusal in explained(program, some, some.stop - self.batch.terminator, buffer).refusals.all:
                refusals.add(refusal._replace(records=mine[refusal.records]))


@dataclass(frozen=True, slots=True)
class KnownRecords:
    """Those ``rows`` among ``count`` records whose messages are known, by their numbers."""

    records: Located
    rows: Array
    codes: Array
    count: int
    batch: Batch

    @property
    def located(self) -> Located:
        """Where they are."""
        return self.records if len(self.rows) == self.count else self.records.take(self.rows)

    def mask(self, mine: Array) -> Array:
        """A mask of these rows as one of all."""
        found = np.zeros(self.count, bool)
        found[self.rows] = mine
        return found


class Found(NamedTuple):
    """What programs made of records: columns of the header, the structs of messages, which rows are ``sound``, and
    which have a ``good`` header.
    """

    header: dict[str, pa.Array]
    structs: dict[int, Spread]
    sound: Array
    good: Array


def _nothing(some: KnownRecords) -> Found:
    """That no program reads the records."""
    none = np.zeros(some.count, bool)
    return Found({}, {}, none, none)


def _alone(programs: ViewPrograms, some: KnownRecords, code: int) -> Found:
    """What records of a single message are, whose number is ``code``."""
    rows, count = some.rows, some.count
    program = programs.alone(code)
    if program is None:
        return _nothing(some)
    written, sound = program.run(some.located, rows, count)
    some.batch.weigh(written.heavy)
    header, good = program.head(written), sound
    if not sound.all() and (head := programs[-1]) is not None:  # which reads all of it where the message is malformed
        outline, good = head.run(some.located, rows, count)
        header = head.head(outline)
    mine = None if len(rows) == count and sound.all() else rows[sound]
    return Found(header, {code: Spread(program.fields(written), mine, count)}, some.mask(sound), some.mask(good))


def _mixed(programs: ViewPrograms, some: KnownRecords, header: dict[str, pa.Array] | None) -> Found:
    """What records of several messages are. The columns of their ``header`` may be known."""
    count, located, sound = some.count, some.located, np.zeros(some.count, bool)
    good = np.ones(len(some.rows), bool)
    if header is None:
        if (head := programs[-1]) is None:
            return _nothing(some)
        written, good = head.run(located, some.rows, count)
        header = head.head(written)
    structs: dict[int, Spread] = {}
    shared = Shared(count)
    codes = some.codes[some.rows]
    counts = np.bincount(codes) if len(codes) else codes
    ends = np.cumsum(counts)
    rows, grouped = located.grouped(codes, ends - counts)
    for code in np.flatnonzero(counts).tolist():
        if (program := programs[code]) is None:
            continue
        mine = slice(int(ends[code] - counts[code]), int(ends[code]))
        which = some.rows[rows[mine]]
        written, sound[which] = program.run(grouped.take(mine), which, count, shared=shared)
        some.batch.weigh(written.heavy)
        structs[code] = Spread(program.fields(written), which[sound[which]], count)
    is_good = some.mask(good)
    return Found(header, structs, sound & is_good, is_good)
