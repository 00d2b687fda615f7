"""What every part of an invented spec is drawn with."""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from support import every_type
from wireloom_generator.expressions.kinds import Kind
from wireloom_generator.types import WireType

Row = dict[str, Any]
Entry = dict[str, Any]
Fill = Callable[[Row], None]
Piece = tuple[list[Entry], Fill]
"""Entries of a spec, and what puts their values into a row."""
FIELDS = tuple(every_type.fields())
LENGTHS = ("u8", "u16", "leb128_u32", "quic_u62", "vlq_u28", "zigzag_i32")
LETTERS = "abcxyzÄé"
KINDS: tuple[tuple[Entry, int, list[Any], tuple[Any, ...]], ...] = (
    ({"type": "u8"}, 1, [], tuple(range(256))),
    ({"type": "u8"}, 1, [3, {"from": 5, "to": 99}, {"from": 200}], (None, 3, 5, 50, 99, 200, 255)),
    ({"type": "i16"}, 2, [{"to": -1}, 7], (-(2**15), -1, 7)),
    ({"type": "bool"}, 1, [True], (None, True)),
    ({"type": "text", "size": 3, "pad": "20"}, 3, ["ab", "xyz", ""], (None, "ab", "xyz", "")),
    ({"type": "bytes", "size": 2}, 2, ["cafe", "beef"], (None, b"\xca\xfe", b"\xbe\xef")),
)
"""Header fields with their sizes, the values that select the message (all if there are none), and some of them."""


@dataclass
class Drawing:
    """A spec while it is drawn; ``types`` are those of its fields once it is compiled."""

    random: Random
    types: dict[str, WireType] = field(default_factory=dict)
    structs: list[Entry] = field(default_factory=list)
    enums: list[Entry] = field(default_factory=list)
    flags: list[Entry] = field(default_factory=list)
    names: int = 0
    kind: tuple[Entry, int, list[Any], tuple[Any, ...]] = KINDS[0]
    header: Row = field(default_factory=dict)

    def pieces(self, count: int, depth: int) -> Piece:
        """So many, one behind the other; those with others inside no deeper than ``depth``."""
        raise NotImplementedError

    def named(self, stem: str) -> str:
        self.names += 1
        return f"{stem}_{self.names}"

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
        if isinstance(example, str) and isinstance(entry.get("encoding"), dict):
            return example
        if isinstance(example, str | bytes) and "size" not in entry:
            known = LETTERS.encode(entry.get("encoding", "utf-8"), "ignore").decode(entry.get("encoding", "utf-8"))
            text = "".join(self.random.choices(known, k=4))
            return self.random.choice((example * 0, text if isinstance(example, str) else text.encode(), example * 20))
        return self.random.random() < 0.5 if isinstance(example, bool) else example
