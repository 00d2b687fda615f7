"""Records explained: every byte is somewhere in the tree, and values are those of the row."""

import re
import tracemalloc
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each, often
from support.compiled import FEATURES, feature, of, worked

from inspection.records_to_inspect import DCP, EXAMPLES, covers_every_byte_once, examples, nodes, noop
from wireloom.codec import DecodeError, Protocol
from wireloom.codec.tracing import SpanKind
from wireloom.inspection import Failure, Shown, inspect_record
from wireloom.inspection.hexdump import hidden
from wireloom.inspection.plain import lines
from wireloom.inspection.record import explained
from wireloom.inspection.wording import quoted
from wireloom_protocols import couchbase_dcp


@each(("protocol", "data", "parameters"), EXAMPLES)
def test_the_leaves_are_the_record(protocol: Protocol, data: bytes, parameters: Mapping[str, Any]) -> None:
    assert covers_every_byte_once(inspect_record(protocol, data, **parameters))


@each("name", FEATURES)
def test_the_leaves_are_the_record_whatever_the_spec_uses(name: str) -> None:
    found = feature(name)
    for _, example in worked(found.protocol):
        assert covers_every_byte_once(inspect_record(found.codec, example.data, **example.parameters)), example.name


def value_at(row: Any, path: str) -> Any:
    """The value at a path such as ``entries[0].vb_uuid``."""
    for name, index in re.findall(r"(\w+)|\[(\d+)\]", path):
        row = row[name] if name else row[int(index)]
    return row


@each(("protocol", "data", "parameters"), EXAMPLES)
def test_values_are_those_of_the_row(protocol: Protocol, data: bytes, parameters: Mapping[str, Any]) -> None:
    row, _ = protocol.trace(data, **parameters)
    inspected = inspect_record(protocol, data, **parameters)
    assert (inspected.error is None) == (not isinstance(row, Exception))
    if inspected.error is not None:
        return
    assert inspected.message == row["message"]
    told = [node for node in nodes(inspected) if node.path and not node.children]
    assert told
    for node in told:
        value = value_at(row, node.path)
        if isinstance(value, int) and not isinstance(value, bool):
            assert int(node.text, 0) == value, node.path
        elif isinstance(value, bytes):
            assert inspected.data[node.start : node.end] == value, node.path


@each(("protocol", "data", "parameters"), EXAMPLES)
def test_the_reason_is_that_of_the_codec(protocol: Protocol, data: bytes, parameters: Mapping[str, Any]) -> None:
    found, _ = protocol.trace(data, **parameters)
    reason = inspect_record(protocol, data, **parameters).reason
    assert reason == (found.reason if isinstance(found, Exception) else "")


@pytest.mark.sweep
@each(("protocol", "data", "parameters"), EXAMPLES)
def test_a_record_cut_off_anywhere_shows_the_fields_in_front(
    protocol: Protocol, data: bytes, parameters: Mapping[str, Any]
) -> None:
    inspected = inspect_record(protocol, data, **parameters)
    if inspected.error is not None:
        return
    whole = {(leaf.name, leaf.start, leaf.end, leaf.text) for leaf in inspected.leaves()}
    step = often(7, 1)
    for size in range(len(data) % step, len(data), step):
        cut = inspect_record(protocol, data[:size], **parameters)
        assert cut.error is not None
        assert cut.error.code == "truncated"
        assert covers_every_byte_once(cut)
        read = [leaf for leaf in cut.leaves() if leaf.kind is SpanKind.FIELD and leaf.start < leaf.end]
        assert {(leaf.name, leaf.start, leaf.end, leaf.text) for leaf in read} <= whole, size


@given(st.data())
def test_no_damage_confuses_it(data: st.DataObject) -> None:
    _, protocol, record, parameters = data.draw(st.sampled_from(examples()))
    damaged = bytearray(record)
    for _ in range(data.draw(st.integers(1, 3)) if damaged else 0):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    inspected = inspect_record(protocol, bytes(damaged), **parameters)
    seen = {at for leaf in inspected.leaves() for at in range(leaf.start, leaf.end)}
    assert seen == set(range(len(damaged)))
    if inspected.error:
        assert 0 <= inspected.error.start <= inspected.error.end <= len(damaged)
    assert all(line.isprintable() for line in lines(inspected))


def test_a_node_points_at_its_column() -> None:
    frame = bytes.fromhex(
        "085603001400000000000017deadbeef00000000000000002200470000000000000000000000000000000800000001"
    )
    paths = {node.name: node.path for node in nodes(inspect_record(DCP, frame))}
    assert paths["stream_id"] == "frame_infos[0].stream_id"
    assert paths["end_seqno"] == "snapshot_marker.end_seqno"
    assert paths["extras"] == ""


