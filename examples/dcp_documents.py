"""What is in the bucket of ``dcp_session.py``: a shop's collections, and documents of each.

JSON and bytes, with extended attributes and without, through Snappy and not; each in all its versions.
"""

import random
from functools import cache
from struct import pack
from typing import NamedTuple
from zlib import crc32

import cramjam
import dcp_frames as frames

from wireloom_protocols import couchbase_dcp

EPOCH = 1_767_225_600
"""When it all begins, in seconds since 1970."""


class Collection(NamedTuple):
    """A collection, and of how many of 16 keys it gets one."""

    id: int
    scope: int
    name: str
    share: int
    max_ttl: int = 0


SHOP, ARCHIVE = 8, 9
SCOPES = {SHOP: "shop", ARCHIVE: "archive"}
SESSIONS = Collection(0, 0, "_default", 2)
CUSTOMERS = Collection(8, SHOP, "customers", 3)
ORDERS = Collection(300, SHOP, "orders", 7)
CARTS = Collection(0x1234, SHOP, "carts", 2, max_ttl=72_000)
DRAFTS = Collection(70_000, SHOP, "drafts", 1)
AUDIT = Collection(9, ARCHIVE, "audit", 1)
COLLECTIONS = (SESSIONS, CUSTOMERS, ORDERS, CARTS, DRAFTS, AUDIT)
_OF_16 = [collection for collection in COLLECTIONS for _ in range(collection.share)]

Key = tuple[int, str]
"""The id of a collection, and the key of a document in it."""


class Content(NamedTuple):
    """What a document consists of: JSON or else bytes, and extended attributes as key and JSON."""

    json: str | None
    body: bytes | None
    xattrs: tuple[tuple[str, str], ...] = ()

    def packed(self, *, snappy: bool) -> tuple[int, bytes]:
        """Its datatype and its value."""
        datatype, value = (0, self.body) if self.json is None else (frames.JSON, self.json.encode())
        value = value or b""
        if self.xattrs:
            datatype, value = datatype | frames.XATTR, frames.xattrs(self.xattrs) + value
        if snappy and value:
            datatype, value = datatype | frames.SNAPPY, bytes(cramjam.snappy.compress_raw(value))
        return datatype, value


class Document(NamedTuple):
    """A document as the last change left it."""

    seqno: int
    rev: int
    cas: int
    flags: int
    expiration: int
    content: Content


def key_of(number: int) -> Key:
    """The key of a document by its number."""
    collection = _OF_16[number % 16]
    return collection.id, f"{collection.name.strip('_')}::{number:07}"


def sent_key(key: Key) -> bytes:
    """A key as frames have it."""
    return frames.leb128(key[0]) + key[1].encode()


def vbucket_of(key: Key, vbuckets: int) -> int:
    """The vbucket of a key, as clients of Couchbase find it."""
    return ((crc32(key[1].encode()) >> 16) & 0x7FFF) % vbuckets


_NAMES = ("Ada Bell", "Zoë Müller", "Łukasz Król", "山田花子", "O'Brien", 'Jo "Jo" Doe', "Ivan\\Petrov", "Ana 🦊 Sá")
_WORDS = ("lamp", "table", "chair", "rug", "shelf", "sofa", "mirror", "clock")


def content_of(key: Key, rev: int, chance: random.Random) -> Content:
    """What a document consists of in one of its versions."""
    collection, name = key
    number = int(name[-7:])
    if collection == ORDERS.id:
        lines = ",".join(
            f'{{"item":"{_WORDS[(number + line) % 8]}","count":{line + rev},"price":{(number * 7 + line) % 900}.50}}'
            for line in range(1 + number % 4)
        )
        paid = "true" if rev > 1 else "false"
        return Content(
            f'{{"order":{number},"customer":"customers::{number % 997:07}","paid":{paid},"lines":[{lines}]}}', None
        )
    if collection == CUSTOMERS.id:
        written = _NAMES[number % 8].replace("\\", "\\\\").replace('"', '\\"')
        sync = ("_sync", f'{{"rev":"{rev}-{crc32(name.encode()):08x}","sequence":{number + rev}}}')
        xattrs = (sync,) if number % 3 else (sync, ("source", '"web"'))
        return Content(f'{{"name":"{written}","visits":{rev}}}', None, xattrs)
    if collection == CARTS.id:
        return Content(f'{{"items":["{_WORDS[number % 8]}","{_WORDS[rev % 8]}"]}}', None)
    if collection == SESSIONS.id:
        return Content(None, b"" if number % 50 == 0 else chance.randbytes(16 + number % 32) + bytes(number % 40))
    return Content(f'{{"text":"{" ".join(_WORDS[: 1 + number % 8])}","version":{rev}}}', None)


