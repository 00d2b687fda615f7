"""The header and the sections of a frame of the binary protocol, read from its bytes by hand."""

import struct
from typing import Any

FLEXIBLE = (0x08, 0x18)
REQUESTS = (0x80, 0x08, 0x82)
SERVER = (0x82, 0x83)


def sections(data: bytes) -> dict[str, bytes]:
    """The frame's sections, cut by hand."""
    framing, key = (data[2], data[3]) if data[0] in FLEXIBLE else (0, int.from_bytes(data[2:4], "big"))
    ends = [24, 24 + framing, 24 + framing + data[4], 24 + framing + data[4] + key, len(data)]
    names = ("framing_extras", "extras", "key", "value")
    return {name: data[ends[index] : ends[index + 1]] for index, name in enumerate(names)}


def header(data: bytes) -> dict[str, Any]:
    """The header's columns, read by hand."""
    magic, opcode, first, second, extras, datatype, sixth, body, opaque, cas = struct.unpack_from(">6BHIIQ", data)
    flexible = magic in FLEXIBLE
    return {
        "magic": magic,
        "opcode": opcode,
        "framing_extras_length": first if flexible else None,
        "key_length": second if flexible else first << 8 | second,
        "extras_length": extras,
        "datatype": datatype,
        "vbucket": sixth if magic in REQUESTS else None,
        "status": None if magic in REQUESTS else sixth,
        "total_body_length": body,
        "opaque": opaque,
        "cas": cas,
    }
