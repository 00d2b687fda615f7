"""Bodies of HTTP responses without the heads of their chunks: those of a server that runs, and some written by hand."""

from __future__ import annotations

import socket
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from threading import Thread

import pytest
from support.cases import each
from support.pages import ROOT

from wireloom.responses import dechunked
from wireloom_protocols import databus

EVENTS = ROOT.joinpath("examples/captures/databus/windows.bin").read_bytes()[:749]
"""Windows without damage."""


def undone(data: bytes) -> bytes:
    return b"".join(dechunked(BytesIO(data)))


class Relay(BaseHTTPRequestHandler):
    """Sends events as a relay does, a chunk each; and so many bytes a chunk, if the path says how many."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        size = int(self.path.strip("/") or 0)
        if size:
            chunks = [EVENTS[start : start + size] for start in range(0, len(EVENTS), size)]
        else:
            chunks = [databus.build(row) for row in databus.iter_records(EVENTS)]
        for chunk in [*chunks, b""]:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def relay() -> Iterator[tuple[str, int]]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Relay)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield "127.0.0.1", server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


def captured(relay: tuple[str, int], *paths: str) -> bytes:
    """What the relay sends in a connection in which these paths are asked for."""
    with socket.create_connection(relay) as connection:
        for number, path in enumerate(paths):
            last = b"Connection: close\r\n" if number == len(paths) - 1 else b""
            connection.sendall(b"GET %b HTTP/1.1\r\nHost: relay\r\n%b\r\n" % (path.encode(), last))
        return b"".join(iter(lambda: connection.recv(1000), b""))


@each("path", ["/", "/1", "/7", "/100", "/100000"])
def test_a_body_is_what_a_client_of_http_gives(relay: tuple[str, int], path: str) -> None:
    data = captured(relay, path)
    with urllib.request.urlopen("http://{}:{}{}".format(*relay, path)) as response:
        assert undone(data) == response.read() == EVENTS
    assert data.count(b"\r\n") > 4
    rows = list(databus.iter_records(undone(data), mode="PERMISSIVE"))
    assert len(rows) == 9
    assert {row["_corrupt_reason"] for row in rows} == {None}
    assert undone(data.partition(b"\r\n\r\n")[2]) == EVENTS  # the body alone


def test_responses_of_one_connection_follow_each_other(relay: tuple[str, int]) -> None:
    assert undone(captured(relay, "/", "/7")) == EVENTS * 2


CHUNKED = b"transfer-encoding: Chunked\r\n\r\n"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: x\r\n"


@each(
    ("data", "expected"),
    [
        (b"", b""),
        (b"0\r\n\r\n", b""),
        (b"3;name=value\r\nabc\r\n0\r\nTrailer: x\r\n\r\n1\r\nd\r\n0\r\n\r\n", b"abcd"),
        (b"1A\r\n" + b"z" * 26 + b"\r\n00\r\n\r\n", b"z" * 26),
        (HEAD + b"\r\n3\r\n", b"3\r\n"),
        (
            HEAD + b"Content-Length: 3\r\n\r\nabc" + HEAD + b"transfer-encoding: Chunked\r\n\r\n1\r\nd\r\n0\r\n\r\n",
            b"abcd",
        ),
        (b"HTTP/1.1 100 Continue\r\n\r\n" + HEAD + b"Content-Length: 1\r\n\r\na" + HEAD + b"\r\nb", b"ab"),
        (HEAD + b"Content-Length: 3 \r\n\r\nabc" + HEAD + CHUNKED + b"1\r\nd\r\n0\r\n\r\n", b"abcd"),
        (b"1;" + b"x" * 5000 + b"\r\na\r\n1\r\nb\r\n0\r\n\r\n", b"ab"),
        (b"1\r\na\r\n0\r\nTrailer: " + b"x" * 4087 + b"\r\nAnother: y\r\n\r\n1\r\nb\r\n0\r\n\r\n", b"ab"),
        (b"HTTP/1.1 304 Not Modified\r\nContent-Length: 3\r\n\r\n" + HEAD + b"\r\nb", b"b"),
    ],
)
def test_a_body_is_as_long_as_its_head_says(data: bytes, expected: bytes) -> None:
    assert undone(data) == expected


def test_a_stream_may_end_anywhere() -> None:
    data = HEAD + CHUNKED + b"3\r\nabc\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n"
    body = b"abc0123456789abcdef"
    found = [undone(data[:size]) for size in range(len(data) + 1)]
    assert all(body.startswith(each) for each in found)
    assert found == sorted(found, key=len)
    assert found[-1] == body


@each(
    ("data", "reason"),
    [
        (b"-5\r\nabc", r"the size of a chunk expected, found b'-5\\r\\n'"),
        (b"0x5\r\nabcde\r\n", "the size of a chunk expected"),
        (b"\x02\xca\xfe\xde\xed", "the size of a chunk expected"),
        (b"3\r\nabcd\r\n", r"the end of a chunk expected, found b'd\\r\\n'"),
        (b"f" * 17 + b"\r\n", "the size of a chunk expected"),
        (b"\r\n3\r\nabc\r\n", r"the size of a chunk expected, found b'\\r\\n'"),
        (HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n1", "in chunks alone expected, found .*: gzip, chunked"),
        (b"1;" + b"x" * 70000 + b"\r\na\r\n", "a line of at most 65536 bytes expected, found b'1;xx"),
        (b"1\r\na\r\n0\r\nTrailer: " + b"x" * 70000 + b"\r\n\r\n", "a line of at most 65536 bytes expected"),
        (HEAD + b"Content-Length: 3, 4\r\n\r\nabc", "the length of a body expected, found Content-Length: 3, 4"),
        (HEAD + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\nabc", "the length of a body expected"),
        (HEAD + b"a: b\r\n" * 200, "a head of at most 100 fields expected"),
    ],
)
def test_what_is_no_chunk_is_told(data: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        undone(data)


def test_a_chunk_that_says_it_is_large_costs_nothing() -> None:
    (piece,) = dechunked(BytesIO(b"f" * 15 + b"\r\nabc"))
    assert piece == b"abc"


def test_a_length_that_came_twice_is_one() -> None:
    assert undone(HEAD + b"Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc") == b"abc"
