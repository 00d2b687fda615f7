"""``zoned``: zoned decimal, a digit per byte, as COBOL has numbers for people (DISPLAY)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Self

from wireloom_generator.problems import closest
from wireloom_generator.reading import syntax
from wireloom_generator.types.base import WrongKey
from wireloom_generator.types.decimals import Digits
from wireloom_generator.types.sizes import SizeRange, exactly

ENCODINGS = ("ebcdic", "ascii")
SIGNS = ("trailing", "leading", "trailing_separate", "leading_separate")
"""Where the sign is: in a digit, or separate, in a byte of its own."""


@dataclass(frozen=True, slots=True)
class Zoned(Digits):
    """A number in bytes, digits of this ``encoding``."""

    spelling: ClassVar[str] = "zoned"
    block: ClassVar[str] = "Zoned"
    keys: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType(
        {"digits": (), "scale": (), "sign": SIGNS, "encoding": ENCODINGS, "raw": ()}
    )
    signs: ClassVar[Sequence[str]] = SIGNS

    encoding: str = ENCODINGS[0]

    def given(self, field: syntax.Field) -> Self:
        if any(self.faults(field)):
            return self
        encoding = field.encoding if isinstance(field.encoding, str) else ENCODINGS[0]
        return type(self)(field.digits or 1, field.scale or 0, field.sign, encoding)

    def faults(self, field: syntax.Field) -> Iterator[WrongKey]:
        yield from Digits.faults(self, field)
        if isinstance(field.encoding, syntax.PackedCharacters):
            yield "encoding", "digits have no set of characters", f"write {' or '.join(ENCODINGS)}"
        elif field.encoding is not None and field.encoding not in ENCODINGS:
            yield "encoding", f"unknown encoding {field.encoding!r} of digits", closest(field.encoding, ENCODINGS)

    def __str__(self) -> str:
        return f"{Digits.__str__(self)}, in {self.encoding.upper()}"

    @property
    def size(self) -> SizeRange:
        return exactly(self.digits + (self.sign or "").endswith("separate"))
