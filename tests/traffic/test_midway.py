"""Streams whose beginning or end is not what a protocol says: TLS that began before the recording, texts of resets."""

import ssl
from contextlib import suppress
from random import Random
from typing import Any

import pytest
from support.cases import often
from support.http_talk import PORT, Burst, recorded

from traffic.recorded_frames import FRAMES, SENT, seqnos
from wireloom_protocols import couchbase_dcp


def tls(random: Random) -> list[Burst]:
    """What OpenSSL sends: a handshake, and then messages of any size, in records of TLS."""
    ends = {}
    for purpose, from_client in ((ssl.PROTOCOL_TLS_CLIENT, True), (ssl.PROTOCOL_TLS_SERVER, False)):
        context = ssl.SSLContext(purpose)
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.set_ciphers("AECDH:@SECLEVEL=0")  # which need no certificate
        streams = ssl.MemoryBIO(), ssl.MemoryBIO()
        ends[from_client] = context.wrap_bio(*streams, server_side=not from_client), *streams
    bursts: list[Burst] = []

    def deliver(from_client: bool) -> None:
        if data := ends[from_client][2].read():
            bursts.append(Burst(from_client, data))
            ends[not from_client][1].write(data)

    for from_client in (True, False) * 3:
        with suppress(ssl.SSLWantReadError):
            ends[from_client][0].do_handshake()
        deliver(from_client)
    for _ in range(9):
        for from_client in (True, False):
            ends[from_client][0].write(random.randbytes(random.choice([1, 300, 20_000])))
            deliver(from_client)
    return bursts


def from_place(bursts: list[Burst], from_client: bool, at: int) -> list[Burst]:
    """Without the first bytes that an end sends, and what came before these ended."""
    found = []
    for burst in bursts:
        if burst.from_client == from_client and at > 0:
            found = [Burst(from_client, burst.data[at:])] if at < len(burst.data) else []
            at -= len(burst.data)
        else:
            found.append(burst)
    return found


def read(data: bytes, **options: Any) -> list[dict[str, Any]]:
    table = couchbase_dcp.decode_columnar(data, mode="PERMISSIVE", connections=True, ports=[PORT], **options)
    rows: list[dict[str, Any]] = table.to_pylist()
    return rows


def test_tls_that_began_before_the_recording_is_told_once() -> None:
    """Wherever it begins, also in the middle of a record, and where the packets after its SYN were lost."""
    for seed in range(often(6, 400)):
        random = Random(seed)
        bursts = tls(random)
        which = random.random() < 0.5
        sent = sum(len(burst.data) for burst in bursts if burst.from_client == which)
        cut = random.randrange(sent // 2)
        if random.random() < 0.5:
            data = recorded(from_place(bursts, which, cut), lambda: 1460, syn=False)
        else:
            data = recorded(
                bursts, lambda: 1460, lost=lambda way, at, _, cut=cut, which=which: way == which and at < cut
            )
        (row,) = read(data)
        assert row["_corrupt_reason"].startswith("tls: "), seed


def test_frames_from_the_middle_of_a_stream_are_not_taken_for_tls() -> None:
    """Also where a document has records of TLS in it."""
    inner = b"".join(burst.data for burst in tls(Random(1)))[:3000]
    frame = couchbase_dcp.build({"message": "unknown", "magic": 0x80, "opcode": 0xF0, "unknown": {"value": inner}})
    stream = SENT[:1000] + frame + SENT
    for at in range(1, 900, 101):
        rows = read(recorded([Burst(False, stream[at:])], lambda: 1460, syn=False))
        assert not any((row["_corrupt_reason"] or "").startswith("tls") for row in rows)


@pytest.mark.parametrize("from_client", [True, False])
def test_a_text_in_a_reset_is_no_part_of_the_stream(from_client: bool) -> None:
    """RFC 9293, 3.5.3: it says why."""
    sent = recorded([Burst(from_client, SENT)], lambda: 1000)
    text = recorded([Burst(from_client, b"go away, please")], lambda: 99, syn=False)[24:]
    packet = bytearray(text)
    sequence = 16 + 20 + 4
    packet[sequence : sequence + 4] = (1 + len(SENT)).to_bytes(4, "big")
    packet[16 + 20 + 13] = 0x14  # RST, ACK
    table = couchbase_dcp.decode_columnar(sent + packet, mode="PERMISSIVE", ports=[PORT])
    assert seqnos(table) == [*range(1, len(FRAMES) + 1)]
    assert table.num_rows == len(FRAMES)
