"""The binary protocol of memcached against a real memcached: with a client that others wrote, and without one."""

import socket
import struct
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO

import bmemcached
import pytest
from bmemcached.exceptions import MemcachedException
from support.lockstep import Pair, alike_in_turn, capture_alike, rows_alike
from support.memcached_server import HOST, SECONDS, Relay, relaying, running

from wireloom_protocols import memcached

pytestmark = pytest.mark.memcached

Row = dict[str, Any]
Exchange = tuple[bytes, bytes]
"""All that a client sent, and all that it got."""


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with running() as port:
        yield port


def rows_of(data: bytes) -> list[Row]:
    """The rows of what went in one direction, of which none is unknown or malformed, and which give the bytes back."""
    found = list(memcached.iter_records(data))
    assert {row["message"] for row in found}.isdisjoint({"unknown", None})
    assert b"".join(map(memcached.build, found)) == data
    rows_alike(Pair.of(memcached), capture_alike(Pair.of(memcached), data))
    for row in found:
        trailing = {name: value for name, value in row[row["message"]].items() if name.startswith("trailing_")}
        assert not any(trailing.values()), row
    return found


def told(row: Row) -> tuple[Any, ...]:
    """The opcode's name, the status of a response, and what is there of the message but its variant."""
    status = () if row["status_name"] is None else (row["status_name"],)
    fields = {name: value for name, value in row[row["message"]].items() if value is not None and name != "variant"}
    return row["opcode_name"], *status, fields


# --- with a client


def stored(opcode: str, key: str, value: bytes, flags: int = 16, expiration: int = 0) -> tuple[Any, ...]:
    """What a request to store is told as. The client marks bytes with the flag 16, what it packed with 8."""
    return opcode, {"flags": flags, "expiration": expiration, "key": key, "value": value}


def found(opcode: str, value: bytes, key: str = "", flags: int = 16) -> tuple[Any, ...]:
    """What the response is told as that has an item."""
    return opcode, "Success", {"flags": flags, "key": key, "value": value}


def done(opcode: str) -> tuple[Any, ...]:
    return opcode, "Success", {}


def there_already(opcode: str) -> tuple[Any, ...]:
    return opcode, "KeyEexists", {"error": "Data exists for key."}


def counted(opcode: str, key: str, delta: int, initial: int, expiration: int) -> tuple[Any, ...]:
    return opcode, {"delta": delta, "initial": initial, "expiration": expiration, "key": key}


@pytest.fixture
def relay(port: int) -> Iterator[Relay]:
    with relaying(port) as relay:
        yield relay


@pytest.fixture
def client(relay: Relay) -> Iterator[bmemcached.Client]:
    client = bmemcached.Client(f"{HOST}:{relay.port}", socket_timeout=SECONDS)
    yield client
    client.disconnect_all()


ABSENT = {"error": "Not found"}


def test_what_a_client_stores_and_finds_is_what_the_rows_have(relay: Relay, client: bmemcached.Client) -> None:
    long = b"a" * 500
    assert client.set("text", "Grüße", time=60)
    assert client.set("bytes", b"\x00\xff")
    assert client.set("long", long)
    assert client.set("number", 41)
    assert client.get("text") == "Grüße"
    assert client.get("long") == long
    assert client.get("absent") is None
    value, cas = client.gets("bytes")
    assert value == b"\x00\xff"
    changed, after = client.cas("bytes", b"new", cas, get_cas=True)
    assert changed
    assert not client.cas("bytes", b"newer", cas)
    assert not client.add("bytes", b"x")
    assert client.add("added", b"x")
    assert not client.replace("absent", b"x")
    assert client.replace("added", b"y")
    assert client.delete("added")
    assert client.delete("added")  # it says so of what is not there, too
    client.disconnect_all()
    sent, got = rows_of(relay.requests), rows_of(relay.responses)
    packed = sent[2]["set"]["value"]
    assert zlib.decompress(packed) == long
    assert [told(row) for row in sent] == [
        stored("Set", "text", "Grüße".encode(), 0, 60),
        stored("Set", "bytes", b"\x00\xff"),
        stored("Set", "long", packed, 16 | 8),
        stored("Set", "number", b"41", 2),
        ("Get", {"key": "text"}),
        ("Get", {"key": "long"}),
        ("Get", {"key": "absent"}),
        ("Get", {"key": "bytes"}),
        stored("Set", "bytes", b"new"),
        stored("Set", "bytes", b"newer"),
        stored("Add", "bytes", b"x"),
        stored("Add", "added", b"x"),
        stored("Replace", "absent", b"x"),
        stored("Replace", "added", b"y"),
        ("Delete", {"key": "added"}),
        ("Delete", {"key": "added"}),
    ]
    assert [told(row) for row in got] == [
        *[done("Set")] * 4,
        found("Get", "Grüße".encode(), flags=0),
        found("Get", packed, flags=16 | 8),
        ("Get", "KeyEnoent", {"key": "", **ABSENT}),
        found("Get", b"\x00\xff"),
        done("Set"),
        there_already("Set"),
        there_already("Add"),
        done("Add"),
        ("Replace", "KeyEnoent", ABSENT),
        done("Replace"),
        done("Delete"),
        ("Delete", "KeyEnoent", ABSENT),
    ]
    assert (sent[8]["cas"], got[7]["cas"], got[8]["cas"]) == (cas, cas, after)


