"""Edits to a real spec, one at a time: each has just the problems it should have, in the lines it should."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.agreement import check_outputs as check
from support.paths import ROOT

EVENT, PROTOCOL = "dbus_event.yaml", "protocol.yaml"


@dataclass(frozen=True)
class Edit:
    """``old`` is ``new`` in ``file``; then there are findings ``rule @ text``, each at the line that begins with the
    text, in the edited file or, as ``rule @ file: text``, in another."""

    file: str
    old: str
    new: str
    findings: tuple[str, ...]


def edit(file: str, old: str, new: str, *findings: str) -> Edit:
    return Edit(file, old, new, findings)


EXAMPLES = (
    "Long key", "byte[] key, little endian", "DELETE", "Trace and replicated", "End of a window", "Checkpoint",
    "DELETE of an old writer", "Schema version",
)  # fmt: skip


def in_examples(*names: str) -> tuple[str, ...]:
    """Findings in worked examples."""
    return tuple(f"example @ dbus_event.yaml: - name: {name}" for name in names)


SEQUENCE = "    - name: sequence\n"
LOST = (
    "form @ - {key: sequence, ", "form @ - {key: sequence, #2",
    "example @ {version: 0, header_crc: 0xfbd62b88", "example @ {version: 0, header_crc: 0x964f9869",
    "example @ {version: 0, header_crc: 0x53f8f4ad", "example @ sequence: 0",
)  # fmt: skip
"""What asks for ``sequence`` and does not find it."""

SPEC_EDITS = (
    # numbers, checksums, what is derived
    edit(
        EVENT,
        "algorithm: crc32_zero, from: 5,",
        "algorithm: crc32zero, from: 5,",
        "checksum-algorithm @ checksum: {algorithm: crc32zero",
    ),
    edit(EVENT, "algorithm: crc32_zero, from: 5,", "algorithm: crc32, from: 5,", *in_examples(*EXAMPLES)),
    edit(EVENT, "algorithm: crc32_zero, from: 5,", "algorithm: crc32_zero, from: 9,", *in_examples(*EXAMPLES)),
    edit(
        EVENT,
        "algorithm: crc32_zero, from: 5,",
        "algorithm: crc32_zero, from: 4,",
        "checksum-cycle @ checksum: {algorithm: crc32_zero, from: 4",
    ),
    edit(
        EVENT,
        "type: i32\n      derive: size(record)",
        "type: i23\n      derive: size(record)",
        "integer-width @ type: i23",
    ),
    edit(EVENT, "derive: size(record)", "derive: size(recrod)", "expression @ derive: size(recrod)"),
    edit(
        EVENT, "derive: size(record)", "derive: size(record) - 1", *in_examples(*EXAMPLES, "Flipped byte in the value")
    ),
    edit(EVENT, "type: i64\n      doc: The seq", "type: f65\n      doc: The seq", "known-type @ type: f65"),
    edit(EVENT, "type: i64\n      doc: The seq", "type: i32\n      doc: The seq", *in_examples(*EXAMPLES)),
    edit(EVENT, "derive: size(key_bytes)", "derive: size(value)", *in_examples("byte[] key, little endian")),
    edit(EVENT, "compute: src_id == -2", "compute: src_id = -2", "expression @ compute: src_id = -2"),
    edit(EVENT, "compute: src_id == -2", "compute: src_id == -3", *in_examples("End of a window", "Checkpoint")),
    edit(
        EVENT,
        "compute: 1 if attributes",
        "compute: 3 if attributes",
        *in_examples("Long key", "byte[] key, little endian", "DELETE of an old writer", "Schema version"),
    ),
    # names
    edit(EVENT, SEQUENCE, "    - name: Sequence\n", "name-style @ - name: Sequence", *LOST),
    edit(EVENT, SEQUENCE, "    - name: length\n", "unique-name @ - name: length #2", *LOST),
    edit(EVENT, SEQUENCE, "    - name: class\n", *LOST),
    edit(EVENT, SEQUENCE, "    - name: items\n", *LOST),
    edit(EVENT, SEQUENCE, "    - name: rest\n", "name-style @ - name: rest", *LOST),
    edit(EVENT, SEQUENCE, "    - name: message\n", "column-collision @ - name: message", *LOST),
    edit(EVENT, SEQUENCE, "    - name: variant\n", "column-collision @ - name: variant", *LOST),
    edit(EVENT, SEQUENCE, "    - name: dbus_event\n", *LOST),
    edit(EVENT, SEQUENCE, "    - name: src_id_name\n", "column-collision @ - {name: src_id,", *LOST),
    edit(EVENT, SEQUENCE, "    - name: seqno\n", *LOST),
    edit(
        EVENT,
        "flags: EventAttributes",
        "flags: EventAttribute",
        "known-enum @ flags: EventAttribute",
    ),
    edit(EVENT, "flags: EventAttributes", "enum: EventAttributes", "known-enum @ enum: EventAttributes"),
    edit(
        EVENT,
        "{key: valueEnc,            const: JSON}",
        "{key: valueEnc, field: valueEnc}",
        "form @ - {key: valueEnc, ",
    ),
    # conditions, alternatives, variants
    edit(
        EVENT,
        "- when: not repl_dbus\n",
        "- when: not repl_dubs\n",
        "expression @ - when: not repl_dubs",
    ),
    edit(EVENT, "- when: not repl_dbus\n", "- when: repl_dbus and not repl_dbus\n", "choice @ - when: repl_dbus and"),
    edit(EVENT, "- when: not repl_dbus\n", "- when: repl_dbus == 1\n", "expression-type @ - when: repl_dbus == 1"),
    edit(
        EVENT,
        "when: attributes & 0x0003 != 0",
        "when: attributes & 0x0003",
        "expression-type @ when: attributes & 0x0003",
    ),
    edit(
        EVENT,
        "when: attributes & 0x0008 == 0",
        "when: attributes & 0x0008 == 1",
        "variant-open @ - name: long_key",
        "variant-order @ when: attributes & 0x0008 == 1",
    ),
    edit(
        EVENT,
        "when: attributes & 0x0008 == 0",
        "when: attributes & 0x0010 == 0",
        "variant-open @ - name: long_key",
        "variant-overlap @ when: attributes & 0x0008 != 0",
    ),
    edit(EVENT, "    when: attributes & 0x0008 == 0\n", "", "variant-order @ - name: long_key"),
    edit(
        EVENT,
        "    when: attributes & 0x0008 != 0\n",
        "    when: attributes & 0x0008 == 0\n",
        "variant-open @ - name: long_key",
        "variant-order @ when: attributes & 0x0008 == 0 #2",
    ),
    # sizes, sections, framing
    edit(EVENT, "size: 14\n", "size: 13\n", *in_examples("Schema version")),
    edit(EVENT, "size: 14\n", "size: rest\n", "one-rest @ - name: value_crc"),
    edit(EVENT, "              size: 14\n", "", "extent @ type: bytes #2"),
    edit(EVENT, "size: key_size, doc", "size: key_sizes, doc", "expression @ - {name: key_bytes,"),
    edit(EVENT, "size: key_size, doc", "size: -1, doc", "extent @ - {name: key_bytes,"),
    edit(EVENT, "match: {version: 0}", "match: {version: 256}", "dispatch @ match: {version: 256}"),
    edit(EVENT, "match: {version: 0}", "match: {versoin: 0}", "dispatch @ match: {versoin: 0}"),
    edit(EVENT, "match: {version: 0}\n", "", "missing-key @ message: dbus_event"),
    edit(EVENT, "length: length\nproof", "length: key\nproof", "record-length @ length: key"),
    edit(EVENT, "length: length\nproof", "length: 8\nproof", "section-size @ length: 8"),
    edit(EVENT, "length: length\nproof", "lenght: length\nproof", "unknown-key @ lenght: length"),
    edit(EVENT, "  checksum: header_crc\n", "  checksum: value\n", "proof @ checksum: value"),
    # examples
    edit(EVENT, "00  fb d6 2b 88  00 00 00 44", "00  fb d6 2b 89  00 00 00 44", *in_examples("Long key")),
    edit(EVENT, "00  fb d6 2b 88  00 00 00 44", "01  fb d6 2b 88  00 00 00 44", *in_examples("Long key")),
    edit(EVENT, "00  fb d6 2b 88  00 00 00 44", "00  fb d6 2b 88  00 00 00 4", "wrong-type @ hex: |"),
    edit(EVENT, "sequence: 72623859790382856,", "sequence: 72623859790382857,", *in_examples("Long key")),
    edit(
        EVENT,
        "attributes: 0x0009, sequence",
        "atributes: 0x0009, sequence",
        "example @ {version: 0, header_crc: 0x964f9869",
    ),
    edit(
        EVENT,
        "  - name: DELETE\n    parameters: {byte_order: big}",
        "  - name: DELETE\n    parameters: {byte_order: little}",
        *in_examples("DELETE"),
    ),
    edit(
        EVENT,
        "  - name: DELETE\n    parameters: {byte_order: big}",
        "  - name: Long key\n    parameters: {byte_order: big}",
        "unique-name @ - name: Long key #2",
    ),
    # files
    edit(
        EVENT,
        "title: Databus event, version 1\n",
        "title: Databus event: version 1\n",
        "yaml @ title: Databus event: version 1",
    ),
    edit(PROTOCOL, "protocol: databus\n", "protocol: databus2\n", "file-name @ protocol: databus2"),
    edit(
        PROTOCOL,
        "protocol: databus\n",
        "protocol: databus\nprotocol: databus\n",
        "duplicate-key @ protocol: databus #2",
    ),
    edit(PROTOCOL, "\nenums:\n", "\nimports: [memcache]\nenums:\n", "known-import @ imports: [memcache]"),
    # declarations
    edit(
        PROTOCOL,
        "byte_order: byte_order",
        "byte_order: byteorder",
        "byte-order @ byte_order: byteorder",
    ),
    edit(PROTOCOL, "default: auto", "default: autos", "parameters @ default: autos"),
    edit(PROTOCOL, "default: false", "default: 0", "parameters @ default: 0"),
    edit(PROTOCOL, "{name: DELETE, value: 2,", "{name: DELETE, value: 1,", "enum-values @ - {name: DELETE, value: 1"),
    edit(PROTOCOL, "{name: DELETE, value: 2,", "{name: UPSERT, value: 2,", "unique-name @ - {name: UPSERT, value: 2"),
    edit(
        PROTOCOL,
        "{name: DELETE, value: 2,",
        "{name: DELETE, value: 300,",
        "enum-on-integer @ dbus_event.yaml: enum: DbusOpcode",
        "enum-on-integer @ dbus_event_v2.yaml: - {name: opcode, width: 2, enum: DbusOpcode",
    ),
    edit(PROTOCOL, "{name: DELETE, value: 2,", "{name: no-op, value: 2,", "enum-values @ - {name: no-op, value: 2"),
    edit(PROTOCOL, "from: 1, to: 32767,", "from: 32767, to: 1,", "enum-values @ - {name: DATA,"),
    edit(PROTOCOL, "{name: TRACE, value: 0x0004,", "{name: TRACE, value: 0x0005,", "flag-values @ - {name: TRACE,"),
    edit(PROTOCOL, "{name: TRACE, value: 0x0004,", "{name: TRACE, value: 0x0002,", "flag-values @ - {name: TRACE,"),
    edit(
        PROTOCOL,
        "- name: DbusOpcode\n",
        "- name: Sequence\n",
        "unused @ - name: Sequence",
        "known-enum @ dbus_event.yaml: enum: DbusOpcode",
        "known-enum @ dbus_event_v2.yaml: - {name: opcode, width: 2, enum: DbusOpcode",
    ),
)


@pytest.fixture(scope="module")
def specs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the specs of ``databus``, with the library that stands beside them."""
    root = tmp_path_factory.mktemp("spec_edits") / "specs"
    for name in ("databus", "memcached"):
        shutil.copytree(ROOT / "specs" / name, root / name)
    return root


