"""Fields of an invented spec: of any type, constant, named, meant, or dependent on others."""

import math
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from ipaddress import IPv4Address
from random import Random
from typing import Any
from uuid import UUID

from support.invented_specs.drawing import FIELDS, Drawing, Entry, Piece, Row
from wireloom_generator import types

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


class Fields(Drawing):
    """Draws fields one by one, and those that depend on each other."""

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

    def written_down(self) -> Piece:
        """A code, and what lists that are written down say of it, and whether a float or another is computed of it.

        What is computed must be valid.
        """
        code, sized, word, triple = map(self.named, ("code", "sized", "word", "triple"))
        number, chosen = map(self.named, ("number", "chosen"))
        entries: list[Entry] = [
            {"name": code, "type": "u8"},
            {"name": sized, "type": "bytes", "size": f"[0, 1, 3][{code}]"},
            {
                "name": word,
                "type": "text",
                "compute": f"['none', 'one'][{code}]",
                "valid": f"{word} != 'one' or {code} == 1",
            },
            {"name": triple, "type": "u16", "compute": f"3 * {code}", "valid": f"{triple} < 9"},
            {"name": number, "type": self.random.choice(("f16", "f32", "f64")), "when": f"{code} != 1"},
            {"name": chosen, "type": "f64", "compute": f"{number} if present({number}) else -0.5"},
        ]

        def fill(row: Row) -> None:
            row[code] = self.random.randrange(3)
            row[sized] = self.random.randbytes((0, 1, 3)[row[code]])
            if row[code] != 1:
                row[number] = self.random.choice((0.0, -0.0, 1.5, math.inf, math.nan))

        return entries, fill

    def words_in_another_order(self) -> Piece:
        """An integer or a float of 4 or 8 bytes whose words of 16 bits are swapped, or a list of them."""
        name, kind = self.named("swapped"), self.random.choice(("u32", "i32", "f32", "u64", "i64", "f64"))
        count = self.random.choice((None, 0, 3))
        entry = {"name": name, "type": kind, "byte_order": self.random.choice(("cdab", "badc"))}

        def number() -> float:
            bits = int(kind[1:])
            if kind[0] == "f":
                return self.random.choice((0.5, -0.0, -(2.0**100), math.inf))
            return self.random.choice((0, 1, self.random.getrandbits(bits - 1), (1 << bits - (kind[0] == "i")) - 1))

        def fill(row: Row) -> None:
            row[name] = number() if count is None else [number() for _ in range(count)]

        return [entry | ({} if count is None else {"repeat": {"count": count}})], fill

    def integer_of_any_size(self) -> Piece:
        """An integer with as many bytes as a number says, or as it takes; that number is written down then or not."""
        width, number = map(self.named, ("width", "number"))
        kind, shortest = self.random.choice(("int", "uint")), self.random.random() < 0.5
        told: Entry = {"name": width, "type": "u8", **({"derive": f"size({number})"} if shortest else {})}
        entry = {"name": number, "type": kind, "size": width, "byte_order": self.random.choice(("big", "little"))}

        def fill(row: Row) -> None:
            size = self.random.randint(0, 8)
            data = self.random.choice((self.random.randbytes(size), b"\xff" * size, b"\x7f" + bytes(max(size - 1, 0))))
            row[number] = int.from_bytes(data[:size], "big", signed=kind == "int")
            if not shortest:
                row[width] = size

        return [told, entry], fill

    def dated(self) -> Piece:
        """A date and a time of day; rows have the time, its fields, both, or fields that make no time."""
        names = {key: self.named(key) for key in ("year", "month", "day", "second", "time")}
        kinds = {"year": "u16", "month": "u8", "day": "bcd", "second": self.random.choice(("u24", "i32"))}
        entries: list[Entry] = [{"name": names[key], "type": kind} for key, kind in kinds.items()]
        entries[2]["digits"] = 2
        calendar = {key: names[key] for key in kinds}
        offset = self.random.choice((0, 1900))
        if offset:
            calendar["offset"] = offset
        entries.append({"name": names["time"], "type": "timestamp", "compute": {"calendar": calendar}})

        def fill(row: Row) -> None:
            time = EPOCH.replace(year=offset + self.random.randint(1, 99)) + timedelta(0, self.random.getrandbits(30))
            midnight = time.replace(hour=0, minute=0, second=0)
            fields = (time.year - offset, time.month, time.day, (time - midnight).seconds)
            way = self.random.randrange(4)
            if way < 2:
                row[names["time"]] = time
            if way > 0:
                row.update(zip(calendar.values(), fields if way < 3 else (7, 0, 99, 86_400), strict=False))

        return entries, fill

    def counted(self) -> Piece:
        """An NTP timestamp, or a week and a time of week of GPS; rows have the time, or any numbers."""
        first, second, time = map(self.named, ("first", "second", "time"))
        pivot = EPOCH.replace(year=self.random.choice((2000, 2010)))
        start = f"{pivot:%Y-%m-%d}"
        ways: tuple[tuple[Entry, int, Callable[[], datetime]], ...] = (
            (
                {"ntp": {"second": first, "fraction": second, "pivot": start}},
                32,
                lambda: pivot + timedelta(0, self.random.getrandbits(32), self.random.randrange(10**6)),
            ),
            (
                {"gps": {"week": first, "rollover": 1024, "pivot": start, "second": second}},
                12,
                lambda: EPOCH.replace(year=2012) + timedelta(0, self.random.getrandbits(27)),
            ),
        )
        compute, bits, draw = self.random.choice(ways)
        entries: list[Entry] = [{"name": name, "type": "u32"} for name in (first, second)]

        def fill(row: Row) -> None:
            if self.random.random() < 0.7:
                row[time] = draw()
            else:
                row[first], row[second] = self.random.getrandbits(bits), self.random.getrandbits(32)

        return [*entries, {"name": time, "type": "timestamp", "compute": compute}], fill

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

    def labelled(self) -> Piece:
        """A number whose values or bits have names and labels, or a list of such numbers; rows have it as numbers or as
        labels.
        """
        name, kind = self.named("labelled"), self.random.choice(("enum", "flags"))
        numbers = self.random.sample([1, 2, 4, 8, 0x40, 0x80], 3)
        words = [*self.random.sample(LABELS, 2), "Plain"]
        values = [
            {"name": f"Name{number}" if label != "Plain" else label, "value": number, "label": label}
            for number, label in zip(numbers, words, strict=True)
        ]
        declared = {"name": self.named("Named").replace("_", ""), "values": values}
        (self.enums if kind == "enum" else self.flags).append(declared)
        many = self.random.choice((0, 2)) if kind == "enum" else 0

        def drawn(values: tuple[int, ...] | list[str]) -> object:
            return [self.random.choice(values) for _ in range(many)] if many else self.random.choice(values)

        def fill(row: Row) -> None:
            if self.random.random() < 0.5:
                row[name] = drawn((*numbers, 0, 0x81, 0xFF))
            elif kind == "enum":
                row[f"{name}_name"] = drawn(words)
            else:
                row[f"{name}_flags"] = [word for word in words if self.random.random() < 0.5]

        entry = {"name": name, "type": "u8", kind: declared["name"]}
        return [entry | ({"repeat": {"count": many}} if many else {})], fill

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


def _fits(spelling: str, constant: int | str) -> bool:
    of = types.parse(spelling)
    return of is not None and of.misfit(constant, None) is None
