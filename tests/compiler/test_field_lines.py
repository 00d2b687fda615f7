"""The paths of the runtime lead to the lines of fields in specs."""

from functools import cache

import pytest
from support.paths import ROOT

from wireloom_generator.field_lines import FieldLines
from wireloom_generator.frontend import read
from wireloom_generator.resolve import protocol_of


@cache
def lines(protocol: str, message: str) -> FieldLines:
    (model,), _ = read([ROOT / "specs" / protocol])
    found = protocol_of(model)
    return FieldLines(found, next(each for each in found.messages if each.name == message))


@pytest.mark.parametrize(
    ("path", "said", "written"),
    [
        ("", ["record: "], ""),
        ("magic", ["magic: u8"], "name: magic, type: u8"),
        ("extras", ["section: extras"], "section: extras"),
        ("extras.nmeta", ["nmeta: u16"], "name: nmeta"),
        ("extras.expires_at", ["expires_at: computed"], "name: expires_at"),
        ("key.collection_id", ["collection_id: leb128_u32"], "name: collection_id"),
        ("value.without_meta.document.xattrs.all.pairs.pair.key", ["key: text"], "name: key, type: text"),
        ("value.without_meta.document.xattrs.all.pairs", ["pairs: list of Xattr"], "name: pairs, type: Xattr"),
        ("framing_extras.frame_infos.id_nibble", ["id_nibble: u4"], "name: id_nibble"),
        ("framing_extras.frame_infos.body.user", ["user: text"], "name: user"),
        ("mutation", ["message: mutation"], "message: mutation"),
        ("mutation.nmeta", ["nmeta: u16"], "name: nmeta"),
        ("mutation.xattrs.pairs.value", ["value: text"], "name: value, type: text"),
        ("mutation.document_key_bytes", ["document_key: text"], "name: document_key"),
        ("mutation.trailing_extras", ["section: extras"], "section: extras"),
        ("opcode_name", ["opcode: u8", "opcode: u8"], "name: opcode"),
        ("key_length", ["key_length: u16", "key_length: u8"], "name: key_length"),
        ("extras.nothing", ["section: extras"], "section: extras"),
        ("nothing", ["record: "], ""),
    ],
)
def test_a_path_leads_to_the_lines_of_its_field(path: str, said: list[str], written: str) -> None:
    found = lines("couchbase_dcp", "mutation").of(path.split("."))
    assert [f"{each.name}: {each.type}" for each in found] == said
    for each in found:
        text = each.at.path.read_text(encoding="utf-8").splitlines()[each.at.line - 1]
        assert written in text
    assert len({each.at for each in found}) == len(found)


def test_a_message_may_have_the_name_of_a_field() -> None:
    """There is one in another section, in a struct."""
    found = lines("packets", "fragment")
    (message,), (missing,) = found.of(["fragment"]), found.of(["fragment", "missing"])
    assert (message.name, missing.name) == ("message", "missing")


def test_the_variant_is_where_the_message_lists_its_variants() -> None:
    found = lines("databus", "dbus_event")
    (one,), (other,) = found.of(["variant"]), found.of(["dbus_event", "variant"])
    assert one == other
    assert one.name == "variants"
