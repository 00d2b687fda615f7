"""Messages as Google's package writes them, and the fields that it reads where it does not know what they mean."""

from collections.abc import Iterator
from io import BytesIO
from random import Random
from typing import Any

from google.protobuf import descriptor_pb2, empty_pb2, struct_pb2, timestamp_pb2
from google.protobuf.message import Message
from google.protobuf.proto import serialize_length_prefixed
from google.protobuf.unknown_fields import UnknownFieldSet

from protocols.strangers import Capture

VALUES = {0: "varint", 1: "i64", 2: "len", 5: "i32"}
"""Our columns by wire type."""


def captures() -> Iterator[Capture]:
    """Messages of many kinds, laid end to end."""
    numbers = struct_pb2.Struct()
    numbers.update({"pi": 3.25, "yes": True, "texts": ["a", "näh" * 50], "none": None})
    options = descriptor_pb2.FieldOptions(
        packed=True, uninterpreted_option=[{"double_value": -0.5, "negative_int_value": -7}]
    )
    messages: list[Message] = [
        empty_pb2.Empty(),
        timestamp_pb2.Timestamp(seconds=-1, nanos=999_999_999),
        numbers,
        options,
    ]
    made = BytesIO()
    for message in messages:
        serialize_length_prefixed(message, made)
    yield Capture("delimited", made.getvalue(), tuple(map(_read, messages)))


def _read(message: Message) -> dict[str, Any]:
    """The fields that the package finds in the bytes of a message."""
    fields = UnknownFieldSet(empty_pb2.Empty.FromString(message.SerializeToString()))
    found = [
        {"field_number": field.field_number, "wire_type": field.wire_type, VALUES[field.wire_type]: field.data}
        for field in fields
    ]
    return {"message_size": message.ByteSize(), "any_message": {"fields": found}}


def varied(random: Random) -> Iterator[Capture]:
    """Fields of any number, groups, and varints that are longer than need be, as writers have them that set aside room
    for a size before they know it.
    """
    while True:
        fields = b"".join(_field(random, 3) for _ in range(random.randrange(6)))
        message = empty_pb2.Empty.FromString(fields)
        row = {"any_message": {"fields": list(_unknown(UnknownFieldSet(message)))}}
        yield Capture("any", _varint(random, len(fields)) + fields, (row,))


def _field(random: Random, depth: int) -> bytes:
    number = random.choice((1, 15, 16, random.randrange(1, 1 << 29)))
    match random.randrange(5 if depth else 4):
        case 0:
            return _varint(random, number << 3) + _varint(random, random.getrandbits(random.choice((1, 32, 64))), 10)
        case 1:
            return _varint(random, number << 3 | 1) + random.randbytes(8)
        case 2:
            data = random.randbytes(random.choice((0, 5, 200)))
            return _varint(random, number << 3 | 2) + _varint(random, len(data)) + data
        case 3:
            return _varint(random, number << 3 | 5) + random.randbytes(4)
    inner = b"".join(_field(random, depth - 1) for _ in range(random.randrange(3)))
    return _varint(random, number << 3 | 3) + inner + _varint(random, number << 3 | 4)


def _varint(random: Random, number: int, longest: int = 5) -> bytes:
    """A number in as many bytes as it needs, or in more."""
    size = max(1, -(-number.bit_length() // 7))
    size = random.randint(size, longest) if random.random() < 0.2 else size
    return bytes(number >> 7 * place & 0x7F | (0x80 if place < size - 1 else 0) for place in range(size))


def _unknown(fields: UnknownFieldSet) -> Iterator[dict[str, Any]]:
    for field in fields:
        own = {"field_number": field.field_number, "wire_type": field.wire_type}
        if field.wire_type in VALUES:
            yield own | {VALUES[field.wire_type]: field.data}
        else:  # a group: what is in it stands between its ends
            yield own
            yield from _unknown(field.data)
            yield own | {"wire_type": 4}
