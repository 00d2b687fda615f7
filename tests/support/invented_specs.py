"""Invented specs: fields of every type in every place of the language, drawn from what the types say of themselves.

A spec comes with rows that can be written by it. No two fields of a spec have one name, so that a row is filled in by
name, with values from the domain of each field's type. What is new among the types is drawn from the day it is there.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from ipaddress import IPv4Address
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID

import yaml

from support import compiled, every_type
from wireloom_generator import frontend, model, types
from wireloom_generator.expressions.kinds import Kind
from wireloom_generator.types import WireType

Row = dict[str, Any]
Entry = dict[str, Any]
Fill = Callable[[Row], None]
Piece = tuple[list[Entry], Fill]
"""Entries of a spec, and what puts their values into a row."""

FIELDS = tuple(every_type.fields())
ROWS = 12
LENGTHS = ("u8", "u16", "leb128_u32", "quic_u62", "vlq_u28", "zigzag_i32")
LETTERS = "abcxyzÄé"
TERMINATED = 0.2
"""How often records end at a terminator."""
SIZED_BY_BITS = 0.2
"""How often bits tell how large the body is."""
HEADED = 0.2
"""How often captures begin with a header."""
ORDER = "little if header_mark == 0x4949 else big"
HEADER: list[Entry] = [
    {"name": "header_mark", "type": "u16", "byte_order": "big", "valid": "header_mark in (0x4949, 0x4d4d)"},
    {"name": "header_size", "type": "u8"},
    {
        "bits": "u16",
        "fields": [{"name": "header_flag", "width": 1}, {"name": "header_unused", "width": 15, "default": 5}],
    },
    {"name": "header_text", "type": "text", "prefix": "u16"},
]
"""What stands there, and the byte order that follows from it."""
LABELS = ("one or none", 'said "so" `once`', "Ä | \\", "<b>&amp;</b>", "{{ none }} %s", "'it's'", "# a_b*c*")

SUMS = (("crc32", "u32"), ("crc16_mcrf4xx", "u16"), ("sum8", "u8"), ("internet", "u16"), ("fletcher16", "u16"))

COMPARED: tuple[tuple[Entry, Sequence[Any]], ...] = (
    ({"type": "text", "size": 4, "pad": "20"}, ("", "ab", "äb")),
    ({"type": "text", "prefix": "u8", "encoding": "cp037"}, ("", "ab", "abc")),
    ({"type": "bytes", "size": 2}, (b"ab", b"\0\0", b"\xff\0")),
    ({"type": "bytes", "until": "00"}, (b"", b"ab", b"\xff")),
    ({"type": "f32"}, (-0.5, 0.5, 2.0)),
    ({"type": "f64"}, (0.1, -0.0, 1e300)),
)
"""Fields that are compared, with some of their values."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MEANT: tuple[tuple[Entry, Callable[[Random], Any]], ...] = (
    ({"type": "u32", "as": {"timestamp": {"unit": "s"}}}, lambda chance: EPOCH + timedelta(0, chance.getrandbits(32))),
    (
        {"type": "i64", "as": {"timestamp": {"unit": "ns"}}, "raw": ""},
        lambda chance: EPOCH + timedelta(microseconds=chance.randrange(-(10**15), 10**15)),
    ),
    ({"type": "u40", "as": {"duration": {"unit": "ms"}}}, lambda chance: timedelta(0, 0, 0, chance.getrandbits(40))),
    ({"type": "leb128_u32", "as": {"duration": {"unit": "d"}}}, lambda chance: timedelta(chance.getrandbits(20))),
    (
        {"type": "u16", "as": {"decimal": {"scale": 0.01, "offset": -40}}},
        lambda chance: Decimal(chance.getrandbits(16)) / 100 - 40,
    ),
    ({"type": "i24", "as": {"double": {"scale": "1/8"}}}, lambda chance: (chance.getrandbits(24) - 2**23) / 8),
    (
        {"type": "u64", "as": {"double": {"scale": "1/4294967296"}}, "raw": ""},
        lambda chance: chance.getrandbits(52) / 2 ** chance.choice((20, 32)),
    ),
    (
        {"type": "i64", "as": {"double": {"scale": "0.1"}}, "raw": ""},
        lambda chance: chance.getrandbits(chance.choice((20, 50, 60))) / 10,
    ),
    ({"type": "bytes", "size": 16, "as": "uuid"}, lambda chance: str(UUID(int=chance.getrandbits(128)))),
    ({"type": "bytes", "size": 4, "as": "ipv4"}, lambda chance: str(IPv4Address(chance.getrandbits(32)))),
    ({"type": "bytes", "size": 6, "as": "mac"}, lambda chance: chance.randbytes(6).hex(":")),
)
"""Fields with numbers and bytes that stand for something, and what draws a value of each."""
KINDS: tuple[tuple[Entry, int, list[Any], tuple[Any, ...]], ...] = (
    ({"type": "u8"}, 1, [], tuple(range(256))),
    ({"type": "u8"}, 1, [3, {"from": 5, "to": 99}, {"from": 200}], (None, 3, 5, 50, 99, 200, 255)),
    ({"type": "i16"}, 2, [{"to": -1}, 7], (-(2**15), -1, 7)),
    ({"type": "bool"}, 1, [True], (None, True)),
    ({"type": "text", "size": 3, "pad": "20"}, 3, ["ab", "xyz", ""], (None, "ab", "xyz", "")),
    ({"type": "bytes", "size": 2}, 2, ["cafe", "beef"], (None, b"\xca\xfe", b"\xbe\xef")),
)
"""Header fields with their sizes, the values that select the message (all if there are none), and some of them."""


