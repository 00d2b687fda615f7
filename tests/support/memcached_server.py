"""A memcached of one's own, and what goes between it and a client, byte for byte.

Both listen on loopback alone, at ports that are free, and end with the block that started them.
"""

import contextlib
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

HOST = "127.0.0.1"
SECONDS = 10.0
"""How long anything may take that takes a moment."""


def program() -> str:
    """Where memcached is; without it the test is skipped, as on a machine that ``make test`` did not set up."""
    found = shutil.which("memcached")
    if found is None:
        pytest.skip("memcached is not on PATH; install it with: sh scripts/setup.sh memcached")
    return found


@contextlib.contextmanager
def running() -> Iterator[int]:
    """A memcached that speaks the binary protocol; its port."""
    process, port = _started()
    try:
        yield port
    finally:
        process.terminate()
        process.wait(SECONDS)


def _started() -> tuple[subprocess.Popen[bytes], int]:
    """A process that listens. Another one may take the port that was free; then this tries the next."""
    for _ in range(5):
        with socket.create_server((HOST, 0)) as free:
            port: int = free.getsockname()[1]
        listening = ["-l", HOST, "-p", str(port), "-U", "0", "-B", "binary"]
        process = subprocess.Popen([program(), "-u", "nobody", *listening], stderr=subprocess.DEVNULL)
        end = time.monotonic() + SECONDS
        while process.poll() is None and time.monotonic() < end:
            with contextlib.suppress(ConnectionRefusedError), socket.create_connection((HOST, port), SECONDS):
                return process, port
            time.sleep(0.01)
        process.terminate()
        process.wait(SECONDS)
    raise AssertionError("memcached does not start")


@dataclass
class Relay:
    """What stands between clients and a server: all that clients send, and all that the server answers."""

    port: int
    requests: bytearray = field(default_factory=bytearray)
    responses: bytearray = field(default_factory=bytearray)


@contextlib.contextmanager
def relaying(port: int) -> Iterator[Relay]:
    """A relay to the server at ``port``, for one connection at a time; with the block all has arrived."""
    with socket.create_server((HOST, 0)) as listener:
        relay = Relay(listener.getsockname()[1])
        serving = threading.Thread(target=_serve, args=(listener, port, relay))
        serving.start()
        try:
            yield relay
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            serving.join(SECONDS)


def _serve(listener: socket.socket, port: int, relay: Relay) -> None:
    while True:
        try:
            client, _ = listener.accept()
        except OSError:  # it was shut down
            return
        with client, socket.create_connection((HOST, port), SECONDS) as server:
            answering = threading.Thread(target=_pass_on, args=(server, client, relay.responses))
            answering.start()
            _pass_on(client, server, relay.requests)
            answering.join(SECONDS)


def _pass_on(source: socket.socket, target: socket.socket, record: bytearray) -> None:
    """Pass on all that a side sends until it stops, and that it stops."""
    with contextlib.suppress(OSError):
        while data := source.recv(1 << 16):
            record += data
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)
