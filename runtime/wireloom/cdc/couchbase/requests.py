"""Requests of streams and their responses: the vbucket of a response is known only from its request."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pyarrow as pa

from wireloom import registry
from wireloom.cdc.couchbase.frames import HIGHEST, REQUESTS, RESPONSES, Frames
from wireloom.cdc.couchbase.histories import FailoverLog
from wireloom.pairing import MOST, Incoming, Queue, conversations


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

    ``log`` is its failover log, ``rollback_seqno`` the seqno to which it rolls back; an error has neither.
    """

    row: int
    message: str
    request: Request | None
    log: FailoverLog | None
    rollback_seqno: int | None

    @property
    def tells(self) -> bool:
        """Whether it says anything of a vbucket: a failover log, or where to go back to."""
        return self.log is not None or self.rollback_seqno is not None

    @property
    def begins(self) -> bool:
        """Whether a stream begins."""
        return self.message == "stream_req_response" and self.log is not None

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
    """The requests without a response yet. The columns ``connection`` identify connections."""

    def __init__(self, connection: Sequence[str]) -> None:
        self._connection = tuple(connection)
        self._protocol = registry.protocol("couchbase_dcp")
        answered = [talk for talk in conversations(self._protocol) if {*talk.requests} & {*REQUESTS}]
        self._queues = [Queue(talk, self._protocol, self._connection, MOST) for talk in answered]

    def responses(self, frames: Frames) -> list[Response]:
        """The responses in a batch, each with its request."""
        rows = frames.rows(*REQUESTS, *RESPONSES)
        if not len(rows):
            return []
        for name in _FIELDS["stream_req"] if len(frames.rows("stream_req")) else ():
            frames.field("stream_req", name, rows[:0])
        names = [name for name in frames.batch.schema.names if name in (*self._connection, *_TAKEN)]
        records = Incoming(frames.batch.select(names).take(pa.array(rows)), self._protocol, self._connection)
        requests: dict[int, dict[str, Any] | None] = {}
        for queue in self._queues:
            if found := queue.take(records):
                asked = found.requests.take(pa.array(found.source, mask=found.source < 0))
                requests |= zip(rows[found.rows].tolist(), asked.to_pylist(), strict=True)
        answers = [(row, message, values) for message in RESPONSES for row, values in _read(frames, message).items()]
        return [_answer(row, message, _request(requests[row]), values) for row, message, values in sorted(answers)]


_FIELDS = {
    "stream_req": ("start_seqno", "snap_start_seqno", "snap_end_seqno", "filter"),
    "failover_log_request": (),
    "stream_req_response": ("entries", "rollback_seqno"),
    "failover_log_response": ("entries",),
}
_TAKEN = ("message", "opcode", "opaque", "vbucket", *_FIELDS)


def _read(frames: Frames, message: str) -> dict[int, dict[str, Any]]:
    rows = frames.sound(message)
    columns = {name: frames.field(message, name, rows).to_pylist() for name in _FIELDS[message] if len(rows)}
    return {int(row): {name: columns[name][index] for name in columns} for index, row in enumerate(rows)}


def _request(values: dict[str, Any] | None) -> Request | None:
    if values is None:
        return None
    vbucket = int(values["vbucket"])
    if values["message"] != "stream_req":
        return Request(vbucket)
    asked = values["stream_req"]
    seqnos = (_seqno(asked[name]) for name in ("start_seqno", "snap_start_seqno", "snap_end_seqno"))
    return Request(vbucket, _stream_id(asked["filter"]), *seqnos)


def _stream_id(text: str | None) -> int:
    """The stream id in the JSON of a stream request, 0 for none and for what the producer refuses."""
    try:
        asked = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return 0
    found = asked.get("sid") if isinstance(asked, dict) else None
    return found if type(found) is int and 0 < found <= 0xFFFF else 0


def _answer(row: int, message: str, request: Request | None, values: dict[str, Any]) -> Response:
    entries, rollback_seqno = values["entries"], values.get("rollback_seqno")
    log = None
    if entries is not None:
        log = tuple((int(entry["vb_uuid"]), _seqno(entry["vb_seqno"])) for entry in entries)
    return Response(row, message, request, log, None if rollback_seqno is None else _seqno(rollback_seqno))


def _seqno(value: int | Decimal) -> int:
    return min(int(value), HIGHEST)
