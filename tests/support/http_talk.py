"""Connections of HTTP/1.1 that carry records, as h11 writes their messages, and packets of them."""

import gzip
import struct
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from random import Random
from typing import NamedTuple

import h11

SERVER, CLIENT, PORT = 0x0A000001, 0x0A000002, 11210


class Burst(NamedTuple):
    """Bytes that one end sends at once."""

    from_client: bool
    data: bytes


class Talk(NamedTuple):
    """What is said in a connection, and the bodies of records in that, by whether the client sends them."""

    bursts: list[Burst]
    bodies: list[tuple[bool, bytes]]


def _message(role: type, *events: h11.Event, method: bytes = b"GET", more: Sequence[tuple[str, str]] = ()) -> bytes:
    """What one end writes in a connection in which there is one request."""
    asks = h11.Request(method=method, target="/" if method != b"CONNECT" else "r:1", headers=[("Host", "r"), *more])
    client, server = h11.Connection(h11.CLIENT), h11.Connection(h11.SERVER)
    if role is h11.CLIENT:
        return b"".join(client.send(event) or b"" for event in (asks, *events))
    server.receive_data(client.send(asks))
    server.next_event()
    return b"".join(server.send(event) or b"" for event in events)


def request(body: bytes | None = None, *, method: bytes = b"GET", more: Sequence[tuple[str, str]] = ()) -> bytes:
    fields = [*more, *([("Content-Length", str(len(body)))] if body else [])]
    parts = [h11.Data(data=body)] if body else []
    return _message(h11.CLIENT, *parts, h11.EndOfMessage(), method=method, more=fields)


def response(
    parts: Iterable[bytes], fields: Sequence[tuple[str, str]] = (), *, method: bytes = b"GET", status: int = 200
) -> bytes:
    """A response whose body is chunks, unless its fields say otherwise."""
    data = [h11.Data(data=part) for part in parts]
    head = h11.Response(status_code=status, headers=fields, reason=b"any")
    return _message(h11.SERVER, head, *data, h11.EndOfMessage(), method=method)


def sized(body: bytes, fields: Sequence[tuple[str, str]] = (), *, method: bytes = b"GET", status: int = 200) -> bytes:
    parts = [] if method == b"HEAD" else [body]
    return response(parts, [("Content-Length", str(len(body))), *fields], method=method, status=status)


def pieces(body: bytes, random: Random) -> list[bytes]:
    """A body cut anywhere."""
    cuts = sorted(random.randrange(1, len(body)) for _ in range(random.randint(0, 9)))
    return [body[at:end] for at, end in zip([0, *cuts], [*cuts, len(body)], strict=True) if at < end]


def _raw_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": lambda body: gzip.compress(body[:70]) + gzip.compress(body[70:]),
    "deflate": zlib.compress,
    "Deflate": _raw_deflate,
    "identity": bytes,
}


def exchange(kind: str, body: bytes, random: Random) -> Talk:
    """A request and its answer, in which records are sent, or none."""
    ask = Burst(True, request(method=random.choice([b"GET", b"PROPFIND", b"VERSION-CONTROL"])))
    parts = pieces(body, random)
    match kind:
        case "chunked":
            return Talk([ask, Burst(False, response(parts))], [(False, body)])
        case "sized":
            return Talk([ask, Burst(False, sized(body))], [(False, body)])
        case "packed":
            coding = random.choice(list(PACKED))
            packed = PACKED[coding](body)
            fields = [("Content-Encoding", coding)]
            answer = sized(packed, fields) if random.random() < 0.5 else response(pieces(packed, random), fields)
            return Talk([ask, Burst(False, answer)], [(False, body)])
        case "head":
            ask = Burst(True, request(method=b"HEAD"))
            answer = sized(body, method=b"HEAD") if random.random() < 0.5 else response([], method=b"HEAD")
            return Talk([ask, Burst(False, answer)], [])
        case "text":
            kind = random.choice(["text/html", "application/json; charset=utf-8"])
            return Talk([ask, Burst(False, sized(b"{}" * 99, [("Content-Type", kind)]))], [])
        case "nothing":
            status = random.choice([204, 304])
            return Talk([ask, Burst(False, response([], status=status))], [])
        case "continue":
            whole = request(body, method=b"POST", more=[("Expect", "100-continue")])
            goes_on = h11.InformationalResponse(status_code=100, headers=[])
            head = Burst(True, whole[: -len(body)]), Burst(False, _message(h11.SERVER, goes_on))
            return Talk([*head, Burst(True, whole[-len(body) :]), Burst(False, sized(b""))], [(True, body)])
        case "early hints":
            hints = h11.InformationalResponse(status_code=103, headers=[("Link", "x")])
            return Talk([ask, Burst(False, _message(h11.SERVER, hints) * 2 + sized(body))], [(False, body)])
        case "refused upgrade":
            return Talk([Burst(True, request(more=UPGRADE)), Burst(False, response(parts))], [(False, body)])
        case _:
            return _last(kind, body, random)


