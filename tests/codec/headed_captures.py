"""Captures that begin with a header, sound and malformed, and the protocols they are of."""

import struct
from typing import Any

from support import compiled
from support.lockstep import Pair

from wireloom.codec.captures import CaptureBuilder

SEARCHED = """
protocol: searched
byte_order: little if mark == 0x4949 else big
capture:
  fields:
    - {name: mark, type: u16, byte_order: big, valid: "mark in (0x4949, 0x4d4d)"}
    - {name: spare, type: bytes, size: 40}
record:
  length: length
  proof: {valid: length >= 8, checksum: crc}
  resync: true
  fields:
    - {name: length, type: u16, derive: size(record)}
    - {name: crc, type: u32, checksum: {algorithm: crc32, from: 6, to: length}}
    - {section: body, size: rest}
---
message: note
match: {}
sections: {body: [{name: number, type: u16}, {name: text, type: bytes, size: rest}]}
"""
"""Records that can be told wherever they stand, behind a header that tells their byte order."""
BIG, LITTLE = (0x4D4D, ">"), (0x4949, "<")


def plain() -> Pair:
    return Pair.of(compiled.feature("capture_header").columnar)


def searched() -> Pair:
    return Pair.of(compiled.of(SEARCHED).columnar)


def header(
    order: tuple[int, str], *, version: int = 1, dated: bool = False, unit: int = 2, comment: bytes = b""
) -> bytes:
    mark, sign = order
    flags = dated << 7 | unit
    return struct.pack(">H", mark) + struct.pack(f"{sign}HBB", version, flags, len(comment)) + comment


def record(order: tuple[int, str], number: int, *, dated: bool = False, unit: int = 2, newest: bool = False) -> bytes:
    body = struct.pack(f"{order[1]}H", number) + (bytes(4) if dated else b"") + bytes([number % 256] * unit)
    body += b"\7" * newest
    return struct.pack(f"{order[1]}H", len(body)) + body


def capture(order: tuple[int, str], count: int = 3, **said: Any) -> bytes:
    newest = said.get("version") == 2
    told = {name: said[name] for name in ("dated", "unit") if name in said}
    return header(order, **said) + b"".join(record(order, n, newest=newest, **told) for n in range(count))


def notes(order: tuple[int, str], count: int) -> bytes:
    """A capture of the other protocol."""
    builder = CaptureBuilder(searched().codec, {})
    rows: list[dict[str, Any]] = [{"capture": {"mark": order[0], "spare": bytes(40)}}]
    rows += ({"note": {"number": n, "text": b"x" * (n % 30)}} for n in range(count))
    return b"".join(map(builder.build, rows))


CAPTURES = {
    "big": capture(BIG),
    "little": capture(LITTLE, dated=True, unit=1, comment=b"hello"),
    "newest": capture(LITTLE, version=2, unit=3),
    "header alone": capture(BIG, 0),
    "nothing": b"",
    "torn header": capture(BIG)[:5],
    "torn record": capture(BIG)[:-1],
    "no header": record(BIG, 1) * 4,
    "another version": header(BIG, version=3) + record(BIG, 1),
}
