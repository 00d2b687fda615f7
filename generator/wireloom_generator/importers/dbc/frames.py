"""The frames of a CAN bus, as captures of Linux have them."""

from wireloom_generator.importers.dbc.layout import Fields
from wireloom_generator.spec_text import YamlValue

DATA = "data"
"""The section of a frame that messages fill."""
CLASSIC_BYTES = 8
"""How many bytes a frame carries that is not of CAN FD."""


def record(*, has_fd: bool, is_j1939: bool) -> tuple[YamlValue, frozenset[str]]:
    """A frame as in captures of Linux, and the names of its columns."""
    identifier: Fields = [{"name": "identifier", "width": 29}]
    if is_j1939:
        identifier = [
            {"name": "priority", "width": 3, "default": 6},
            {"name": "extended_data_page", "width": 1, "default": False},
            {"name": "data_page", "width": 1, "default": False},
            {"name": "pdu_format", "width": 8},
            {
                "name": "pdu_specific",
                "width": 8,
                "doc": "Destination, or with a pdu_format from 240 on part of the number.",
            },
            {"name": "source_address", "width": 8},
        ]
    flags: Fields = [
        {"name": "is_extended", "width": 1, "doc": "Whether the identifier has 29 bits, not 11."},
        {"name": "is_remote", "width": 1, "default": False, "doc": "Whether it requests a frame, without data."},
        {"name": "is_error", "width": 1, "default": False},
    ]
    fd: YamlValue = f"4 if size({DATA}) > {CLASSIC_BYTES} else 0" if has_fd else 0
    room = "64 if fd_flags & 4 != 0 else 8" if has_fd else "8"
    fields: Fields = [
        {"bits": "u32", "name": "can_id", "byte_order": "big", "fields": [*flags, *identifier]},
        {"name": "data_size", "type": "u8", "derive": f"size({DATA})", "unit": "bytes"},
        {"name": "fd_flags", "type": "u8", "default": fd, "doc": "4 is a frame of CAN FD, 1 its faster bit rate."},
        {"name": "reserved", "type": "u8", "reserved": True},
        {"name": "raw_dlc", "type": "u8", "default": 0, "doc": "9 to 15 if the frame says so instead of 8."},
        {"section": DATA, "size": "data_size", "trailing": "unknown_data"},
        {"pad": f"({room}) - data_size" if has_fd else "8 - data_size"},
    ]
    record: YamlValue = {
        "length": "72 if fd_flags & 4 != 0 else 16" if has_fd else 16,
        "doc": (
            "A frame as in captures of Linux: struct can_frame with a big-endian identifier, which is a packet of link "
            "type 227."
        ),
        "source": {"document": "LINKTYPE_CAN_SOCKETCAN"},
        "fields": fields,
    }
    names = {
        str(each["name"]) for each in [*flags, *identifier, *fields[:-2]] if isinstance(each, dict) and "name" in each
    }
    return record, frozenset({*names, DATA, "unknown_data"})
