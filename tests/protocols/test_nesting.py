"""MessagePack of any depth: beside the package msgpack, and as hostile bytes."""

from random import Random
from typing import Any

import msgpack
import pytest

from protocols import strangers
from protocols.strangers import messagepack
from wireloom.codec import DecodeError, EncodeError

PROTOCOL = strangers.protocol("messagepack")
DEPTH, LIMIT = 8, 64
"""How many values inside each other have columns, and how many there can be."""


def _nested(count: int) -> Any:
    """So many values inside each other, in arrays and maps in turn."""
    value: Any = "innermost"
    for level in range(1, count):
        value = {level: value, "beside": [level]} if level % 3 == 0 else [level, value, b""]
    return value


def test_values_of_every_depth_are_those_of_the_package() -> None:
    for count in range(1, LIMIT + 1):
        value = _nested(count)
        data = msgpack.packb(value)
        row = PROTOCOL.codec.parse(data)
        assert messagepack.told(row) == {"object": {"value": value}}
        assert PROTOCOL.codec.build(row) == data


def test_what_is_below_the_depth_is_the_bytes_of_the_package() -> None:
    for count in (DEPTH, DEPTH + 1, LIMIT):
        value = 0
        for _ in range(count - 1):
            value = [value]
        found, inner = PROTOCOL.codec.parse(msgpack.packb(value))["object"]["value"], value
        for _ in range(DEPTH - 1):
            found, inner = found["items"][0], inner[0]
        assert (found["items"] or []) == ([] if count == DEPTH else [msgpack.packb(inner[0])])


def test_tables_have_the_same_rows_and_are_written_back() -> None:
    data = b"".join(msgpack.packb(_nested(count)) for count in range(1, LIMIT + 1))
    table = PROTOCOL.columnar.decode_columnar(data)
    assert [messagepack.told(row)["object"]["value"] for row in table.to_pylist()] == [
        _nested(count) for count in range(1, LIMIT + 1)
    ]
    assert PROTOCOL.columnar.encode_columnar(table) == data


def test_one_value_more_is_malformed() -> None:
    with pytest.raises(DecodeError) as told:
        PROTOCOL.codec.parse(msgpack.packb(_nested(LIMIT + 1)))
    assert (told.value.code, told.value.detail) == ("too-deep", "nested deeper than 64")
    row = PROTOCOL.codec.parse(msgpack.packb(_nested(LIMIT)))
    value = row["object"]["value"]
    while isinstance(value["items"][1], dict):
        value = value["items"][1]
    value["items"][1] = msgpack.packb(_nested(LIMIT - DEPTH + 1))
    with pytest.raises(EncodeError, match="nested deeper than 64"):
        PROTOCOL.codec.build(row)


@pytest.mark.parametrize(
    "data",
    [
        b"\x91" * 100_000 + b"\xc0",
        b"\x91" * 100_000,
        b"\x81\x00" * 100_000 + b"\xc0",
        b"\x92\xc0" * 100_000,
        b"\xdd\x00\x00\x00\x01" * 100_000,
    ],
    ids=["arrays", "without an end", "maps", "second elements", "arrays of 32 bits"],
)
def test_hostile_depth_is_one_malformed_row(data: bytes) -> None:
    (row,) = PROTOCOL.codec.iter_records(data, "PERMISSIVE")
    (other,) = PROTOCOL.columnar.decode_columnar(data, mode="PERMISSIVE").to_pylist()
    for found in (row, other):
        assert found["_corrupt_record"] == data
        assert found["_corrupt_reason"].startswith("too-deep: ")
        assert found["_corrupt_reason"].endswith(": nested deeper than 64")


def test_hostile_breadth_below_the_depth_takes_each_byte_once() -> None:
    """Many values, each of them as deep as it can be: a reader that looked twice at each depth would never end."""
    deep = b"\x91" * (LIMIT - 2) + b"\xc0"
    data = b"\xdc\x00\xc8" + deep * 200
    assert PROTOCOL.codec.build(PROTOCOL.codec.parse(data)) == data


def test_damaged_bytes_below_the_depth_are_what_the_package_finds() -> None:
    random, data = Random(1), msgpack.packb(_nested(30))
    for _ in range(300):
        place = random.randrange(len(data))
        damaged = data[:place] + random.randbytes(1) + data[place + 1 :]
        try:
            value = messagepack.value(damaged)
        except TypeError:
            continue  # an array as the key of a map
        except (ValueError, msgpack.UnpackException):
            with pytest.raises(DecodeError):
                PROTOCOL.codec.parse(damaged)
            continue
        assert messagepack.told(PROTOCOL.codec.parse(damaged)) == {"object": {"value": value}}
