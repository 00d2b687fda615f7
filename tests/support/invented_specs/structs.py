"""Parts of an invented spec that have others inside: sections, choices and structs."""

from support.invented_specs.drawing import LENGTHS, Drawing, Entry, Fill, Piece, Row

PACKED: tuple[Entry, ...] = (
    {"through": {"xor": "0x5a"}}, {"through": {"xor": "hex('a55a3c')"}}, {"through": {"rol": "3"}}, {"through": "zlib"},
    {"through": "bzip2"}, {"through": {"unescape": "slip"}}, {"through": {"unescape": "cobs"}},
    {"through": {"unescape": {"escape": "01", "codes": {"02": "01", "01": "00"}}}},
)  # fmt: skip
"""What sections go through."""


class Structs(Drawing):
    """Draws what has other pieces inside."""

    def section(self, depth: int) -> Piece:
        section, entries, fill = self.named("section"), *self.pieces(self.random.randint(1, 3), depth)
        size = {"name": self.named("size"), "type": self.random.choice(LENGTHS[1:]), "derive": f"size({section})"}
        order = self.random.choice(
            ({}, {"byte_order": "little"}, {"byte_order": f"big if {size['name']} > 9 else little"})
        )
        packed = {} if "'at'" in str([entries, self.structs]) else self.random.choice(({}, {}, *PACKED))
        may_be_kept = "unescape" in str(packed) and self.random.random() < 0.5
        is_kept = packed.get("through") in ("zlib", "bzip2") or may_be_kept
        raw = {"raw": self.named("packed")} if is_kept else {}
        return [size, {"section": section, "size": size["name"], **order, **packed, **raw, "fields": entries}], fill

    def masked(self) -> Piece:
        """A section of masked bytes, with a list of structs that tell whether they have a text, and a number that
        follows from another.
        """
        section, items, struct = self.named("section"), self.named("items"), self.named("Masked").replace("_", "")
        size, count, follows, has, text = (self.named(stem) for stem in ("size", "count", "follows", "has", "text"))
        there = [{"name": has, "type": "bool"}, {"name": text, "type": "text", "prefix": "u8", "when": has}]
        self.structs.append({"name": struct, "fields": there})
        entries: list[Entry] = [
            {"name": count, "type": "u8", "derive": f"count({items})"},
            {"name": items, "type": struct, "repeat": {"count": count}},
            {"name": follows, "type": "u16", "derive": f"{count} + 1"},
        ]
        sized = {"name": size, "type": "u16", "derive": f"size({section})"}
        masked: Entry = {"section": section, "size": size, "through": {"xor": "0xff"}, "fields": entries}

        def fill(row: Row) -> None:
            told = [self.random.random() < 0.5 for _ in range(self.random.choice((0, 1, 5)))]
            row[items] = [{has: True, text: "ab"} if each else {has: False} for each in told]

        return [sized, masked], fill

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

        if "with" in struct and not {"at", "compute"} & entry.keys() and self.random.random() < 0.5:
            struct["with"] = dict.fromkeys(struct["with"], f"size({entry['name']})")
        pieces = [struct, entry | {"when": f"{struct['name']}.{told}"}]
        inside = [each["name"] for each in inner if "name" in each and not {"at", "bitmap", "compute"} & each.keys()]
        if self.random.random() < 0.5:
            of = f"{self.random.choice(('size', 'offset'))}({struct['name']}.{self.random.choice(inside)})"
            measured = {"name": self.named("measured"), "type": "u32", "derive": of}
            pieces.insert(self.random.choice((0, 2)), measured)
        return pieces, fill_both
