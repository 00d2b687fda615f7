"""Records that are not wanted are told by their headers: the codec, which takes a hundred times as long, sees none."""

from collections.abc import Iterator
from typing import Any

import pytest
from support.paths import ROOT

from wireloom import columnar
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.filters import filters_of
from wireloom.options import Mode, ReadOptions
from wireloom.views import View
from wireloom_protocols import couchbase_dcp, databus

SESSION = ROOT / "examples/captures/couchbase_dcp/session.bin"
SOUND = couchbase_dcp.encode_columnar(couchbase_dcp.decode_columnar(SESSION, mode="DROPMALFORMED")).to_pybytes()
EVENTS = databus.encode_columnar(
    databus.decode_columnar(ROOT / "examples/captures/databus/examples.bin", mode="DROPMALFORMED")
).to_pybytes()


@pytest.fixture
def by_codec(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The offsets of records that the codec reads."""
    seen: list[int] = []
    row = Decoder.row

    def counted(self: Decoder, *given: Any, **more: Any) -> Any:
        seen.append(given[2])
        return row(self, *given, **more)

    monkeypatch.setattr(Decoder, "row", counted)
    return seen


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize(
    ("options", "filters"),
    [
        ({"message": "mutation"}, []),
        ({"messages": "snapshot_marker,system_event"}, []),
        ({}, [("message", "=", "mutation")]),
        ({}, [("opcode", "in", [0x56, 0x57])]),
        ({}, [("vbucket", ">", 70_000)]),
    ],
)
def test_codec_sees_no_record_that_is_not_wanted(
    options: dict[str, str], filters: list[Any], mode: Mode, by_codec: list[int]
) -> None:
    protocol = couchbase_dcp.PROTOCOL
    chosen = ReadOptions.of({"mode": mode, **options}, protocol.parameters, protocol.messages)
    schema = columnar.arrow_schema(View(protocol, chosen).columns)
    rows = sum(map(len, Decoder(protocol, chosen, schema, filters_of(filters, protocol)).capture(SOUND * 3)))
    assert bool(rows) is (("vbucket", ">", 70_000) not in filters)
    assert not by_codec


def test_of_two_byte_orders_as_well(by_codec: list[int]) -> None:
    found = databus.decode_columnar(EVENTS * 2, message="dbus_event_v2")
    assert set(found["message"].to_pylist()) == {"dbus_event_v2"}
    assert set(databus.decode_columnar(EVENTS)["message"].to_pylist()) == {"dbus_event", "dbus_event_v2"}
    assert not by_codec
