"""MAVLink packets around the messages of a dialect, as the documents of MAVLink describe them."""

from dataclasses import dataclass

from wireloom_generator.spec_text import Hex, Noted, YamlValue

Yaml = dict[str, YamlValue]
FIRST_VERSION = "magic == 0xfe"
"""Whether a packet is of MAVLink 1."""
MOST_OF_FIRST = 255
"""The highest number of a message that MAVLink 1 can send."""


@dataclass(frozen=True, slots=True)
class DialectPackets:
    """The record of a protocol of packets, which may also be ``of_first_version``."""

    title: str
    doc: str
    record: Yaml
    of_first_version: bool = False

    @property
    def taken(self) -> set[str]:
        """Names that fields of messages cannot have."""
        return {*_HEADER, "fields_as_sent", "newer_fields"}


SIGNED: Yaml = {
    "name": "IncompatibilityFlag",
    "doc": "What a receiver must know to understand a packet.",
    "values": [{"name": "MAVLINK_IFLAG_SIGNED", "value": Hex(1)}],
}
_IS_SIGNED = "incompatibility_flags & 1 != 0"
_SIZE: Yaml = {"name": "payload_size", "type": "u8", "derive": "size(body)", "unit": "bytes"}
_FLAGS: list[Yaml] = [
    {
        "name": "incompatibility_flags",
        "type": "u8",
        "flags": "IncompatibilityFlag",
        "default": "1 if present(link_id) else 0",
    },
    {"name": "compatibility_flags", "type": "u8", "default": 0},
]
_SENDER: list[Yaml] = [
    {"name": "packet_sequence", "type": "u8", "doc": "Counts the packets of a component."},
    {"name": "system_id", "type": "u8"},
    {"name": "component_id", "type": "u8"},
]
_NUMBER: Yaml = {"name": "message_number", "type": "u24"}
_REST: list[Yaml] = [
    {"section": "body", "size": "payload_size"},
    {"section": "tail", "size": 2},
    {"name": "link_id", "type": "u8", "when": _IS_SIGNED},
    {"name": "signed_at", "type": "u48", "when": _IS_SIGNED, "unit": "10 µs", "doc": "Since 2015-01-01."},
    {
        "name": "signature",
        "type": "bytes",
        "size": 6,
        "when": _IS_SIGNED,
        "doc": "The first bytes of a SHA-256.",
    },
]
_FIELDS: list[Yaml] = [{"name": "magic", "type": "u8", "const": Hex(0xFD)}, _SIZE, *_FLAGS, *_SENDER, _NUMBER, *_REST]
_HEADER = frozenset(str(each.get("name", each.get("section"))) for each in _FIELDS)
_LOGGED: Yaml = {"name": "logged_at", "type": "u64", "byte_order": "big", "as": {"timestamp": {"unit": "us"}}}


def _fields(first: Yaml, *others: YamlValue) -> list[YamlValue]:
    """The fields of the record, and how a log of packets begins, as a comment."""
    told = "For telemetry logs (.tlog), which have a time before each packet, begin with this, and add 8 to the length:"
    return [Noted(first, told, instead=[_LOGGED]), *others]


OF_SECOND = DialectPackets(
    "MAVLink 2",
    "Packets of MAVLink 2. Zeros at the end of a payload are not sent; if they are, the payload is kept as it was "
    "sent.",
    {
        "length": f"12 + payload_size + (13 if {_IS_SIGNED} else 0)",
        "proof": {"valid": "magic == 0xfd"},
        "fields": _fields(*_FIELDS),
    },
)
_EITHER = "magic in [0xfe, 0xfd]"
OF_BOTH = DialectPackets(
    "MAVLink",
    "Packets of MAVLink 1 and MAVLink 2. In those of MAVLink 2, zeros at the end of a payload are not sent; if they "
    "are, the payload is kept as it was sent. Those of MAVLink 1 have all fields, but no extensions.",
    {
        "length": f"payload_size + (8 if {FIRST_VERSION} else 25 if {_IS_SIGNED} else 12)",
        "proof": {"valid": _EITHER},
        "fields": _fields(
            {"name": "magic", "type": "u8", "valid": _EITHER, "default": Hex(0xFD), "doc": "0xfe is MAVLink 1."},
            _SIZE,
            *({**each, "when": "magic == 0xfd"} for each in _FLAGS),
            *_SENDER,
            {
                "choice": [
                    {"when": FIRST_VERSION, "fields": [{"name": "message_number", "type": "u8"}]},
                    {"fields": [_NUMBER]},
                ]
            },
            *_REST,
        ),
    },
    of_first_version=True,
)
