"""Whole specs: what captures begin with, the record and its message."""

from typing import Any

import yaml

from support import every_type
from support.invented_specs.bits import Bits
from support.invented_specs.drawing import KINDS, Entry, Fill, Piece, Row
from support.invented_specs.ends import Ends
from support.invented_specs.lists import Lists
from support.invented_specs.structs import Structs

TERMINATED = 0.2
"""How often records end at a terminator."""
LACKING = 0.3
"""How often the last one of these may lack it."""
FLAGGED = 0.2
"""How often other records are between flags."""
FLAGS: tuple[Entry, ...] = (
    {"flag": "7e", "unescape": "hdlc"}, {"flag": "c0", "shared": True, "unescape": "slip"},
    {"flag": "00", "unescape": "cobs"}, {"flag": "00", "unescape": {"escape": "01", "codes": {"01": "01", "02": "00"}}},
)  # fmt: skip
SIZED_BY_BITS = 0.2
"""How often bits tell how large the body is."""
HEADED = 0.2
"""How often captures begin with a header."""
TOLD = 0.2
"""How often the message derives a field of the record's header."""
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


class Spec(Lists, Bits, Structs, Ends):
    """Draws a spec of pieces of every kind."""

    def spec(self) -> tuple[str, Fill]:
        """Its documents, and what fills a row of its message."""
        order = self.random.choice(("big", "little"))
        self.kind = self.random.choice(KINDS)
        entries, fill = self.pieces(self.random.randint(1, 6), depth=2)
        ends = [self.optional, self.rest, self.items_and_rest, self.all_but, self.while_left, self.until_left]
        ends.append(self.nothing)
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
        derive = {}
        if self.random.random() < TOLD:
            lists = [f"count({entry['name']})" for entry in entries if "repeat" in entry and "when" not in entry]
            derive = {"derive": {"told": self.random.choice([*lists, "size(body) // 2"])}}
            others.insert(1, {"name": "told", "type": "u32"})
            ending["length"] += " + 4"
        if self.random.random() < TERMINATED:
            ends = [self.random.randbytes(8).hex() for _ in range(self.random.choice((1, 1, 2)))]  # which no record has
            lacking = {"unterminated": "allowed"} if self.random.random() < LACKING else {}
            ending = {"until": ends, **lacking, **({"raw": "line_end"} if len(ends) > 1 or lacking else {})}
        elif self.random.random() < FLAGGED:
            ending = {"between": {**self.random.choice(FLAGS), "raw": "frame"}}
        if self.random.random() < HEADED:
            told, fill_told = self.told_by_header()
            protocol |= {"byte_order": ORDER, "capture": {"fields": HEADER}}
            entries, fill = [*told, *entries], _both(fill_told, fill)
        protocol["record"] = {**ending, "fields": [{"name": "kind", **kind}, *others]}
        match = {"kind": selecting} if selecting else {}
        message = {"message": "all", "match": match, **derive, "sections": {"body": [*entries, *last]}}
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
            self.bits_with_text,
            self.bits_of_presence,
            self.bitmap,
            self.labelled,
            self.grouped,
            self.meant,
            self.elsewhere,
            self.ahead,
            self.summed,
            self.looked_up,
            self.hollow,
            self.nowhere,
            self.followed,
            self.dangling,
            self.written_down,
            self.by_default,
            self.integer_of_any_size,
            self.words_in_another_order,
            self.dated,
            self.counted,
            self.masked,
        )
        entries: list[Entry] = []
        fill: Fill = dict.copy
        for _ in range(count):
            draw = self.random.choice(flat if not depth else (*flat, *(self.section, self.choice, self.struct)))
            more, fill_more = draw() if draw in flat else draw(depth - 1)  # type: ignore[call-arg]  # not flat
            entries += more
            fill = _both(fill, fill_more)
        return entries, fill


def _both(first: Fill, second: Fill) -> Fill:
    def fill(row: Row) -> None:
        first(row)
        second(row)

    return fill