@dataclass(frozen=True, slots=True)
class Invented:
    """A spec, compiled, and rows that it can write; captures may begin with the ``header``."""

    text: str
    compiled: compiled.Compiled
    rows: tuple[Row, ...]
    header: Row

    @property
    def told(self) -> Row:
        """What the header says of the records."""
        return {each.name: self.header[each.name] for each in self.compiled.codec.parameters if each.default is None}

    @property
    def records(self) -> tuple[bytes, ...]:
        """The rows as bytes."""
        return tuple(self.compiled.codec.build(row, **self.told) for row in self.rows)

    @property
    def opening(self) -> bytes:
        """The header as bytes."""
        opening: bytes = self.compiled.codec.build({"capture": self.header}) if self.header else b""
        return opening


def invented(random: Random) -> Invented:
    """A spec that nobody has written."""
    drawing = _Drawing(random)
    text, fill = drawing.spec()
    with TemporaryDirectory() as folder:
        path = compiled.folders(text, Path(folder))
        assert not frontend.read([path])[1], text
        found = compiled.compiled(path)
    message = found.protocol.messages[0]
    drawing.types |= dict(_types(found.protocol, message))
    rows = []
    for _ in range(ROWS):
        values: Row = {}
        fill(values)
        kind = random.choice(drawing.kind[3])
        rows.append({"message": message.name, message.name: values} | ({} if kind is None else {"kind": kind}))
    return Invented(text, found, tuple(rows), drawing.header)


def _types(protocol: model.Protocol, message: model.Message) -> Iterator[tuple[str, WireType]]:
    for nodes in (*message.sections.values(), *(struct.nodes for struct in protocol.structs)):
        for node in model.walk(nodes):
            if isinstance(node, model.Field):
                yield node.name, node.wire.type


PACKED: tuple[Entry, ...] = (
    {"through": {"xor": "0x5a"}}, {"through": {"xor": "hex('a55a3c')"}}, {"through": {"rol": "3"}}, {"through": "zlib"},
    {"through": "bzip2"},
)  # fmt: skip
"""What sections go through."""


