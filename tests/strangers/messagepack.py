"""MessagePack as the package msgpack writes and reads it."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgpack

from strangers import Capture

INTEGERS = (
    *(0, 1, 0x7F, 0x80, 0xFF, 0x100, 0xFFFF, 0x10000, 0xFFFF_FFFF, 0x1_0000_0000, 0xFFFF_FFFF_FFFF_FFFF),
    *(-1, -0x20, -0x21, -0x80, -0x81, -0x8000, -0x8001, -0x8000_0000, -0x8000_0001, -0x8000_0000_0000_0000),
)
SIZES = (0, 1, 2, 4, 8, 15, 16, 31, 32, 255, 256, 65535, 65536)
"""Those around which the format changes."""
NESTED = [1, [2, {"three": [4.5, {"six": (7, {8: None})}]}, []], {}]
"""Eight values inside each other."""


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
    """What the package packs of values, and what it reads in that."""
    data = b"".join(msgpack.packb(value, **options) for value in values)
    reader = msgpack.Unpacker(max_buffer_size=0, strict_map_key=False, unicode_errors="surrogateescape")
    reader.feed(data)
    return Capture(name, data, tuple({"object": {"value": value}} for value in reader), told=told)


def told(row: dict[str, Any]) -> dict[str, Any]:
    """A row with its value as the package tells it."""
    return {"object": {"value": _value(row["object"]["value"])}}


def _value(said: dict[str, Any]) -> Any:
    items = said["items"] and [_value(each) for each in said["items"]]
    if said["is_map"]:
        return dict(zip(items[::2], items[1::2], strict=True))
    if said["extension"] is not None:
        return _extension(said["extension"])
    if said["text_bytes"] is not None:
        return said["text_bytes"].decode(errors="surrogateescape")
    plain = (said[name] for name in ("boolean", "integer", "float_32", "float_64", "text", "data"))
    return next((value for value in (items, *plain) if value is not None), None)


def _extension(said: dict[str, Any]) -> msgpack.ExtType | msgpack.Timestamp:
    if said["seconds"] is None:
        return msgpack.ExtType(said["type"], said["data"])
    return msgpack.Timestamp(said["seconds"], said["nanoseconds"] or 0)
