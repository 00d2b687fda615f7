"""Rows written one after the other, as those of a capture: what its header says, its records are written by."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from wireloom.codec.envelopes import EndedByAny
from wireloom.codec.errors import EncodeError
from wireloom.codec.frames import Values
from wireloom.codec.parameter_discovery import WITHIN, Listener
from wireloom.codec.preamble import CAPTURE
from wireloom.codec.protocol import Protocol
from wireloom.options import MAX_RECORD_BYTES, SOUGHT, resolve


class CaptureBuilder:
    """Builds rows, each of the capture whose header came last; ``parameters`` are those that are given.

    ``known`` are the parameters of that capture. A row that is ``alone`` belongs to none: to say what its header would
    is left to the parameters.
    """

    def __init__(self, protocol: Protocol, parameters: Mapping[str, Any], *, alone: bool = False) -> None:
        self.protocol = protocol
        self.given = resolve(protocol.parameters, parameters)
        self.headless = alone or protocol.preamble is None or not protocol.preamble.awaited(self.given)
        self.alone = alone
        self.begun = False
        self._begin(self.given)

    def _begin(self, known: Values) -> None:
        """Begin a capture with parameters that are known by its header."""
        self.known: Values = known
        self.size = 0
        self.listener = None if self.alone or SOUGHT not in known else Listener(self.protocol, known)

    def begins(self, row: Mapping[str, Any]) -> bool:
        """Whether a capture begins with the row."""
        return _begins(self.protocol, row)

    def build(self, row: Mapping[str, Any]) -> bytes:
        """The bytes of the next row. Raises ``EncodeError``, also for a record that has no header before it."""
        preamble, begins = self.protocol.preamble, self.begins(row)
        if not begins and not (self.headless or self.begun):
            raise EncodeError(
                f"a capture of {self.protocol.name} begins with a row of {CAPTURE}, and none is before it"
            )
        if not begins or preamble is None:
            return self._record(row)
        if not preamble.awaited(self.given):
            raise EncodeError(f"what a row of {CAPTURE} says is given, so that there is none", CAPTURE)
        self.begun, known = True, self.given
        data = self.protocol.encode(row, self.given)
        if row.get("_corrupt_record") is None:
            _, known = preamble.read(data, 0, len(data), self.given, final=True, bound=MAX_RECORD_BYTES)
        self._begin(known)
        self.size = len(data)
        return data

    def passed(self, size: int) -> None:
        """Skip records of messages without information about parameters, up to so many bytes."""
        if self.listener is not None:
            self.known, self.size = self.listener.known(self.known), size

    def _record(self, row: Mapping[str, Any]) -> bytes:
        """The bytes of a record; what it determines for others is known after it."""
        listener = self.listener
        data = self.protocol.encode(row, self.known)
        if listener is not None:
            if self.size < WITHIN:
                structs = (name for name in self.protocol.records if row.get(name) is not None)
                listener.row(row.get("message") or next(structs, None), None if row.get("_corrupt_record") else row)
            self.known = listener.known(self.known)
            self.size += len(data)
        return data


def ended(protocol: Protocol, rows: Iterable[tuple[int, dict[str, Any]]]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Numbered rows that are written one after the other: of those that lack their terminator, only the last of a
    capture still does. Such a row is held back until the next one comes.
    """
    name = may_lack_terminator(protocol)
    held: tuple[int, dict[str, Any]] | None = None
    for number, row in rows:
        if held is not None:
            yield held if _begins(protocol, row) else (held[0], {**held[1], name: None})
        held = (number, row) if name and row.get(name) == b"" else None
        if held is None:
            yield number, row
    if held is not None:
        yield held


def may_lack_terminator(protocol: Protocol) -> str:
    """The column that is empty if a record lacks its terminator; empty itself if none may."""
    envelope = protocol.record.envelope
    return envelope.raw if isinstance(envelope, EndedByAny) and envelope.unterminated else ""


def _begins(protocol: Protocol, row: Mapping[str, Any]) -> bool:
    """Whether a capture begins with the row; the message of a malformed header is also that of a header."""
    if protocol.preamble is None:
        return False
    message = row.get("message")
    return message == CAPTURE or (message is None and row.get(CAPTURE) is not None)