def test_bit_fields_share_their_byte() -> None:
    frame = bytes.fromhex(
        "085603001400000000000017deadbeef00000000000000002200470000000000000000000000000000000800000001"
    )
    bits = [leaf for leaf in inspect_record(DCP, frame).leaves() if leaf.note.startswith("bits")]
    assert [(leaf.name, leaf.start, leaf.end, leaf.text, leaf.note) for leaf in bits] == [
        ("id_nibble", 24, 25, "2", "bits 7-4"),
        ("length_nibble", 24, 25, "2", "bits 3-0"),
    ]


def test_lists_of_bits_are_shown_item_by_item() -> None:
    found = inspect_record(feature("bits_list").codec, bytes.fromhex("0580 102282b400 07 aa bbbb c6c6"))
    items = [
        (leaf.path, leaf.start, leaf.end, leaf.text, leaf.note) for leaf in found.leaves() if leaf.path.endswith("]")
    ]
    assert items[0] == ("packet.present_ones[0]", 0, 2, "true", "bit 0")
    assert items[15] == ("packet.present_ones[15]", 0, 2, "true", "bit 15")
    assert items[16:18] == [
        ("packet.nibbles[0]", 2, 7, "1", "bits 39-36"),
        ("packet.nibbles[1]", 2, 7, "0", "bits 35-32"),
    ]
    assert items[-1] == ("packet.chunks[0].symbols[6]", 11, 13, "2", "bits 1-0")


def test_of_long_lists_of_bits_the_first_items_are_shown() -> None:
    fields = "[{name: mask, width: 1, count: 48}]"
    spec_of = "protocol: long_mask\nbyte_order: big\nrecord:\n  length: 6\n  fields:\n    - {bits: u48, fields: %s}\n"
    codec = of(spec_of % fields + "    - {section: body, size: rest}\n---\nmessage: m\nmatch: {}\n").codec
    leaves = list(inspect_record(codec, bytes(6)).leaves())
    assert [(leaf.name, leaf.text) for leaf in leaves[31:]] == [("[31]", "false"), ("[32]", "… 16 more items")]


def test_flags_without_a_name_are_told_as_a_number() -> None:
    frame = bytes.fromhex("80560000140000000000001400000000") + bytes(24) + bytes.fromhex("00000101")
    (leaf,) = [leaf for leaf in inspect_record(DCP, frame).leaves() if leaf.name == "snapshot_type"]
    assert (leaf.text, leaf.label) == ("0x00000101", "Memory | 0x100")


def log_of(entries: int) -> bytes:
    """A failover log."""
    written = [{"vb_uuid": number, "vb_seqno": number} for number in range(entries)]
    return couchbase_dcp.build(
        {
            "message": "failover_log_response",
            "magic": 0x81,
            "status": 0,
            "failover_log_response": {"variant": "success", "entries": written},
        }
    )


def test_of_a_long_list_the_first_items_are_told() -> None:
    inspected = inspect_record(DCP, log_of(1000))
    (entries,) = [node for node in nodes(inspected) if node.name == "entries"]
    assert entries.text == "1000 items"
    assert [node.name for node in entries.children] == [f"[{number}]" for number in range(33)]
    last = entries.children[-1]
    assert (last.kind, last.text, last.end - last.start) == (SpanKind.OMITTED, "… 968 more items", 968 * 16)
    assert covers_every_byte_once(inspected)


def test_a_failure_among_items_that_are_not_told_is_told() -> None:
    inspected = inspect_record(DCP, log_of(1000)[:8] + (16 * 1000 - 8).to_bytes(4, "big") + log_of(1000)[12:-8])
    assert inspected.reason == (
        "truncated: failover_log_response.entries[999].vb_seqno at byte 16016: needs 8 bytes, 0 left"
    )
    assert covers_every_byte_once(inspected)


def test_of_a_long_value_the_first_and_the_last_bytes_are_shown() -> None:
    shown = list(lines(inspect_record(DCP, noop(bytes(range(256)) * 4096))))
    assert len(shown) < 40
    assert any(line.strip() == "… 1048416 bytes" for line in shown)
    assert shown[-1].endswith("|........|")
    assert shown[-1].split("  ")[2] == "f8 f9 fa fb fc fd fe ff"


def test_bytes_around_what_is_wrong_are_shown_wherever_they_are() -> None:
    text = b'"' + b"a" * 5000 + b'"'
    frame = bytearray(noop(text))
    frame[0], frame[1], frame[5], frame[7] = 0x81, 0x54, 0, 7  # not my vbucket, with a cluster map
    frame[3000] = 0xFF
    shown = "\n".join(lines(inspect_record(DCP, bytes(frame))))
    assert "not utf-8 at byte 2976 of it: ff" in shown
    assert "^^" in shown


@pytest.mark.parametrize("width", [8, 16])
def test_of_a_long_value_the_line_that_is_wrong_and_the_next_are_shown(width: int) -> None:
    leaf = Shown("value", "value", SpanKind.FIELD, 24, 1024)
    error = Failure("text", "value", 507, "", 507, 508)  # byte 483 of it, in the line of those from 480 on
    assert list(hidden(leaf, error, width)) == [(24 + 128, 24 + 480), (24 + 480 + 2 * width, 1024 - 32)]


