"""Rules about checksums: their algorithms, and the bytes that they cover."""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.analysis.offsets import edge
from wireloom_generator.analysis.scopes import fields, structs
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Location, Violation, closest
from wireloom_generator.reading.catalogue import ALGORITHMS, OTHER_NAMES, CrcParameters
from wireloom_generator.types import Ascii, Integer

_LEAST, _MOST = 3, 64
"""The widths of CRCs, in bits."""


def _letters(name: str) -> str:
    """The letters and digits of a name, since there are many ways to write one."""
    return "".join(filter(str.isalnum, name.lower()))


_OTHER_SPELLINGS = {
    _letters(name): meant for name, meant in (*OTHER_NAMES.items(), *zip(ALGORITHMS, ALGORITHMS, strict=True))
}


def checksum_algorithm(spec: Resolved) -> Iterator[Violation]:
    """Reports checksums that cannot be computed, or do not fit their field."""
    for node in fields(spec):
        if isinstance(node, model.Field) and node.checksum is not None:
            yield from _algorithm(node, node.checksum)
    for scope in structs(spec):
        for visit in scope.visits:
            if isinstance(visit.item, model.Field) and visit.item.checksum is not None:
                yield from _bounds(visit.item.checksum)


def _bounds(checksum: model.Checksum) -> Iterator[Violation]:
    """Reports ends of a range in a type that are not at fields of that type."""
    for bound in (bound for covered in checksum.ranges for bound in (covered.start, covered.end)):
        if bound.tree is not None and edge(bound.tree) is None:
            what, hint = "a checksum in a type covers fields of that type", "write offset(x), or offset(x) + size(x)"
            yield Violation(bound.at, what, hint)


def _algorithm(field: model.Field, checksum: model.Checksum) -> Iterator[Violation]:
    at, kind = checksum.where("algorithm"), checksum.kind
    if kind is None:
        other = _OTHER_SPELLINGS.get(_letters(checksum.algorithm))
        hint = f"did you mean {other!r}?" if other else closest(checksum.algorithm, ALGORITHMS)
        yield Violation(at, f"unknown checksum {checksum.algorithm!r}", hint)
    elif isinstance(kind, CrcParameters) and not _LEAST <= kind.width <= _MOST:
        yield Violation(at, f"a CRC cannot have {kind.width} bits", f"write {_LEAST} to {_MOST}")
    else:
        if isinstance(kind, CrcParameters):
            yield from _crc(kind, at)
        bits = 8 * -(-kind.width // 8)
        if isinstance(field.type, Ascii):
            yield from _in_digits(field, field.type, checksum)
        elif field.type != Integer(bits, signed=False):
            name = checksum.algorithm if checksum.algorithm in ALGORITHMS else "the CRC"
            what = f"{name} has {kind.width} bits, which do not fit {field.type.word}"
            hint = f"write type: u{bits}"
            if name == "fletcher8":
                hint += ", or algorithm: fletcher16_mod256 or fletcher16, with sums of a byte each"
            yield Violation(field.where("type"), what, hint)
    for place, what, hint in checksum.faults:
        yield Violation(place, what, hint)
    for covered in checksum.ranges:
        start, end = covered.start.constant, covered.end.constant
        if start is not None and end is not None and start >= end:
            yield Violation(covered.end.at, f"the range from {start} to {end} is empty")


def _in_digits(field: model.Field, digits: Ascii, checksum: model.Checksum) -> Iterator[Violation]:
    """Checksums that do not fit their number of digits. Sums may have fewer digits, because a sum of few bytes is
    small.
    """
    kind = checksum.kind
    assert kind is not None
    if field.wire.fixed is None:
        what = f"{field.name!r} has no fixed size"
        yield Violation(field.where("type"), what, "a checksum in digits needs one, as in size: 4")
    elif digits.bits < kind.width and not checksum.algorithm.startswith("sum"):
        what = f"{checksum.algorithm} has {kind.width} bits, and {digits} of {field.wire.fixed} bytes has {digits.bits}"
        yield Violation(field.where("size"), what)


def _crc(crc: CrcParameters, at: Location) -> Iterator[Violation]:
    for name, number in (("poly", crc.poly), ("init", crc.init), ("xor_out", crc.xor_out)):
        if not 0 <= number < 1 << crc.width:
            has_high_bit = name == "poly" and number >> crc.width == 1
            hint = "omit its highest bit, which stands for the width" if has_high_bit else ""
            yield Violation(at, f"{name} {number:#x} does not fit {crc.width} bits", hint)
    if not crc.poly & 1:
        what = f"poly {crc.poly:#x} is even, which is not a CRC polynomial"
        yield Violation(at, what, "write it with its highest bit first; reverse the bits of a reflected one")
