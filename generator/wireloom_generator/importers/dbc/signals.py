"""A signal of a CAN message: its place, what it means, and when it is there."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from wireloom_generator.spec_text import Noted, YamlValue


@dataclass(frozen=True, slots=True)
class Condition:
    """A signal is there if the selector has one of these numbers."""

    selector: "Signal"
    numbers: frozenset[int]


@dataclass(frozen=True, slots=True)
class Signal:
    """A signal: its place, and what it means, as keys of a field.

    ``start`` is the number of its first bit in its byte order: of little-endian signals the least significant one,
    counted from the least significant bit of byte 0; of big-endian ones the most significant one, counted from the most
    significant bit of byte 0. ``conditions`` begin with the outermost multiplexer.
    """

    name: str
    start: int
    width: int
    is_little: bool
    is_signed: bool = False
    is_float: bool = False
    offset: int = 0
    """What is added to the number, as in excess-40."""
    keys: Mapping[str, YamlValue] = field(default_factory=dict)
    has_enum: bool = False
    is_selector: bool = False
    conditions: tuple[Condition, ...] = ()
    noted: Noted = field(default_factory=lambda: Noted(""))
    """The comment above it, and its place in the source."""

    @property
    def stop(self) -> int:
        return self.start + self.width

    @property
    def first(self) -> int:
        """Its first byte."""
        return self.start // 8

    @property
    def end(self) -> int:
        """The byte behind its last one."""
        return (self.stop + 7) // 8

    @property
    def is_bool(self) -> bool:
        return self.width == 1 and not self.has_enum

    @property
    def number(self) -> str:
        """The column with its number. Enums and matches are not about what a number means, which is then computed."""
        return f"{self.name}_raw" if "as" in self.keys and (self.has_enum or self.is_selector) else self.name

    def labelled(self) -> "Signal":
        """The signal as its number alone."""
        if self.number == self.name:
            return self
        return replace(self, name=self.number, keys={key: self.keys[key] for key in ("enum",) if key in self.keys})

    def meaning(self, number: str, when: Mapping[str, YamlValue]) -> dict[str, YamlValue]:
        """The computed field with what the number in the field ``number`` means."""
        kept = {key: value for key, value in self.keys.items() if key != "enum" or number == self.name}
        return {"name": self.name, "type": self.computed_type, **when, "compute": number, **kept}

    @property
    def computed_type(self) -> str:
        """The type of a computed number that holds all of its own."""
        size = next((size for size in (8, 16, 32) if size >= self.width + (self.offset != 0)), 64)
        return f"{'i' if self.is_signed or self.offset < 0 else 'u'}{size}"

    def within(self, *, little: bool) -> range:
        """The numbers of its bits in either byte order; it is in one byte, or has that order."""
        if little == self.is_little:
            return range(self.start, self.stop)
        return range(8 * self.first + 8 * self.end - self.stop, 8 * self.first + 8 * self.end - self.start)

    def note(self, value: YamlValue) -> Noted:
        return replace(self.noted, value=value)

    def inner(self) -> "Signal":
        """The signal where its outermost condition holds."""
        return replace(self, conditions=self.conditions[1:])
