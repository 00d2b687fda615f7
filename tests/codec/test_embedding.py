"""Generated constructs among others: inside a user's struct, on a stream, in another process."""

import io
import pickle
from decimal import Decimal

import pytest
from construct import Int8ub, Struct

from wireloom.codec import DecodeError, EncodeError
from wireloom_protocols import couchbase_dcp, databus

MARKER = bytes.fromhex(
    "80560000 14000000 00000014 deadbeef 0000000000000000 0000000000000000 0000000000000008 00000001"
)
EVENT = bytes.fromhex(
    "00f735a26f440000000100e80300000000000007001e00154d90774f08d5120f00"
    "6162636465666768696a6b6c6d6e6f706bb540df39300000000000007061796c6f6164"
)
"""Little-endian."""


def test_a_message_stands_in_a_struct_of_the_user() -> None:
    tagged = Struct("tag" / Int8ub, "marker" / couchbase_dcp.snapshot_marker)
    values = tagged.parse(b"\x07" + MARKER)
    assert values.marker.end_seqno == 8
    assert tagged.build(values) == b"\x07" + MARKER


def test_parameters_reach_a_message_in_a_struct() -> None:
    tagged = Struct("tag" / Int8ub, "event" / databus.dbus_event)
    assert tagged.parse(b"\x07" + EVENT, repl_dbus=True).event.schema_version == 0x6261
    with pytest.raises(DecodeError):
        tagged.parse(b"\x07" + EVENT, byte_order="big")


@pytest.mark.parametrize(
    ("construct", "record"), [(couchbase_dcp.snapshot_marker, MARKER), (databus.dbus_event, EVENT)]
)
def test_a_stream_is_read_up_to_the_records_end(construct: Struct, record: bytes) -> None:
    class Pipe(io.RawIOBase):
        """Cannot go back."""

        def __init__(self) -> None:
            self.rest = record * 2 + b"more"

        def readable(self) -> bool:
            return True

        def read(self, size: int = -1) -> bytes:
            found, self.rest = self.rest[:size], self.rest[size:]
            return found

    pipe = Pipe()
    assert construct.parse_stream(pipe) == construct.parse(record)
    construct.parse_stream(pipe)
    assert pipe.rest == b"more"


def test_everything_pickles_by_import() -> None:
    assert pickle.loads(pickle.dumps(databus.dbus_event)) is databus.dbus_event
    assert pickle.loads(pickle.dumps(databus.PROTOCOL)) is databus.PROTOCOL
    assert pickle.loads(pickle.dumps(databus.parse))(EVENT).version == 0


def test_errors_come_back_from_other_processes() -> None:
    decoding = pickle.loads(pickle.dumps(DecodeError("text", "not utf-8", 7, "key")))
    assert decoding.reason == "text: key at byte 7: not utf-8"
    encoding = EncodeError("missing", "key")
    encoding.row = 7
    copied = pickle.loads(pickle.dumps(encoding))
    assert (str(copied), copied.row) == ("key: missing", 7)


def test_a_table_s_decimals_are_numbers() -> None:
    row = couchbase_dcp.parse(MARKER)
    row.cas = Decimal(5)
    assert couchbase_dcp.parse(couchbase_dcp.build(row)).cas == 5
    row.cas = Decimal("5.5")
    with pytest.raises(EncodeError, match=r"cas: a whole number expected, not 5\.5"):
        couchbase_dcp.build(row)
    row.cas = Decimal(10**37)  # more digits than Python's decimals are reckoned with
    with pytest.raises(EncodeError, match=f"cas: {10**37} does not fit 64 bits"):
        couchbase_dcp.build(row)


def test_a_header_field_is_blamed_as_what_it_is() -> None:
    row = couchbase_dcp.parse(MARKER)
    row.vbucket = 70000
    with pytest.raises(EncodeError, match=r"^vbucket: 70000 does not fit 16 bits$"):
        couchbase_dcp.build(row)
