"""What the compiler says of how messages are read, held against what the decoder does."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from support import compiled
from support.cases import each
from support.compiled import Compiled
from support.lockstep import Pair, records_alike
from support.paths import ROOT

from wireloom.cli import app
from wireloom.codec import Protocol
from wireloom.codec.envelopes import KeptRecord
from wireloom.codec.layout import Lone
from wireloom.contents import parts_of
from wireloom.programs.support import unread
from wireloom_generator import model
from wireloom_generator.explained import sentences, single, support
from wireloom_generator.reading import spec
from wireloom_generator.resolve import protocol_of, resolve
from wireloom_protocols import couchbase_dcp, databus

SPECS = ROOT / "specs"

EDGE = """\
protocol: edge
byte_order: big
types:
  - {name: Inner, fields: [{name: word, type: text, size: 1, encoding: gb18030}]}
  - {name: Outer, fields: [{name: inner, type: Inner}]}
record:
  length: length + 1
  fields:
    - {name: length, type: u8}
    - {section: body, size: rest}
---
message: strange
match: {length: 4}
sections:
  body:
    - {name: outer, type: Outer}
    - {name: other, type: text, size: 1, valid: "other == 'a'"}
    - {name: said, compute: "other if other < 'm' else 'more'", type: text}
    - {name: kind, type: u8, valid: kind < 3}
    - {pad: 1}
---
message: plain
match: {length: 1}
sections: {body: [{name: kind, type: u8}]}
"""
LISTS = """\
protocol: lists
byte_order: big
types:
  - {name: Pair, fields: [{name: first, type: u8}, {name: second, type: u8}]}
  - {name: Word, fields: [{name: word, type: bytes, prefix: u8}]}
record:
  length: length + 2
  fields:
    - {name: length, type: u16}
    - {section: body, size: rest}
---
message: words
match: {}
sections:
  body:
    - {name: pairs, type: Pair, repeat: {count: 0}}
    - {name: words, type: Word, repeat: rest}
"""
KEPT = {"payment", "named", "object", "ledger"}
"""The messages with an example in which a list has digits that are kept as bytes, or items have, or escapes are, or in
which an offset leads to no value, or bytes that are read again are none.
"""
TOLD = [
    "A record of strange is decoded by itself if it has what numbers of 64 bits cannot say.",
    "The other messages are decoded many records at once.",
    "A record of strange is encoded by itself if it has what numbers of 64 bits cannot say.",
    "The other messages are encoded many records at once.",
]


def redone(protocol: model.Protocol, pair: Pair) -> Iterator[str]:
    """The messages of which sound examples went to the codec, though they need no column for bytes."""
    parts = list(parts_of(pair.codec))
    kept = {part.field.raw for part in parts if isinstance(part, Lone)} - {None}
    kept |= {part.name for part in parts if isinstance(part, KeptRecord)}
    for message, example in compiled.worked(protocol):
        if example.malformed is None and not kept & set(filled(pair.codec.parse(example.data, **example.parameters))):
            decoding = pair.decoder(pair.options({"mode": "FAILFAST", **example.parameters}))
            list(decoding.capture(example.data * (1 if pair.codec.framing.to_the_end else 3)))
            if decoding.tally.redone:
                yield message.name


def filled(value: object) -> Iterator[str]:
    """The names of all columns in a row that are not null."""
    for name, inner in value.items() if isinstance(value, dict) else ():
        yield from [name] if inner is not None else []
        yield from filled(inner)
    for item in value if isinstance(value, list) else ():
        yield from filled(item)


def apart(codec: Protocol) -> set[str]:
    return {message for message, left in unread(codec).items() if left}


@pytest.mark.sweep
@each("name", compiled.FEATURES)
def test_what_is_said_of_a_feature_is_what_the_decoder_does(name: str) -> None:
    found: Compiled = compiled.feature(name)
    sound = {message.name for message, example in compiled.worked(found.protocol) if example.malformed is None}
    assert set(redone(found.protocol, Pair.of(found.columnar))) - KEPT == apart(found.codec) & sound


@pytest.mark.parametrize("codec", [couchbase_dcp.PROTOCOL, databus.PROTOCOL], ids=lambda codec: codec.name)
def test_what_is_said_of_a_protocol_is_what_the_decoder_does(codec: Protocol) -> None:
    (one,), _ = spec.load([SPECS / codec.name])
    protocol = protocol_of(resolve(one))
    assert not apart(codec)
    assert not list(redone(protocol, Pair(codec)))


def test_what_is_left_to_the_codec_is_told_with_its_reason() -> None:
    found = compiled.of(EDGE)
    assert list(sentences(support(found.codec))) == TOLD
    records_alike(Pair.of(found.columnar), [b"\4\xe9a\1\0", b"\4\xe9b\1\0", b"\4ea\7\0", b"\4ea\0", b"\1\1"])


def lists_of(*counts: int) -> bytes:
    """Records with so many items, each of another size than the one before."""
    items = (b"".join(bytes([1 + n % 2]) + b"ab"[: 1 + n % 2] for n in range(count)) for count in counts)
    return b"".join(len(data).to_bytes(2, "big") + data for data in items)


def test_lists_whose_items_differ_in_size_are_named_and_read_so() -> None:
    found = compiled.of(LISTS)
    assert list(sentences(support(found.codec))) == [
        "All messages are decoded many records at once.",
        "All messages are encoded many records at once.",
    ]
    pair = Pair.of(found.columnar)
    for capture, redone in ((lists_of(*[20] * 300), 0), (lists_of(*[2] * 300, 900), 1)):
        decoding = pair.decoder(pair.options({"mode": "FAILFAST"}))
        list(decoding.capture(capture))
        assert decoding.tally.redone == redone


def test_check_explains_how_messages_are_read(tmp_path: Path) -> None:
    folder = compiled.folders(EDGE, tmp_path)
    done = CliRunner().invoke(app, ["check", str(folder), "--explain"])
    assert done.exit_code == 0, done.output
    told = [*TOLD, *single(compiled.of(EDGE).codec)]
    assert [line for line in done.output.splitlines() if line.startswith("edge: ")] == [
        f"edge: {line}" for line in told
    ]


def test_messages_without_functions_are_told() -> None:
    assert list(single(compiled.of(EDGE).codec)) == [
        "Single records of strange are parsed field by field.",
        "Single records of the other messages are parsed by generated code, after the first few of a kind.",
        "Single records of strange are built field by field.",
        "Single records of the other messages are built by generated code, after the first few of a kind.",
    ]


def test_an_explanation_is_not_for_programs(tmp_path: Path) -> None:
    folder = compiled.folders(EDGE, tmp_path)
    assert CliRunner().invoke(app, ["check", str(folder), "--explain", "--format", "json"]).exit_code == 2


NAMED_ALIKE = """
protocol: named_alike
byte_order: big
record: {length: 3, fields: [{name: kind, type: u8}, {section: body, size: rest}]}
---
message: expiration
match: {kind: 1}
sections: {body: [{name: number, type: u16}]}
---
message: change
match: {kind: 2}
sections:
  body:
    - {name: expiration, type: u16}
    - {name: late, type: bool, compute: expiration > 5}
"""


def test_a_field_may_be_called_as_a_message() -> None:
    found = compiled.of(NAMED_ALIKE)
    table = found.columnar.decode_columnar(bytes.fromhex("020006 010007"))
    assert table["change"].to_pylist() == [{"expiration": 6, "late": True}, None]
    assert apart(found.codec) == set()
