"""Bit fields fill an unsigned integer.

They are listed from the most significant bit down, and their widths add up to the integer's. A single bit is true or
false unless it has an enum. Bits without a meaning are a field too, ``reserved: true``. What is said of the whole
number, as its unit, asks for its ``name``.

A bit field with a ``count`` is a list of so many items, of ``width`` bits each. The count is a number, so that what
stands behind them has a place.

Alternatives for the same bits are a ``choice``. Each has as many bits as the first, and the last has no condition, so
that all bits have a place in every record.

Bad::

    - bits: u8
      fields:
        - {name: version, width: 4}
        - {name: is_last, width: 1}

Good::

    - bits: u8
      fields:
        - {name: version, width: 4}
        - {name: is_last, width: 1}
        - {name: unused_bits, width: 3, reserved: true}
"""

import re
from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.analysis.scopes import nodes
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem, counted
from wireloom_generator.types import BIT_WIDTHS, WIDTHS, Integer

_SAID = ("doc", "since", "deprecated", "source", "erratum", "accept", "unit")
"""What can be said of the whole number."""


_SIGNED = re.compile(r"(i|s|int|sint)\d*|signed")
_SIGN_OF_BITS = "compute: level - 16 if level > 7 else level"


def check(spec: Resolved) -> Iterator[Problem]:
    """Bit fields that leave gaps, are too many, or have no integer."""
    for node in nodes(spec):
        if isinstance(node, model.Bits):
            yield from _widths(node)
            yield from _nameless(node)
            if node.whole is not None and node.others:
                what = "bits with a choice among them are no column, so they have no name"
                yield Problem(node.where("name"), "bits", what, "name the bit fields alone")
            elif node.whole is not None and node.whole.width > WIDTHS[-1]:
                what = f"{node.wire.type.word} is no column, so it has no name"
                yield Problem(node.where("name"), "bits", what, "name its bit fields alone")
            if (order := node.stray.get("bit_order")) is not None:
                what = f"unknown bit order {order!r}"
                hint = "msb begins with the most significant bit, lsb with the least"
                yield Problem(node.where("bit_order"), "bits", what, hint)
            for bit in node.fields:
                yield from _bit(bit)
        elif isinstance(node, model.Choice):
            yield from _open(node)


def _widths(bits: model.Bits) -> Iterator[Problem]:
    wire = bits.wire.type
    if not isinstance(wire, Integer) or wire.signed:
        yield Problem(
            bits.where("bits"), "bits", f"bit fields fill an unsigned integer, not {wire.word}", "as u8 or u16"
        )
        return
    if any("count" in bit.stray for bit in bits.fields):
        return
    total = bits.others + sum(bit.taken for bit in bits.fields)
    if bits.over is not None and bits.fields and total != bits.over[1]:
        what = f"this alternative has {counted(total, 'bit')}, and the first one {bits.over[1]}"
        yield Problem(bits.at, "bits", what, "alternatives of bits have equally many; others are reserved: true")
        return
    if bits.over is not None:
        return
    if bits.fields and total != wire.bits and wire.bits in BIT_WIDTHS:
        left = wire.bits - total
        hint = f"{abs(left)} {'is' if abs(left) == 1 else 'are'} {'missing' if left > 0 else 'too many'}"
        yield Problem(bits.where("bits"), "bits", f"the widths add up to {total} of {wire.bits} bits", hint)


def _open(choice: model.Choice) -> Iterator[Problem]:
    """Alternatives of bits of which none may be taken, so that nothing says what the bits are."""
    last = choice.alternatives[-1] if choice.alternatives else None
    is_over = last is not None and any(isinstance(node, model.Bits) and node.over for node in last.nodes)
    if isinstance(last, model.When) and is_over:
        what = "the last alternative for these bits has a condition, so nothing says what they are otherwise"
        yield Problem(last.at, "bits", what, "leave out the condition, or add an alternative that is reserved: true")


def _nameless(bits: model.Bits) -> Iterator[Problem]:
    """What is said of the whole number has no place if that has no name."""
    for key in () if bits.whole is not None else _SAID:
        if bits.gives(key):
            hint = "with a name the number is a column, too; what is about its parts stands beside them"
            yield Problem(bits.where(key), "bits", f"these bits have no name, so nothing has the {key}", hint)


def _bit(bit: model.BitField) -> Iterator[Problem]:
    if not 1 <= bit.width <= 64:
        yield Problem(bit.where("width"), "bits", "a bit field has at least one bit, and at most 64")
    if "type" in bit.stray:
        what = f"the only type of a bit field is bool, not {bit.stray['type']}"
        hint = "its width says how many bits it has; leave out type"
        if _SIGNED.fullmatch(bit.stray["type"]):
            hint = f"bit fields have no sign; compute: makes the number, as in {_SIGN_OF_BITS}"
        yield Problem(bit.where("type"), "bits", what, hint)
    elif bit.boolean and bit.width > 1:
        yield Problem(bit.where("width"), "bits", "a bool has one bit", "write width: 1")
    if "count" in bit.stray:
        what = f"the count of a list of bits is a number from 1 on, not {bit.stray['count']!r}"
        hint = "where the record tells it, declare a type of whole bytes, and repeat that"
        yield Problem(bit.where("count"), "bits", what, hint)
    elif bit.count is not None and bit.derive is not None:
        what, hint = "items of bits follow from nothing", "give each a bit field of its own, with derive:"
        yield Problem(bit.where("derive"), "bits", what, hint)
