"""``text`` and ``bytes``."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar, Self

from wireloom.characters import CharacterSet as CharacterSet
from wireloom.characters import characters
from wireloom_generator.expressions.domain import Domain
from wireloom_generator.expressions.kinds import Kind
from wireloom_generator.problems import counted, odd_digits
from wireloom_generator.reading import syntax
from wireloom_generator.reading.vocabulary import ENCODINGS, JUSTIFIED
from wireloom_generator.types.base import SIZED, Base, Declared, WrongKey, spelled
from wireloom_generator.types.columns import Primitive
from wireloom_generator.types.sizes import ANY, SizeRange


@dataclass(frozen=True, slots=True)
class Text(Base):
    """Text in an encoding."""

    spelling: ClassVar[str] = "text"
    block: ClassVar[str] = "Text"
    size: ClassVar[SizeRange] = ANY
    values: ClassVar[Domain] = Domain(kind=Kind.TEXT)
    holds: ClassVar[str] = "text"
    ends: ClassVar[tuple[str, ...]] = ("size", "prefix", "until")
    endless: ClassVar[bool] = True
    keys: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType({"encoding": ENCODINGS, **SIZED})

    encoding: str | CharacterSet = ENCODINGS[0]

    def given(self, field: syntax.Field) -> Self:
        match field.encoding:
            case syntax.PackedCharacters() as known:
                return replace(self, encoding=character_set(known, lsb=known.bit_order == "lsb"))
            case str() as encoding if encoding:
                return replace(self, encoding=encoding)
        return self

    def faults(self, field: syntax.Field) -> Iterator[WrongKey]:
        if isinstance(self.encoding, CharacterSet):
            for key in ("until", "raw", "through"):
                if getattr(field, key) is not None:
                    yield key, f"text of packed characters cannot have {key}", "delete it, or read type: bytes"

    @property
    def notation(self) -> str:
        if isinstance(self.encoding, CharacterSet):
            order = ", least significant bits first" * self.encoding.lsb
            return f"text, {self.encoding.width}-bit characters{order}{', to the right' * self.encoding.right}"
        return f"text, {self.encoding}"

    def column(self, declared: Declared) -> Primitive:
        return Primitive.STRING

    def misfit(self, const: syntax.Literal, size: int | None) -> tuple[str, str] | None:
        if not isinstance(const, str):
            return f"{spelled(const)} is not text", f"write it in quotes, as '{const}'"
        try:
            given = len(self.octets(const))
        except (LookupError, ValueError):
            return f"{const!r} cannot be written in {self.encoding}", ""
        if size is not None and size != given:
            return f"{const!r} is {counted(given, 'byte')}, so that must be the size", f"write size: {given}"
        return None

    def octets(self, text: str) -> bytes:
        """The bytes of a text. Raises ``LookupError`` or ``ValueError`` if it has none."""
        if isinstance(self.encoding, CharacterSet):
            return self.encoding.packed(self.encoding.codes(text))
        return text.encode(self.encoding)

    @property
    def unit(self) -> int:
        """The size of the smallest character, of which all sizes are multiples."""
        if isinstance(self.encoding, CharacterSet):
            return 1
        return 2 if self.encoding.startswith("utf-16") else 4 if self.encoding.startswith("utf-32") else 1

    @property
    def characters(self) -> tuple[str | None, ...] | None:
        """The character of each byte, None for unassigned bytes; None if characters have several bytes."""
        return None if isinstance(self.encoding, CharacterSet) else characters(self.encoding)


def character_set(written: syntax.PackedCharacters, *, lsb: bool) -> CharacterSet:
    """The set of characters that is written, in an order."""
    return CharacterSet(written.width, written.characters, lsb, right=written.justify == JUSTIFIED[1])


@dataclass(frozen=True, slots=True)
class Bytes(Base):
    """Bytes."""

    spelling: ClassVar[str] = "bytes"
    block: ClassVar[str] = "Blob"
    size: ClassVar[SizeRange] = ANY
    values: ClassVar[Domain] = Domain(kind=Kind.BYTES)
    holds: ClassVar[str] = "bytes"
    ends: ClassVar[tuple[str, ...]] = ("size", "prefix", "until")
    endless: ClassVar[bool] = True
    keys: ClassVar[Mapping[str, tuple[str, ...]]] = SIZED

    def faults(self, field: syntax.Field) -> Iterator[WrongKey]:
        is_any = field.size or field.unterminated == "allowed" or len(field.ends or ()) > 1
        is_open = field.through or field.pad or (field.until and is_any)
        if field.raw is not None and not is_open:
            yield (
                "raw",
                "raw would repeat these bytes",
                "delete raw:; it keeps padding, and terminators that may be missing",
            )

    def misfit(self, const: syntax.Literal, size: int | None) -> tuple[str, str] | None:
        if not isinstance(const, str) or not re.fullmatch(r"([0-9A-Fa-f]{2})+", const):
            hint = odd_digits(const) if isinstance(const, str) else ""
            return f"{spelled(const)} is not bytes", hint or 'write them in hex, in quotes, as "89504e47"'
        given = len(const) // 2
        if size != given:
            return f"{const!r} is {counted(given, 'byte')}, so that must be the size", f"write size: {given}"
        return None

    def column(self, declared: Declared) -> Primitive:
        return Primitive.BINARY
