"""What an invented spec ends with."""

from support.invented_specs.drawing import Drawing, Piece, Row


class Ends(Drawing):
    """Draws what takes the bytes that are left, or may not be there."""

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

    def until_left(self) -> Piece:
        """A list that ends with an item, or where too little is left for another one, and what is left."""
        items, struct, kind, behind = (self.named(stem) for stem in ("items", "item", "kind", "behind"))
        struct = struct.replace("_", "").title()
        self.structs.append({"name": struct, "fields": [{"name": kind, "type": "u16"}]})
        listed = {"name": items, "type": struct, "repeat": {"until": f"{kind} == 9 or left < 2"}}

        def fill(row: Row) -> None:
            row[items] = [{kind: 1} for _ in range(self.random.choice((0, 1, 4)))]
            row[behind] = self.random.randbytes(self.random.choice((0, 1)))
            if self.random.random() < 0.5:
                row[items].append({kind: 9})
                row[behind] = self.random.randbytes(self.random.choice((0, 1, 30)))

        return [listed, {"name": behind, "type": "bytes", "size": "rest"}], fill

    def nothing(self) -> Piece:
        return [], dict.copy


def _halves(data: bytes) -> list[bytes]:
    return [data[: len(data) // 2], data[len(data) // 2 :]]
