"""Why no record begins at the start of a malformed range, for many ranges at once, as the codec's framing would say.

Numbers and checksums are read together. The words are the codec's, which is asked about ranges in doubt.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from wireloom.buffers import Array, windows
from wireloom.codec.errors import DecodeError
from wireloom.codec.frames import Values
from wireloom.codec.framing import Framing as CodecFraming
from wireloom.codec.framing import nor
from wireloom.codec.lengths import Lengths as CodecLengths
from wireloom.codec.lengths import Probe, differing
from wireloom.columnar.batch import Batch
from wireloom.columnar.framing import Checksums, Framing, Lengths
from wireloom.columnar.prefix_checksums import PrefixChecksums
from wireloom.columnar.refusals import Refusal
from wireloom.columnar.rows import Rows


class _Problems:
    """The errors of ``count`` records in one byte order, as far as they are known.

    ``needed`` is as in ``DecodeError``; so are the others.
    """

    def __init__(self, count: int) -> None:
        self.looked = np.zeros(count, bool)
        self.known = np.zeros(count, bool)
        self.code = np.full(count, "", object)
        self.field = np.full(count, "", object)
        self.detail = np.full(count, "", object)
        self.offset = np.zeros(count, np.int64)
        self.needed = np.zeros(count, np.int64)

    def put(self, rows: Array, code: str, detail: list[str], field: str = "", offset: Array | int = 0) -> None:
        """Set the same error for some of them."""
        self.known[rows] = True
        self.code[rows], self.field[rows], self.offset[rows] = code, field, offset
        self.detail[rows] = detail

    def put_error(self, row: int, error: DecodeError) -> None:
        """Set the error of one of them."""
        self.put(np.array([row]), error.code, [error.detail], error.field, error.offset)
        self.needed[row] = error.needed

    def over(self, which: Array, other: "_Problems") -> None:
        """Take over the errors of ``other`` where the mask is true."""
        for name in ("code", "field", "detail", "offset"):
            getattr(self, name)[which] = getattr(other, name)[which]


class FramingErrors:
    """Malformed ranges of captures, at whose start is no record of at most ``bound`` bytes, but there is one
    after it.
    """

    def __init__(self, codec: CodecFraming, framing: Framing, parameters: Values, bound: int) -> None:
        self.codec = codec
        self.framing = framing
        self.parameters = parameters
        self.bound = bound
        self.orders = codec.orders(parameters)

    def error(self, buffer: Any, start: int, base: int, *, order: bool) -> DecodeError:
        """Why there is no record at ``start``, in the words of the codec.

        ``base`` is where the buffer is in the capture, ``order`` that of the record before.
        """
        end, bound = len(buffer), self.bound
        try:
            self.codec.believed(buffer, start, end, self.parameters, final=True, bound=bound, order=order)
        except DecodeError as error:
            error.offset += base + start
            error.detail += self.codec.caution
            return error
        raise AssertionError(f"a record at byte {base + start}, where there is none")

    def settled(self, buffer: Array, start: Array) -> Array:
        """Whether the error of each range is the same whatever bytes follow the buffer."""
        found = np.ones(len(start), bool)
        for little in self.orders:
            every = self._rows(buffer, start, little)
            for lengths, at in self.framing.divided(every):
                lengths.tell(at)
                if lengths.checksum is not None:
                    needed = lengths.checksums(at).needed
                    found[at.index] &= np.logical_or(needed <= len(buffer) - at.start, needed > self.bound)
            found &= ~every.batch.doubtful
        return found

    def _rows(self, buffer: Array, start: Array, little: bool) -> Rows:
        ends = np.full(len(start), len(buffer))
        return Rows.all(Batch(buffer, start, ends, self.parameters, little))

    def refuse(self, batch: Batch, rows: Array, buffer: Array, first: int) -> None:
        """Refuse ``rows`` of a batch, which are such ranges; its bytes are those of ``buffer`` from ``first`` on.

        Rows for which the codec's reason is not known stay in doubt.
        """
        if not len(rows):
            return
        batch.doubtful[rows] = True
        problems = self._problems(buffer, batch.start[rows] + first)
        place = batch.start[rows] + problems.offset
        for code, field in sorted(set(zip(problems.code, problems.field, strict=True))):
            mine = np.flatnonzero(problems.known & (problems.code == code) & (problems.field == field))
            details = (problems.detail[mine] + self.codec.caution).tolist()
            batch.refusals.add(Refusal(rows[mine], code, (field,) if field else (), place[mine], (details,)))

    def _problems(self, buffer: Array, start: Array) -> _Problems:
        """The errors of all ranges, in the byte order that the codec reports."""
        big, *rest = (self._in_order(buffer, start, little) for little in self.orders)
        for little in rest:
            left = len(buffer) - start
            cut = [np.where(each.needed > left, each.needed, np.iinfo(np.int64).max) for each in (big, little)]
            big.known &= little.known
            others = big.detail != little.detail
            big.over(chosen := cut[1] < cut[0], little)
            for order in (False, True):
                big.detail[others & (chosen == order)] += nor(order)
        return big

    def _in_order(self, buffer: Array, start: Array, little: bool) -> _Problems:
        every, found = self._rows(buffer, start, little), _Problems(len(start))
        for lengths, at in self.framing.divided(every):
            self._measured(found, lengths, at, little)
        if len(rows := np.flatnonzero(~found.looked)):
            read = {
                name: kind.of(windows(buffer, start[rows] + offset, kind.size), little)
                for name, offset, kind in self.framing.match
            }
            details = [self.codec.unknown(values, little) for values in _each(read, len(rows))]
            found.put(rows, "unknown-layout", details)
        found.known &= ~every.batch.doubtful
        return found

    def _measured(self, found: _Problems, lengths: Lengths, at: Rows, little: bool) -> None:
        """The errors of the rows that these lengths are for."""
        found.looked[at.index] = True
        codec = lengths.said
        _, refuted = lengths.tell(at)
        if lengths.head is not None:  # the codec words the error for what it may have read
            at.doubt(refuted)
            return
        if len(rows := np.flatnonzero(refuted)):
            read = {probe.name: at[probe.name].data[rows] for probe in codec.given[little]}
            found.put(at.index[rows], "invalid", [codec.unmet(values, little) for values in _each(read, len(rows))])
        if lengths.checksum is None:
            return
        sums, left = lengths.checksums(at), len(at.batch.buffer) - at.start
        far = sums.impossible | (sums.needed > np.minimum(left, self.bound))
        self._far(found, codec.sums[little], sums, at, np.flatnonzero(far & ~refuted))
        rows = np.flatnonzero(~(far | refuted | at.doubtful))
        expected, stored = sums.sums(at.batch.buffer, at.start, rows, little, PrefixChecksums().of)
        if len(wrong := np.flatnonzero(expected != stored)):
            pairs = zip(expected[wrong].tolist(), stored[wrong].tolist(), strict=True)
            details = [differing(*pair, sums.kind.size) for pair in pairs]
            rows = rows[wrong]
            offset = np.broadcast_to(sums.place, len(at))[rows]
            found.put(at.index[rows], "checksum", details, lengths.checksum[0], offset)

    def _far(self, found: _Problems, stored: Probe, sums: Checksums, at: Rows, rows: Array) -> None:
        """The errors of rows whose checksum, or the bytes it covers, are out of reach."""
        first, last, place = (np.broadcast_to(each, len(at)) for each in (sums.first, sums.last, sums.place))
        left = len(at.batch.buffer) - at.start
        for row in rows.tolist():
            probe = stored._replace(offset=int(place[row]))
            try:
                CodecLengths.reach(probe, int(first[row]), int(last[row]), int(left[row]), self.bound)
            except DecodeError as error:
                found.put_error(int(at.index[row]), error)


def _each(columns: dict[str, Array], count: int) -> Iterator[Values]:
    """The values for each of this many rows."""
    values = [column.tolist() for column in columns.values()]
    return (dict(zip(columns, row, strict=True)) for row in (zip(*values, strict=True) if values else [()] * count))
