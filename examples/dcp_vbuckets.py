"""What happens to a vbucket in ``dcp_session.py``, and the frames of its stream that report it.

Documents are written, changed, deleted, expire, and are written durably; collections come and go. Some nodes fail: what
they had not replicated is lost, the consumer goes back, and the vbucket has another history from there on.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import dcp_documents as documents
import dcp_frames as frames
from dcp_documents import EPOCH, Content, Document, Key
from dcp_frames import Frame, Stream, Write

STATE_CHANGED, CLOSED = 2, 1
ACTIVE, PENDING = 1, 3
CLUSTER_MAP = b'{"rev":7,"name":"shop","nodeLocator":"vbucket"}'


@dataclass(frozen=True, slots=True)
class Agreement:
    """What a producer and a consumer agreed on, by which the same changes make different frames."""

    name: str
    durable: bool
    """Durable writes, and with them markers of version 2; else their results alone, and seqnos that are advanced."""
    times: bool
    """When documents were deleted, and that they expired; else all are deletions of version 1."""
    flatbuffers: bool
    """System events of version 2; else of 0 and 1."""
    unordered: bool
    """Whether backfills may come without an order."""
    tracing: bool
    """How long the server took, in its responses."""
    stream_id: int = 0


@dataclass
class Vbucket:
    """A vbucket as the consumer has it when it has everything. What is set can be taken back, to a seqno."""

    number: int
    log: list[tuple[int, int]]
    """Branches of its history and the seqnos at which they began, newest first."""
    seqno: int = 0
    documents: dict[Key, Document] = field(default_factory=dict)
    prepared: dict[Key, tuple[int, Document | None]] = field(default_factory=dict)
    """Durable writes that do not count yet: the seqno, and the document, or None where it is to be deleted."""
    done: dict[str, bool] = field(default_factory=dict)
    """What has become of collections."""
    _undo: list[tuple[int, dict[Any, Any], Any, Any]] = field(default_factory=list)

    def set(self, kept: dict[Any, Any], key: Any, value: Any) -> None:
        """Keep a value by its key, or none, as of the current seqno."""
        self._undo.append((self.seqno, kept, key, kept.get(key)))
        _put(kept, key, value)

    def back_to(self, seqno: int) -> None:
        """Forget what came after a seqno."""
        while self._undo and self._undo[-1][0] > seqno:
            _, kept, key, before = self._undo.pop()
            _put(kept, key, before)
        self.seqno = seqno

    def rollback(self, start: int, uuid: int, snapshot: tuple[int, int]) -> int | None:
        """The seqno that a consumer has to go back to, if it has to, by the rules of the server."""
        uuids = [branch for branch, _ in self.log]
        if start == 0:
            return None
        if uuid not in uuids:
            return 0
        age = uuids.index(uuid)
        upper = self.log[age - 1][1] if age else self.seqno
        low, high = snapshot
        if start == low:
            high = start
        if high <= upper:
            return None
        return min(upper, start if start == high else low)


def _put(kept: dict[Any, Any], key: Any, value: Any) -> None:
    if value is None:
        kept.pop(key, None)
    else:
        kept[key] = value


class Sent(NamedTuple):
    """A frame of a snapshot, and the seqno of the change that it is; 0 is none."""

    seqno: int
    frame: Frame


class Story:
    """The stream of one vbucket from its request to its end, and the vbucket as it is then."""

    def __init__(
        self, agreed: Agreement, number: int, keys: list[Key], opaques: Iterator[int], chance: random.Random
    ) -> None:
        self.vbucket = Vbucket(number, [(self._uuid(chance), 0)])
        self._agreed, self._opaques, self._chance = agreed, opaques, chance
        self._stream = Stream(number, 0, agreed.stream_id)
        keys = sorted(keys, key=lambda key: key[0] != documents.AUDIT.id)  # what is dropped later gets no new ones
        split = len(keys) * 17 // 20
        self._first, self._later = keys[:split], keys[split:]
        self._changes = documents.changed(flatbuffers=agreed.flatbuffers)
        self._snapshot, self._received = (0, 0), 0
        self._sent: list[Sent] = []
        """The last snapshot, what of it was received, and what is in it."""

    @staticmethod
    def _uuid(chance: random.Random) -> int:
        return chance.getrandbits(48) | 1

    def told(self) -> Iterator[Frame]:
        """All frames, in both directions."""
        yield from self._request(0, 0, (0, 0))
        yield from self._backfill(self._first)
        third = -(-len(self._later) // 3)
        parts = [self._later[at : at + third] for at in range(0, len(self._later), third or 1)]
        parts += [[] for _ in range(3 - len(parts))]
        fate = self._chance.choice(("", "", "", "", "kept", "branch", "inside", "nothing"))
        yield from self._live(parts[0])
        yield from self._live(parts[1], cut=fate == "inside", settle=True)
        if fate:
            yield from self._fail(fate)
        yield from self._live(parts[2], settle=True)
        yield from self._end()

    def _request(self, start: int, uuid: int, snapshot: tuple[int, int]) -> Iterator[Frame]:
        """The consumer requests the stream until it gets it, rolling back if it must."""
        rollback: int | None = 0
        while rollback is not None:
            yield self._asked(start, uuid, snapshot)
            rollback = self.vbucket.rollback(start, uuid, snapshot)
            if rollback is None:
                yield self._answer(frames.failover_log(self.vbucket.log))
            else:
                yield self._answer(rollback.to_bytes(8, "big"), frames.ROLLBACK)
                start, snapshot = rollback, (rollback, rollback)
                uuid = next((branch for branch, began in self.vbucket.log if began <= rollback), 0)
        self._received = start

    def _asked(self, start: int, uuid: int, snapshot: tuple[int, int]) -> Frame:
        self._stream = self._stream._replace(opaque=next(self._opaques))
        filter_ = f'{{"sid":{self._agreed.stream_id}}}' if self._agreed.stream_id else ""
        return frames.stream_req(self._stream, start, uuid, snapshot, filter_)

    def _answer(self, value: bytes, status: int = frames.SUCCESS) -> Frame:
        opaque, took = self._stream.opaque, self._chance.randrange(100, 900) if self._agreed.tracing else None
        return frames.response("stream_req_response", 0x53, opaque, value, status=status, duration=took)

    def _backfill(self, keys: list[Key]) -> Iterator[Frame]:
        """What is on disk: collections, and the documents that are still there."""
        vbucket, stream = self.vbucket, self._stream
        events = [self._event(event) for event in documents.created(flatbuffers=self._agreed.flatbuffers)]
        written = {key: self._written(key) for key in keys}
        sent = [*events, *written.values()]
        if self._agreed.unordered and vbucket.number % 2:
            yield frames.oso_snapshot(stream, 1)
            yield from (each.frame for each in (*events, *(written[key] for key in sorted(keys))))
            yield frames.oso_snapshot(stream, 2)
        elif self._agreed.durable:
            yield frames.marker_v2_2(stream, 0, vbucket.seqno, frames.DISK | frames.CHECKPOINT | frames.ACKNOWLEDGE)
            yield from (each.frame for each in sent)
            yield frames.response("snapshot_marker_response", 0x56, stream.opaque)
        else:
            yield frames.marker_v1(stream, 0, vbucket.seqno, frames.DISK | frames.CHECKPOINT)
            yield from (each.frame for each in sent)
        self._snapshot, self._received, self._sent = (0, vbucket.seqno), vbucket.seqno, sent

    def _live(self, new: list[Key], *, cut: bool = False, settle: bool = False) -> Iterator[Frame]:
        """A snapshot from memory: documents that are new, changes to others, and to collections. It may be cut off."""
        begin = self.vbucket.seqno + 1
        sent = [*self._resolved(), *(self._settled() if settle else ())]
        sent += [self._written(key) for key in new]
        sent += self._changed()
        if sent and not self._agreed.durable and self._chance.random() < 0.2:
            self.vbucket.seqno += 1 + self._chance.randrange(3)
            sent.append(Sent(self.vbucket.seqno, frames.seqno_advanced(self._stream, self.vbucket.seqno)))
        if sent:
            yield from self._memory(begin, sent, cut=cut)

    def _memory(self, begin: int, sent: list[Sent], *, cut: bool = False) -> Iterator[Frame]:
        end = self.vbucket.seqno
        marker = frames.marker_v2_0 if self._agreed.durable else frames.marker_v1
        yield marker(self._stream, begin, end, frames.MEMORY)
        received = sent[: -(-len(sent) // 2)] if cut else sent
        yield from (each.frame for each in received)
        self._snapshot, self._sent = (begin, end), sent
        self._received = max(each.seqno for each in received) if cut else end

    def _fail(self, fate: str) -> Iterator[Frame]:
        """The node fails, and another one takes over with what it has."""
        vbucket, chance = self.vbucket, self._chance
        begin, end = self._snapshot
        yield frames.stream_end(self._stream, STATE_CHANGED)
        uuid = vbucket.log[0][0]
        if chance.random() < 0.3:  # the consumer asks too early
            yield self._asked(self._received, uuid, self._snapshot)
            yield self._answer(CLUSTER_MAP, frames.NOT_MY_VBUCKET)
        if fate == "nothing":
            vbucket.back_to(0)
            vbucket.log = [(self._uuid(chance), 0)]
        else:
            vbucket.back_to(end if fate == "kept" else chance.randrange(begin, max(end, begin + 1)))
            vbucket.log.insert(0, (self._uuid(chance), vbucket.seqno))
        yield from self._request(self._received, uuid, self._snapshot)
        if fate == "nothing":
            yield from self._backfill(self._first[: len(self._first) * 3 // 4])
            return
        again = [each for each in self._sent if self._received < each.seqno <= vbucket.seqno]
        if again:
            again = [Sent(each.seqno, each.frame.of_stream(self._stream.opaque)) for each in again]
            yield from self._memory(self._received + 1, again)

    def _end(self) -> Iterator[Frame]:
        """Most streams go on; some are closed, and some vbuckets are taken over."""
        stream, number = self._stream, self.vbucket.number
        if number % 8 == 3:
            yield frames.request("close_stream", 0x52, stream)
            yield frames.response("response", 0x52, stream.opaque, duration=300 if self._agreed.tracing else None)
            yield frames.stream_end(stream, CLOSED)
        elif number % 16 == 4 and self._agreed.durable:
            for state in (PENDING, ACTIVE):
                yield frames.set_vbucket_state(stream, state)
                yield frames.response("response", 0x5B, stream.opaque)
            yield frames.stream_end(stream, 0)

    def _next(self) -> int:
        """The seqno of the next change. Some are left out, of changes that others have replaced."""
        self.vbucket.seqno += 1 if self._chance.random() < 0.9 else 2
        return self.vbucket.seqno

    def _event(self, event: documents.Event) -> Sent:
        seqno = self._next()
        return Sent(seqno, frames.system_event(self._stream, seqno, *event))

    def _settled(self) -> Iterator[Sent]:
        """Collections are changed, those that were not yet; again on a branch that had lost it."""
        vbucket = self.vbucket
        for word, event in self._changes.items():
            if not vbucket.done.get(word):
                yield self._event(event)
                vbucket.set(vbucket.done, word, True)
                for taken, collection in (documents.FLUSHED, documents.DROPPED):
                    if taken == word:
                        for kept in (vbucket.documents, vbucket.prepared):
                            for key in [key for key in kept if key[0] == collection.id]:
                                vbucket.set(kept, key, None)

    def _changed(self) -> Iterator[Sent]:
        """One in eight documents is changed, each in one way."""
        vbucket, chance = self.vbucket, self._chance
        keys = [key for key in vbucket.documents if key not in vbucket.prepared]
        for key in chance.sample(keys, -(-len(keys) // 8)):
            how = chance.random()
            if key[0] == documents.CARTS.id and self._agreed.times and how < 0.5:
                yield self._expired(key)
            elif how < 0.2 and self._agreed.durable:
                yield from self._durable(key)
            elif how < 0.4:
                yield self._deleted(key)
            else:
                yield self._written(key)

    def _version(self, key: Key, seqno: int) -> Document:
        """The next version of a document."""
        rev = self.vbucket.documents[key].rev + 1 if key in self.vbucket.documents else 1
        expires = EPOCH + 86_400 + seqno if key[0] == documents.CARTS.id else 0
        content = documents.content_of(key, rev, self._chance)
        return Document(seqno, rev, self._cas(seqno), 0x2000000 if content.json else 0, expires, content)

    def _cas(self, seqno: int) -> int:
        return (EPOCH * 10**9 + seqno * 1_000_003 + self.vbucket.number) & ~0xFFFF | self.vbucket.number

    def _write(self, key: Key, version: Document) -> Write:
        datatype, value = version.content.packed(snappy=self._chance.random() < 0.4)
        sent = documents.sent_key(key)
        return Write(version.seqno, version.rev, version.cas, sent, value, datatype, version.flags, version.expiration)

    def _written(self, key: Key) -> Sent:
        version = self._version(key, self._next())
        self.vbucket.set(self.vbucket.documents, key, version)
        return Sent(version.seqno, frames.mutation(self._stream, self._write(key, version)))

    def _removal(self, key: Key) -> Write:
        """The document is taken away. Extended attributes of the server's own stay."""
        old, seqno = self.vbucket.documents[key], self._next()
        left = tuple(pair for pair in old.content.xattrs if pair[0].startswith("_"))
        datatype, value = Content(None, b"", left).packed(snappy=False)
        self.vbucket.set(self.vbucket.documents, key, None)
        return Write(seqno, old.rev + 1, self._cas(seqno), documents.sent_key(key), value, datatype)

    def _deleted(self, key: Key) -> Sent:
        write = self._removal(key)
        return Sent(
            write.seqno, frames.deletion(self._stream, write, EPOCH + write.seqno if self._agreed.times else None)
        )

    def _expired(self, key: Key) -> Sent:
        write = self._removal(key)
        return Sent(write.seqno, frames.expiration(self._stream, write, EPOCH + write.seqno))

    def _durable(self, key: Key) -> Iterator[Sent]:
        """A durable write is prepared, and most of the time committed or aborted soon."""
        vbucket, chance = self.vbucket, self._chance
        version = self._version(key, self._next())
        deleted = chance.random() < 0.2
        write = self._write(key, version)
        if deleted:
            write = write._replace(value=b"", datatype=0, flags=0, expiration=0)
        vbucket.set(vbucket.prepared, key, (version.seqno, None if deleted else version))
        yield Sent(version.seqno, frames.prepare(self._stream, write, deleted=deleted, level=1 + chance.randrange(3)))
        yield Sent(0, frames.seqno_acknowledged(self._stream, version.seqno))
        if chance.random() < 0.7:
            yield self._completed(key)

    def _resolved(self) -> list[Sent]:
        """What was prepared earlier is committed or aborted."""
        return [self._completed(key) for key in list(self.vbucket.prepared)]

    def _completed(self, key: Key) -> Sent:
        vbucket, stream, sent = self.vbucket, self._stream, documents.sent_key(key)
        prepared, version = vbucket.prepared[key]
        seqno = self._next()
        vbucket.set(vbucket.prepared, key, None)
        if self._chance.random() < 0.15:
            return Sent(seqno, frames.abort(stream, sent, prepared, seqno))
        vbucket.set(vbucket.documents, key, version and version._replace(seqno=seqno))
        return Sent(seqno, frames.commit(stream, sent, prepared, seqno))