@dataclass
class _Drawing:
    """A spec while it is drawn; ``types`` are those of its fields once it is compiled."""

    random: Random
    types: dict[str, WireType] = field(default_factory=dict)
    structs: list[Entry] = field(default_factory=list)
    enums: list[Entry] = field(default_factory=list)
    flags: list[Entry] = field(default_factory=list)
    names: int = 0
    kind: tuple[Entry, int, list[Any], tuple[Any, ...]] = KINDS[0]
    header: Row = field(default_factory=dict)

    def spec(self) -> tuple[str, Fill]:
        """Its documents, and what fills a row of its message."""
        order = self.random.choice(("big", "little"))
        self.kind = self.random.choice(KINDS)
        entries, fill = self.pieces(self.random.randint(1, 6), depth=2)
        ends = (self.optional, self.rest, self.items_and_rest, self.all_but, self.while_left, self.nothing)
        is_elsewhere = "'at'" in str([entries, self.structs])  # and so is what is left
        last, fill_last = self.nothing() if is_elsewhere else self.random.choice(ends)()
        protocol = {**every_type.PROTOCOL, "protocol": "invented", "byte_order": order}
        tables = "table" in str([entries, last, self.structs])
        protocol |= {
            "enums": self.enums,
            "flags": self.flags,
            "types": self.structs,
            "tables": every_type.PROTOCOL["tables"] if tables else [],
        }
        kind, size, selecting, _ = self.kind
        _, *others = every_type.PROTOCOL["record"]["fields"]
        ending = {"length": f"{size + 2} + size"}
        if self.random.random() < SIZED_BY_BITS:
            parts = [{"name": "size_mark", "width": 1, "default": False}, {**others[0], "width": 15}]
            del parts[1]["type"]
            others[0] = {"bits": "u16", "fields": parts}
        if self.random.random() < TERMINATED:
            ending = {"until": self.random.randbytes(8).hex()}  # bytes that no record has
        if self.random.random() < HEADED:
            told, fill_told = self.told_by_header()
            protocol |= {"byte_order": ORDER, "capture": {"fields": HEADER}}
            entries, fill = [*told, *entries], _both(fill_told, fill)
        protocol["record"] = {**ending, "fields": [{"name": "kind", **kind}, *others]}
        match = {"kind": selecting} if selecting else {}
        message = {"message": "all", "match": match, "sections": {"body": [*entries, *last]}}
        return yaml.safe_dump_all([protocol, message], sort_keys=False), _both(fill, fill_last)

    def told_by_header(self) -> Piece:
        """Fields that ask for what the header of their capture says, which is drawn, too."""
        size, flag = self.random.randint(0, 3), self.random.random() < 0.5
        mark, text = self.random.choice((0x4949, 0x4D4D)), self.random.choice(("", "ab"))
        self.header = {"header_mark": mark, "header_size": size, "header_flag": flag, "header_text": text}
        sized = {"name": "header_sized", "type": "bytes", "size": "header_size"}
        flagged = {"name": "header_flagged", "type": "u16", "when": "header_flag"}
        said = {"name": "header_said", "type": "text", "compute": "header_text", "when": "header_text != ''"}
        named = {"name": "header_named", "type": "u16", "when": "header_text in ['ab', 'cd']"}
        values: dict[str, Any] = {"header_sized": self.random.randbytes(size)}
        values |= {"header_flagged": 0x0102} if flag else {}
        values |= {"header_named": 0x0304} if text else {}
        return [sized, flagged, said, named], lambda row: row.update(values)

    def named(self, stem: str) -> str:
        self.names += 1
        return f"{stem}_{self.names}"

    def pieces(self, count: int, depth: int) -> Piece:
        """So many, one behind the other; those with others inside no deeper than ``depth``."""
        flat = (
            self.plain,
            self.plain,
            self.constant,
            self.listed,
            self.beside,
            self.shown,
            self.compared,
            self.bits,
            self.bits_in_one_case,
            self.bits_in_lists,
            self.labelled,
            self.grouped,
            self.meant,
            self.elsewhere,
            self.ahead,
            self.summed,
            self.looked_up,
            self.hollow,
            self.written_down,
            self.by_default,
        )
        entries: list[Entry] = []
        fill: Fill = dict.copy
        for _ in range(count):
            draw = self.random.choice(flat if not depth else (*flat, *(self.section, self.choice, self.struct)))
            more, fill_more = draw() if draw in flat else draw(depth - 1)
            entries += more
            fill = _both(fill, fill_more)
        return entries, fill

    def field(self) -> tuple[Entry, Callable[[], Any]]:
        """A field of any type, and what draws a value of it."""
        entry, example = self.random.choice(FIELDS)
        own = self.own("field", entry)
        return own, lambda: self.value(self.types[own["name"]], entry, example)

    def own(self, stem: str, entry: Entry) -> Entry:
        """The same under a name of its own."""
        name = self.named(stem)
        return {**entry, "name": name, "raw": f"{name}_bytes"} if "raw" in entry else {**entry, "name": name}

    def value(self, of: WireType, entry: Entry, example: object) -> Any:
        """A value of that type."""
        if of.kind is Kind.NUMBER:
            least, most = of.values.least, of.values.most
            near = [number for number in (least, least + 1, -1, 0, 1, 127, 128, 255, most) if least <= number <= most]
            return self.random.choice((*near, self.random.randint(least, most)))
        if isinstance(example, str | bytes) and "size" not in entry:
            known = LETTERS.encode(entry.get("encoding", "utf-8"), "ignore").decode(entry.get("encoding", "utf-8"))
            text = "".join(self.random.choices(known, k=4))
            return self.random.choice((example * 0, text if isinstance(example, str) else text.encode(), example * 20))
        return self.random.random() < 0.5 if isinstance(example, bool) else example

    def plain(self) -> Piece:
        entry, draw = self.field()
        return [entry], lambda row: row.update({entry["name"]: draw()})

    def constant(self) -> Piece:
        entry, example = self.random.choice(FIELDS)
        if not isinstance(example, int | str) or not _fits(entry["type"], example):
            return self.plain()
        return [{**self.own("constant", entry), "const": example}], dict.copy

    def meant(self) -> Piece:
        """A number or bytes that stand for something, or a list of them."""
        entry, draw = self.random.choice(MEANT)
        name = self.named("meant")
        entry = {**entry, "name": name}
        if "raw" in entry:
            entry["raw"] = f"{name}_number"
        elif self.random.random() < 0.4:
            return [{**entry, "repeat": {"count": 2}}], lambda row: row.update(
                {name: [draw(self.random), draw(self.random)]}
            )
        return [entry], lambda row: row.update({name: draw(self.random)})

    def listed(self) -> Piece:
        entry, draw = self.field()
        if not every_type.listable(entry):
            return self.plain()
        many = self.random.choice((0, 1, 3))
        count = {"name": self.named("count"), "type": self.random.choice(LENGTHS), "derive": f"count({entry['name']})"}
        fixed = self.random.random() < 0.3 and many > 0
        entries = [entry | {"repeat": {"count": many if fixed else count["name"]}}]

        def fill(row: Row) -> None:
            row[entry["name"]] = [draw() for _ in range(many if fixed else self.random.choice((0, 1, 2, 9)))]

        return entries if fixed else [count, *entries], fill

    def beside(self) -> Piece:
        """A list, and in front of it one of the sizes of its items, or of their places."""
        told, items, count = self.named("told"), self.named("items"), self.named("count")
        places = self.random.random() < 0.5
        extent = {"prefix": "u8", "at": f"{told}[index]"} if places else {"size": f"{told}[index]"}
        derive = f"{'offset' if places else 'size'}({items}[index])"
        entries = [
            {"name": count, "type": "u8", "derive": f"count({items})"},
            {"name": told, "type": self.random.choice(("u16", "leb128_u32", "u32")), "derive": derive},
            {"name": items, "type": self.random.choice(("bytes", "text")), **extent},
        ]
        entries = [entries[0], *(entry | {"repeat": {"count": count}} for entry in entries[1:])]
        as_text = entries[2]["type"] == "text"

        def fill(row: Row) -> None:
            lengths = [self.random.choice((0, 1, 2, 9)) for _ in range(self.random.choice((0, 1, 3)))]
            row[items] = ["a" * length if as_text else b"\0" * length for length in lengths]

        return entries, fill

    def hollow(self) -> Piece:
        """A counted list of bytes that leave their terminator, so that all but the first are empty; or one of structs
        that have bytes only if they are told so.
        """
        items, count, told, more = (self.named(stem) for stem in ("items", "count", "told", "more"))
        counted = {"name": count, "type": "u8", "derive": f"count({items})"}
        listed = {"name": items, "repeat": {"count": count}}
        of_bytes = self.random.random() < 0.5
        if of_bytes:
            listed |= {"type": "bytes", "until": "2c", "terminator": "leave"}
            entries = [counted, listed, {"name": told, "type": "u8", "const": 0x2C}]
        else:
            struct = self.named("Hollow").replace("_", "")
            fields = [{"name": more, "type": "u16", "when": "has_more == 1"}]
            self.structs.append({"name": struct, "given": ["has_more"], "fields": fields})
            entries = [{"name": told, "type": "u8"}, counted, {**listed, "type": struct, "with": {"has_more": told}}]

        def fill(row: Row) -> None:
            many, has_more = self.random.choice((0, 1, 2, 9)), self.random.randrange(2)
            if of_bytes:
                row[items] = [self.random.choice((b"", b"ab")), *[b""] * many]
            else:
                row[told] = has_more
                row[items] = [{more: 258} if has_more else {} for _ in range(many)]

        return entries, fill

    def written_down(self) -> Piece:
        """A code, and what lists that are written down say of it, and whether a float or another is computed of it."""
        code, sized, word, number, chosen = map(self.named, ("code", "sized", "word", "number", "chosen"))
        entries: list[Entry] = [
            {"name": code, "type": "u8"},
            {"name": sized, "type": "bytes", "size": f"[0, 1, 3][{code}]"},
            {"name": word, "type": "text", "compute": f"['none', 'one'][{code}]"},
            {"name": number, "type": self.random.choice(("f16", "f32", "f64")), "when": f"{code} != 1"},
            {"name": chosen, "type": "f64", "compute": f"{number} if present({number}) else -0.5"},
        ]

        def fill(row: Row) -> None:
            row[code] = self.random.randrange(3)
            row[sized] = self.random.randbytes((0, 1, 3)[row[code]])
            if row[code] != 1:
                row[number] = self.random.choice((0.0, -0.0, 1.5, math.inf, math.nan))

        return entries, fill

    def by_default(self) -> Piece:
        """A number with a default that follows from others, bits with such defaults, or only what is derived."""
        kind, filled, derived, data, has, low = map(self.named, ("kind", "filled", "derived", "data", "has", "low"))
        bits = [{"name": has, "width": 1, "default": f"size({data}) > 1"}, {"name": low, "width": 7, "default": kind}]
        cases: tuple[Entry, ...] = (
            {"name": filled, "type": self.random.choice(("u16", "u24")), "default": f"{kind} + 1"},
            {"bits": "u8", "fields": bits},
            {"name": derived, "type": "u8", "derive": f"size({data})"},
        )
        entries: list[Entry] = [
            {"name": kind, "type": "u8"},
            {"choice": [{"match": {kind: number}, "fields": [case]} for number, case in enumerate(cases)]},
            {"name": data, "type": "bytes", "prefix": "u8"},
        ]

        def fill(row: Row) -> None:
            row[kind], row[data] = self.random.randrange(4), b"x" * self.random.randrange(4)
            if self.random.random() < 0.5 and row[kind] < 2:
                row.update(({filled: 258}, {low: 9})[row[kind]])

        return entries, fill

    def looked_up(self) -> Piece:
        """A list, and one of a type that is given it, whose numbers say what of it they mean."""
        words, items, struct = self.named("words"), self.named("items"), self.named("Lookup").replace("_", "")
        number, size, found = self.named("number"), self.named("size"), self.named("found")
        as_text = self.random.random() < 0.5
        fields: list[Entry] = [
            {"name": number, "type": "u8"},
            {"name": found, "type": "text" if as_text else "i16", "compute": f"pool[{number}]"},
            {"name": size, "type": "u8", "when": f"count(pool) > {number}"},
        ]
        self.structs.append({"name": struct, "given": ["pool"], "fields": fields})
        counts = [{"name": self.named("count"), "type": "u8", "derive": f"count({name})"} for name in (words, items)]
        listed = {"type": "text", "prefix": "u8"} if as_text else {"type": "i16"}
        entries = [
            *counts,
            {"name": words, **listed, "repeat": {"count": counts[0]["name"]}},
            {"name": items, "type": struct, "with": {"pool": words}, "repeat": {"count": counts[1]["name"]}},
        ]

        def fill(row: Row) -> None:
            row[words] = [
                self.random.choice(("", "ab") if as_text else (0, -1)) for _ in range(self.random.choice((0, 1, 3)))
            ]
            asked = [self.random.randrange(4) for _ in range(self.random.choice((0, 1, 3)))]
            row[items] = [{number: each} | ({size: 7} if each < len(row[words]) else {}) for each in asked]

        return entries, fill

    def shown(self) -> Piece:
        entry, draw = self.field()
        shown = self.named("shown")

        def fill(row: Row) -> None:
            row[shown] = self.random.random() < 0.6
            if row[shown]:
                row[entry["name"]] = draw()

        return [{"name": shown, "type": "bool"}, entry | {"when": shown}], fill

    def compared(self) -> Piece:
        """A text, bytes or a float, and a field that is there if it is one of some."""
        (entry, draw), name = self.field(), self.named("compared")
        kind, values = self.random.choice(COMPARED)
        among, negated = self.random.sample(values, self.random.randint(1, 2)), self.random.random() < 0.5
        words = [f"hex('{each.hex()}')" if isinstance(each, bytes) else repr(each) for each in among]
        listed = f"[{', '.join(words)}]" if len(words) > 1 or self.random.random() < 0.5 else ""
        sign = ("not in" if negated else "in") if listed else ("!=" if negated else "==")

        def fill(row: Row) -> None:
            row[name] = self.random.choice(values)
            if (row[name] in among) is not negated:
                row[entry["name"]] = draw()

        return [{"name": name, **kind}, entry | {"when": f"{name} {sign} {listed or words[0]}"}], fill

    def elsewhere(self) -> Piece:
        (entry, draw), place = self.field(), self.named("place")
        offset = {"name": place, "type": "u16", "derive": f"offset({entry['name']})"}
        return [offset, entry | {"at": place}], lambda row: row.update({entry["name"]: draw()})

    def ahead(self) -> Piece:
        """A number that is read ahead of its turn, where rows leave it out, and a field that is there if it says so."""
        (entry, draw), mark, ahead, told = self.field(), *(self.named(stem) for stem in ("mark", "ahead", "told"))
        entries = [
            {"name": mark, "type": "u8"},
            {"name": ahead, "type": "u16", "at": f"offset({mark}) + 1", "shared": True},
            {"name": told, "type": "u16"},
            entry | {"when": f"{ahead} & 1 == 1"},
        ]

        def fill(row: Row) -> None:
            row[mark], row[told] = self.random.randrange(256), self.random.randrange(1 << 16)
            if row[told] & 1:
                row[entry["name"]] = draw()

        return entries, fill

    def summed(self) -> Piece:
        """A checksum over what is in front of it and behind it, and over a constant, in any order."""
        first, sum_, last = self.named("first"), self.named("sum"), self.named("last")
        algorithm, kind = self.random.choice(SUMS)
        over = [
            {"from": f"offset({first})", "to": f"offset({sum_})"},
            {"from": f"offset({last})", "to": f"offset({last}) + size({last})"},
            {"const": self.random.randbytes(self.random.randint(1, 3)).hex()},
        ]
        checksum = {"algorithm": algorithm, "over": self.random.sample(over, 3)}
        middle = {"name": sum_, "type": kind, "checksum": checksum}
        entries = [{"name": first, "type": "u24"}, middle, {"name": last, "type": "u16"}]

        def fill(row: Row) -> None:
            row[first], row[last] = self.random.getrandbits(24), self.random.getrandbits(16)

        return entries, fill

    def bits(self) -> Piece:
        width, high, low = self.random.randint(1, 7), self.named("high"), self.named("low")
        wide, whole = self.random.choice((8, 16, 24, 40, 64)), self.random.choice(({}, {"name": self.named("whole")}))
        fields: list[Entry] = [{"name": high, "width": width}, {"name": low, "width": wide - width}]
        lsb = self.random.random() < 0.5
        order = {"bit_order": "lsb"} if lsb else {}
        is_meant = width > 1 and self.random.random() < 0.3
        if is_meant:
            fields[0]["as"] = {"decimal": {"scale": 0.5, "offset": -3}}

        def fill(row: Row) -> None:
            number, row[low] = self.random.randrange(1 << width), self.random.randrange(1 << wide - width)
            row[high] = Decimal(number) / 2 - 3 if is_meant else number
            if whole and self.random.random() < 0.5:
                row[whole["name"]] = number << wide - width | row[low]
                for name in self.random.choice(([], [high], [high, low])):
                    del row[name]

        return [{"bits": f"u{wide}", **whole, **order, "fields": fields[::-1] if lsb else fields}], fill

    def bits_in_one_case(self) -> Piece:
        """Bits that are one thing or another, as a bit field in front or behind tells."""
        kind, wide = self.named("kind"), self.random.choice((8, 16, 32, 48))
        options = [self.split(wide - 2) for _ in range(self.random.randint(2, 4))]
        cases = [{"match": {kind: number}, "fields": fields} for number, fields in enumerate(options)]
        fields = [{"name": kind, "width": 2}, {"choice": [*cases[:-1], {"fields": options[-1]}]}]
        order = {"bit_order": "lsb"} if self.random.random() < 0.5 else {}

        def fill(row: Row) -> None:
            row[kind] = self.random.randrange(4)
            fields = options[min(row[kind], len(options) - 1)]
            row |= {field["name"]: self.random.getrandbits(field["width"]) for field in fields}
            row |= {field["name"]: row[field["name"]] == 1 for field in fields if field["width"] == 1}

        return [{"bits": f"u{wide}", **order, "fields": self.random.choice((fields, fields[::-1]))}], fill

    def bits_in_lists(self) -> Piece:
        """Lists of bits, one of them of what numbers stand for, behind a bit field or in front of it."""
        many, other, rest = self.named("many"), self.named("other"), self.named("left")
        width, count, wide = self.random.choice(((1, 8, 32), (2, 7, 24), (3, 5, 48), (9, 6, 64), (12, 11, 256)))
        whole = {"name": self.named("whole")} if wide <= 64 and self.random.random() < 0.5 else {}
        left = wide - width * count - 4
        fields: list[Entry] = [
            {"name": many, "width": width, "count": count},
            {"name": other, "width": 2, "count": 2, "as": {"decimal": {"scale": 0.5, "offset": -3}}},
            *({"name": f"{rest}_{at}", "width": min(64, left - at)} for at in range(0, left, 64)),
        ]
        order = {"bit_order": "lsb"} if self.random.random() < 0.5 else {}

        def fill(row: Row) -> None:
            numbers = [self.random.getrandbits(width) for _ in range(count)]
            row[many] = [number == 1 for number in numbers] if width == 1 else numbers
            row[other] = [Decimal(self.random.getrandbits(2)) / 2 - 3 for _ in range(2)]
            row |= {field["name"]: self.random.getrandbits(field["width"]) for field in fields[2:]}

        return [{"bits": f"u{wide}", **whole, **order, "fields": self.random.choice((fields, fields[::-1]))}], fill

    def split(self, width: int) -> list[Entry]:
        """Bit fields of so many bits together."""
        first = self.random.randint(1, width)
        widths = [first, width - first] if first < width else [width]
        return [{"name": self.named("part"), "width": width} for width in widths]

    def labelled(self) -> Piece:
        """A number whose values or bits have names and labels; rows have it as a number or as labels."""
        name, kind = self.named("labelled"), self.random.choice(("enum", "flags"))
        numbers = self.random.sample([1, 2, 4, 8, 0x40, 0x80], 3)
        words = [*self.random.sample(LABELS, 2), "Plain"]
        values = [
            {"name": f"Name{number}" if label != "Plain" else label, "value": number, "label": label}
            for number, label in zip(numbers, words, strict=True)
        ]
        declared = {"name": self.named("Named").replace("_", ""), "values": values}
        (self.enums if kind == "enum" else self.flags).append(declared)

        def fill(row: Row) -> None:
            if self.random.random() < 0.5:
                row[name] = self.random.choice((*numbers, 0, 0x81, 0xFF))
            elif kind == "enum":
                row[f"{name}_name"] = self.random.choice(words)
            else:
                row[f"{name}_flags"] = [word for word in words if self.random.random() < 0.5]

        return [{"name": name, "type": "u8", kind: declared["name"]}], fill

    def grouped(self) -> Piece:
        """Fields for a group of an enum's values, asked for by a match or by a condition, and one for what is left."""
        kind, enum = self.named("kind"), self.named("Grouped").replace("_", "")
        numbers = self.random.sample(range(256), 5)
        members = self.random.sample(numbers, self.random.randint(1, 4))
        values = [{"name": f"Name{number}", "value": number} for number in numbers]
        groups = {"Some": [f"Name{number}" for number in members]}
        self.enums.append({"name": enum, "values": values, "groups": groups})
        cases = [
            {"match": {kind: "Some"}},
            {"when": f"{kind} in {enum}.Some"},
            {"when": f"not {kind} not in {enum}.Some"},
        ]
        some, other = self.named("some"), self.named("other")

        def fill(row: Row) -> None:
            row[kind] = self.random.choice((*numbers, *members, 7))
            row[some if row[kind] in members else other] = self.random.getrandbits(8)

        first = {**self.random.choice(cases), "fields": [{"name": some, "type": "u8"}]}
        fields = [{"name": other, "type": "u8"}]
        return [{"name": kind, "type": "u8", "enum": enum}, {"choice": [first, {"fields": fields}]}], fill

    def section(self, depth: int) -> Piece:
        section, entries, fill = self.named("section"), *self.pieces(self.random.randint(1, 3), depth)
        size = {"name": self.named("size"), "type": self.random.choice(LENGTHS[1:]), "derive": f"size({section})"}
        order = self.random.choice(
            ({}, {"byte_order": "little"}, {"byte_order": f"big if {size['name']} > 9 else little"})
        )
        packed = {} if "'at'" in str([entries, self.structs]) else self.random.choice(({}, {}, *PACKED))
        raw = {"raw": self.named("packed")} if packed.get("through") in ("zlib", "bzip2") else {}
        return [size, {"section": section, "size": size["name"], **order, **packed, **raw, "fields": entries}], fill

    def choice(self, depth: int) -> Piece:
        kind = self.named("kind")
        options = [self.pieces(self.random.randint(1, 2), depth) for _ in range(self.random.randint(1, 3))]
        matched = self.random.random() < 0.5
        entries: list[Entry] = [
            {**({"match": {kind: number}} if matched else {"when": f"{kind} == {number}"}), "fields": option[0]}
            for number, option in enumerate(options)
        ]
        if self.random.random() < 0.5 and len(entries) > 1:
            entries[-1] = {"fields": entries[-1]["fields"]}

        def fill(row: Row) -> None:
            row[kind] = self.random.randrange(len(options))
            options[row[kind]][1](row)

        return [{"name": kind, "type": "u8"}, {"choice": entries}], fill

    def struct(self, depth: int) -> Piece:
        name, struct = self.named("struct"), self.named("Struct").replace("_", "")
        entries, fill_inner = self.pieces(self.random.randint(1, 3), depth)
        self.structs.append({"name": struct, "fields": entries})

        is_list = self.random.random() < 0.5
        if is_list and self.random.random() < 0.3:
            fill_inner = self.recursive(self.structs[-1], entries, fill_inner)

        def fill(row: Row) -> None:
            items: list[Row] = [{} for _ in range(self.random.choice((0, 1, 4)) if is_list else 1)]
            for item in items:
                fill_inner(item)
            row[name] = items if is_list else items[0]

        entry: Entry = {"name": name, "type": struct}
        if "depth" not in self.structs[-1] and self.random.random() < 0.4:
            self.given(entry, self.structs[-1], entries)
        if not is_list:
            return self.asked(entry, entries, fill)
        count = self.named("count")
        return [
            {"name": count, "type": "u8", "derive": f"count({name})"}, entry | {"repeat": {"count": count}},
        ], fill  # fmt: skip

    def recursive(self, struct: Entry, inner: list[Entry], fill: Fill) -> Fill:
        """Let a struct contain itself; what is deeper than it says is bytes, or may not be there."""
        has_more, more = self.named("has"), self.named("more")
        has_end, is_list = self.random.choice(((True, False), (False, False), (False, True)))
        struct["depth"] = 2
        inner.append({"name": has_more, "type": "bool"})
        entry: Entry = {"name": more, "type": struct["name"]}
        there: Entry = {"repeat": {"count": f"2 if {has_more} else 0"}} if is_list else {"when": has_more}
        inner.append(entry | there | ({"prefix": "u16"} if has_end else {}))

        def fill_deep(row: Row, level: int = 1) -> None:
            fill(row)
            is_deepest = level == struct["depth"]
            row[has_more] = (has_end or not is_deepest) and self.random.random() < 0.5
            if row[has_more] and is_deepest:
                row[more] = self.random.randbytes(self.random.choice((0, 1, 30)))
            elif row[has_more]:
                deeper: list[Row] = [{}, {}]
                for each in deeper:
                    fill_deep(each, level + 1)
                row[more] = deeper if is_list else deeper[0]

        return fill_deep

    def given(self, entry: Entry, struct: Entry, inner: list[Entry]) -> None:
        """Give a struct a number, and let one more field of it follow from that."""
        number, follows = self.named("given"), self.named("follows")
        struct["given"] = [number]
        inner.append({"name": follows, "type": "u16", "derive": f"{number} * 2"})
        kind = {"u8": "kind", "i16": "kind & 255"}.get(self.kind[0]["type"], "1")
        entry["with"] = {number: f"({kind}) + {self.random.randrange(9)}"}

    def asked(self, struct: Entry, inner: list[Entry], fill: Fill) -> Piece:
        """A struct, and behind it a field that is there if one inside the struct says so; also where that is, or how
        large what stands there.
        """
        told, (entry, draw) = self.named("told"), self.field()
        inner.append({"name": told, "type": "bool"})

        def fill_both(row: Row) -> None:
            fill(row)
            row[struct["name"]][told] = self.random.random() < 0.5
            if row[struct["name"]][told]:
                row[entry["name"]] = draw()

        pieces = [struct, entry | {"when": f"{struct['name']}.{told}"}]
        inside = [each["name"] for each in inner if "name" in each and not {"at", "compute"} & each.keys()]
        if self.random.random() < 0.5:
            of = f"{self.random.choice(('size', 'offset'))}({struct['name']}.{self.random.choice(inside)})"
            measured = {"name": self.named("measured"), "type": "u32", "derive": of}
            pieces.insert(self.random.choice((0, 2)), measured)
        return pieces, fill_both

    def optional(self) -> Piece:
        entry, draw = self.field()

        def fill(row: Row) -> None:
            if self.random.random() < 0.5:
                row[entry["name"]] = draw()

        return [entry | {"optional": True}], fill

    def rest(self) -> Piece:
        name = self.named("rest")
        entry = {"name": name, "type": "bytes", "size": "rest"}
        return [entry], lambda row: row.update({name: self.random.randbytes(self.random.choice((0, 1, 30)))})

    def items_and_rest(self) -> Piece:
        """A list whose last item may take the rest; if it is counted, bytes behind it that are empty then."""
        items, struct, count, behind = (self.named(stem) for stem in ("items", "item", "count", "behind"))
        (entry, draw), kind, tail = self.field(), self.named("kind"), self.named("tail")
        taking, draw_tail = self.random.choice(
            (({"size": "rest"}, bytes), ({"prefix": "u8", "repeat": "rest"}, _halves))
        )
        struct = struct.replace("_", "").title()
        alternatives = [
            {"match": {kind: 0}, "fields": [{"name": tail, "type": "bytes", **taking}]},
            {"fields": [entry]},
        ]
        self.structs.append({"name": struct, "fields": [{"name": kind, "type": "u8"}, {"choice": alternatives}]})
        counted = self.random.random() < 0.5
        listed = {"name": items, "type": struct, "repeat": {"count": count} if counted else "rest"}
        told = {"name": count, "type": "u8", "derive": f"count({items})"}

        def fill(row: Row) -> None:
            row[items] = [{kind: 1, entry["name"]: draw()} for _ in range(self.random.choice((0, 1, 4)))]
            left = self.random.randbytes(self.random.choice((0, 1, 30)))
            takes = self.random.random() < 0.5
            if takes:
                row[items].append({kind: 0, tail: draw_tail(left)})
            if counted:
                row[behind] = b"" if takes else left

        return [told, listed, {"name": behind, "type": "bytes", "size": "rest"}] if counted else [listed], fill

    def all_but(self) -> Piece:
        name, behind = self.named("all_but"), self.named("behind")
        entries = [{"name": name, "type": "bytes", "size": "rest - 2"}, {"name": behind, "type": "u16"}]
        return entries, lambda row: row.update({name: self.random.randbytes(self.random.choice((0, 1, 30))), behind: 7})

    def while_left(self) -> Piece:
        """A field that is there if so many bytes are left, and a list of what is left then."""
        number, numbers = self.named("number"), self.named("numbers")
        entries = [
            {"name": number, "type": "u16", "when": "left > 3"},
            {"name": numbers, "type": "u8", "repeat": {"count": "left"}},
        ]

        def fill(row: Row) -> None:
            row[numbers] = list(self.random.randbytes(self.random.choice((0, 1, 2, 9))))
            if len(row[numbers]) > 1:
                row[number] = self.random.randrange(1 << 16)

        return entries, fill

    def nothing(self) -> Piece:
        return [], dict.copy


def _fits(spelling: str, constant: int | str) -> bool:
    of = types.parse(spelling)
    return of is not None and of.misfit(constant, None) is None


def _halves(data: bytes) -> list[bytes]:
    return [data[: len(data) // 2], data[len(data) // 2 :]]


def _both(first: Fill, second: Fill) -> Fill:
    def fill(row: Row) -> None:
        first(row)
        second(row)

    return fill
