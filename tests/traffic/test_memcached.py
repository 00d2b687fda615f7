"""Real traffic: a memcached and a client that others wrote, recorded on the loopback interface by tcpdump."""

import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import bmemcached
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from support.memcached_server import HOST, SECONDS, Relay, relaying, running
from support.tapped import Said, conversation
from support.traffic import Flow, written

from wireloom_protocols import memcached

pytestmark = pytest.mark.memcached

BIG = os.urandom(400_000)
"""More than a segment, also where these have 64 KiB."""


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with running() as port:
        yield port


@contextlib.contextmanager
def recording(path: Path, relay: Relay, *told: str) -> Iterator[None]:
    """What crosses loopback at a relay's port, in a file; with the block all of it is there."""
    program = shutil.which("tcpdump")
    if program is None:
        pytest.skip("tcpdump is not on PATH; on Debian: apt-get install tcpdump")
    if os.geteuid() != 0:
        pytest.skip("only root may record what crosses loopback")
    command = [program, *told, "-n", "-U", "--immediate-mode", "-B", "16384", "-w", str(path), f"tcp port {relay.port}"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    said = ""
    while "listening on" not in said:
        line = process.stderr.readline()
        if not line:
            pytest.skip(f"tcpdump records nothing here: {said.strip()}")
        said += line
    try:
        yield
        settled(path, relay)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(SECONDS)
        process.stderr.close()


def settled(path: Path, relay: Relay) -> None:
    """Wait until a file has as many bytes as passed a relay, and has not grown for a moment."""
    end, size = time.monotonic() + SECONDS, -1
    while (path.stat().st_size != size or not has_all(path, relay)) and time.monotonic() < end:
        size = path.stat().st_size
        time.sleep(0.2)


def has_all(path: Path, relay: Relay) -> bool:
    """Whether a file has records of as many bytes as passed a relay."""
    table = memcached.decode_columnar(path, ["_length"], "PERMISSIVE", ports=str(relay.port), positions=True)
    return bool(pc.sum(table["_length"]).as_py() == len(relay.requests) + len(relay.responses))


def use(relay: Relay) -> None:
    """What a client does, and what it sees."""
    client = bmemcached.Client(f"{HOST}:{relay.port}", socket_timeout=SECONDS, compression=None)
    many = {f"many:{number}": bytes([number]) * number for number in range(40)}
    try:
        assert client.set_multi(many) == []
        assert client.get_multi([*many, "absent"]) == many
        assert client.set("big", BIG)
        assert client.get("big") == BIG
        assert client.delete("counter")
        assert client.incr("counter", 5, default=7) == 7
        assert client.incr("counter", 5) == 12
        assert client.delete("big")
        assert client.get("big") is None
        assert client.stats()
    finally:
        client.disconnect_all()


def as_relayed(table: pa.Table, relay: Relay) -> None:
    """Every request and response is in the table, as the bytes are that passed a relay."""
    for from_client, data in ((True, relay.requests), (False, relay.responses)):
        expected = memcached.decode_columnar(bytes(data))
        found = table.filter(pc.equal(table["_from_client"], from_client)).select(expected.schema.names)
        assert found.equals(expected)
    assert set(table["_gap_before"].to_pylist()) == {0}
    assert len(table["_connection"].unique()) == 1


@pytest.mark.parametrize(
    "told",
    [["-i", "lo"], ["-i", "any"], ["-i", "any", "-y", "LINUX_SLL"], ["-i", "lo", "--time-stamp-precision=nano"]],
    ids=" ".join,
)
def test_what_tcpdump_records_is_what_a_client_and_a_server_said(port: int, tmp_path: Path, told: list[str]) -> None:
    path = tmp_path / "trace.pcap"
    with relaying(port) as relay, recording(path, relay, *told):
        began = time.time()
        use(relay)
        ended = time.time()
    table = memcached.decode_columnar(path, ports=str(relay.port), connections=True)
    as_relayed(table, relay)
    times = [each.timestamp() for each in table["_time"].to_pylist()]
    assert began - 1 < min(times) <= max(times) < ended + 1


def test_what_a_client_and_a_server_said_is_the_same_in_packets(port: int, tmp_path: Path) -> None:
    with relaying(port) as relay:
        use(relay)
    said = [Said(True, bytes(relay.requests)), Said(False, bytes(relay.responses))]
    talk = conversation(said, Flow("127.0.0.1", HOST, 50000, 11211, size=8960))
    path = written(tmp_path / "trace.pcapng", talk.packets)
    as_relayed(memcached.decode_columnar(path, connections=True), relay)