def test_what_a_client_asks_for_many_at_once_is_what_the_rows_have(relay: Relay, client: bmemcached.Client) -> None:
    many = {f"many:{number}": bytes([number]) * number for number in range(20)}
    assert client.set_multi(many, time=60) == []
    assert client.set_multi({("many:1", 0): b"added", ("fresh", 0): b"added"}, time=60) == [("many:1", 0)]
    assert client.get_multi([*many, "absent"]) == many
    assert client.delete_multi(list(many))
    client.disconnect_all()
    sent, got = rows_of(relay.requests), rows_of(relay.responses)
    assert [told(row) for row in sent] == [
        *(stored("Setq", key, value, expiration=60) for key, value in many.items()),
        ("Noop", {}),
        stored("Addq", "many:1", b"added", expiration=60),
        stored("Addq", "fresh", b"added", expiration=60),
        ("Noop", {}),
        *(("Getkq", {"key": key}) for key in many),
        ("Getk", {"key": "absent"}),
        *(("Delete", {"key": key}) for key in many),
        ("Noop", {}),
    ]
    assert [told(row) for row in got] == [
        done("Noop"),
        there_already("Addq"),
        done("Noop"),
        *(found("Getkq", value, key) for key, value in many.items()),
        ("Getk", "KeyEnoent", {"key": "absent", "error": ""}),
        *(done("Delete") for _ in many),
        done("Noop"),
    ]
    assert [row["opaque"] for row in sent[:20]] == list(range(20))
    assert got[1]["opaque"] == 0


def test_what_a_client_counts_and_is_told_is_what_the_rows_have(relay: Relay, client: bmemcached.Client) -> None:
    top = 2**64 - 1
    assert client.incr("counter", 5, default=top, time=60) == top
    assert client.incr("counter", 6, time=0) == 5
    assert client.decr("counter", 9, default=1, time=100) == 0
    client.set("word", "word")
    with pytest.raises(MemcachedException, match="Non-numeric"):
        client.incr("word", 1, time=60)
    (statistics,) = client.stats().values()
    (settings,) = client.stats("settings").values()
    assert client.flush_all()
    assert client.get("word") is None
    client.disconnect_all()
    sent, got = rows_of(relay.requests), rows_of(relay.responses)
    assert [told(row) for row in sent] == [
        counted("Increment", "counter", 5, top, 60),
        counted("Increment", "counter", 6, 0, 0),
        counted("Decrement", "counter", 9, 1, 100),
        stored("Set", "word", b"word", 0),
        counted("Increment", "word", 1, 0, 60),
        ("Stat", {"group": "", "arguments": ""}),
        ("Stat", {"group": "settings", "arguments": ""}),
        ("Flush", {"delay": 0}),
        ("Get", {"key": "word"}),
    ]
    assert [row["increment_response"]["counter"] for row in got[:3]] == [top, 5, 0]
    assert told(got[4]) == (
        "Increment",
        "DeltaBadval",
        {"error": "Non-numeric server-side value for incr or decr"},
    )
    pairs = [(row["name"], row["text"]) for each in got if (row := each["stat_response"]) is not None]
    end = (None, None)
    said = [*statistics.items(), None, *settings.items(), None]
    assert pairs == [end if each is None else (each[0], each[1].decode()) for each in said]
    assert statistics["version"].startswith(b"1.")
    assert [told(row) for row in got[-2:]] == [done("Flush"), ("Get", "KeyEnoent", {"key": "", **ABSENT})]


# --- without one


