"""Invented values: Hypothesis strategies of what the types of fields can hold."""

from decimal import Decimal
from functools import cache
from typing import Any

from hypothesis import strategies as st

from wireloom.characters import CharacterSet
from wireloom.codec import (
    As,
    BitList,
    BitText,
    Field,
    Size,
    SizedInteger,
    WordSwapped,
)
from wireloom.codec.columns import ColumnType, decimal_size
from wireloom.codec.fields import EitherOrder, packing_of
from wireloom.codec.flatbuffers import SCALARS
from wireloom.codec.values import value_type
from wireloom.codec.varints import Varint
from wireloom.expressions import Expression
from wireloom.expressions.tree import Value, walk


@cache
def text(encoding: str = "utf-8") -> st.SearchStrategy[str]:
    """Short text."""
    return st.text(_alphabet(encoding), max_size=12)


@cache
def packed_text(known: CharacterSet, pad: str, size: int | None) -> st.SearchStrategy[str]:
    """Text of packed characters: as many as fit the bytes, or fewer that padding follows."""
    most = 12 if size is None else 8 * size // known.width
    found = characters_of(known, 0 if pad or size is None else most, most)
    return found.map(lambda text: text.rstrip(pad)) if pad else found


def characters_of(known: CharacterSet, least: int, most: int) -> st.SearchStrategy[str]:
    return st.text(known.characters.replace(known.NONE, ""), min_size=least, max_size=most)


@cache
def _alphabet(encoding: str) -> st.SearchStrategy[str] | str:
    """The characters of an encoding: all, or those of the first 65536 that it has."""
    if "😀".encode(encoding, "ignore"):
        return st.characters(exclude_categories=["Cs"])
    written = ((char, char.encode(encoding, "ignore")) for char in map(chr, range(1 << 16)))
    return "".join(char for char, data in written if data.decode(encoding, "ignore") == char)


def octets(extent: Any) -> st.SearchStrategy[bytes]:
    size = extent.size if isinstance(extent, Size) and isinstance(extent.size, int) else None
    return st.binary(min_size=size or 0, max_size=70 if size is None else size)


@cache
def of_type(kind: Any) -> st.SearchStrategy[Any]:
    """Numbers that a type can hold, if it tells them."""
    if packing_of(kind):
        return numbers(Field(kind))
    column = value_type(kind)
    if not isinstance(kind, Varint | SizedInteger):
        return of_column(column)
    most = min(kind.most, (1 << 63) - 1) if column == "long" else kind.most
    bounds = st.integers(0, kind.bits).map(lambda bits: min((1 << bits) - 1, most))
    below = bounds.map(lambda number: max(-number, kind.least))
    return st.integers(0, 3) | bounds | below | st.integers(kind.least, most)


@cache
def of_column(column: ColumnType) -> st.SearchStrategy[Any]:
    """Numbers of a column, small ones more often than others; not all types that share it can hold every one."""
    digits, scale = decimal_size(column) or (19, 0)
    most = 10**digits - 1 if decimal_size(column) else (1 << 63) - 1
    bounds = st.integers(0, 62).map(lambda bits: min((1 << bits) - 1, most))
    found = st.integers(0, 3) | bounds | bounds.map(lambda number: -number) | st.integers(-most, most)
    return found.map(lambda number: Decimal(f"{number}e-{scale}")) if scale else found


def meant(kind: As, numbers: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """What numbers or bytes stand for, without those that stand for nothing."""
    return numbers.map(lambda raw: kind.meaning.kept(raw)[0]).filter(lambda value: value is not None)


def of_bits(kind: Any) -> st.SearchStrategy[Any]:
    """The values that a bit field can have."""
    if isinstance(kind, BitList):
        return st.lists(of_bits(kind.item), min_size=kind.count, max_size=kind.count)
    if isinstance(kind, BitText):
        known = kind.characters(lsb=False).known
        text = characters_of(known, 0 if kind.pad else kind.count, kind.count)
        return text.map(lambda each: each.rstrip(kind.pad)) if kind.pad else text
    if isinstance(kind, As):
        return meant(kind, of_bits(kind.subcon))
    return st.booleans() if kind.boolean else st.integers(kind.least, kind.most)


@cache
def numbers(field: Field) -> st.SearchStrategy[Any]:
    """The numbers that a field can hold, those with a name, of a condition, and small ones more often than others."""
    kind = packing_of(field.subcon.number if isinstance(field.subcon, WordSwapped) else field.subcon)
    assert kind is not None
    if kind.type == "boolean":
        return st.booleans()
    if isinstance(field.subcon, As):
        return meant(field.subcon, numbers(Field(field.subcon.subcon)))
    bits = 8 * field.subcon.sizeof()
    if kind.type in ("float", "double"):
        return st.floats(width=bits, allow_nan=False)
    signed = kind.code.islower() if not kind.code.endswith("s") else _either(field.subcon).signed
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    if field.long:
        high = (1 << 63) - 1
    named = [int(member) for member in field.enum or field.flags or ()]
    named += [number for number in literals(field.valid) if low <= number <= high]
    return st.one_of(st.integers(low, high), st.integers(0, 3), st.sampled_from([low, high, *named]))


def literals(said: Expression | None) -> list[int]:
    """The numbers in an expression: of a condition, those at its bounds and those that are listed."""
    parts = walk(said.tree) if said is not None and said.tree is not None else ()
    return [part.value for part in parts if isinstance(part, Value) and isinstance(part.value, int)]


def _either(number: Any) -> Any:
    """The number in one of its byte orders."""
    return number.big if isinstance(number, EitherOrder) else number


TABLE_VALUES: dict[str, st.SearchStrategy[Any]] = {
    "bool": st.booleans(),
    "text": st.none() | text(),
    "f32": st.floats(width=32, allow_nan=False),
    "f64": st.floats(allow_nan=False),
    **{
        kind: st.integers(-(1 << bits - 1), (1 << bits - 1) - 1) if kind[0] == "i" else st.integers(0, (1 << bits) - 1)
        for kind in SCALARS
        if kind[0] in "iu"
        for bits in (int(kind[1:]),)
    },
}
"""The values of a FlatBuffers field, by its type."""
