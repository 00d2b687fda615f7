"""The documentation pages of the built-in protocols: all is there, and every link leads on."""

import re
from collections.abc import Iterator
from functools import cache

import pytest
from support.documents import loaded
from support.paths import ROOT

from wireloom_generator import emitters, examples, model
from wireloom_generator.emitters import docs
from wireloom_generator.emitters.docs.markdown import cell, prose
from wireloom_generator.reading import spec
from wireloom_generator.resolve import protocol_of, resolve

SPECS = ROOT / "specs"
BUILT_IN = ("couchbase_dcp", "databus", "memcached", "packets", "pcap", "pcapng")


@cache
def _built_in(name: str) -> tuple[model.Protocol, dict[str, str]]:
    """A built-in protocol, and its pages by file name."""
    (one,), problems = spec.load([SPECS / name])
    assert not problems
    protocol = protocol_of(resolve(one))
    with examples.running(emitters.modules(protocol)) as codec:
        traces, _ = examples.run(protocol, codec)
    return protocol, {file.path.name: file.text for file in docs.emit(protocol, traces)}


@pytest.mark.parametrize("name", [name for name in BUILT_IN if not name.startswith("pcap")])  # which use a part
def test_every_word_of_the_spec_is_told(name: str) -> None:
    protocol, pages = _built_in(name)
    told = "\n".join(pages.values())
    words = {text for path in protocol.sources for text in _words(loaded(path.read_text()))}
    assert words
    assert not [text for text in words if prose(text) not in told and cell(prose(text)) not in told]


def _words(node: object) -> Iterator[str]:
    """Every doc and erratum of a spec file."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key in ("doc", "erratum"):
                yield from (" ".join(text.split()) for text in ([value] if isinstance(value, str) else value))
            else:
                yield from _words(value)
    elif isinstance(node, list):
        for item in node:
            yield from _words(item)


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_erratum_stands_at_its_place_and_in_the_list(name: str) -> None:
    _, pages = _built_in(name)
    listed = re.findall(r"^\| \[(\d+)\]\(([\w.]*)#erratum-\d+\)", pages["index.md"], re.MULTILINE)
    assert [int(number) for number, _ in listed] == list(range(1, len(listed) + 1))
    for number, page in listed:
        assert f'<a id="erratum-{number}"></a>\n> ⚠ **Erratum {number}**' in pages[page or "index.md"]


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_field_has_a_row(name: str) -> None:
    protocol, pages = _built_in(name)
    for message in protocol.messages:
        fields = pages[f"{message.name}.md"].partition("\n## Columns\n")[0]
        rows = set(re.findall(r"^\| `(\w+)` \|", fields, re.MULTILINE))
        nodes = [*message.sections.values(), *(n for v in message.variants for n in v.sections.values())]
        assert {field.name for part in nodes for field in part if isinstance(field, model.Field)} <= rows


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_column_is_listed_in_order(name: str) -> None:
    protocol, pages = _built_in(name)
    for message in protocol.messages:
        section = pages[f"{message.name}.md"].partition("\n## Columns\n")[2].partition("\n## ")[0]
        found = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
        assert found == [column.name for column in message.columns]


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_example_is_shown_byte_by_byte(name: str) -> None:
    protocol, pages = _built_in(name)
    for message in protocol.messages:
        told = pages[f"{message.name}.md"].partition("\n## Examples\n")[2]
        for example in message.examples:
            section = told.partition(f"### {prose(example.name)}\n")[2].partition("\n### ")[0]
            listing = section.partition("```text\n")[2].partition("```")[0]
            shown = _bytes(listing)
            assert all(example.data[at] == byte for at, byte in shown.items()), example.name
            hidden = sum(map(int, re.findall(r"… (\d+) bytes", listing)))
            assert len(shown) + hidden == len(example.data), example.name
            assert ("malformed" in listing.partition("\n")[0]) is bool(example.malformed)


def _bytes(listing: str) -> dict[int, int]:
    """The bytes of a listing by their offsets; several bit fields have the same ones."""
    found: dict[int, int] = {}
    for at, shown in re.findall(r"^  ([0-9a-f]{8})  ((?:[0-9a-f]{2} ?){1,8})(?: |$)", listing, re.MULTILINE):
        found |= dict(enumerate(bytes.fromhex(shown), int(at, 16)))
    return found


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_link_leads_somewhere(name: str) -> None:
    _, pages = _built_in(name)
    for page, text in pages.items():
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            file, _, anchor = target.partition("#")
            assert _has(pages[file or page], anchor), f"{page}: {target}"


def _has(text: str, anchor: str) -> bool:
    headings = (heading.lower().replace(" ", "-") for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE))
    return not anchor or f'<a id="{anchor}"></a>' in text or anchor in headings


def test_what_could_be_read_of_malformed_examples_is_told() -> None:
    _, pages = _built_in("couchbase_dcp")
    longer = pages["snapshot_marker.md"].partition("### V1, as drawn in the document\n")[2].partition("\n### ")[0]
    assert "00000008  00 00 00 00              total_body_length  0\n" in longer
    assert "00000018  00 00 00 00 00 00 00 00  (left over)" in longer
    shorter = pages["failover_log_response.md"].partition("### One branch and a half\n")[2].partition("\n### ")[0]
    assert re.search(r"00000020  00 00 00 00 00 00 54 32 +vb_seqno +21554\n", shorter)
    assert re.search(r"00000028  [0-9a-f ]+ +vb_uuid +\d+\n +00000030  \^\^ +the bytes end here", shorter)


def test_a_number_has_the_name_that_it_has_in_records_of_its_message() -> None:
    """Servers' commands have other names than clients', and 1 is one of both."""
    page = (ROOT / "generated/docs/memcached/set.md").read_text(encoding="utf-8")
    assert "`opcode` is 0x01 (Set), 0x02 (Add), 0x03 (Replace), 0x11 (Setq)" in page
    assert "ClustermapChangeNotification" not in page
