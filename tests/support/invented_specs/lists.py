"""Lists in an invented spec."""

from support import every_type
from support.invented_specs.drawing import LENGTHS, Entry, Piece, Row
from support.invented_specs.fields import Fields


class Lists(Fields):
    """Draws lists, and what says how many and how large their items are."""

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

    def nowhere(self) -> Piece:
        """A counted list at an offset, which may lead nowhere if there are no items. Where there are some, they begin
        with the offset.
        """
        place, count, items = self.named("place"), self.named("count"), self.named("items")
        at = f"offset({place}) + {place}"
        entries: list[Entry] = [
            {"name": place, "type": "i16"},
            {"name": count, "type": "u8"},
            {"name": items, "type": "u8", "at": at, "shared": True, "repeat": {"count": count}},
        ]

        def fill(row: Row) -> None:
            is_empty = self.random.random() < 0.5
            row[place] = self.random.choice((-(1 << 15), -1, 0, 500, (1 << 15) - 1)) if is_empty else 0
            row[count] = 0 if is_empty else self.random.randint(1, 3)

        return entries, fill

    def dangling(self) -> Piece:
        """A text at an offset, which may lead nowhere, or to bytes that are no text."""
        place, text, there = self.named("place"), self.named("text"), self.named("there")
        found = {"name": text, "type": "text", "until": "00", "at": f"offset({place}) + {place}"}
        entries: list[Entry] = [
            {"name": place, "type": "i16"},
            {"name": there, "type": "bytes", "size": 4},
            found | {"shared": True, "optional": True},
        ]

        def fill(row: Row) -> None:
            row[place] = self.random.choice((-(1 << 15), -1, 0, 2, 2, 3, 500, (1 << 15) - 1))
            row[there] = self.random.choice((b"ab\0\0", b"a\xff\0\0", b"\0\0\0\0"))

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

    def followed(self) -> Piece:
        """A list of structs with a bit that says whether another one follows, which may be left out."""
        items, struct = self.named("items"), self.named("Followed").replace("_", "")
        value, more, last = self.named("value"), self.named("more"), self.named("last")
        bits = [{"name": value, "width": 7}, {"name": more, "width": 1, "default": f"not {last}"}]
        self.structs.append({"name": struct, "given": [last], "fields": [{"bits": "u8", "fields": bits}]})
        told = {last: f"index + 1 == count({items})"}
        listed = {"name": items, "type": struct, "repeat": {"until": f"not {more}"}, "with": told}

        def fill(row: Row) -> None:
            count = self.random.choice((1, 2, 9))
            row[items] = [
                {value: self.random.randrange(128)} | ({more: at + 1 < count} if self.random.random() < 0.5 else {})
                for at in range(count)
            ]

        return [listed], fill

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
