"""From cuts of a capture to Arrow batches, decoded by programs, or by the codec where these cannot."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np
import pyarrow as pa

from wireloom.buffers import Array, row_numbers
from wireloom.codec import DecodeError, Packed, Protocol, Unpack
from wireloom.codec.cutting import Cut, Cutter
from wireloom.codec.errors import broken_off
from wireloom.codec.reader import Reader
from wireloom.columnar import memory_budget
from wireloom.columnar.arrays import Numbers
from wireloom.columnar.batch import Batch, by_order
from wireloom.columnar.counters import Tally
from wireloom.columnar.decoded_rows import Decoded, DecodedRows, RejectedRows
from wireloom.columnar.envelopes import opened
from wireloom.columnar.execution.decoding import Machine
from wireloom.columnar.execution.fused_scan import FusedScan, Proving
from wireloom.columnar.execution.programs import Programs, programs_of
from wireloom.columnar.filters import Filter
from wireloom.columnar.framing_errors import FramingErrors
from wireloom.columnar.framings import framing_of
from wireloom.columnar.hopping import Hop
from wireloom.columnar.memory_budget import BatchTooLargeError, check_budget, heaviness
from wireloom.columnar.parameter_discovery import BulkAhead
from wireloom.columnar.prediction import Prediction
from wireloom.columnar.record_spans import CutRecords, JoinedCaptures, RecordSpans
from wireloom.columnar.scanning import Cuts, Scanner, Window
from wireloom.columnar.view_columns import REASON, Common, Viewed, ViewedColumns, together
from wireloom.columnar.windows import Pieces
from wireloom.compressed import DamagedFileError
from wireloom.contents import parts_of
from wireloom.kinds import ReadInto
from wireloom.loops import accel
from wireloom.options import Mode, ReadOptions
from wireloom.views import Row, View

BATCH_ROWS = 32 * 1024
WHOLE_ROWS = 128 * 1024
PASS_ROWS = 128 * 1024
BATCH_BYTES = 16 * 1024 * 1024
"""A batch ends with the record that reaches one of these numbers of records, or of bytes. It has more records if the
capture is in memory as a whole and programs decode it, or if they are found in one pass.
"""
PIECE_BYTES = 16 * 1024 * 1024
"""How much of a stream is read at once."""
_REST_BYTES = 64 * 1024
"""The least that is read at once of the rest of a record that ends after its part."""
REDONE_BYTES = 256 * 1024
"""About how many bytes of records are Python objects at the same time."""
_LIGHT = 1 / 4
"""If a batch has less than this part of the allowed weight, the next one has twice as many records."""

Redo = Callable[[int], Row | None]
"""Gives the codec's row of a record; None if it is left out."""