class Event(NamedTuple):
    """What happens to a collection or a scope, as it is sent."""

    id: int
    version: int
    key: str
    value: bytes


def created(*, flatbuffers: bool) -> list[Event]:
    """All scopes and collections begin, but for the default ones, which are always there."""
    scopes = [
        _event(frames.CREATE_SCOPE, name, Collection(0, scope, name, 0), 2, flatbuffers)
        for scope, name in SCOPES.items()
    ]
    new = [
        _event(frames.BEGIN_COLLECTION, each.name, each, 3 + uid, flatbuffers)
        for uid, each in enumerate(COLLECTIONS)
        if each is not SESSIONS
    ]
    return scopes + new


def changed(*, flatbuffers: bool) -> dict[str, Event]:
    """What becomes of collections later, by a word for it: one is flushed, one dropped with its scope, one altered."""
    found = {
        "drafts are flushed": _event(frames.BEGIN_COLLECTION, DRAFTS.name, DRAFTS, 20, flatbuffers),
        "audit is dropped": _event(frames.END_COLLECTION, "", AUDIT, 21, flatbuffers),
        "archive is dropped": _event(frames.DROP_SCOPE, "", AUDIT, 22, flatbuffers),
    }
    if flatbuffers:
        longer = CUSTOMERS._replace(max_ttl=86_400)
        found["customers are altered"] = _event(frames.MODIFY_COLLECTION, CUSTOMERS.name, longer, 23, flatbuffers)
    return found


FLUSHED, DROPPED = ("drafts are flushed", DRAFTS), ("audit is dropped", AUDIT)
"""The events that take documents away."""


def _event(event: int, key: str, collection: Collection, uid: int, flatbuffers: bool) -> Event:
    of_scope = event in (frames.CREATE_SCOPE, frames.DROP_SCOPE)
    if flatbuffers:
        return Event(event, 2, key, _flatbuffer(event, key, collection, uid))
    numbers = pack(">QI", uid, collection.scope) + (b"" if of_scope else pack(">I", collection.id))
    if event == frames.BEGIN_COLLECTION and collection.max_ttl:
        return Event(event, 1, key, numbers + pack(">I", collection.max_ttl))
    return Event(event, 0, key, numbers)


@cache
def _flatbuffer(event: int, name: str, collection: Collection, uid: int) -> bytes:
    """A FlatBuffers table, which the builder makes: there is no second opinion on it here."""
    table: dict[str, object] = {"uid": uid, "scopeId": collection.scope}
    if event in (frames.BEGIN_COLLECTION, frames.MODIFY_COLLECTION):
        column = "collection"
        table |= {"collectionId": collection.id, "ttlValid": bool(collection.max_ttl), "maxTtl": collection.max_ttl}
        table |= {"name": name, "history": False, "defaultCollectionMVS": 0, "metered": False}
        table |= {"flushUid": uid if uid == 20 else 0}
    elif event == frames.END_COLLECTION:
        column, table = "dropped_collection", table | {"collectionId": collection.id, "systemCollection": False}
    elif event == frames.CREATE_SCOPE:
        column, table = "scope", table | {"name": name}
    else:
        column, table = "dropped_scope", table | {"systemScope": False}
    fields = {"by_seqno": 1, "event": event, "version": 2, "key": "", column: table}
    return couchbase_dcp.build({"message": "system_event", "system_event": fields})[24 + 13 :]
