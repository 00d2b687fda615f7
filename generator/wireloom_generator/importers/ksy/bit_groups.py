"""Bit fields that share bytes."""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from wireloom_generator.importers.ksy.attributes import BITS, is_bits
from wireloom_generator.importers.ksy.byte_orders import bit_endian
from wireloom_generator.importers.ksy.phrases import CannotSayError
from wireloom_generator.importers.ksy.pieces import Pieces
from wireloom_generator.importers.ksy.spelling import Entry
from wireloom_generator.importers.ksy.structs import Here, Struct
from wireloom_generator.importers.ksy.structure import Attribute
from wireloom_generator.spec_text import YamlValue

_Unit = tuple[list[Attribute], list[Attribute]]
"""Bit fields, and those that are there instead of them."""


@dataclass(frozen=True, slots=True)
class BitGroups:
    """Writes bit fields that share bytes together."""

    pieces: Pieces

    def said(self, group: Sequence[Attribute], here: Here) -> Entry:
        units = list(_units(group))
        orders = {bit_endian(each, here.struct.type) for each in group}
        if len(orders) > 1:
            raise CannotSayError("bits of both orders share bytes")
        is_little = orders == {"le"}
        total = sum(width(first) for first, _ in units)
        fields = [self.bit_unit(unit, here) for unit in units]
        spare = -total % 8
        if spare:
            taken = set(here.struct.fields.values())
            name = f"spare_{here.struct.fields[group[-1].id]}" if "spare" in taken or self.has_groups(here) else "spare"
            fields.append({"name": name, "width": spare, "reserved": True})
        made: Entry = {"bits": f"u{total + spare}"}
        if is_little:
            made["bit_order"] = "lsb"
        order = "little" if is_little else "big"
        if total + spare > 8 and order != self.pieces.orders.around(here.struct.type):
            made["byte_order"] = order
        if "if" in group[0].keys:
            made["when"] = str(self.pieces.expression("if", group[0], here))
        made["fields"] = fields
        return made

    def bit_unit(self, unit: _Unit, here: Here) -> YamlValue:
        """A bit field, or a choice of some or others for the same bits."""
        first, others = ([self.bit_field(each, here) for each in part] for part in unit)
        if not others:
            return first[0]
        when = str(self.pieces.expression("if", unit[0][0], here))
        return {"choice": [{"when": when, "fields": first}, {"fields": others}]}

    def has_groups(self, here: Here) -> bool:
        """Whether several groups of bits end inside a byte."""
        groups = [part for part in parts(here.struct) if is_bits(part[0]) and width(part) % 8]
        return len(groups) > 1

    def bit_field(self, attribute: Attribute, here: Here) -> Entry:
        found = BITS.fullmatch(attribute.text("type") or "")
        assert found is not None
        made: Entry = {"name": here.struct.fields[attribute.id], "width": int(found[1])}
        if "repeat" in attribute.keys:
            times = attribute.text("repeat-expr") or ""
            if not times.isdigit():
                raise CannotSayError("the number of bits is not fixed")
            made["count"] = int(times)
        if "enum" in attribute.keys:
            kind = self.pieces.says.kinds.of(attribute, here.struct.type)
            enum = kind.enum or (kind.item.enum if kind.item is not None else None)
            if enum is None:
                raise CannotSayError(f"there is no enum {attribute.text('enum')}")
            self.pieces.use_enum(made, enum)
        self.pieces.valid(made, attribute, here)
        return self.pieces.documented(made, attribute)


def width(group: Sequence[Attribute]) -> int:
    total = 0
    for attribute in group:
        found = BITS.fullmatch(attribute.text("type") or "")
        assert found is not None
        times = attribute.text("repeat-expr") or "1"
        total += int(found[1]) * (int(times) if times.isdigit() else 0)
    return total


def parts(struct: Struct) -> Iterator[list[Attribute]]:
    """The attributes in sequence, those of bits that share bytes together."""
    group: list[Attribute] = []
    for attribute in struct.type.seq:
        if is_bits(attribute):
            is_other = (
                bool(group)
                and not _is_opposite(group[-1], attribute)
                and (
                    group[0].text("if") != attribute.text("if")
                    or bit_endian(group[0], struct.type) != bit_endian(attribute, struct.type)
                )
            )
            if is_other and not width(group) % 8:
                yield group
                group = []
            group.append(attribute)
            continue
        if group:
            yield group
            group = []
        yield [attribute]
    if group:
        yield group


def _units(group: Sequence[Attribute]) -> Iterator[_Unit]:
    """Bit fields that share bytes, each alone, and those that are there instead of others together with them."""
    rest = list(group)
    while rest:
        if rest[0].text("if") == group[0].text("if"):
            yield [rest.pop(0)], []
            continue
        first = list(itertools.takewhile(lambda each: each.text("if") == rest[0].text("if"), rest))
        others = list(itertools.takewhile(partial(_is_opposite, first[0]), rest[len(first) :]))
        if not others or width(first) != width(others):
            raise CannotSayError("some of the bits that share bytes are conditional")
        yield first, others
        del rest[: len(first) + len(others)]


def _is_opposite(one: Attribute, other: Attribute) -> bool:
    """Whether the condition of an attribute holds if that of the other one does not."""
    conditions = [re.sub(r"\s+", " ", each.text("if") or "").strip() for each in (one, other)]
    plain = [re.sub(r"^not (\w+)$", r"\1 == false", re.sub(r"^(\w+)$", r"\1 == true", each)) for each in conditions]
    found = [re.fullmatch(r"(\w+) == (true|false)", each) for each in plain]
    first, second = found
    return first is not None and second is not None and first[1] == second[1] and first[2] != second[2]
