"""Lists in several messages whose items are read together, where no record that programs write has any."""

from support import accelerator, compiled

SPEC = """
protocol: empty_lists
byte_order: big
record:
  length: 2 + size
  fields: [{name: kind, type: u8}, {name: size, type: u8, derive: size(body)}, {section: body, size: rest}]
types: [{name: Item, fields: [{name: number, type: leb128_u32, raw: number_bytes}]}]
---
message: one
match: {kind: 1}
sections: {body: [{name: items, type: Item, repeat: rest}]}
---
message: two
match: {kind: 2}
sections: {body: [{name: before, type: u16}, {name: items, type: Item, repeat: rest}]}
"""
KEPT = bytes.fromhex("0102 8000 0204 0001 8100")
"""A record of each message with a number in more bytes than it needs, which only the codec writes."""


@accelerator.off_and_on
def test_messages_without_items_are_encoded_together(accelerated: bool) -> None:
    """Their programs have the list at different places."""
    data = bytes.fromhex("0100 02020001") * 200 + KEPT
    protocol = compiled.of(SPEC).columnar
    assert bytes(protocol.encode_columnar(protocol.decode_columnar(data))) == data
