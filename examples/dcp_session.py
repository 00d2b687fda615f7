"""Makes a session of DCP, and knows what must come out of it: a consumer follows a bucket, and nodes fail meanwhile.

    python examples/dcp_session.py DIRECTORY [--documents 200000] [--vbuckets 1024] [--seed 7]

Two captures, one a connection, each with the frames of both directions. One half of the vbuckets is on a node whose
consumer takes durable writes, the other on one that talks as connectors are used to. The same bytes for the same seed.
``Session.documents`` is what is there at the end, what was lost and written again on other branches included.
"""

import argparse
import itertools
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import dcp_documents as documents
import dcp_frames as frames
from dcp_documents import Document, Key
from dcp_frames import Frame, Stream
from dcp_vbuckets import Agreement, Story

DOCUMENTS, VBUCKETS, SEED = 200_000, 1024, 7
REPLICA = Agreement("replica", durable=True, times=True, flatbuffers=True, unordered=False, tracing=True)
CONNECTOR = Agreement(
    "connector", durable=False, times=False, flatbuffers=False, unordered=True, tracing=False, stream_id=7
)
BUFFER = 1 << 17
"""Bytes of stream messages that a consumer lets come; it acknowledges them when half of that is there."""
NOT_STREAMED = {"dcp_noop", "stream_req", "stream_req_response", "response", "close_stream", "snapshot_marker_response"}
_XATTR, _XERROR, _SELECT_BUCKET, _SNAPPY, _JSON, _TRACING, _ALT, _SYNC, _COLLECTIONS = 6, 7, 8, 10, 11, 15, 16, 17, 18


@dataclass(frozen=True, slots=True)
class Session:
    """Captures by the name of their connection, and what is in them."""

    captures: dict[str, bytes]
    frames: Counter[str]
    """How many frames there are of each message."""
    documents: dict[tuple[int, Key], Document]
    """The documents at the end, by vbucket and key."""

    def write(self, folder: Path) -> list[Path]:
        """A file for each connection; the files."""
        folder.mkdir(parents=True, exist_ok=True)
        files = {folder / f"{name}.bin": data for name, data in self.captures.items()}
        for file, data in files.items():
            file.write_bytes(data)
        return list(files)


def make(count: int = DOCUMENTS, vbuckets: int = VBUCKETS, seed: int = SEED) -> Session:
    """A session in which so many documents are written, most of them more than once."""
    keys: list[list[Key]] = [[] for _ in range(vbuckets)]
    for number in range(count):
        key = documents.key_of(number)
        keys[documents.vbucket_of(key, vbuckets)].append(key)
    session = Session({}, Counter(), {})
    half = vbuckets // 2
    for agreed, numbers in ((REPLICA, range(half)), (CONNECTOR, range(half, vbuckets))):
        chance = random.Random(f"{seed} {agreed.name}")
        opaques = itertools.count(0x1000)
        stories = [Story(agreed, number, keys[number], opaques, chance) for number in numbers]
        data = bytearray()
        for frame in _connection(agreed, stories, opaques, chance):
            session.frames[frame.message] += 1
            data += frame.data
        session.captures[agreed.name] = bytes(data)
        for story in stories:
            found = story.vbucket.documents.items()
            session.documents.update({(story.vbucket.number, key): document for key, document in found})
    return session


def _connection(
    agreed: Agreement, stories: list[Story], opaques: Iterator[int], chance: random.Random
) -> Iterator[Frame]:
    """All that goes over a connection."""
    yield from _greeting(agreed, opaques, chance)
    yield from _histories(agreed, stories, opaques)
    yield from _controlled(_by_turns([story.told() for story in stories], chance), opaques)


def _answer(agreed: Agreement, opcode: int, opaque: int, value: bytes = b"", **more: int) -> Frame:
    """A response of the node that has no data of its own but an error."""
    duration = 40 + len(value) if agreed.tracing else None
    return frames.response("response", opcode, opaque, value, duration=duration, **more)


