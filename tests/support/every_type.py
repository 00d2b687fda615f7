"""A protocol with fields of every type; a type without an example fails in it at once."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cache
from typing import Any

import yaml

from support import compiled
from wireloom_generator import types

_ENCODINGS = ("utf-8", "ascii", "latin-1", "utf-16-be", "utf-16-le", "utf-32-le", "cp037", "cp1252", "gb18030")
NAME = "every_type"
PROTOCOL = {
    "protocol": NAME,
    "byte_order": "big",
    "tables": [{"name": "Example", "fields": [{"name": "number", "type": "u8", "id": 0}]}],
    "record": {
        "length": "3 + size",
        "fields": [
            {"name": "kind", "type": "u8"},
            {"name": "size", "type": "u16", "derive": "size(body)"},
            {"section": "body", "size": "rest"},
        ],
    },
}
EXAMPLES: Mapping[type[types.WireType], tuple[tuple[Mapping[str, object], object], ...]] = {
    types.Integer: (({}, 5),),
    types.Float: (({}, 1.5),),
    types.IbmFloat: (({}, 1.5), ({"byte_order": "little"}, -118.625)),
    types.Boolean: (({}, True),),
    types.SizedInteger: (({"size": "4 + 4"}, 5),),
    types.Varint: (({}, 300), ({"raw": ""}, 300)),
    types.Bcd: (
        ({"digits": 8}, 12345678),
        ({"digits": 3, "sign": "unsigned"}, 42),
        ({"digits": 7, "scale": 2, "sign": "signed"}, Decimal("-12.50")),
        ({"digits": 38, "sign": "signed"}, 42),
        ({"digits": 8, "byte_order": "little"}, 12345678),
        ({"digits": 4, "sign": "signed", "nibble_order": "low"}, -42),
    ),
    types.Zoned: (
        ({"digits": 5}, 12345),
        ({"digits": 3, "sign": "trailing"}, -42),
        ({"digits": 4, "sign": "leading", "encoding": "ascii"}, -42),
        ({"digits": 7, "scale": 2, "sign": "trailing_separate", "encoding": "ascii"}, Decimal("-12.50")),
        ({"digits": 38, "sign": "leading_separate"}, 42),
    ),
    types.Ascii: (
        ({"size": 4}, 42),
        ({"size": 8, "base": 8, "digits": 7, "until": "00", "unterminated": "malformed"}, 0o644),
        ({"size": 8, "base": 8, "digits": 6, "until": "00", "pad": "20", "raw": ""}, 0o644),
        ({"size": 6, "fill": "20", "sign": "signed", "digits": 2}, -4),
        ({"size": 16, "base": 16, "case": "upper"}, 0xAB),
        ({"size": 10, "pad": "20"}, 42),
        ({"until": "0d0a", "base": 16, "raw": ""}, 0xAB),
        ({"until": ["3b", "2c"], "raw": ""}, 42),
        ({"prefix": "u8", "sign": "signed", "digits": 4}, -42),
    ),
    types.Bytes: (
        ({"prefix": "u8"}, b"ab"),
        ({"prefix": {"type": "bcd", "digits": 3}}, b"ab"),
        ({"prefix": {"type": "zoned", "digits": 2}}, b"ab"),
        ({"size": "2"}, b"ab"),
        ({"until": "00"}, b"ab"),
        ({"until": ["0d0a", "0a"], "raw": ""}, b"ab"),
        ({"size": "4", "pad": "20"}, b"ab"),
        ({"size": "5", "until": "0d0a", "pad": "ff", "raw": ""}, b"ab"),
    ),
    types.Text: (
        *(({"prefix": "u8", "encoding": encoding}, "ab") for encoding in _ENCODINGS),
        ({"size": "3", "encoding": {"width": 6, "characters": "@ab"}, "pad": "00"}, "ab"),
        ({"prefix": "u8", "encoding": {"width": 7, "characters": "\ufffdab", "bit_order": "lsb"}}, "ab"),
        ({"prefix": {"type": "ascii", "digits": 2}}, "ab"),
        (
            {
                "prefix": {"type": "bcd", "digits": 2, "counts": "characters"},
                "encoding": {"width": 4, "characters": "0123456789", "justify": "right"},
            },
            "123",
        ),
        (
            {
                "prefix": {"type": "u8", "counts": "characters"},
                "encoding": {"width": 7, "characters": "\ufffdab", "bit_order": "lsb"},
            },
            "aba",
        ),
        ({"size": "4", "until": "00"}, "ab"),
        ({"size": "6", "pad": "2000", "encoding": "utf-16-le"}, "ab"),
        ({"until": "00", "unterminated": "allowed", "raw": ""}, "ab"),
        ({"until": ["0d0a", "0a"], "raw": ""}, "ab"),
    ),
    types.FlatBuffers: (({"prefix": "u8", "table": "Example", "raw": ""}, {"number": 5}),),
}
"""For each type, the other keys of a field of it, and a value. Each ``raw`` column gets a name of its own."""
_SIGNED = ("leb128_i", "zigzag_i", "protobuf_i")
"""The beginnings of the names of signed varints, whose values are negative."""
SHAPES: Mapping[str, Mapping[str, object]] = {
    "plain": {},
    "lists": {"repeat": {"count": 2}},
    "shown": {"when": "is_shown"},
    "last": {"optional": True},
}
"""What is added to the fields of each message, by its name."""


def fields() -> Iterator[tuple[dict[str, Any], object]]:
    """Fields of every type, as specs write them, and a value of each."""
    for each in types.ALL:
        for spelling in each.spellings():
            for number, (keys, example) in enumerate(EXAMPLES[each]):
                value = -example if isinstance(example, int) and spelling.startswith(_SIGNED) else example
                name = f"{spelling}_{number}"
                own = {"raw": f"{name}_bytes"} if "raw" in keys else {}
                yield {"name": name, "type": spelling, **keys, **own}, value


def listable(entry: Mapping[str, object]) -> bool:
    """Whether there are lists of such fields; of tables there are none."""
    return "table" not in entry


def _message(name: str, more: Mapping[str, object]) -> tuple[dict[str, Any], dict[str, object]]:
    """A message as its file has it, and its values."""
    entries, row = [{"name": "is_shown", "type": "bool"}], {"is_shown": True}
    for field, value in fields():
        if "repeat" in more and not listable(field):
            continue
        entries.append({**field, **more})
        row[field["name"]] = [value, value] if "repeat" in more else value
    kind = list(SHAPES).index(name) + 1
    return {"message": name, "match": {"kind": kind}, "sections": {"body": entries}}, row


@cache
def text() -> str:
    """The spec, with the bytes of a record of each message as its worked example."""
    made = {name: _message(name, more) for name, more in SHAPES.items()}
    documents = [PROTOCOL, *(message for message, _ in made.values())]
    codec = compiled.of(yaml.safe_dump_all(documents)).codec
    for name, (message, row) in made.items():
        data = codec.build({"message": name, name: row})
        message["examples"] = [{"name": f"Of {name}", "hex": data.hex()}]
    return yaml.safe_dump_all(documents)


@cache
def feature(name: str) -> compiled.Compiled:
    """The protocol of a feature, this one among them."""
    return compiled.of(text()) if name == NAME else compiled.feature(name)
