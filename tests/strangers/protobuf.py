"""Messages as Google's package writes them, and the fields that it reads where it does not know what they mean."""

from collections.abc import Iterator
from io import BytesIO
from typing import Any

from google.protobuf import descriptor_pb2, empty_pb2, struct_pb2, timestamp_pb2
from google.protobuf.message import Message
from google.protobuf.proto import serialize_length_prefixed
from google.protobuf.unknown_fields import UnknownFieldSet

from strangers import Capture

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
