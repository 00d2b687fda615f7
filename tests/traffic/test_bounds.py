"""Recordings of many connections: what is held of each of them, and of all."""

import gc
import io
import sys
from collections.abc import Iterable, Iterator
from types import FunctionType, ModuleType
from typing import Any

import pyarrow as pa
import pytest
from support.dcp_sessions import mutation

from traffic.forged import ip, pcap, tcp
from wireloom.codec import Protocol
from wireloom.codec.framing import Framing
from wireloom.codec.parameter_discovery import FoundParameter
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.scanning import Cuts
from wireloom.columnar.traffic import reading
from wireloom.columnar.traffic.conversations import Said
from wireloom.columnar.traffic.payloads import Carried
from wireloom.columnar.traffic.reading import Traffic
from wireloom.kinds import Recording
from wireloom.options import CaptureKind, Mode, ReadOptions, resolve
from wireloom_protocols import couchbase_dcp

FRAME = couchbase_dcp.build(mutation(1, 1, "key", "value"))
FRAMES = [couchbase_dcp.build(mutation(1, number + 1, f"key{number}", "value" * 9)) for number in range(500)]
NOOPS = 500 * [couchbase_dcp.build({"message": "noop"})]


class Watched(Traffic):
    """Notes what each conversation weighs behind each batch of packets."""

    def __init__(self) -> None:
        protocol = couchbase_dcp.PROTOCOL
        options = ReadOptions(Mode.PERMISSIVE, connections=True, parameters=resolve(protocol.parameters, {}))
        super().__init__(Decoder(protocol, options, pa.schema([])))
        self.held: list[list[int]] = []

    def follow(self, batches: Iterable[Iterable[Carried]], *, final: bool = True) -> Iterator[Cuts]:
        def watched() -> Iterator[Iterable[Carried]]:
            for batch in batches:
                yield batch
                self.held.append([weight(each) for each in self.conversations.values()])

        return super().follow(watched(), final=final)


_SHARED = (Decoder, Framing, FunctionType, ModuleType, Protocol, FoundParameter, type)


def weight(thing: object) -> int:
    """How many bytes something takes with all that it refers to, but for what all have in common."""
    seen: dict[int, Any] = {}
    left = [thing]
    while left:
        each = left.pop()
        if id(each) not in seen and not isinstance(each, _SHARED):
            seen[id(each)] = each
            left += gc.get_referents(each)
    return sum(map(sys.getsizeof, seen.values()))


def watched(packets: Iterable[bytes]) -> tuple[list[str], list[list[int]]]:
    """The connections of all rows, and what conversations weigh behind each batch of packets."""
    traffic, names = Watched(), []
    for cuts in traffic.found([Recording("", CaptureKind.PCAP, io.BytesIO(pcap(packets)).readinto)]):
        assert cuts.provenance is not None
        names += [cuts.provenance.names[number] for number in cuts.provenance.connections.tolist()]
    return names, traffic.held


@pytest.mark.parametrize("opened", [True, False])
@pytest.mark.parametrize(("frames", "most"), [(FRAMES, 3000), (NOOPS, 4200)], ids=["changes", "nothing told yet"])
def test_a_silent_conversation_is_light(frames: list[bytes], most: int, opened: bool) -> None:
    data = b"".join(frames)[:-20]
    packets = [ip(tcp(data[at : at + 1000], 1 + at)) for at in range(0, len(data), 1000)]
    names, weights = watched([ip(tcp(b"", 0, 2)), *packets] if opened else packets)
    assert len(names) == len(frames)
    ((found,),) = weights
    assert 1000 < found < most


def test_no_more_conversations_are_held_than_are_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_CONVERSATIONS", 40)
    monkeypatch.setattr(reading, "_PACKETS", 25)
    together: list[int] = []

    def noted(traffic: Traffic, said: list[Said], real: Any = reading._together) -> Iterator[Cuts]:
        together.append(len(said))
        return real(traffic, said)

    monkeypatch.setattr(reading, "_together", noted)
    ports = range(1024, 1324)
    names, weights = watched(ip(tcp(FRAME + FRAME[:9], 0, 2, (11210, port))) for port in ports)
    assert [len(each) for each in weights] == [25, *[40] * 11]
    assert together[:12] == [25, 25 + 10, *[25 + 25] * 10]
    ends = [f"0.0.0.1:11210-10.0.0.2:{port}" for port in ports]
    assert names[:25] == ends[:25]
    assert sorted(names) == sorted(2 * ends)