def _greeting(agreed: Agreement, opaques: Iterator[int], chance: random.Random) -> Iterator[Frame]:
    """Both say what they can, the consumer authenticates, opens the connection and sets its properties."""
    agent = f'{{"a":"{agreed.name}/1.0","i":"5a3b/1"}}'.encode()
    wanted = [_XATTR, _XERROR, _SELECT_BUCKET, _SNAPPY, _JSON, _TRACING, _ALT, _SYNC, _COLLECTIONS, 0x26]
    granted = [
        each for each in wanted[:-1] if (agreed.tracing or each != _TRACING) and (agreed.durable or each != _SYNC)
    ]
    opaque = next(opaques)
    yield frames.request("hello", 0x1F, Stream(0, opaque), key=agent, value=_features(wanted))
    yield frames.response("hello_response", 0x1F, opaque, _features(granted))
    opaque = next(opaques)
    yield frames.request("get_error_map", 0xFE, Stream(0, opaque), value=b"\0\2")
    errors = b'{"version":2,"revision":4,"errors":{"23":{"name":"ROLLBACK","desc":"roll back","attrs":["dcp"]}}}'
    yield frames.response("get_error_map_response", 0xFE, opaque, errors, datatype=frames.JSON)
    opaque = next(opaques)
    yield frames.request("sasl_list_mechs", 0x20, Stream(0, opaque))
    yield frames.response("sasl_list_mechs_response", 0x20, opaque, b"SCRAM-SHA512 SCRAM-SHA256 PLAIN")
    for opcode, status in ((0x21, frames.AUTH_CONTINUE), (0x22, frames.SUCCESS)):
        opaque = next(opaques)
        yield frames.request("sasl_auth", opcode, Stream(0, opaque), key=b"SCRAM-SHA256", value=chance.randbytes(40))
        yield frames.response("sasl_auth_response", opcode, opaque, chance.randbytes(60), status=status)
    opaque = next(opaques)
    yield frames.request("select_bucket", 0x89, Stream(0, opaque), key=b"shop")
    yield _answer(agreed, 0x89, opaque)
    opaque = next(opaques)
    flags = 0x01 | 0x04 | (0x20 if agreed.times else 0)
    extras, name = flags.to_bytes(8, "big"), f"{agreed.name}:shop:1".encode()
    yield frames.request("open_connection", 0x50, Stream(0, opaque), extras, name)
    yield _answer(agreed, 0x50, opaque)
    for control, setting in _controls(agreed).items():
        opaque = next(opaques)
        yield frames.request("control", 0x5E, Stream(0, opaque), key=control.encode(), value=setting.encode())
        if setting == "never":
            error = b'{"error":{"context":"not a number","ref":"7f1e"}}'
            yield _answer(agreed, 0x5E, opaque, error, status=frames.EINVAL, datatype=frames.JSON)
        else:
            yield _answer(agreed, 0x5E, opaque)


def _features(numbers: Iterable[int]) -> bytes:
    return b"".join(number.to_bytes(2, "big") for number in numbers)


def _controls(agreed: Agreement) -> dict[str, str]:
    found = {"connection_buffer_size": str(BUFFER), "enable_noop": "true", "set_noop_interval": "never"}
    if agreed.durable:
        found |= {
            "enable_sync_writes": "true",
            "consumer_name": "replica",
            "max_marker_version": "2.2",
            "flatbuffers_system_events": "true",
        }
        return found | {"enable_expiry_opcode": "true"}
    found |= {"enable_stream_id": "true", "enable_out_of_order_snapshots": "true"}
    return found | {"send_stream_end_on_client_close_stream": "true"}


def _histories(agreed: Agreement, stories: list[Story], opaques: Iterator[int]) -> Iterator[Frame]:
    """The consumer learns where all vbuckets are, and their histories."""
    opaque = next(opaques)
    yield frames.request("get_all_vb_seqnos", 0x48, Stream(0, opaque), b"\0\0\0\1")
    found = frames.seqnos((story.vbucket.number, 10 + story.vbucket.number % 7) for story in stories)
    yield frames.response("get_all_vb_seqnos_response", 0x48, opaque, found)
    for vbucket in (story.vbucket for story in stories):
        opaque = next(opaques)
        duration = 50 + vbucket.number if agreed.tracing else None
        yield frames.request("failover_log_request", 0x54, Stream(vbucket.number, opaque))
        log = frames.failover_log(vbucket.log)
        yield frames.response("failover_log_response", 0x54, opaque, log, duration=duration)


def _by_turns(streams: list[Iterator[Frame]], chance: random.Random, width: int = 32) -> Iterator[Frame]:
    """So many streams at a time, a few frames of one and then of another."""
    waiting = iter(streams)
    active = list(itertools.islice(waiting, width))
    while active:
        place = chance.randrange(len(active))
        few = list(itertools.islice(active[place], chance.randrange(1, 16)))
        yield from few
        if not few:
            following = next(waiting, None)
            if following is None:
                active.pop(place)
            else:
                active[place] = following


def _controlled(streamed: Iterator[Frame], opaques: Iterator[int]) -> Iterator[Frame]:
    """Frames of streams, and what goes between them: acknowledgements of bytes, and noops."""
    waiting = 0
    for number, frame in enumerate(streamed):
        yield frame
        if frame.message not in NOT_STREAMED:
            waiting += len(frame.data) + (2 if frame.message == "prepare" else 0)  # the node counts two bytes too many
        if waiting > BUFFER // 2:
            yield frames.buffer_acknowledgement(next(opaques), waiting)
            waiting = 0
        if number % 1000 == 999:
            opaque = next(opaques)
            yield frames.request("dcp_noop", 0x5C, Stream(0, opaque))
            yield frames.response("response", 0x5C, opaque)


def main() -> None:
    """Write the captures, and describe them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--documents", type=int, default=DOCUMENTS)
    parser.add_argument("--vbuckets", type=int, default=VBUCKETS)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    session = make(options.documents, options.vbuckets, options.seed)
    for file in session.write(options.directory):
        print(f"{file} ({file.stat().st_size:,} bytes)")
    print(f"{session.frames.total():,} frames; {len(session.documents):,} documents are there at the end")


if __name__ == "__main__":
    main()
