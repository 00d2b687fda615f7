"""Where the records of a capture are, what message each is of, and which are malformed: found while the page is open.

The columnar decoder finds them, so that they are those of every other reader. Of each record the index has some 16
bytes; everything else is read again where it is looked at.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import Event, Lock
from typing import Any

import numpy as np

from wireloom.buffers import as_numpy, fields_of, valid_of
from wireloom.codec import DecodeError, Protocol
from wireloom.codec.columns import NANOSECOND_TIME, StructOf
from wireloom.codec.cutting import Cutter
from wireloom.columnar import arrow_schema
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.windows import Pieces
from wireloom.inspection import Inspected
from wireloom.inspection.record import explained
from wireloom.options import CaptureKind, ParameterValue, ReadOptions
from wireloom.views import View
from wireloom_generator.lab.capture_bytes import CaptureBytes

NO_TIME = np.iinfo(np.int64).min
_TIMES = ("timestamp", NANOSECOND_TIME)
"""The types of columns that are times."""
_AFTER = 64 * 1024
"""How many bytes after a malformed range decide why it is one."""
_LONGEST = 4 * 1024 * 1024
"""Of a longer malformed range, only so many bytes are read."""
_PIECE, _ROWS = 1024 * 1024, 8 * 1024
"""How many bytes are read, and records decoded, at once."""
_ROOM = 4096
"""For how many more records than is likely there is room."""
_CHUNK = 1024 * 1024
"""How many bytes are searched at once."""


@dataclass(frozen=True, slots=True, eq=False)
class FoundRecords:
    """The first records of a capture, in order: arrays with an item for each of them.

    ``message`` is the number of its name, or -1; ``time`` is in nanoseconds since the Unix epoch, or ``NO_TIME``, and
    None if no record has one. All records before byte ``end`` are among them.
    """

    offset: Any
    length: Any
    message: Any
    malformed: Any
    time: Any
    end: int

    def __len__(self) -> int:
        return len(self.offset)

    def at(self, offset: int) -> int | None:
        """The number of the record that a byte is in; None if it is in none that was found."""
        number = int(np.searchsorted(self.offset, offset, "right")) - 1
        return number if number >= 0 and offset < int(self.offset[number]) + int(self.length[number]) else None


class RecordIndex:
    """The records of a capture, as far as ``build`` has found them. Other threads may ask meanwhile."""

    def __init__(
        self,
        codec: Protocol,
        capture: CaptureBytes,
        parameters: Mapping[str, ParameterValue],
        times: Sequence[str] | None = None,
    ) -> None:
        self.codec = codec
        self.capture = capture
        self.names = list(codec.messages)
        self.times = tuple(_times(codec) if times is None else times)
        """The columns that are the time of a record, each that of another message, or of all."""
        self.error = ""
        """Why the capture could not be read to its end."""
        self.note = ""
        """What became of what is no record, once all are found."""
        self._given = parameters
        self._parameters: Mapping[str, Any] = parameters
        self._stopped = Event()
        self._lock = Lock()
        kept = [name for name in KINDS if name != "time" or self.times]
        self._arrays: dict[str, Any] = {name: np.zeros(0, KINDS[name]) for name in kept}
        self._count = 0
        self._end = 0
        self.done = False

    @property
    def share_read(self) -> float:
        """How much of the capture was read."""
        return self._end / max(1, self.capture.size)

    def known(self, number: int) -> dict[str, Any]:
        """The parameters of a record, with those of the header of its capture."""
        return dict(self._parameters)

    def stop(self) -> None:
        """Let ``build`` end soon."""
        self._stopped.set()

    def build(self) -> None:
        """Find all records, unless it is stopped."""
        try:
            self._find()
        except OSError as error:
            self.error = f"{self.capture.name} cannot be read: {error.strerror or error}"
        finally:
            self.done = True

    @property
    def found(self) -> FoundRecords:
        """The records that are known by now."""
        with self._lock:
            arrays = {name: array[: self._count] for name, array in self._arrays.items()}
            return FoundRecords(**{"time": None, **arrays}, end=self._end)

    def inspected(self, number: int) -> tuple[Inspected, bool]:
        """A record explained, and whether it is the header of the capture. Of a long malformed range, its beginning."""
        found = self.found
        start, length = int(found.offset[number]), int(found.length[number])
        if found.malformed[number]:
            length = min(length, _LONGEST)
        data = self.capture.read(start, start + length)
        error = self._framing_error(number, start, length) if found.malformed[number] else None
        if self.codec.preamble is not None and self._is_header(number):
            return explained(self.codec.preamble.protocol, data, start, dict(self._given), error), True
        return explained(self.codec, data, self.position(number), self.known(number), error), False

    def position(self, number: int) -> int:
        """Where a record begins to those who read reasons."""
        return int(self.found.offset[number])

    def origin(self, number: int) -> str:
        """Where a record comes from, if the capture is not all there is to say."""
        return ""

    def numbers(self, messages: Iterable[str], *, malformed: bool, text: str) -> Any:
        """The numbers of the records that are of some messages, or any without; ``malformed``, and that contain a text
        or the bytes that it is in hex, if that is asked for.
        """
        found = self.found
        chosen = np.ones(len(found), bool)
        if codes := [self.names.index(name) for name in messages if name in self.names]:
            chosen &= np.isin(found.message, codes)
        if malformed:
            chosen &= found.malformed
        if text:
            chosen &= self._containing(found, text)
        return np.flatnonzero(chosen)

    def _find(self) -> None:
        """As ``build``. Raises ``OSError``."""
        decoder = self._decoder(CaptureKind.RAW)
        decoder.rows = decoder.share = _ROWS
        pieces, scanner = Pieces(self.capture.stream(), _PIECE, 0, final=True), decoder.scanner()
        for window in pieces:
            kept = 0
            for cuts, after in scanner.scan(window):
                if self._stopped.is_set():
                    return
                self._take(cuts.parameters, list(decoder.cuts(cuts, "")))
                kept = after
            pieces.keep(kept)
        self._end = self.capture.size

    def _decoder(self, kind: CaptureKind) -> Decoder:
        """What decodes the columns that the index needs."""
        columns = ("message", "_corrupt_reason", "_offset", "_length", *self.times)
        is_recorded = kind is not CaptureKind.RAW
        options = ReadOptions(
            parameters=self._given, positions=True, columns=columns, capture=kind, connections=is_recorded
        )
        return Decoder(self.codec, options, arrow_schema(View(self.codec, options).columns))

    def _take(self, parameters: Mapping[str, Any], batches: list[Any]) -> None:
        """Take records with their parameters, in batches whose records may be in another order than in the capture."""
        new = {name: np.concatenate([column_of(self, batch, name) for batch in batches]) for name in self._arrays}
        order = np.argsort(new["offset"], kind="stable")
        if len(order):
            self._add(parameters, {name: column[order] for name, column in new.items()})

    def _add(self, parameters: Mapping[str, Any], new: Mapping[str, Any]) -> None:
        """Take records with their parameters, as arrays, in order."""
        count = self._count + len(new["offset"])
        with self._lock:
            self._parameters = parameters
            self._end = int(new["offset"][-1] + new["length"][-1])
            for name, array in self._arrays.items():
                if count > len(array):
                    likely = count * self.capture.size // max(1, self._end)
                    self._arrays[name] = np.concatenate([array, np.zeros(likely - len(array) + _ROOM, array.dtype)])
                self._arrays[name][self._count : count] = new[name]
            self._count = count

    def _is_header(self, number: int) -> bool:
        """Whether a record is the header of the capture, if there is one."""
        preamble = self.codec.preamble
        return preamble is not None and number == 0 and preamble.awaited(dict(self._given))

    def _framing_error(self, number: int, start: int, length: int) -> DecodeError | None:
        """The error that a reader of the whole capture found about the length of a record; None if it is another."""
        size = min(self.capture.size, start + length + _AFTER)
        buffer = self.capture.read(start, size)
        cutter = Cutter(self.codec.framing, dict(self._parameters))
        cut = cutter.cut(buffer, 0, len(buffer), base=start, final=True)
        return cut.error if cut is not None else None

    def _containing(self, found: FoundRecords, text: str) -> Any:
        """For each record, whether a text begins in its bytes."""
        wanted = [text.encode()]
        digits = "".join(text.split()).removeprefix("0x")
        if re.fullmatch(r"([0-9a-fA-F]{2})+", digits):
            wanted.append(bytes.fromhex(digits))
        pattern = re.compile(b"|".join(map(re.escape, wanted)), re.DOTALL)
        overlap = max(map(len, wanted)) - 1
        having = np.zeros(len(found), bool)
        for at in range(0, found.end, _CHUNK):
            chunk = self.capture.read(at, min(at + _CHUNK + overlap, found.end))
            places = [at + each.start() for each in pattern.finditer(chunk)]
            having[np.searchsorted(found.offset, places, "right") - 1] = True
        return having


KINDS: dict[str, type[np.generic]] = {
    "offset": np.int64,
    "length": np.int32,
    "message": np.int16,
    "malformed": np.bool_,
    "time": np.int64,
}


def column_of(index: RecordIndex, batch: Any, name: str) -> Any:
    """A column of the index, of the records of a batch."""
    match name:
        case "offset" | "length":
            return as_numpy(batch.column(f"_{name}"))
        case "malformed":
            return valid_of(batch.column("_corrupt_reason"))
        case "message":
            words = batch.column("message").dictionary_encode()
            codes = np.array([index.names.index(word.as_py()) for word in words.dictionary] + [-1], np.int16)
            return codes[np.where(valid_of(words.indices), as_numpy(words.indices), len(codes) - 1)]
    times = np.full(batch.num_rows, NO_TIME, np.int64)
    for path in index.times:
        top, _, inner = path.partition(".")
        column = batch.column(top)
        values = fields_of(column)[inner] if inner else column
        there = valid_of(column) & valid_of(values)
        times = np.where(there, as_numpy(values) * {"us": 1000, "ns": 1}[values.type.unit], times)
    return times


def _times(codec: Protocol) -> Iterable[str]:
    """The columns that are the time of a record: one of the header, or else the first of each message."""
    for column in codec.header:
        if column.type in _TIMES:
            return [column.name]
    found = []
    for column in codec.columns:
        if isinstance(column.type, StructOf):
            inner = [each.name for each in column.type.columns if each.type in _TIMES]
            found += [f"{column.name}.{name}" for name in inner[:1]]
    return found
