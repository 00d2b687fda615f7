"""What streams were asked for and answered: which vbucket a response is about is known from its request alone."""

import json
from collections import defaultdict, deque
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from wireloom.cdc.couchbase.frames import HIGHEST, Frames, Ints
from wireloom.cdc.couchbase.histories import FailoverLog

ANSWERS = {"stream_req": "stream_req_response", "failover_log_request": "failover_log_response"}


@dataclass(frozen=True, slots=True)
class Request:
    """A stream request, or a request for a failover log, which has only a vbucket."""

    vbucket: int
    stream_id: int = 0
    start_seqno: int = 0
    snap_start_seqno: int = 0
    snap_end_seqno: int = 0


@dataclass(frozen=True, slots=True)
class Response:
    """The response in a row to ``request``, None if that was not seen.

    ``log`` is the failover log that it has, ``rollback_seqno`` what it sends the consumer back to; an error has none.
    """

    row: int
    message: str
    request: Request | None
    log: FailoverLog | None
    rollback_seqno: int | None

    @property
    def begins(self) -> bool:
        """Whether a stream begins."""
        return self.message == ANSWERS["stream_req"] and self.log is not None

    @property
    def position(self) -> tuple[int, int, int] | None:
        """The seqno, and the snapshot around it, that the consumer has from here on; None if this does not say it."""
        if self.request is None:
            return None
        if self.rollback_seqno is not None:
            return (self.rollback_seqno,) * 3
        request = self.request
        return (request.start_seqno, request.snap_start_seqno, request.snap_end_seqno) if self.begins else None


class Requests:
    """Those without a response yet, by connection and opaque; of several with one opaque the oldest is answered."""

    def __init__(self) -> None:
        self._open: dict[tuple[int, str, int], deque[Request]] = defaultdict(deque)

    def responses(self, frames: Frames, connections: Ints) -> list[Response]:
        """The responses in a batch, each with its request."""
        fields = {row: (message, values) for message in _FIELDS for row, values in _read(frames, message).items()}
        found = []
        for row in sorted(fields):
            message, values = fields[row]
            opaque = int(frames.opaques[row])
            if message in ANSWERS:
                key = int(connections[row]), ANSWERS[message], opaque
                self._open[key].append(_request(int(frames.vbuckets[row]), values))
            else:
                found.append(_answer(row, message, self._request(int(connections[row]), message, opaque), values))
        return found

    def _request(self, connection: int, message: str, opaque: int) -> Request | None:
        waiting = self._open.get((connection, message, opaque))
        if not waiting:
            return None
        request = waiting.popleft()
        if not waiting:
            del self._open[connection, message, opaque]
        return request


_FIELDS = {
    "stream_req": ("start_seqno", "snap_start_seqno", "snap_end_seqno", "filter"),
    "failover_log_request": (),
    "stream_req_response": ("entries", "rollback_seqno"),
    "failover_log_response": ("entries",),
}


def _read(frames: Frames, message: str) -> dict[int, dict[str, Any]]:
    rows = frames.sound(message)
    columns = {name: frames.field(message, name, rows).to_pylist() for name in _FIELDS[message] if len(rows)}
    return {int(row): {name: columns[name][index] for name in columns} for index, row in enumerate(rows)}


def _request(vbucket: int, values: dict[str, Any]) -> Request:
    if not values:
        return Request(vbucket)
    seqnos = (_seqno(values[name]) for name in ("start_seqno", "snap_start_seqno", "snap_end_seqno"))
    return Request(vbucket, _stream_id(values["filter"]), *seqnos)


def _stream_id(text: str | None) -> int:
    """The stream id in the JSON of a stream request, 0 for none and for what the producer refuses."""
    try:
        asked = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return 0
    found = asked.get("sid") if isinstance(asked, dict) else None
    return found if isinstance(found, int) and 0 < found <= 0xFFFF else 0


def _answer(row: int, message: str, request: Request | None, values: dict[str, Any]) -> Response:
    entries, rollback_seqno = values["entries"], values.get("rollback_seqno")
    log = None
    if entries is not None:
        log = tuple((int(entry["vb_uuid"]), _seqno(entry["vb_seqno"])) for entry in entries)
    return Response(row, message, request, log, None if rollback_seqno is None else _seqno(rollback_seqno))


def _seqno(value: int | Decimal) -> int:
    return min(int(value), HIGHEST)