class Decoder:
    """Decodes records into batches of ``schema``, which is the view that ``options`` describe, or a part of it."""

    def __init__(
        self,
        protocol: Protocol,
        options: ReadOptions,
        schema: pa.Schema,
        filters: tuple[Filter, ...] = (),
    ) -> None:
        self.protocol = protocol
        self.framed = framing_of(protocol)
        self.options = options
        self.framing = protocol.framing.resyncing(options.resync)
        self.schema = schema
        self.filters = filters
        self.view = View(protocol, options)
        self.names = [message.name for message in protocol.records.values()]
        self.header = frozenset(column.name for column in protocol.record.columns)
        self.unpacks = any(isinstance(part, Packed | Unpack) for part in parts_of(protocol))
        self.codes = {name: code for code, name in enumerate(self.names)}
        self.columns = ViewedColumns(protocol, options, schema, self.names)
        self.known: tuple[Mapping[str, Any], FramingErrors] | None = None
        self.tallies = [Tally()]
        """One for each capture, by its number."""
        self.prediction = Prediction()
        self.rows = BATCH_ROWS
        """How many records are cut at once at most."""
        self.share = BATCH_ROWS
        """How many of them are decoded at once at most; fewer if they are heavy."""
        self.leaves_out: Callable[[OSError], bool] = lambda _: False
        """Whether the rest of a damaged file is skipped; else a malformed row reports it."""
        self.damage: DecodeError | None = None
        """The error of the file, in that row."""

    @property
    def tally(self) -> Tally:
        """The counts of the capture, if there is one."""
        return self.tallies[0]

    def gaps(self, parameters: Mapping[str, Any]) -> FramingErrors:
        """Malformed ranges of captures with these parameters."""
        if self.known is None or self.known[0] != parameters:
            bound = self.options.max_record_bytes
            self.known = parameters, FramingErrors(self.framing, self.framed, dict(parameters), bound)
        return self.known[1]

    def scanner(self, parameters: Mapping[str, Any] | None = None) -> Scanner:
        """The scanner that cuts captures for this decoder; with the ``parameters`` of a capture whose header was read,
        from any place after it.
        """
        return self.scanning(self.cutter(parameters))

    def cutter(self, parameters: Mapping[str, Any] | None = None) -> Cutter:
        """A cutter of captures, which finds one record after another; the ``parameters`` are as for ``scanner``."""
        known = dict(self.options.parameters if parameters is None else parameters)
        return Cutter(self.framing, known, self.options.max_record_bytes, looking=self._ahead)

    def scanning(self, cutter: Cutter) -> Scanner:
        """The scanner that continues where a cutter is."""
        scanner = self.looking(cutter)
        scanner.one_pass = self.one_pass
        return scanner

    def _ahead(self, cutter: Cutter) -> BulkAhead:
        return BulkAhead(cutter, self.protocol, self.looking)

    def looking(self, cutter: Cutter) -> Scanner:
        """As ``scanning``, but no record is decoded where it is found."""
        framing = self.framed
        return Scanner(cutter, framing, self.gaps, self.proof, rows=self.rows, size=BATCH_BYTES)

    def proof(self, parameters: Mapping[str, Any], little: bool) -> Proving | None:
        """Validates records of captures with these parameters by a program, if that is worth it."""
        if not accel.WORTH:
            return None
        program = self._programs(parameters, little=little).proof
        return None if program is None else Proving(program, self.rows)

    def one_pass(
        self, parameters: Mapping[str, Any], little: bool, buffer: Array, at: int, hop: Hop
    ) -> FusedScan | None:
        """Finds and decodes records in one pass, if they are predicted to be of one message."""
        if self.filters or not accel.WORTH:
            return None
        programs = self._programs(parameters, little=little)
        self.prediction.sample(programs, buffer, at, hop)
        code, only = self.prediction.message, self.options.only
        if code is None or (only is not None and self.names[code] not in only):
            return None
        program = programs.viewed(self._view(code)).passing(code)
        return None if program is None else FusedScan(program, code, PASS_ROWS)

    def _programs(self, parameters: Mapping[str, Any], *, little: bool) -> Programs:
        """The programs for captures with these parameters, with assumed values where no header was read."""
        return programs_of(self.protocol, {**self.protocol.assumed, **parameters}, little=little)

    def capture(self, buffer: Any, file: str = "") -> Iterator[pa.RecordBatch]:
        """The batches of a capture in memory or in a memory map. Raises ``DecodeError`` in mode ``FAILFAST``.

        They are larger than those of a stream where programs decode them.
        """
        if accel.WORTH:
            self.rows = self.share = WHOLE_ROWS
        for cuts, _ in self.scanner().scan(Window(buffer)):
            yield from self.cuts(cuts, file)

    def stream(
        self, readinto: ReadInto, file: str = "", *, start: int = 0, stop: int | None = None
    ) -> Iterator[pa.RecordBatch]:
        """The batches of a capture that is read by ``readinto`` piece by piece; as ``cut``."""
        for cuts in self.cut(readinto, start=start, stop=stop):
            yield from self.cuts(cuts, file)

    def cut(
        self,
        readinto: ReadInto,
        *,
        start: int = 0,
        stop: int | None = None,
        scanner: Scanner | None = None,
    ) -> Iterator[Cuts]:
        """The records of a capture that ``readinto`` reads piece by piece from its byte ``start`` on.

        Only those that begin before ``stop``; little after it is read. It needs memory for a few pieces, or for the
        largest record. The record at ``start`` is cut by ``scanner``, unless the capture begins there. If a compressed
        file is damaged, there is a malformed row at the damage.
        """
        scanner = scanner or self.scanner()
        size = PIECE_BYTES if stop is None else min(PIECE_BYTES, max(1, stop - start))
        pieces = Pieces(readinto, size, start, final=True, bears=lambda error: not self.leaves_out(error))
        for window in pieces:
            if pieces.damage is not None:
                yield from self._broken_off(scanner, window, pieces.damage)
                return
            at = 0
            limit = None if stop is None else stop - window.base
            for cuts, after in scanner.scan(window, limit=limit):
                yield cuts
                at = after
            if limit is not None and at >= limit and not scanner.cutter.lost:
                return
            pieces.keep(at)
            if stop is not None:
                held = pieces.window
                left = stop - held.base - len(held.buffer)
                pieces.size = min(pieces.size, left) if left > 0 else max(_REST_BYTES, len(held.buffer))

    def _broken_off(self, scanner: Scanner, window: Window, damage: DamagedFileError) -> Iterator[Cuts]:
        """The last records before the damage in a file, and a row that reports it."""
        end = window.base + len(window.buffer)
        self.damage, last = broken_off(damage.reason, end), None
        for cuts, _ in scanner.scan(window):
            if last is not None:
                yield last
            last = cuts
        if last is not None:
            is_told = last.end_with(self.damage, whole=self.framing.to_the_end)
            yield last
            if is_told:
                return
        nothing = np.zeros(1, np.int64)
        yield Cuts(Window(b"", end), nothing, nothing, False, scanner.parameters, {0: self.damage})

    def cuts(self, cuts: Cuts, file: str) -> Iterator[pa.RecordBatch]:
        """The batches of records that were cut out of a capture."""
        held = CutRecords(cuts, file)
        one = JoinedCaptures([held])
        redo = partial(self.redo, held)
        return (batch for batch, _ in self.records(one.stretch, one.apart, redo, one.added))

    def redo(self, held: CutRecords, row: int) -> Row | None:
        """The codec's row of a record that was cut out of a capture; None if it is left out."""
        return self.row(*held.record(row, self.gaps), held.cuts.parameters, held.file, held.source)

    def row(
        self, cut: Cut, data: bytes, offset: int, known: Mapping[str, Any], file: str, source: int = 0
    ) -> Row | None:
        """The codec's row of a record at ``offset`` of a capture with the ``known`` parameters in this mode.

        None if it is left out.
        """
        only, parameters = self.options.only, dict(known)
        found = self.protocol.row(cut, data, offset, parameters, Mode.PERMISSIVE, only)
        if found is None or (found["message"] is not None and not self._admits(found)):
            return None
        reason = found[REASON]
        if reason is not None and self.options.mode is Mode.FAILFAST:
            self.protocol.row(cut, data, offset, parameters, Mode.FAILFAST, only)  # which raises
        tally = self.tallies[source]
        if reason is None:
            tally.redone += 1
        else:
            tally.add(reason, len(data))
            if self.options.mode is Mode.DROPMALFORMED:
                tally.records += 1
                return None
        return next(self.view.of([found], file))

    def _admits(self, row: Row) -> bool:
        return all(condition.admits(row[condition.column]) for condition in self.filters)

    def records(
        self,
        stretch: RecordSpans,
        malformed: Iterable[int],
        redo: Redo,
        added: Mapping[str, Callable[[Array], pa.Array]],
    ) -> Iterator[tuple[pa.RecordBatch, Array]]:
        """The batches of some records, few unless one would weigh too much, and which records, by number, are in each.

        ``redo`` gets those already known as ``malformed``, and those that turn out doubtful. ``added`` gives columns
        that are not in the bytes.
        """
        if stretch.passed is not None:
            if (batch := self._passed(stretch, added)) is not None:
                yield batch
                return
            stretch = replace(stretch, passed=None)
        sound = np.ones(len(stretch.start), bool)
        sound[list(malformed)] = False
        every, at = row_numbers(len(sound)), 0
        while at < len(sound) or not len(sound):
            rows = every[at : at + self.share]
            ends = stretch.sources(rows[[0, -1]]).tolist() if len(rows) else [0, -1]
            mine = slice(ends[0], ends[1] + 1)
            before = [copy(tally) for tally in self.tallies[mine]]
            try:
                batches, part = self._batches(stretch, rows, sound[at : at + len(rows)], redo, added)
            except BatchTooLargeError as error:
                self.tallies[mine] = before
                self.share = max(1, int(len(rows) * error.part / 2))  # not what just fits: the others may be heavier
                sound[rows] &= len(rows) > 1  # the codec reports what is wrong with a single one
                continue
            yield from batches
            if len(rows) == self.share and part < _LIGHT:
                self.share *= 2
            if not len(sound):
                return
            at += len(rows)

    def _passed(
        self, stretch: RecordSpans, added: Mapping[str, Callable[[Array], pa.Array]]
    ) -> tuple[pa.RecordBatch, Array] | None:
        """The batch of records that were decoded when they were found, all of one message; None if it is too heavy."""
        passed, rows = stretch.passed, row_numbers(len(stretch.start))
        view, known = self._view(passed.code), Common(self._parameters(stretch), bool(stretch.little))
        columns = view.of_one(passed.code, passed.header(), passed.fields(), known, rows, added)
        viewed = Viewed(view, columns, rows)
        if viewed.weight > Reader.HEAVIEST:
            return None
        ((source, count),) = stretch.counts(rows)
        self.tallies[source].records += count
        return viewed.batch

    def _known(self, stretch: RecordSpans) -> Mapping[str, Any]:
        """The parameters of the captures of a stretch."""
        return self.options.parameters if stretch.parameters is None else stretch.parameters

    def _parameters(self, stretch: RecordSpans) -> dict[str, Any]:
        """All parameters of programs, with assumed values where no header of a capture was read."""
        return {**self.protocol.assumed, **self._known(stretch)}

    def _batches(
        self,
        stretch: RecordSpans,
        rows: Array,
        sound: Array,
        redo: Redo,
        added: Mapping[str, Callable[[Array], pa.Array]],
    ) -> tuple[list[tuple[pa.RecordBatch, Array]], float]:
        """One batch, with the numbers of its records and its part of the largest weight; it may be split. Those that
        are not ``sound`` are known to be malformed.

        If the codec's records are in few places, they are batches of their own, which copies nothing. Raises
        ``BatchTooLargeError``.
        """
        found, unwanted = self._decoded(stretch, rows if sound.all() else rows[sound])
        decided = [chosen for _, chosen in found]
        doubtful = np.ones(len(rows), bool)
        for sure in (*unwanted, *(each.sure for each in decided)):
            doubtful[sure - rows[:1]] = False
        parts = [(view, chosen) for view, chosen in found if len(chosen.chosen)]
        lists = sum(chosen.batch.weight for chosen in decided)
        check_budget(lists + sum(view.weight(part) for view, part in parts))
        made = [Viewed(view, view.of(part, added), part.rows) for view, part in parts]
        refused = [each.refused for each in decided if each.refused is not None]
        redone = self._redone(stretch, rows[doubtful], redo, added, refused)
        if not made and not redone:
            made = [Viewed(view, view.of(part, added), part.rows) for view, part in self._nothing(stretch, rows)]
        weight = sum(each.weight for each in (*made, *redone))
        if len(rows) > 1:
            check_budget(weight)
        part = max(weight / Reader.HEAVIEST, lists / memory_budget.lists(len(rows)))
        dropped = [each.dropped for each in decided]
        told = [each.rows for each in (*made, *redone)]
        for source, count in stretch.counts(np.concatenate([rows[:0], *dropped, *told])):
            self.tallies[source].records += count
        return list(together(made, redone)), part

    def _redone(
        self,
        stretch: RecordSpans,
        rows: Array,
        redo: Redo,
        added: Mapping[str, Callable[[Array], pa.Array]],
        refused: Iterable[RejectedRows],
    ) -> list[Viewed]:
        """The rows that ``redo`` makes of records, as columns, with the numbers of the records.

        Rows take ten times the memory as Python objects, so few are held at once: by the bytes of their records, and by
        what these unpack to. Those ``refused`` are counted at the first of them in their capture. Raises
        ``BatchTooLargeError``.
        """
        counted = deque(sorted((each for some in refused for each in some.counted), key=attrgetter("row")))
        sizes = stretch.stop - stretch.start
        parts: list[Viewed] = []
        held: dict[int, Row] = {}
        size = weight = 0
        for place, row in enumerate(rows.tolist()):
            while counted and counted[0].row < row:
                counted.popleft().tell(self.tallies)
            if (found := redo(row)) is not None:
                held[row] = found
                size += int(sizes[row]) + (heaviness(found) if self.unpacks else 0)
            if held and (size >= REDONE_BYTES or place == len(rows) - 1):
                for view, some in self.parts_of_codec(held):
                    numbers = np.array(list(some), np.int64)
                    parts.append(Viewed(view, view.of_codec(list(some.values()), numbers, added), numbers))
                    weight += parts[-1].weight
                if len(rows) > 1:
                    check_budget(weight, memory_budget.lists(len(rows)) if self.unpacks else None)
                held, size = {}, 0
        for each in counted:
            each.tell(self.tallies)
        return parts

    def parts(self, rows: DecodedRows) -> Iterator[tuple[ViewedColumns, DecodedRows]]:
        """Decoded rows by their columns; here all have the same."""
        yield self.columns, rows

    def parts_of_codec(self, rows: Mapping[int, Row]) -> Iterator[tuple[ViewedColumns, Mapping[int, Row]]]:
        """Rows of the codec, as ``parts``, by the numbers of their records."""
        yield self.columns, rows

    def _decoded(
        self, stretch: RecordSpans, rows: Array
    ) -> tuple[list[tuple[ViewedColumns, DecodedRows]], list[Array]]:
        """What programs make of the records ``rows``, by their columns, and what is known of malformed ranges. Then the
        rows of records that are not wanted.
        """
        little = stretch.little if isinstance(stretch.little, bool) else stretch.little[rows]
        orders = by_order(little, len(rows))
        found = [self._in_order(replace(stretch, little=order), rows[mine]) for order, mine in orders]
        return [each for decoded, _ in found for each in decoded], [unwanted for _, unwanted in found]

    def _in_order(self, stretch: RecordSpans, rows: Array) -> tuple[list[tuple[ViewedColumns, DecodedRows]], Array]:
        """The same for records of one byte order."""
        if (envelope := self.protocol.record.envelope) is not None:
            stretch, rows = opened(stretch, rows, envelope)
            if not len(rows):
                return [], rows
        batch, first = self._batch(stretch, rows)
        if len(stretch.gaps) and len(ranges := np.flatnonzero(np.isin(rows, stretch.gaps))):
            self.gaps(self._known(stretch)).refuse(batch, ranges, self._buffer(stretch), first)
        machine = Machine(self._programs(batch.parameters, little=bool(stretch.little)), batch)
        is_filtered = bool(self.filters) or self.options.only is not None
        view = None if is_filtered or self.prediction.message is not None else self.columns
        sorting = machine.sort(frozenset(each.column for each in self.filters), self._wanted, view, judging=is_filtered)
        if sorting is None:
            return list(self.parts(self._chosen(Decoded.headless_of(batch), stretch, rows, first))), rows[:0]
        self.prediction.observe(sorting.single)
        seen = sorting.wanted | (sorting.codes < 0)
        decoded = [
            (columns, self._chosen(machine.decode(which, sorting, columns), stretch, rows[which], first))
            for columns, which in self.views(sorting.codes, np.flatnonzero(seen))
        ]
        return decoded, rows[~seen]

    def _nothing(self, stretch: RecordSpans, rows: Array) -> list[tuple[ViewedColumns, DecodedRows]]:
        """No rows, with the columns that all batches have."""
        batch, first = self._batch(replace(stretch, little=False), rows[:0])
        return list(self.parts(self._chosen(Decoded.headless_of(batch), stretch, rows[:0], first)))

    def views(self, codes: Array, rows: Array) -> Iterator[tuple[ViewedColumns, Array]]:
        """Rows with these messages, -1 for none, by their columns; here all have the same."""
        yield self.columns, rows

    def _view(self, code: int) -> ViewedColumns:
        """The columns that records of a message have."""
        ((view, _),) = self.views(np.array([code]), np.zeros(1, np.int64))
        return view

    def _batch(self, stretch: RecordSpans, rows: Array) -> tuple[Batch, int]:
        """The records ``rows``, and where in the stretch's buffer theirs begins."""
        whole = len(rows) == len(stretch.start)
        start, stop = (stretch.start, stretch.stop) if whole else (stretch.start[rows], stretch.stop[rows])
        little = stretch.little if whole or isinstance(stretch.little, bool) else stretch.little[rows]
        first, last = (int(start.min()), int(stop.max())) if len(rows) else (0, 0)
        parameters, terminator = self._parameters(stretch), len(self.protocol.record.until)
        buffer = self._buffer(stretch)[first:last]
        return Batch(buffer, start - first, stop - first, parameters, little, terminator), first

    @staticmethod
    def _buffer(stretch: RecordSpans) -> Array:
        return np.frombuffer(stretch.buffer, np.uint8)

    def _chosen(self, decoded: Decoded, stretch: RecordSpans, rows: Array, first: int) -> DecodedRows:
        """The decoded rows, with malformed ones if the mode keeps them. Their buffer begins at ``first``."""
        mode, batch, sources = self.options.mode, decoded.batch, stretch.sources(rows)
        told = mode is not Mode.FAILFAST and self.protocol.record.envelope is None  # places are those of the contents
        refused = decoded.refused() if told else np.zeros(len(rows), bool)
        malformed = np.flatnonzero(refused)
        counted: RejectedRows | None = None
        if len(malformed):
            origin = np.broadcast_to(np.asarray(stretch.origin), len(stretch.start))[rows] + first
            firsts = np.flatnonzero(np.diff(sources[malformed], prepend=-1))
            few = malformed if mode is Mode.PERMISSIVE else malformed[firsts]
            reasons = decoded.refusals.reasons(few, origin, self.header)
            sizes = (batch.stop - batch.start)[malformed]
            counted = RejectedRows.of(rows[malformed], sources[malformed], firsts, sizes, reasons)
        good = ~decoded.doubtful
        chosen = np.flatnonzero(good if mode is Mode.DROPMALFORMED else good | refused)
        return DecodedRows(decoded, chosen, rows[chosen], rows[good | refused], mode, counted)

    def _wanted(self, header: Mapping[str, Numbers], message: Array) -> Array:
        """Which records are wanted, judging by columns of their headers."""
        conditions = [np.ones(len(message), bool)]
        if (only := self.options.only) is not None:
            conditions.append(self._are(message, only))
        for condition in self.filters:
            if condition.column == "message":
                conditions.append(self._are(message, condition.values))
                continue
            conditions.append(condition.holds(header.get(condition.column), len(message)))
        wanted: Array = np.logical_and.reduce(conditions)
        return wanted

    def _are(self, message: Array, names: Iterable[Any]) -> Array:
        """Which records are of these messages. The header of a capture is of none of them."""
        codes = [self.codes[name] for name in names if name in self.codes]
        return message == codes[0] if len(codes) == 1 else np.isin(message, codes)