UPGRADE = [("Connection", "Upgrade"), ("Upgrade", "records")]
EXCHANGES = ["chunked", "sized", "packed", "head", "text", "nothing", "continue", "early-hints", "refused-upgrade"]
LAST = ["upgrade", "connect", "closes", "cut", "unanswered-upgrade", "unanswered-connect", "half-a-head"]


def _last(kind: str, body: bytes, random: Random) -> Talk:
    """An exchange behind which there is no other one."""
    upgrades, tunnels = Burst(True, request(more=UPGRADE)), Burst(True, request(method=b"CONNECT"))
    match kind:
        case "upgrade":
            switch = b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: records\r\n\r\n"
            return Talk(
                [upgrades, Burst(False, switch), Burst(True, body), Burst(False, body)], [(True, body), (False, body)]
            )
        case "connect":
            opened = Burst(False, b"HTTP/1.1 200 Connection established\r\n\r\n")
            return Talk([tunnels, opened, Burst(True, body), Burst(False, body)], [(True, body), (False, body)])
        case "closes":
            return Talk(
                [Burst(True, request()), Burst(False, b"HTTP/1.0 200 OK\r\nContent-Type: x/y\r\n\r\n" + body)],
                [(False, body)],
            )
        case "cut":
            return Talk(
                [Burst(True, request()), Burst(False, sized(body + bytes(999))[: -random.randint(999, 999)])],
                [(False, body)],
            )
        case "unanswered upgrade":
            return Talk([upgrades], [])
        case "unanswered connect":
            return Talk([tunnels], [])
        case _:
            return Talk([Burst(True, request()[:-3]), Burst(False, sized(body)[:19])], [])


def talk(body: Callable[[], bytes], random: Random) -> Talk:
    """Exchanges one after the other, or requests in front of the answers to others."""
    kinds = [random.choice(EXCHANGES) for _ in range(random.randint(0, 6))]
    pipelined = [each for each in kinds if each != "continue"] if random.random() < 0.3 else None
    found = [exchange(kind.replace("-", " "), body(), random) for kind in (kinds if pipelined is None else pipelined)]
    bursts = [burst for each in found for burst in each.bursts]
    if pipelined is not None:
        bursts.sort(key=lambda burst: not burst.from_client)
    if random.random() < 0.6:
        last = exchange(random.choice(LAST).replace("-", " "), body(), random)
        found.append(last)
        bursts += last.bursts
    return Talk(bursts, [each for one in found for each in one.bodies])


def _packet(from_client: bool, sequence: int, data: bytes, flags: int) -> bytes:
    ends, ports = ((CLIENT, SERVER), (50000, PORT)) if from_client else ((SERVER, CLIENT), (PORT, 50000))
    tcp = struct.pack(">2H2I2B3H", *ports, sequence % (1 << 32), 1, 5 << 4, flags, 0xFFFF, 0, 0) + data
    return struct.pack(">BBHHHBBHII", 0x45, 0, 20 + len(tcp), 7, 0, 64, 6, 0, *ends) + tcp


def recorded(
    bursts: Iterable[Burst],
    size: Callable[[], int],
    *,
    syn: bool = True,
    lost: Callable[[bool, int, int], bool] = lambda *_: False,
) -> bytes:
    """A pcap file of raw IP with segments of so many bytes, but for those that are ``lost``: they are asked for by
    who sends them, and where in the stream they begin and end.
    """
    places, packets = {True: 0, False: 0}, []
    if syn:
        packets += [_packet(way, 0, b"", 2 if way else 18) for way in (True, False)]
    for burst in bursts:
        at = 0
        while at < len(burst.data):
            part, place = burst.data[at : at + size()], places[burst.from_client]
            if not lost(burst.from_client, place, place + len(part)):
                packets.append(_packet(burst.from_client, 1 + place, part, 0x18))
            at, places[burst.from_client] = at + len(part), place + len(part)
    head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 0x40000, 101)
    return head + b"".join(
        struct.pack("<4I", 1 + number, 0, len(packet), len(packet)) + packet for number, packet in enumerate(packets)
    )


@contextmanager
def steps(most: int) -> Iterator[None]:
    """See that no more functions are called than so many, whatever they are: what goes round and round is ended."""
    count = 0

    def step(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")
        if count > most:
            sys.setprofile(None)
            raise AssertionError(f"more than {most} steps")

    before = sys.getprofile()
    sys.setprofile(step)
    try:
        yield
    finally:
        sys.setprofile(before)
