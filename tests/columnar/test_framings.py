"""What captures are cut into records by, many at once, and what of these goes to the codec."""

import struct
from random import Random
from typing import Any

from construct import Int8ub
from support import compiled
from support.lockstep import Pair, captures_alike

from wireloom.codec import (
    Framing,
    Layout,
    Lengths,
    Message,
    Protocol,
    Record,
    Rest,
    Size,
    Slot,
    When,
)
from wireloom.codec.length_sums import chain
from wireloom.codec.values import Ended
from wireloom.columnar.framings import framing_of
from wireloom.columnar.hopping import hop_of
from wireloom.programs.support import Support, unread
from wireloom_protocols import couchbase_dcp, databus, pcap

UNTOLD = """\
protocol: untold
byte_order: big
record:
  length: length
  fields:
    - {name: length, type: u8}
    - {section: first, size: 2}
    - {section: second, size: rest, trailing: left}
---
message: note
match: {}
sections:
  first: [{name: word, type: text, size: rest}]
variants:
  - {name: yes, when: "word == ('ja' if length > 2 else 'jo')"}
  - {name: no, when: word == 'nö'}
otherwise: true
"""


class Strange(Ended):
    """A value of a kind that no program reads."""

    type = "binary"

    def _parse(self, stream: Any, context: Any, path: str) -> bytes:
        return self.extent.read(stream, context)

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        self.extent.write(stream, context, obj)
        return obj


def strange(*fields: Any) -> Protocol:
    """A protocol with these fields."""
    record = Record("length" / Int8ub, Slot("body", Rest()))
    message = Message("note", record, match={}, sections={"body": Layout("kind" / Int8ub, *fields)})
    lengths = Lengths(("length", 0, Int8ub), length="length")
    return Protocol("strange", "strange", record=record, messages=(message,), framing=Framing((lengths,)))


def redone(protocol: Protocol, capture: bytes) -> int:
    """How many records of a capture go to the codec."""
    pair = Pair(protocol)
    captures_alike(pair, capture)
    decoding = pair.decoder(pair.options({"mode": "FAILFAST"}))
    list(decoding.capture(capture))
    return decoding.tally.redone


def test_a_part_without_a_program_is_left_to_the_codec_and_named() -> None:
    protocol = strange("word" / Strange(Size(2)), "number" / Int8ub)
    assert unread(protocol) == {"note": ("parts of type Strange",)}
    assert redone(protocol, b"\5\1ab\7" * 9) == 9


def test_only_records_that_have_such_a_part_are_left_to_the_codec() -> None:
    protocol = strange(When("kind == 1", "word" / Strange(Rest())))
    assert redone(protocol, b"\4\1ab" * 4 + b"\2\0" * 5) == 4


def test_variants_without_fields_that_only_the_codec_tells_apart() -> None:
    codec = compiled.of(UNTOLD).codec
    assert unread(codec)["note"]
    assert redone(codec, b"\3ja" * 3 + b"\3ab" * 2) == 5


COMPARED = """\
protocol: compared
byte_order: little
types:
  - name: Piece
    given: [word, mark]
    fields:
      - {name: other, type: text, prefix: u8}
      - {name: same, type: u8, when: other == word}
      - {name: marked, type: u8, when: "mark in [hex('0a'), hex('0b0c')] and other not in [word, 'b']"}
record:
  length: length
  fields:
    - {name: length, type: u8}
    - {section: body, size: rest, trailing: more}
---
message: note
match: {}
sections:
  body:
    - {name: level, type: f32, valid: level < 0.1}
    - {name: word, type: text, prefix: u8}
    - {name: mark, type: bytes, until: "00"}
    - {name: pieces, type: Piece, with: {word: word, mark: mark}, repeat: {count: 2}}
    - {name: tag, type: text, size: 1, const: b}
"""


def test_texts_bytes_and_floats_are_compared_as_the_codec_does() -> None:
    both = Pair.of(compiled.of(COMPARED).columnar)
    random = Random(7)
    levels = [struct.pack("<f", level) for level in (0, 0.099999, 0.1, -0.0, float("nan"), 1e30)]
    words = [b"\0", b"\1b", b"\1a", b"\2ab"]
    capture = b""
    for _ in range(400):
        body = random.choice(levels[:2] if random.random() < 0.8 else levels)
        body += random.choice(words) + random.choice([b"\0", b"\n\0", b"\v\f\0"])
        for _ in range(2):
            body += random.choice(words) + bytes(random.choices(range(3), k=random.randint(0, 2)))
        capture += bytes([len(body) + 2]) + body + b"b"
    captures_alike(both, capture)
    sound = [row for row in both.codec.iter_records(capture, "PERMISSIVE") if row["_corrupt_reason"] is None]
    assert len(sound) > 50
    captures_alike(both, b"".join(map(both.codec.build, sound)))


NAMESAKES = """\
protocol: namesakes
byte_order: big
record:
  length: 2 + size
  fields:
    - {name: kind, type: u8}
    - {name: size, type: u8, derive: size(body)}
    - {section: body, size: rest}
---
message: marker
match: {kind: 1}
sections:
  body:
    - {name: version, type: u8}
    - {name: number, type: u16, when: version == 2}
---
message: release
match: {kind: 2}
sections:
  body: [{name: version, type: text, size: rest}]
"""


def test_a_name_that_is_text_in_one_message_is_a_number_in_another() -> None:
    found = compiled.of(NAMESAKES)
    assert set(unread(found.codec).values()) == {()}
    records = bytes.fromhex("0101 01 0103 02 0007 0203 312e32 0101 02 0202 ff31".replace(" ", ""))
    rows = captures_alike(Pair.of(found.columnar), records * 20).to_pylist()
    assert [row["_corrupt_reason"] is None for row in rows[:5]] == [True, True, True, False, False]


def test_framing_is_made_once() -> None:
    assert framing_of(databus.PROTOCOL) is framing_of(databus.PROTOCOL)


def test_lengths_that_are_sums_are_followed_from_record_to_record() -> None:
    (lengths,) = framing_of(couchbase_dcp.PROTOCOL).lengths
    found = chain(lengths.said, bool)
    assert found is not None
    assert [found.constant, *((term.offset, term.factor) for term in found.terms)] == [24, (8, 1)]
    probes = {(name, offset, kind.format(little=False)) for name, offset, kind in lengths.probes}
    assert {("magic", 0, ">u1"), ("total_body_length", 8, ">u4")} <= probes


def test_lengths_that_parameters_choose_between_are_followed() -> None:
    framing = framing_of(pcap.PROTOCOL)
    for magic, size in ((0xA1B2C3D4, 16), (0xA1B2CD34, 24)):
        hop = hop_of(framing, {"magic_number": magic}, little=False)
        assert (hop.possible, hop.constants) == (True, [size])
    assert Support.of(pcap.PROTOCOL).chained
