"""MAVLink dialects with packets of MAVLink 1: one spec reads and writes both versions as ``pymavlink`` does."""

from pathlib import Path
from random import Random
from types import ModuleType

import pymavlink
import pytest
from pymavlink.dialects.v10 import common as first
from pymavlink.dialects.v20 import common as second
from support.compiled import compiled
from support.lockstep import Pair, capture_alike

from importers.imports import Result
from importers.mavlink_packets import column, meant, random_values, sent, shown
from wireloom.codec import DecodeError
from wireloom_generator import importing, on_disk
from wireloom_generator.importers.mavlink import WITH_FIRST_VERSION

DIALECT = Path(pymavlink.__file__).parent / "dialects" / "v20" / "common.xml"


@pytest.fixture(scope="module")
def of_both(tmp_path_factory: pytest.TempPathFactory) -> Result:
    written = importing.imported([DIALECT], WITH_FIRST_VERSION, tmp_path_factory.mktemp("specs"))
    assert [str(problem) for problem in written.problems] == []
    on_disk.put(dict(written.files))
    return Result(written, compiled(next(iter(written.files)).parent))


def packets(dialect: ModuleType, seed: str) -> list[tuple[str, bytes]]:
    """A packet of each message, its fields zero or not by chance."""
    random = Random(seed)
    kinds = sorted(dialect.mavlink_map.values(), key=lambda kind: kind.id)
    values = ((kind, random_values(kind, random, random.choice((0, 0.5, 1)))) for kind in kinds if kind.id >= 0)
    return [(kind.msgname, sent(dialect, kind.msgname, said)) for kind, said in values]


@pytest.mark.parametrize("dialect", [first, second], ids=["MAVLink 1", "MAVLink 2"])
def test_each_message_is_read_and_written_as_pymavlink_does(of_both: Result, dialect: ModuleType) -> None:
    assert ("1.0" if dialect is first else "2.0") == dialect.WIRE_PROTOCOL_VERSION
    codec = of_both.protocol.codec
    for name, packet in packets(dialect, "each"):
        (row,) = codec.iter_records(packet)
        values, expected = shown(row[row["message"]]), meant(dialect, packet)
        assert row["message"] == column(name)
        assert {key: values[key] for key in expected} == expected, name
        assert codec.build(row) == packet
        if dialect is first:  # a row without the header's numbers that follow from it is written as well
            assert row["incompatibility_flags"] is None
            given = {key: value for key, value in row.items() if key not in ("payload_size", "message_number")}
            assert codec.build(given) == packet


def test_extensions_are_not_sent_in_the_first_version(of_both: Result) -> None:
    kind = first.mavlink_map[first.MAVLINK_MSG_ID_STATUSTEXT]
    assert "chunk_seq" not in kind.fieldnames
    (row,) = of_both.protocol.codec.iter_records(sent(first, "STATUSTEXT", {"severity": 4, "text": b"low"}))
    assert (row["statustext"]["text"], row["statustext"]["chunk_seq"]) == ("low", None)


def test_a_stream_of_both_versions_is_read_with_one_spec(of_both: Result) -> None:
    both = [one for pair in zip(packets(first, "a"), packets(second, "b"), strict=False) for one in pair]
    rows = list(of_both.protocol.codec.iter_records(b"".join(packet for _, packet in both)))
    assert [row["message"] for row in rows] == [column(name) for name, _ in both]
    capture_alike(Pair.of(of_both.protocol.columnar), b"".join(packet for _, packet in both[:60]))


def test_the_seed_of_the_checksum_is_that_without_extensions(of_both: Result) -> None:
    packet = bytearray(sent(first, "STATUSTEXT", {"severity": 4, "text": b"low"}))
    packet[-1] ^= 1
    with pytest.raises(DecodeError, match="checksum"):
        list(of_both.protocol.codec.iter_records(bytes(packet)))