class Connection:
    """A connection to the server, of which requests are built and responses are parsed."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream = stream
        self.opaque = 0

    def send(self, message: str, opcode: str, cas: int = 0, **fields: Any) -> None:
        self.opaque += 1
        row = {"message": message, "magic": 0x80, "opcode_name": opcode, "opaque": self.opaque, "cas": cas}
        self.stream.write(memcached.build({**row, message: fields}))
        self.stream.flush()

    def received(self) -> Row:
        """The next response."""
        header = self.stream.read(24)
        (size,) = struct.unpack_from(">I", header, 8)
        return memcached.parse(header + self.stream.read(size))

    def asked(self, message: str, opcode: str, cas: int = 0, **fields: Any) -> tuple[Any, ...]:
        """What the response to a request is told as."""
        self.send(message, opcode, cas, **fields)
        response = self.received()
        assert response["opaque"] == self.opaque
        return told(response)


@pytest.fixture
def server(relay: Relay) -> Iterator[Connection]:
    with socket.create_connection((HOST, relay.port), SECONDS) as connection, connection.makefile("rwb") as stream:
        yield Connection(stream)


def test_a_server_takes_and_answers_what_is_built(relay: Relay, server: Connection) -> None:
    item: Row = {"key": "item", "flags": 7, "expiration": 60}
    assert server.asked("set", "Set", value=b"value", **item) == done("Set")
    assert server.asked("get", "Get", key="item") == found("Get", b"value", flags=7)
    assert server.asked("get", "Getk", key="item") == found("Getk", b"value", "item", 7)
    assert server.asked("append", "Append", key="item", value=b"!") == done("Append")
    assert server.asked("append", "Prepend", key="item", value=b"?") == done("Prepend")
    assert server.asked("append", "Append", key="absent", value=b"!") == (
        "Append",
        "NotStored",
        {"error": "Not stored."},
    )
    assert server.asked("touch", "Touch", key="item", expiration=9) == found("Touch", b"", flags=7)
    assert server.asked("touch", "Gat", key="item", expiration=9) == found("Gat", b"?value!", flags=7)
    assert server.asked("touch", "Gatk", key="item", expiration=9) == found("Gatk", b"?value!", "item", 7)
    assert server.asked("touch", "Gat", key="absent", expiration=9) == ("Gat", "KeyEnoent", {"key": "", **ABSENT})
    assert server.asked("increment", "Increment", key="n", delta=1, initial=3, expiration=0) == (
        "Increment",
        "Success",
        {"counter": 3},
    )
    assert server.asked("increment", "Decrement", key="m", delta=1, initial=3, expiration=0xFFFFFFFF) == (
        "Decrement",
        "KeyEnoent",
        ABSENT,
    )
    assert server.asked("set", "Add", value=b"", **item) == there_already("Add")
    assert server.asked("delete", "Delete", key="item", cas=1) == there_already("Delete")
    assert server.asked("delete", "Delete", key="item") == done("Delete")
    name, status, version = server.asked("version", "Version")
    assert (name, status) == ("Version", "Success")
    assert version["version"].startswith("1.")
    assert server.asked("sasl_list_mechs", "SaslListMechs") == (
        "SaslListMechs",
        "UnknownCommand",
        {"error": "Unknown command"},
    )
    assert server.asked("flush", "Flush") == done("Flush")
    assert server.asked("quit", "Quit") == done("Quit")
    assert server.stream.read() == b""
    alike_in_turn(Pair.of(memcached), [(bytes(relay.requests), {}), (bytes(relay.responses), {})])
    rows_of(relay.requests)
    rows_of(relay.responses)


def test_a_server_answers_quiet_commands_as_they_say(relay: Relay, server: Connection) -> None:
    server.send("set", "Setq", key="item", flags=0, expiration=0, value=b"1")
    server.send("set", "Replaceq", key="item", flags=0, expiration=0, value=b"2")
    server.send("append", "Appendq", key="item", value=b"3")
    server.send("append", "Prependq", key="item", value=b"1")
    server.send("increment", "Incrementq", key="item", delta=2, initial=0, expiration=0)
    server.send("increment", "Decrementq", key="item", delta=1, initial=0, expiration=0)
    server.send("get", "Getq", key="absent")
    assert server.asked("touch", "Gatq", key="item", expiration=60) == found("Gatq", b"124", flags=0)
    assert server.asked("touch", "Gatkq", key="item", expiration=60) == found("Gatkq", b"124", "item", 0)
    server.send("delete", "Deleteq", key="item")
    assert server.asked("delete", "Deleteq", key="item") == ("Deleteq", "KeyEnoent", ABSENT)
    server.send("flush", "Flushq")
    assert server.asked("noop", "Noop") == done("Noop")
    server.send("quit", "Quitq")
    assert server.stream.read() == b""
    rows_of(relay.requests)
    rows_of(relay.responses)
