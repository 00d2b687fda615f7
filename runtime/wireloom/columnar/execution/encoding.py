"""Rows of tables written as records by programs, as far as these find that the records say what the rows do."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from wireloom.backends.interface import Memory, RowsToWrite
from wireloom.buffers import (
    LARGEST,
    Allocate,
    Array,
    array,
    as_arrow,
    binaries,
    counts_of,
    items_of,
    own_room,
    row_numbers,
)
from wireloom.codec import EncodeError, Protocol
from wireloom.columnar.equality import alike
from wireloom.columnar.execution.columns import ItemLists, column
from wireloom.columnar.execution.executable import Executable
from wireloom.columnar.execution.executor import PresentLists, Stage, read_items, staged
from wireloom.columnar.execution.input_columns import addresses, size_of
from wireloom.columnar.execution.output_memory import Budget, ListValues, OutputMemory
from wireloom.columnar.execution.programs import once
from wireloom.columnar.memory_budget import BatchTooLargeError
from wireloom.programs import opcodes as op
from wireloom.programs.assembler import Assembler, Instruction
from wireloom.programs.outputs import Output
from wireloom.programs.records import RecordLowering
from wireloom.programs.values import Listed, NoProgramError, Struct, is_label
from wireloom.programs.writing.inputs import ITEM, WRITTEN, Inputs, Outline, Path
from wireloom.programs.writing.layout import Arranging
from wireloom.programs.writing.records import write_record

_TURN = 1024
"""Programs that write a batch take turns, each with so many rows or so: what they read and write stays in the cache."""
_MOST = 256
"""Of so many outlines of tables at most the programs are kept."""
Outlines = tuple[tuple[str, Outline], ...]
"""Columns by name."""


@dataclass(frozen=True, slots=True)
class WritingProgram:
    """A program that writes records, one that writes their sizes to ``place``, and the columns that both read.

    Items of lists are written before, by programs of their own, which are ``asked`` for columns around the list, too;
    so are bytes that stand in the record as what ``change`` makes of them. ``stages``, with their keys, read items
    again, as the columns ``reread``; ``heavy`` is as in programs that read. Programs with the same ``key`` do the same.
    """

    assembled: Executable
    sizing: Executable
    place: int
    inputs: Inputs
    items: "dict[Path, WritingProgram]"
    key: tuple[object, ...]
    stages: tuple[tuple[tuple[object, ...], Stage], ...] = ()
    reread: Mapping[Path, ItemLists] = field(default_factory=dict)
    asked: tuple[tuple[str, Path], ...] = ()
    heavy: int = 0
    change: Callable[[bytes], bytes] | None = None

    @classmethod
    def of(cls, laid: Arranging, inputs: Inputs, **more: Any) -> "WritingProgram":
        """The program that was put together."""
        asm = laid.asm
        place = asm.place(Output())
        total = Instruction(op.STORE_8, (), (laid.total,), (place,))
        sizing = Executable.of(asm.assembled(judging=False, outputs=[total]))
        items = {
            path: cls.of(inner, inner.inputs, asked=tuple(inner.asked.items()), change=inner.change)
            for path, inner in laid.items.items()
        }
        whole = Executable.of(asm.assembled())
        inner = ((path, each.key, each.asked, each.change) for path, each in items.items())
        key = *whole.identity, sizing.code.tobytes(), *inputs.taken.items(), *inner
        return cls(whole, sizing, place, inputs, items, key, **more)

    def begin(self, batch: pa.RecordBatch, rows: Array, lists: "Lists") -> "Writing | None":
        """Begin to write the records of these rows; None if items of theirs do not fit into an array."""
        known = {path: found for path, items in self.items.items() if (found := lists[path, items.key]) is not None}
        if len(known) < len(self.items):
            return None
        columns = partial(_column, batch, known=known)
        size = size_of(self.inputs, columns, rows) if self.assembled.buffers.unpacking else 0
        written = OutputMemory(self.assembled.buffers, len(rows), len(rows), size)
        for place, number in addresses(self.inputs, columns):
            written.addresses[place] = number
        return Writing(self, batch, rows, written, known, np.zeros(self.assembled.reach, np.uint8))

    def lists(self, batch: pa.RecordBatch, path: Path, mine: Array) -> "ListBytes | None":
        """The lists in the rows that are ``mine``, if this writes items; None if they do not fit."""
        if self.change is not None:
            return self._changed(batch, mine)
        given = _column(batch, path, {})
        counts = counts_of(given)
        rows = np.flatnonzero(mine & (counts > 0))
        counts, sound = counts[rows], np.ones(len(batch), bool)
        ends, octets = np.zeros(1, np.int32), b""
        if len(rows):
            owners = np.repeat(rows, counts)
            asked = {name: _column(batch, each, {}).take(as_arrow(owners)) for name, each in self.asked}
            items = pa.RecordBatch.from_pydict({ITEM: items_of(given, rows), **asked})
            found = together(items, [(self, row_numbers(len(owners)))])
            if found is None:
                return None
            (_, offsets, octets), fine = found[0].buffers(), found[1]
            ends = np.frombuffer(offsets, np.int32)
            sound[owners[~fine]] = False
        sizes, behind = np.zeros(len(batch) + 1, np.int32), np.cumsum(counts)
        sizes[rows + 1] = ends[behind] - ends[behind - counts]
        return ListBytes(array(pa.binary(), len(batch), None, np.cumsum(sizes, dtype=np.int32), octets), sound)

    def _changed(self, batch: pa.RecordBatch, mine: Array) -> "ListBytes | None":
        """What becomes of bytes that this writes in the rows that are ``mine``; None if they do not fit."""
        assert self.change is not None
        rows = np.flatnonzero(mine)
        found = together(batch, [(self, rows)])
        if found is None:
            return None
        sound, values = found[1] | ~mine, [b""] * len(batch)
        for row, octets in zip(rows.tolist(), found[0].take(as_arrow(rows)).to_pylist(), strict=True):
            try:
                values[row] = self.change(octets)
            except (EncodeError, UnicodeError):
                sound[row] = False
        return ListBytes(binaries(values), sound) if sum(map(len, values)) <= LARGEST else None


class ListBytes(NamedTuple):
    """The bytes of the items that lists of some rows have, as they are ``written``, or what becomes of bytes, and which
    of them are ``sound``: one value for each row of the batch.
    """

    written: pa.Array
    sound: Array


Lists = Mapping[tuple[Path, tuple[object, ...]], ListBytes | None]
"""Lists by their path and by what their items are written by."""


@dataclass(frozen=True, slots=True)
class Writing:
    """Rows of a batch that a program writes. ``zeros`` are what it reads where nothing is."""

    program: WritingProgram
    batch: pa.RecordBatch
    rows: Array
    written: OutputMemory
    known: Mapping[Path, ListBytes]
    zeros: Array

    def measure(self, ends: Array) -> None:
        """Note how many bytes each record has where its end will be, see ``following``."""
        self.written.addresses[self.program.place] = ends[1:].ctypes.data
        unasked = np.empty(len(ends), bool)
        self._follow(self.program.sizing, self.rows, ends, unasked)(0, len(self.rows))

    def following(self, ends: Array, sound: Array) -> Callable[[int, int], object]:
        """What writes the records of the rows from one number to before another, to where they end in memory, behind
        the one of the row before them, and notes which of them are ``sound``.
        """
        return self._follow(self.program.assembled, row_numbers(len(self.rows)), ends, sound)

    def _follow(self, assembled: Executable, places: Array, ends: Array, sound: Array) -> Callable[[int, int], object]:
        """What follows a program for the rows from one number to before another."""
        memory = Memory(self.written.addresses, self.written.amounts, self.zeros)
        return assembled.runner.write(RowsToWrite(self.rows, places, ends, sound), memory)


def together(
    batch: pa.RecordBatch, chosen: Sequence[tuple[WritingProgram, Array]], room: Allocate = own_room
) -> tuple[pa.Array, Array] | None:
    """The records of a batch's rows, each of which is written by one of these programs or is empty, and which of them
    are sound; None if no program writes any, or they do not fit into an array.
    """
    count, size = len(batch), _TURN * len(chosen) if len(chosen) > 1 else len(batch)
    lists = _lists(batch, chosen)
    begun = [program.begin(batch, rows, lists) for program, rows in chosen]
    writings = [each for each in begun if each is not None]
    ends, sound = np.zeros(count + 1, np.int64), np.zeros(count, bool)
    for each in writings:
        each.measure(ends)
    np.cumsum(ends, out=ends)
    if not writings or ends[-1] > LARGEST:
        return None
    for each in writings:
        if each.written.buffers.items:
            each.written.make_room(int((ends[each.rows + 1] - ends[each.rows]).sum()))
    data, offsets = room(int(ends[-1]), count), ends.astype(np.int32)
    ends += data.address
    bounds = range(0, count + size, size)
    loops = [(each.following(ends, sound), np.searchsorted(each.rows, bounds).tolist()) for each in writings]
    for turn in range(len(bounds) - 1):
        for follow, numbers in loops:
            follow(numbers[turn], numbers[turn + 1])
    _read_lists(ends, writings, sound)
    _compare_lists(batch, writings, sound)
    return array(pa.binary(), count, None, offsets, data), sound


def _lists(batch: pa.RecordBatch, chosen: Sequence[tuple[WritingProgram, Array]]) -> Lists:
    """The lists whose items programs write, those together that are written by the same."""
    asked: dict[tuple[Path, tuple[object, ...]], tuple[WritingProgram, Array]] = {}
    for program, rows in chosen:
        for path, items in program.items.items():
            _, mine = asked.setdefault((path, items.key), (items, np.zeros(len(batch), bool)))
            mine[rows] = True
    return {(path, key): items.lists(batch, path, mine) for (path, key), (items, mine) in asked.items()}


def _read_lists(ends: Array, writings: Sequence[Writing], sound: Array) -> None:
    """Read the items of lists again, and note which of the records, which have these ``ends``, are not ``sound`` by
    themselves.
    """
    budget = Budget.of(np.diff(ends), max(each.program.heavy for each in writings))
    same: defaultdict[tuple[object, ...], list[PresentLists]] = defaultdict(list)
    noted = []
    for each in writings:
        each.written.heavy += each.written.unpacked
        each.written.budget = budget._replace(records=each.rows)
        mine = sound[each.rows]
        for known in each.known.values():
            mine &= known.sound[each.rows]
        for key, stage in each.program.stages:
            same[key].append(stage.lists(None, each.written, mine))
        noted.append(mine)
    for lists in same.values():
        try:
            read_items(int(ends[-1]), lists)
        except BatchTooLargeError:
            for some in lists:
                some.sound[some.which] = False
    for each, mine in zip(writings, noted, strict=True):
        sound[each.rows] = mine


def _compare_lists(batch: pa.RecordBatch, writings: Sequence[Writing], sound: Array) -> None:
    """Note which of the records are not ``sound`` as their lists do not say what was given."""
    found: defaultdict[tuple[Path, pa.DataType], list[tuple[Array, ListValues]]] = defaultdict(list)
    for each in writings:
        for path, again in each.program.reread.items():
            found[path, again.kind].append((each.rows, again.filled(each.written)))
    for (path, _), lists in found.items():
        given, counts = _column(batch, path, {}), np.zeros(len(batch), np.int64)
        for rows, (places, many, _) in lists:
            counts[rows[places]] = many
        differs = counts != counts_of(given)
        for rows, _ in lists:
            sound[rows] &= ~differs[rows]
        read = np.concatenate([rows[places[many > 0]] for rows, (places, many, _) in lists])
        items, fine = pa.concat_arrays([values for _, (_, _, values) in lists]), ~differs[read]
        owners = np.repeat(read, counts[read])
        if not fine.all():
            read, items, owners = read[fine], items.filter(as_arrow(~differs[owners])), owners[~differs[owners]]
        sound[owners[~alike(items, items_of(given, read))]] = False


def _column(batch: pa.RecordBatch, path: Path, known: Mapping[Path, ListBytes]) -> pa.Array:
    """A column, or a field in one, without regard to where what is around it is missing; or the bytes of its items."""
    if path[-1] == WRITTEN:
        return known[path[:-1]].written
    found = batch.column(path[0])
    for name in path[1:]:
        found = found.field(name)
    return found


class WritingPrograms:
    """The programs that write records of one byte order with the same ``parameters``."""

    def __init__(self, protocol: Protocol, parameters: Mapping[str, Any], *, little: bool) -> None:
        self.records = RecordLowering(protocol, parameters, little=little)
        self._made: dict[tuple[int, Outlines], WritingProgram | None] = {}

    def of(self, message: int, outlines: Outlines) -> WritingProgram | None:
        """Writes records of a message from a table with columns of these outlines: those of the header, and of the
        message. The table has the numbers of their variants, too, as ``VARIANT``. None if no program can.
        """
        key = message, outlines
        return once(self._made, key, lambda: self._program(message, dict(outlines)), _MOST)

    def made(self, message: int, outlines: Outlines) -> WritingProgram | str:
        """As ``of``; the reason if no program can."""
        try:
            return self._program(message, dict(outlines))
        except NoProgramError as error:
            return str(error)

    def _program(self, number: int, outlines: Mapping[str, Outline]) -> WritingProgram:
        laid, inputs, read, lists = write_record(self.records, number, outlines)
        again = {path: _read_again(laid.asm, *each) for path, each in lists.items()}
        stages = tuple((each.key, each) for each in staged(read))
        return WritingProgram.of(laid, inputs, stages=stages, reread=again, heavy=read.heavy)


def _read_again(asm: Assembler, kind: pa.DataType, found: Listed, where: int) -> ItemLists:
    """The column of a list that is read again, without the fields of its items that are labels, which do not count."""
    item = found.listings[0].item
    if pa.types.is_struct(kind.value_type) and isinstance(item, Struct):
        labels = {name for name, known in item.fields.items() if is_label(known)}
        kind = pa.list_(pa.struct([each for each in kind.value_type if each.name not in labels]))
    lists = column(asm, kind, found, where)
    assert isinstance(lists, ItemLists)
    return lists


@lru_cache(maxsize=64)
def _writing(protocol: Protocol, parameters: tuple[tuple[str, Any], ...], little: bool) -> WritingPrograms:
    return WritingPrograms(protocol, dict(parameters), little=little)


def writing(protocol: Protocol, parameters: Mapping[str, Any], *, little: bool) -> WritingPrograms:
    """The programs of a protocol that write records, each made when it is first asked for."""
    return _writing(protocol, tuple(sorted(parameters.items())), little)
