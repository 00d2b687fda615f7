"""Bit fields in an invented spec."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from support.invented_specs.drawing import Drawing, Entry, Piece, Row

_MEANINGS: tuple[tuple[Entry, Callable[[int], Any]], ...] = (
    ({"as": {"decimal": {"scale": 0.5, "offset": -3}}}, lambda number: Decimal(number) / 2 - 3),
    ({"as": {"timestamp": {"unit": "s", "epoch": "2000-01-01"}}}, lambda number: MILLENNIUM + timedelta(0, number)),
    ({"as": {"duration": {"unit": "min"}}}, lambda number: timedelta(minutes=number)),
)
"""What the highest bits may stand for, and the value of a number."""
MILLENNIUM = datetime(2000, 1, 1, tzinfo=UTC)
_SIGNS: tuple[tuple[Entry, Callable[[int, int], int]], ...] = (
    ({"sign": "twos_complement"}, lambda bits, half: bits - 2 * half if bits >= half else bits),
    ({"sign": "sign_magnitude"}, lambda bits, half: half - bits if bits >= half else bits),
    ({"sign": {"offset": -9}}, lambda bits, half: bits - 9),
    ({"sign": {"offset": 70_000}}, lambda bits, half: bits + 70_000),
)
"""How bits may represent signed numbers, and the number of some bits, the highest of which counts ``half``."""
_UNSIGNED: tuple[Entry, Callable[[int, int], int]] = ({}, lambda bits, half: bits)


class Bits(Drawing):
    """Draws numbers that are divided into bits."""

    def bits(self) -> Piece:
        width, high = self.random.randint(1, 7), self.named("high")
        wide = self.random.choice((8, 16, 24, 40, 64, 72, 136))
        whole = self.random.choice(({}, {"name": self.named("whole")})) if wide <= 64 else {}
        lows = {self.named("low"): min(64, wide - width - at) for at in range(0, wide - width, 64)}
        fields: list[Entry] = [{"name": name, "width": size} for name, size in {high: width, **lows}.items()]
        lsb = self.random.random() < 0.5
        order = {"bit_order": "lsb"} if lsb else {}
        meaning, value = self.random.choice((*_MEANINGS, *[({}, int)] * 7)) if width > 1 else ({}, int)
        sign, signed = self.random.choice((*_SIGNS, *[_UNSIGNED] * 4)) if width > 1 else _UNSIGNED
        fields[0] |= meaning | sign

        def fill(row: Row) -> None:
            number = self._number(width, sign)
            row[high] = value(signed(number, 1 << width - 1))
            for low, size in lows.items():
                row[low] = self.random.randrange(1 << size) == 1 if size == 1 else self.random.randrange(1 << size)
            if whole and self.random.random() < 0.5:
                (low,) = lows
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

        sign, signed = self.random.choice((*_SIGNS, *[_UNSIGNED] * 4)) if width > 1 else _UNSIGNED
        fields[0] |= sign

        def fill(row: Row) -> None:
            numbers = [signed(self._number(width, sign), 1 << width - 1) for _ in range(count)]
            row[many] = [number == 1 for number in numbers] if width == 1 else numbers
            row[other] = [Decimal(self.random.getrandbits(2)) / 2 - 3 for _ in range(2)]
            row |= {field["name"]: self.random.getrandbits(field["width"]) for field in fields[2:]}

        return [{"bits": f"u{wide}", **whole, **order, "fields": self.random.choice((fields, fields[::-1]))}], fill

    def _number(self, width: int, sign: Entry) -> int:
        """Random bits that represent a number."""
        found = self.random.randrange(1 << width)
        return 0 if sign.get("sign") == "sign_magnitude" and found == 1 << width - 1 else found

    def bits_with_text(self) -> Piece:
        """A text of packed characters among bits, with padding or without it, in all orders of bits and bytes."""
        text, rest = self.named("text"), self.named("left")
        bits, wide = self.random.randint(2, 8), self.random.choice((24, 40, 64, 72, 256))
        count = self.random.randint(1, wide // bits)
        known = "".join(map(chr, self.random.sample(range(0x20, 0x3000), 1 << bits)))
        pad = self.random.choice((None, self.random.randrange(1 << bits)))
        entry: Entry = {
            "name": text,
            "type": "text",
            "width": bits * count,
            "encoding": {"width": bits, "characters": known},
        }
        if pad is not None:
            entry["pad"] = f"{pad:02x}"
        left = wide - bits * count
        others = [{"name": f"{rest}_{at}", "width": min(63, left - at)} for at in range(0, left, 63)]
        place = self.random.randint(0, len(others))
        order = {"bit_order": "lsb"} if self.random.random() < 0.5 else {}
        order |= {"byte_order": "little"} if self.random.random() < 0.5 else {}

        def fill(row: Row) -> None:
            found = "".join(self.random.choices(known, k=count))
            row[text] = found if pad is None else found[: self.random.randint(0, count)].rstrip(known[pad])
            for each in others:
                number = self.random.getrandbits(each["width"])
                row[each["name"]] = number == 1 if each["width"] == 1 else number

        return [{"bits": f"u{wide}", **order, "fields": [*others[:place], entry, *others[place:]]}], fill

    def bits_of_presence(self) -> Piece:
        """Fields that are there or not, as bits in front of them say, in one integer or in as many as it takes."""
        wide, parts = self.random.choice((8, 16)), self.random.randint(1, 3)
        room = wide if parts == 1 else wide - 1
        names, fields = list[str](), list[Entry]()
        for _ in range(parts):
            count = self.random.randint(1, room)
            mine = [self.named("given") for _ in range(count)]
            names += mine
            fields += [{"name": f"has_{each}", "width": 1, "derive": f"present({each})"} for each in mine]
            if count < room:
                fields.append({"name": self.named("spare"), "width": room - count, "reserved": True})
        more = {"extension": self.named("more")} if parts > 1 else {}
        order = {"bit_order": "lsb"} if self.random.random() < 0.5 else {}
        entries = [{"name": each, "type": "u16", "when": f"has_{each}"} for each in names]

        def fill(row: Row) -> None:
            some = names[: self.random.randint(0, len(names))]
            row |= {each: self.random.randrange(1 << 16) for each in some if self.random.random() < 0.5}

        return [{"bits": f"u{wide}", **order, **more, "fields": fields}, *entries], fill

    def bitmap(self) -> Piece:
        """Fields that are there or not, by the bits of one integer or of several."""
        wide = self.random.choice((8, 16, 64))
        more = self.random.choice((None, 1, wide))
        most = wide if more is None else self.random.randint(wide + 2, 3 * wide)
        bits = [bit for bit in range(1, most + 1) if more is None or (bit - more) % wide]
        some = sorted(self.random.sample(bits, self.random.randint(1, min(6, len(bits)))))
        if more is not None and some[-1] <= wide:
            some[-1] = bits[-1]
        fields: list[Entry] = []
        draws: dict[str, Callable[[], Any]] = {}
        for bit in some:
            entry, draw = self.field()
            fields.append({**entry, "bit": bit})
            draws[entry["name"]] = draw

        def fill(row: Row) -> None:
            row |= {name: draw() for name, draw in draws.items() if self.random.random() < 0.5}

        extension = {} if more is None else {"extension": more}
        return [{"bitmap": f"u{wide}", "name": self.named("bitmap"), **extension, "fields": fields}], fill

    def split(self, width: int) -> list[Entry]:
        """Bit fields of so many bits together."""
        first = self.random.randint(1, width)
        widths = [first, width - first] if first < width else [width]
        return [{"name": self.named("part"), "width": width} for width in widths]