def test_what_is_wrong_nowhere_changes_nothing_in_what_is_shown_of_a_long_value() -> None:
    leaf = Shown("(not read)", "", SpanKind.UNREAD, 0, 1024)
    assert list(hidden(leaf, Failure("invalid", "record", -96, "", None, None), 16)) == [(128, 1024 - 32)]


@pytest.mark.parametrize("hostile", ["\x1b[2J", "a\nb", "\u202egnp.exe", "\x9b31m", "\u200b", '"', "\\"])
def test_text_cannot_write_to_a_terminal(hostile: str) -> None:
    event = {"by_seqno": 1, "event": 0, "version": 0, "key": hostile, "manifest_uid": 1, "scope_id": 1}
    frame = couchbase_dcp.build(
        {"message": "system_event", "system_event": event | {"variant": "create_collection_v0", "collection_id": 1}}
    )
    shown = list(lines(inspect_record(DCP, frame)))
    assert all(line.isprintable() for line in shown)
    (line,) = [line for line in shown if " key  " in line and '"' in line]
    quoted = line[line.index('"') :]
    assert quoted[1:-1].encode().decode("unicode_escape") == hostile


def test_quoted_text_shows_control_characters_as_escapes() -> None:
    assert quoted('a\n\t"\\\0\u2028') == r'"a\n\t\"\\\x00\u2028"'


def test_plain_lines_end_without_spaces() -> None:
    for _, protocol, data, parameters in examples():
        for line in lines(inspect_record(protocol, data, **parameters)):
            assert line == line.rstrip()


def test_a_later_piece_of_a_malformed_range_has_no_fields() -> None:
    error = DecodeError("invalid", "a magic expected", 4)
    inspected = explained(DCP, bytes(range(24)), 100, {}, error)
    assert inspected.headline(7) == "record 7 at 0x64: 24 bytes, malformed"
    assert inspected.reason == "invalid: record at byte 4: a magic expected"
    assert [(leaf.name, leaf.start, leaf.end) for leaf in inspected.leaves()] == [("(not read)", 0, 24)]
    assert not any("^^" in line for line in lines(inspected))


CLAIMING = """\
protocol: claiming
byte_order: big
types:
  - {name: Item, fields: [{name: number, type: u8}]}
record:
  length: 4 + size
  fields:
    - {name: size, type: u32}
    - {section: body, size: size}
---
message: items
match: {}
sections:
  body:
    - {name: first, type: u16}
    - {name: items, type: Item, repeat: rest}
"""


def test_a_size_on_the_wire_is_not_believed() -> None:
    codec = of(CLAIMING).codec
    record = ((64 << 20) - 4).to_bytes(4, "big") + bytes(36)
    tracemalloc.start()
    inspected = inspect_record(codec, record)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert inspected.error is not None
    assert inspected.error.code == "truncated"
    assert (inspected.fields[0].name, inspected.fields[0].text) == ("size", "67108860")
    assert peak < 20_000_000


def test_a_record_that_lacks_a_little_is_told_as_far_as_it_goes() -> None:
    codec = of(CLAIMING).codec
    inspected = inspect_record(codec, (40_000).to_bytes(4, "big") + b"\0\7\1\2\3")
    assert [leaf.path for leaf in inspected.leaves() if leaf.start < leaf.end][:2] == ["size", "items.first"]


def test_integers_of_variable_length_are_shown_with_their_names() -> None:
    data = bytes.fromhex("0a  01  ac02  8201  7bbd  7e 00 07")
    shown = {one.name: (one.text, one.label) for one in nodes(inspect_record(feature("varints").codec, data))}
    assert shown["tag"] == ("300", "Fixed")
    assert shown["mode"] == ("257", "Loud | Late")


def test_flags_are_shown_around_a_record_and_what_is_unescaped_inside() -> None:
    codec = feature("between").codec
    plain = inspect_record(codec, bytes.fromhex("7e3132333435363738396e907e"))
    assert [(part.name, part.start, part.end) for part in plain.leaves()] == [
        *(("(flags)", 0, 1), ("kind", 1, 2), ("text", 2, 10), ("fcs", 10, 12), ("(flags)", 12, 13)),
    ]
    escaped = inspect_record(codec, bytes.fromhex("7e7e7d1132333435363738396e907e"))
    assert [(part.name, part.start, part.end) for part in escaped.leaves()] == [
        *(("(flags)", 0, 2), ("(packed)", 2, 14), ("kind", 2, 2), ("text", 2, 2), ("fcs", 2, 2), ("(flags)", 14, 15)),
    ]


def test_more_of_a_long_leaf_is_shown_if_asked_for() -> None:
    leaf = Shown("blob", "blob", SpanKind.FIELD, 0, 1024, "")
    assert list(hidden(leaf, None, 16, lead=512)) == [(512, 1024 - 32)]
    assert list(hidden(leaf, None, 16, lead=1024 - 32 - 96)) == []
