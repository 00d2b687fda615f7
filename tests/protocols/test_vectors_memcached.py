"""The binary protocol of memcached against frames that documents draw.

What a frame holds is cut out of its bytes by hand, by this table of messages: how the extras are laid out, and what the
columns are in which its key and its value stand.
"""

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from support import vectors
from support.cases import each
from support.lockstep import Pair, captures_alike
from support.vectors import Vector, data_of

from protocols.frame_bytes import header, sections
from wireloom_protocols import memcached


@dataclass(frozen=True)
class Holding:
    """What a message holds: extras in the format of ``struct``, a key, and a value, which is ``read``."""

    message: str
    extras: str = ""
    names: tuple[str, ...] = ()
    key: str | None = None
    value: str | None = None
    read: Callable[[bytes], Any] = bytes


GET = Holding("get", key="key")
FOUND = Holding("get_response", ">I", ("flags",), key="key", value="value")
STORE = Holding("set", ">II", ("flags", "expiration"), key="key", value="value")
AUTH = Holding("sasl_auth", key="mechanism", value="challenge")
DONE = Holding("response")

REQUESTS = {
    0x00: GET,
    0x02: STORE,
    0x04: Holding("delete", key="key"),
    0x05: Holding("increment", ">QQI", ("delta", "initial", "expiration"), key="key"),
    0x07: Holding("quit"),
    0x08: Holding("flush", ">I", ("delay",)),
    0x0A: Holding("noop"),
    0x0B: Holding("version"),
    0x0E: Holding("append", key="key", value="value"),
    0x10: Holding("stat", key="group", value="arguments", read=bytes.decode),
    0x20: Holding("sasl_list_mechs"),
    0x21: AUTH,
    0x22: AUTH,
    0x89: Holding("select_bucket", key="bucket"),
}
RESPONSES = {
    0x00: FOUND,
    0x02: DONE,
    0x05: Holding("increment_response", value="counter", read=lambda data: int.from_bytes(data, "big")),
    0x0B: Holding("version_response", value="version", read=bytes.decode),
    0x10: Holding("stat_response", key="name", value="text", read=bytes.decode),
    0x20: Holding("sasl_list_mechs_response", value="mechanisms", read=bytes.decode),
    0x21: Holding("sasl_auth_response", value="challenge"),
    0x22: Holding("sasl_auth_response", value="challenge"),
}
FEATURES = {0x80: "hello", 0x81: "hello_response"}
"""The messages of the opcode 0x1f, whose value is a list."""

drawn = each(
    "vector",
    vectors.parameters("couchbase_dcp_all/other_doc_frames.jsonl", keep=lambda row: bool(row.get("repaired_hex"))),
)


def held(data: bytes, holding: Holding) -> dict[str, Any]:
    """What a frame holds behind its header, by the names of columns."""
    cut = sections(data)
    if data[0] == 0x81 and header(data)["status"] not in (0x00, 0x21):
        return {"error": cut["value"].decode()}
    found: dict[str, Any] = dict(zip(holding.names, struct.unpack(holding.extras, cut["extras"]), strict=True))
    if holding.key is not None:
        found[holding.key] = cut["key"].decode() if cut["key"].isascii() else None
    if holding.value is not None:
        found[holding.value] = holding.read(cut["value"])
    return found


@drawn
def test_frames_of_documents_decode_to_what_their_bytes_say(vector: Vector) -> None:
    data = data_of(vector)
    row = memcached.parse(data)
    assert {name: row[name] for name in header(data)} == header(data)
    assert memcached.build(row) == data
    cut = sections(data)
    holding = {0x80: REQUESTS, 0x81: RESPONSES}.get(data[0], {}).get(data[1])
    if data[0] in FEATURES and data[1] == 0x1F:
        assert row["message"] == FEATURES[data[0]]
        numbers = [number for (number,) in struct.iter_unpack(">H", cut["value"])]
        assert [one["feature"] for one in row[row["message"]]["features"]] == numbers
    elif holding is None:
        assert row["message"] == "unknown"
        assert dict(row["unknown"]) == {name: cut[name] for name in ("extras", "key", "value")}
    else:
        fields, said = row[holding.message], held(data, holding)
        assert {name: fields[name] for name in said} == said
        trailing = [name for name in fields if name.startswith("trailing_")]
        assert [fields[name] for name in trailing] == [None] * len(trailing)


@pytest.mark.sweep
def test_frames_of_documents_are_a_capture_that_both_engines_read_alike() -> None:
    rows = (row.values[0] for row in vectors.parameters("couchbase_dcp_all/other_doc_frames.jsonl"))
    captures_alike(Pair.of(memcached), b"".join(data_of(row) for row in rows if row.get("repaired_hex")))
