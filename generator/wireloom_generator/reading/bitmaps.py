"""Bitmaps → the bit fields and the conditions that they stand for."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from wireloom_generator.problems import Location
from wireloom_generator.reading import syntax

_MOST = 1024
"""The highest number of a bit."""


def expanded(bitmap: syntax.Bitmap) -> Iterator[syntax.Entry]:
    """The integers of a bitmap, then its fields, each under the condition that its bit is 1."""
    width, faults = int(re.sub(r"\D", "", bitmap.bitmap) or 0), list[tuple[Location, str, str]]()
    numbers = tuple(_numbers(bitmap, width, faults))
    if faults or not 0 < width <= _MOST:
        yield _integer(bitmap, 1, _unused(bitmap, 1, min(max(width, 1), _MOST)), None, tuple(faults))
        yield from (replace(field, bit=None) for field in bitmap.fields)
        return
    names = dict(zip(numbers, (field.name for field in bitmap.fields), strict=True))
    count = -(-max(numbers, default=1) // width)
    when: syntax.Expression | None = None
    for first in range(1, count * width, width):
        told = {bit: [name] for bit, name in names.items() if first <= bit < first + width}
        more = 0 if bitmap.extension is None else first + bitmap.extension - 1
        behind = [name for bit, name in names.items() if bit >= first + width]
        if more and behind:
            told[more] = behind
        found = _integer(bitmap, first, _bits(bitmap, first, width, told), when)
        yield replace(found, is_alone=more > 0 and count == 1)
        when = syntax.Expression(_name(bitmap, more), bitmap.where("extension"))
    for field, bit in zip(bitmap.fields, numbers, strict=True):
        yield _present(field, _name(bitmap, bit))


def _numbers(bitmap: syntax.Bitmap, width: int, faults: list[tuple[Location, str, str]]) -> Iterator[int]:
    """The numbers of the bits of its fields; adds the mistakes in them."""
    more, last = bitmap.extension, 0
    if more is not None and not 1 <= more <= width:
        faults.append((bitmap.where("extension"), f"{bitmap.bitmap} has no bit {more}", f"write 1 to {width}"))
        more = None
    for field in bitmap.fields:
        bit = field.bit
        if bit is None:
            bit = last + 1
            bit += more is not None and (bit - more) % width == 0
        at = field.where("bit") if field.bit is not None else field.at
        if bit <= last:
            what = f"bit {bit} is not behind bit {last}, that of the field before" if last else f"there is no bit {bit}"
            faults.append((at, what, "bits are numbered from 1, and fields are in the order of their bits"))
        elif more is not None and (bit - more) % width == 0:
            faults.append((at, f"bit {bit} says whether another integer follows", "choose another bit"))
        elif bit > (width if more is None else _MOST):
            hint = "name the bit that says whether another integer follows, as in extension: 1" if more is None else ""
            faults.append((at, f"{bitmap.bitmap} has no bit {bit}", hint))
        last = max(bit, last)
        yield bit


def _name(bitmap: syntax.Bitmap, bit: int) -> str:
    return f"{bitmap.name}_{bit}"


def _integer(
    bitmap: syntax.Bitmap,
    first: int,
    bits: Iterable[syntax.BitField],
    when: syntax.Expression | None,
    faults: tuple[tuple[Location, str, str], ...] = (),
) -> syntax.Bits:
    return syntax.Bits(
        at=bitmap.at,
        places={**bitmap.places, "bits": bitmap.where("bitmap")},
        doc=bitmap.doc,
        bits=bitmap.bitmap,
        when=when,
        byte_order=syntax.Expression("big", bitmap.at),
        fields=tuple(bits),
        bitmap=first,
        faults=faults,
    )


def _bits(bitmap: syntax.Bitmap, first: int, width: int, told: Mapping[int, list[str]]) -> Iterator[syntax.BitField]:
    """The bits of an integer: those that are ``told`` by which fields are there, and the others."""
    at = first
    for bit in sorted(told):
        yield from _unused(bitmap, at, bit - 1)
        derive = syntax.Expression(" or ".join(f"present({name})" for name in told[bit]), bitmap.at)
        yield replace(_bit(bitmap, _name(bitmap, bit), 1), derive=derive)
        at = bit + 1
    yield from _unused(bitmap, at, first + width - 1)


def _unused(bitmap: syntax.Bitmap, first: int, last: int) -> Iterator[syntax.BitField]:
    """Bits without a field, which are 0."""
    for low in range(first, last + 1, 64):
        high = min(low + 63, last)
        name = _name(bitmap, low) + (f"_to_{high}" if high > low else "")
        yield replace(_bit(bitmap, name, high - low + 1), const=0 if high > low else False)


def _bit(bitmap: syntax.Bitmap, name: str, width: int) -> syntax.BitField:
    doc = syntax.Doc(at=bitmap.at, places={})
    return syntax.BitField(at=bitmap.at, places={}, doc=doc, name=name, width=width)


def _present(field: syntax.Field, bit: str) -> syntax.Field:
    """The field, if its bit is 1."""
    when = bit if field.when is None else f"{bit} and ({field.when})"
    return replace(field, bit=None, when=syntax.Expression(when, field.where("when")))
