"""Streams of Databus that are written as words.

``10a`` is a change of the key ``a`` in the window 10, ``10A`` the same in version 2;
``10.`` is the end of the window and ``10;`` that of version 2; ``10<`` is an SCN regress to 10, ``0?`` a checkpoint,
and ``!`` an event that was damaged.
"""

from typing import Any

from wireloom_protocols import databus

SOURCES = {".": -2, ";": -2, "<": -51, "?": -3}
CHECKPOINT = (
    b'{"prevScn":8,"windowScn":9,"windowOffset":-1,"consumption_mode":"ONLINE_CONSUMPTION","snapshot_offset":-1}'
)


def v1(sequence: int, src_id: int = 40, **values: Any) -> bytes:
    others = {"physical_partition_id": 1, "logical_partition_id": 2, "nano_timestamp": 5, "schema_id": bytes(16)}
    fields = {"sequence": sequence, "src_id": src_id, "key": 0, "value": b"", **others, **values}
    return databus.build({"dbus_event": fields}, byte_order="big")


def v2(sequence: int, src_id: int = 40, **values: Any) -> bytes:
    fields = {"sequence": sequence, "src_id": src_id, "partition_id": 1, "nano_timestamp": 5}
    key = {} if {"key_bytes", "key_with_schema"} & values.keys() else {"key_type": 1, "key": 0}
    return databus.build({"dbus_event_v2": {**fields, **key, **values}}, byte_order="little")


def stream(text: str) -> bytes:
    """The events that are written in a text."""
    return b"".join(map(_event, text.split()))


def _event(word: str) -> bytes:
    if word == "!":
        data = v1(7)
        return data[:20] + bytes([data[20] ^ 1]) + data[21:]
    sequence, letter = int(word[:-1]), word[-1]
    if letter == ";":
        return v2(sequence, -2)
    if letter in SOURCES:
        return v1(sequence, SOURCES[letter], value=b"" if letter == "." else CHECKPOINT)
    if letter.isupper():
        return v2(sequence, opcode=1, key=ord(letter.lower()))
    return v1(sequence, opcode=1, key=ord(letter))
