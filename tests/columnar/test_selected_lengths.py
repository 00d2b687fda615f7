"""Lengths that are one of several sums, which a byte selects: records are followed by them, as those of one sum are."""

from collections.abc import Callable
from random import Random

import pytest
from support import compiled
from support.lockstep import Pair, captures_alike

from wireloom.codec import Protocol
from wireloom.columnar.framings import framing_of
from wireloom.columnar.hopping import Hop, hop_of
from wireloom.programs.support import Support

SIGNED = """\
protocol: signed
byte_order: big
record:
  length: 4 + size + (3 if flags & 1 != 0 else 0)
  proof: {valid: magic == 0xfd}
  fields:
    - {name: magic, type: u8, const: 0xfd}
    - {name: size, type: u8, derive: size(body)}
    - {name: flags, type: u8}
    - {name: kind, type: u8}
    - {section: body, size: size}
    - {name: signature, type: bytes, size: 3, when: flags & 1 != 0}
---
message: note
match: {}
sections:
  body: [{name: text, type: bytes, size: rest}]
"""
BITS = SIGNED.replace(
    "{name: flags, type: u8}", "{bits: u8, fields: [{name: flags, width: 7}, {name: last, width: 1}]}"
)
BITS = BITS.replace("flags & 1 != 0", "last")
HEADED = """\
protocol: headed
byte_order: big
record:
  length: offset(body) + size + (3 if flags & 1 != 0 else 0)
  fields:
    - {name: mark, type: u8}
    - {name: flags, type: u8}
    - {name: size, type: leb128_u32}
    - {section: body, size: size}
    - {name: signature, type: bytes, size: 3, when: flags & 1 != 0}
---
message: note
match: {}
sections:
  body: [{name: text, type: bytes, size: rest}]
"""


def protocol(text: str) -> Protocol:
    """The codec of a spec."""
    found: Protocol = compiled.of(text).codec
    return found


def hop(codec: Protocol) -> Hop:
    """How its records are followed."""
    return hop_of(framing_of(codec), {}, little=False)


def packet(text: bytes, flags: int) -> bytes:
    """A record of ``SIGNED``, with a signature if its flags say so."""
    return bytes([0xFD, len(text), flags, 0]) + text + (b"sig" if flags & 1 else b"")


def headed(text: bytes, flags: int) -> bytes:
    """The same of ``HEADED``, whose size may have two bytes."""
    size = bytes([len(text)]) if len(text) < 0x80 else bytes([len(text) & 0x7F | 0x80, len(text) >> 7])
    return bytes([1, flags]) + size + text + (b"sig" if flags & 1 else b"")


WAYS = pytest.mark.parametrize(
    ("text", "write", "selector", "constants"),
    [(SIGNED, packet, 2, [4, 7]), (BITS, packet, 2, [4, 7]), (HEADED, headed, 1, [2, 5])],
    ids=["number", "bit", "head"],
)


@WAYS
def test_they_are_followed(
    text: str, write: Callable[[bytes, int], bytes], selector: int, constants: list[int]
) -> None:
    codec, begins, capture = protocol(text), [0], b""
    for number in range(5000):
        capture += write(b"a" * (number % 200), number % 5)
        begins.append(len(capture))
    way = hop(codec)
    start, stop = way.follow(capture, 0, len(capture), len(begins))
    assert (start.tolist(), stop) == (begins[:-1], len(capture))
    assert (sorted(way.constants), way.selector, Support.of(codec).chained) == (constants, selector, True)


@WAYS
def test_records_are_the_codecs_beside_damage_too(
    text: str, write: Callable[[bytes, int], bytes], selector: int, constants: list[int]
) -> None:
    pair, random = Pair(protocol(text)), Random(7)
    records = [write(random.randbytes(random.randrange(150)), random.randrange(256)) for _ in range(200)]
    capture, half = b"".join(records), len(b"".join(records[:100]))
    for damaged in (capture, capture[:-2], capture[:half] + b"\0" + capture[half:], capture[:half] + records[0][:2]):
        captures_alike(pair, damaged)


@pytest.mark.parametrize("condition", ["flags + kind == 1", "flags < size", "size // 8 == flags"])
def test_what_more_than_one_byte_selects_is_left_to_the_codec(condition: str) -> None:
    codec = protocol(SIGNED.replace("flags & 1 != 0", condition))
    assert (hop(codec).possible, Support.of(codec).chained) == (False, False)


def test_a_byte_may_select_one_of_a_few() -> None:
    chosen = "(4 + size if kind == 0 else 14 + 2 * size if kind == 1 else 5 if kind == 2 else 4)"
    way = hop(protocol(SIGNED.replace("4 + size + (3 if flags & 1 != 0 else 0)", chosen)))
    assert (way.selector, way.constants) == (3, [4, 14, 5, 4])
    assert way.select[:5].tolist() == [0, 1, 2, 3, 3]
