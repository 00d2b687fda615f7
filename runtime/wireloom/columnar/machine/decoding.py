"""Records decoded by programs, as far as these find them sound; all others are left to the plan."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from wireloom.columnar.arrays import Column, Made, Spread, Structs
from wireloom.columnar.batch import Batch
from wireloom.columnar.buffers import Array
from wireloom.columnar.chosen import Chosen
from wireloom.columnar.machine.filled import Filled, Shared
from wireloom.columnar.machine.programs import Programs, ViewPrograms
from wireloom.columnar.machine.stages import Located, Program
from wireloom.columnar.messages import Decoded, Keep, Plan
from wireloom.columnar.refusals import Refusals
from wireloom.columnar.rows import Rows
from wireloom.columnar.viewed import ViewedColumns
from wireloom.options import Mode


@dataclass(frozen=True, slots=True)
class Sorting:
    """Records by message. ``codes`` are the numbers of their messages, ``wanted`` those to decode, among the ``sound``
    ones; of others nothing is known.
    """

    codes: Array
    wanted: Array
    sound: Array


class Machine:
    """Decodes batches of one byte order and with the same parameters by the programs for these."""

    def __init__(self, plan: Plan, programs: Programs, batch: Batch) -> None:
        self.plan = plan
        self.programs = programs
        self.batch = batch

    @cached_property
    def records(self) -> Located:
        """Where the batch is in memory."""
        batch = self.batch
        return Located.of(batch.buffer, batch.start, batch.stop)

    def sort(self, asked: frozenset[str], keep: Keep) -> Sorting | None:
        """The records by message. ``keep`` decides by these fields of the header which are wanted. None if no program
        can tell.
        """
        sorter = self.programs.sorting(sorted(asked & self.plan.header))
        if sorter is None:
            return None
        codes, columns, sound = sorter.run(self.records)
        sound &= ~self.batch.doubtful
        every = Rows.all(self.batch).record
        for name, column in columns.items():
            every.put(name, column)
        return Sorting(codes, keep(every, codes) & sound, sound)

    def decode(
        self, rows: Array, codes: Array, numbers: Array, view: ViewedColumns, header: frozenset[str]
    ) -> tuple[Chosen, Array]:
        """The ``rows`` of the batch as columns of a view, and which of them are sound.

        ``codes`` are the messages of these rows, and ``numbers`` what the records are called; ``header`` has the names
        of the header's columns. Rows of messages without a program are not sound.
        """
        programs = self.programs.viewed(view, header)
        count, batch = len(rows), self.batch
        records = self.records
        if count < len(batch.start):
            records = records.take(rows)
            batch = Batch(batch.buffer, batch.start[rows], batch.stop[rows], batch.parameters, batch.little)
        counts = np.bincount(codes)
        made = _alone if np.count_nonzero(counts) == 1 else _mixed
        columns, structs, sound = made(programs, records, codes, counts)
        none = np.zeros(count, bool)
        decoded = Decoded(
            Structs(count, columns), codes, ~none, structs, none, Refusals(count), none, frozenset(columns)
        )
        chosen = np.flatnonzero(sound)
        numbers = numbers if len(chosen) == count else numbers[chosen]
        return Chosen(decoded, batch, chosen, numbers, numbers, Mode.PERMISSIVE, None), sound


Yielded = tuple[dict[str, Column], dict[int, tuple[Array, Structs | Spread]], Array]
"""Columns of the header, the structs of messages with the places of their rows, and which rows are sound."""


def _alone(programs: ViewPrograms, records: Located, codes: Array, counts: Array) -> Yielded:
    """What records of a single message are, the last one that is counted."""
    count, code = len(codes), len(counts) - 1
    program = programs.alone(code)
    if program is None:
        return {}, {}, np.zeros(count, bool)
    places = np.arange(count)
    written, sound = program.run(records, places, count)
    return _header(program, written), {code: (places, Spread(_fields(program, written), None, count))}, sound


def _mixed(programs: ViewPrograms, records: Located, codes: Array, counts: Array) -> Yielded:
    """What records of several messages are. There are so many of each."""
    count, sound = len(codes), np.zeros(len(codes), bool)
    head = programs[-1]
    if head is None:
        return {}, {}, sound
    written, good = head.run(records, np.arange(count), count)
    columns = _header(head, written)
    structs: dict[int, tuple[Array, Structs | Spread]] = {}
    shared = Shared(count)
    order = codes.astype(np.int16).argsort(kind="stable")  # 16 bits are sorted without comparing them
    grouped, ends = records.take(order), np.cumsum(counts)
    for code in np.flatnonzero(counts).tolist():
        if (program := programs[code]) is None:
            continue
        mine = slice(int(ends[code] - counts[code]), int(ends[code]))
        which = order[mine]
        written, sound[which] = program.run(grouped.take(mine), which, count, shared=shared)
        structs[code] = which, Spread(_fields(program, written), which, count)
    return columns, structs, sound & good


def _header(program: Program, written: Filled) -> dict[str, Column]:
    """The header's columns."""
    return {name: Made(each.arrow(written)) for name, each in program.header.items()}


def _fields(program: Program, written: Filled) -> dict[str, pa.Array]:
    """The columns of a message's fields."""
    return {name: each.arrow(written) for name, each in program.columns.items()}