def _line(text: str, beginning: str) -> int:
    """The number of the line that begins so; of the second if that ends in ``#2``."""
    wanted, _, which = beginning.partition(" #")
    found = [number for number, line in enumerate(text.splitlines(), 1) if line.strip().startswith(wanted)]
    assert len(found) >= int(which or 1), f"no line begins with {wanted!r}"
    return found[int(which or 1) - 1]


def _expected(edited: Edit, folder: Path) -> list[str]:
    places = []
    for finding in edited.findings:
        rule, _, place = finding.partition(" @ ")
        other, _, text = place.partition(".yaml: ")
        file, text = (f"{other}.yaml", text) if text else (edited.file, place)
        places.append(f"{file}:{_line(folder.joinpath(file).read_text(encoding='utf-8'), text)} {rule}")
    return sorted(places)


@pytest.mark.parametrize(
    "edited",
    [pytest.param(each, marks=pytest.mark.sweep if number % 4 else ()) for number, each in enumerate(SPEC_EDITS)],
    ids=lambda edited: edited.new.strip().split("\n")[-1][:60] or "deleted",
)
def test_an_edited_spec_has_just_these_problems(edited: Edit, specs: Path) -> None:
    path = specs / "databus" / edited.file
    text = path.read_text(encoding="utf-8")
    assert text.count(edited.old) == 1
    path.write_text(text.replace(edited.old, edited.new), encoding="utf-8")
    try:
        found = {f"{p.location.path.name}:{p.location.line} {p.rule}" for p in check([path.parent])}
        assert sorted(found) == _expected(edited, path.parent)
    finally:
        path.write_text(text, encoding="utf-8")
