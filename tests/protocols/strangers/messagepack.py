"""MessagePack as the package msgpack writes and reads it."""

import struct
from collections.abc import Iterable, Iterator
from random import Random
from typing import Any

import msgpack

from protocols.strangers import Capture

INTEGERS = (
    *(0, 1, 0x7F, 0x80, 0xFF, 0x100, 0xFFFF, 0x10000, 0xFFFF_FFFF, 0x1_0000_0000, 0xFFFF_FFFF_FFFF_FFFF),
    *(-1, -0x20, -0x21, -0x80, -0x81, -0x8000, -0x8001, -0x8000_0000, -0x8000_0001, -0x8000_0000_0000_0000),
)
SIZES = (0, 1, 2, 4, 8, 15, 16, 31, 32, 255, 256, 65535, 65536)
"""Those around which the format changes."""
NESTED = [1, [2, {"three": [4.5, {"six": (7, {8: [9, {10: "ten"}]})}]}, []], {}]
"""Ten values inside each other."""


def captures() -> Iterator[Capture]:
    """Values of one kind a stream, and one in which they are mixed."""
    yield _stream("integers", INTEGERS)
    yield _stream("others", (None, False, True, 0.1, float("inf"), NESTED, b"\xff", "ÿ", {"": ""}))
    yield _stream("texts", ("x" * size for size in SIZES))
    yield _stream("bytes", (bytes(size) for size in SIZES))
    yield _stream("arrays", ([True] * size for size in SIZES if size < 40))
    yield _stream("maps", (dict.fromkeys(range(size)) for size in SIZES if size < 40))
    yield _stream("extensions", (msgpack.ExtType(number % 128, bytes(size)) for number, size in enumerate(SIZES)))
    yield _stream("times", (msgpack.Timestamp(*parts) for parts in ((1, 0), (1, 5), (-1, 5), (1 << 34, 0))))
    yield _stream("narrow", (0.5, [1.5]), use_single_float=True)
    yield _stream("texts that are none", ("\udcff",), unicode_errors="surrogateescape")


def _stream(name: str, values: Iterable[Any], **options: Any) -> Capture:
    """What the package packs of values."""
    return _read(name, b"".join(msgpack.packb(value, **options) for value in values))


def _read(name: str, data: bytes) -> Capture:
    """Values, and what the package reads in them."""
    reader = msgpack.Unpacker(max_buffer_size=0, strict_map_key=False, unicode_errors="surrogateescape")
    reader.feed(data)
    return Capture(name, data, tuple({"object": {"value": value}} for value in reader), told=told)


def value(data: bytes) -> Any:
    """The value that the package reads in bytes."""
    return msgpack.unpackb(data, strict_map_key=False, unicode_errors="surrogateescape")


def told(row: dict[str, Any]) -> dict[str, Any]:
    """A row with its value as the package tells it."""
    return {"object": {"value": _value(row["object"]["value"])}}


def _value(said: dict[str, Any] | bytes) -> Any:
    if isinstance(said, bytes):
        return value(said)
    items = said["items"] and [_value(each) for each in said["items"]]
    if said["is_map"]:
        return dict(zip(items[::2], items[1::2], strict=True))
    if said["extension"] is not None:
        return _extension(said["extension"])
    if said["text_bytes"] is not None:
        size = {0xD9: 1, 0xDA: 2, 0xDB: 4}.get(said["format"], 0)  # of the length in front of it
        return said["text_bytes"][size:].decode(errors="surrogateescape")
    plain = (said[name] for name in ("boolean", "integer", "float_32", "float_64", "text", "data"))
    return next((value for value in (items, *plain) if value is not None), None)


def _extension(said: dict[str, Any]) -> msgpack.ExtType | msgpack.Timestamp:
    if said["seconds"] is None:
        return msgpack.ExtType(said["type"], said["data"])
    return msgpack.Timestamp(said["seconds"], said["nanoseconds"] or 0)


def varied(random: Random) -> Iterator[Capture]:
    """Values in every format, whether a shorter one would do or not, inside each other down to a depth of twenty."""
    while True:
        data = b"".join(_any(random, 19) for _ in range(random.randrange(1, 4)))
        yield _read("any", data)


def _any(random: Random, depth: int) -> bytes:
    """A value with at most so many inside each other."""
    kind = random.randrange(10 if depth else 8)
    text, number = random.choice((b"", b"a" * 31, "ä".encode() * 20, b"\xff")), random.getrandbits(64)
    match kind:
        case 0:
            return random.choice((b"\xc0", b"\xc2", b"\xc3", bytes([number & 0x7F]), bytes([0xE0 | number & 0x1F])))
        case 1:
            place = random.randrange(8)
            return (
                bytes([0xCC + place])
                + (number & random.choice((0x7F, -1)) & (1 << 64) - 1).to_bytes(8, "big")[-(1 << place % 4) :]
            )
        case 2:
            return random.choice((b"\xca" + struct.pack(">f", number), b"\xcb" + struct.pack(">d", -number)))
        case 3:
            return _headed(random, (0xA0, 0xD9, 0xDA, 0xDB), 31, len(text)) + text
        case 4:
            return _headed(random, (None, 0xC4, 0xC5, 0xC6), 0, len(text)) + text
        case 5:
            return bytes([0xD4 + number % 5, random.randrange(128)]) + random.randbytes(1 << number % 5)
        case 6:
            return _headed(random, (None, 0xC7, 0xC8, 0xC9), 0, len(text)) + bytes([random.randrange(128)]) + text
        case 7:
            return random.choice(
                (b"\xd6\xff" + random.randbytes(4), b"\xd7\xff" + bytes(8), b"\xc7\x0c\xff" + bytes(12))
            )
    count = random.randrange(4)
    if kind == 8:
        return _headed(random, (0x90, None, 0xDC, 0xDD), 15, count) + b"".join(
            _any(random, depth - 1) for _ in range(count)
        )
    pairs = (bytes([number]) + _any(random, depth - 1) for number in range(count))
    return _headed(random, (0x80, None, 0xDE, 0xDF), 15, count) + b"".join(pairs)


def _headed(random: Random, formats: tuple[int | None, ...], most: int, size: int) -> bytes:
    """A size in one of the formats that can have it: in the byte, in one more, two or four."""
    fitting = [number for number, format in enumerate(formats) if format is not None and (number or size <= most)]
    number = random.choice(fitting)
    format = formats[number]
    assert format is not None
    return bytes([format | size]) if not number else bytes([format]) + size.to_bytes(1 << number - 1, "big")
