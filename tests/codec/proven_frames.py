"""Frames that a checksum proves, those that none does, and packets."""

from functools import cache
from pathlib import Path

import attack
from support import compiled, sums
from support.lockstep import Pair

FRAME = """\
protocol: frame
byte_order: big
record:
  length: 9 + body_length
  proof: {valid: magic == 0x574c, checksum: crc}
  resync: true
  fields:
    - {name: magic, type: u16, const: 0x574c}
    - {name: kind, type: u8}
    - {name: body_length, type: u16, derive: size(body)}
    - {section: body, size: body_length, trailing: trailing_body}
    - {name: crc, type: u32, checksum: {algorithm: ALGORITHM, from: 0, to: 5 + size(body)}}
---
message: reading
match: {kind: 1}
sections:
  body:
    - {name: sensor_id, type: u32}
    - {name: place, type: text, size: rest}
"""
UNSUMMED = FRAME.replace("9 + body_length", "5 + body_length").replace(", checksum: crc}", "}")
UNSUMMED = "".join(line for line in UNSUMMED.splitlines(keepends=True) if "name: crc" not in line)
PACKETS = "---\n".join(
    Path(attack.__file__).with_name("specs").joinpath("packets", name).read_text()
    for name in ("protocol.yaml", "position.yaml")
)

HALVES = """\
protocol: halves
byte_order: big
record:
  resync: true
  fields:
    - {bits: u8, fields: [{name: is_other, width: 1}, {name: kind, width: 7}]}
    - {section: body, size: rest}
---
message: short
match: {is_other: false, kind: 1}
length: 2
proof: {valid: data > 0x7f}
sections: {body: [{name: data, type: u8}]}
---
message: long
match: {is_other: false, kind: 2}
length: 3
proof: {valid: data > 0x7fff}
sections: {body: [{name: data, type: u16}]}
"""
"""Records that a bit and a number in one byte select."""


@cache
def pair(spec: str, algorithm: str = "crc32") -> Pair:
    size = -(-sums.algorithm(algorithm).bits // 8)
    spec = spec.replace("9 + body", f"{5 + size} + body").replace("u32, checksum", f"u{8 * size}, checksum")
    return Pair.of(compiled.of(spec.replace("ALGORITHM", algorithm)).columnar)


def frame(number: int, place: str = "attic", algorithm: str = "crc32") -> bytes:
    reading = {"sensor_id": number, "place": place}
    return pair(FRAME, algorithm).codec.build({"kind": 1, "reading": reading})
