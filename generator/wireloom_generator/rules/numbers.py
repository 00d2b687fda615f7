"""Rules about integers, bit fields and byte orders."""

import re
from collections.abc import Iterable, Iterator, Sequence

from wireloom_generator import model
from wireloom_generator.analysis.scopes import fields, nodes
from wireloom_generator.expressions import Name, orders
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Location, Violation, closest, counted
from wireloom_generator.reading import other_tools
from wireloom_generator.reading.vocabulary import ORDERS, WORD_ORDERS
from wireloom_generator.types import BIT_WIDTHS, WIDTHS, Integer, Struct, Varint, WireType, signs
from wireloom_generator.types.signs import SignedBits

_BYTES = (1, 2, 3, 4)
"""Sizes in bytes, which other tools use in names of types, as in ``u4``."""


def integer_width(spec: Resolved) -> Iterator[Violation]:
    """Reports integers that are not a whole number of bytes, or have too many."""
    for wire, at, widths in _integers(spec):
        if isinstance(wire, Integer) and wire.bits not in widths:
            yield Violation(at, f"no integer has {wire.bits} bits", _width_hint(wire, widths[-1]))
        elif isinstance(wire, Varint) and wire.bits not in wire.form.widths:
            few, most = wire.form.widths[0], wire.form.widths[-1]
            hint = f"{few} to {most} bits" if few < most else f"write {wire.form.stem}{most}"
            yield Violation(at, f"there is no {wire.word}", hint)


def _width_hint(wire: Integer, most: int) -> str:
    if wire.bits > most:
        return "keep it as bytes"
    are = "byte is" if wire.bits == 1 else "bytes are"
    meant = f"{wire.bits} {are} {wire.word[0]}{8 * wire.bits}; " if wire.bits in _BYTES else ""
    return f"{meant}8, 16, 24 … 64 bits; split off smaller ones with bits:"


def _integers(spec: Resolved) -> Iterator[tuple[WireType, Location, Sequence[int]]]:
    for node in nodes(spec):
        if isinstance(node, model.Field | model.Computed):
            yield node.type, node.where("type"), WIDTHS
            extent = node.wire.extent if isinstance(node, model.Field) else None
            if isinstance(extent, model.Prefix) and isinstance(extent.length.type, Varint):
                yield extent.length.type, node.where("prefix"), WIDTHS
        elif isinstance(node, model.Bits):
            yield node.wire.type, node.where("bits"), BIT_WIDTHS


_OF_WHOLE = ("doc", "since", "deprecated", "source", "erratum", "accept", "unit")
"""The keys that describe the whole number."""


_SIGNED = re.compile(r"(i|s|int|sint)\d*|signed")
_OTHER_SIGNS = {
    **dict.fromkeys(("signed", "true", "two_complement", "complement"), "write twos_complement"),
    **dict.fromkeys(("magnitude", "sign_and_magnitude", "signed_magnitude"), "write sign_magnitude"),
    **dict.fromkeys(("offset", "offset_binary", "excess", "biased", "bias"), "write {offset: …}, with what is added"),
    "ones_complement": "keep the bits, and compute the number from them",
}
"""Hints for other words for representations of signed numbers."""


def bits(spec: Resolved) -> Iterator[Violation]:
    """Reports bit fields that leave gaps, are too wide together, or have no integer, and bitmaps without a bit."""
    for node in nodes(spec):
        if isinstance(node, model.Field) and "bit" in node.stray:
            yield Violation(node.where("bit"), "only fields of a bitmap have a bit", "delete bit:, or add bitmap:")
        if isinstance(node, model.Bits):
            yield from _widths(node)
            yield from _nameless(node)
            yield from (Violation(at, what, hint) for at, what, hint in node.faults)
            if node.whole is not None and node.others:
                what = "bits with a choice among them are not a column, so they cannot have a name"
                yield Violation(node.where("name"), what, "name only the bit fields")
            elif node.whole is not None and node.whole.width > WIDTHS[-1]:
                what = f"{node.wire.type.word} is not a column, so it cannot have a name"
                yield Violation(node.where("name"), what, "name only its bit fields")
            if node.whole is not None and node.gives("extension"):
                what = "an integer that is extended has no size of its own, so it cannot have a name"
                yield Violation(node.where("name"), what, "name only its bit fields")
            if "extension" in node.stray:
                what = "all fields fit one integer, so none ever follows"
                yield Violation(
                    node.where("extension"), what, "delete extension:, or list the fields of the next integer"
                )
            if (order := node.stray.get("bit_order")) is not None:
                what = f"unknown bit order {order!r}"
                hint = "write msb to list the most significant bit first, lsb for the least significant"
                yield Violation(node.where("bit_order"), what, hint)
            for bit in node.fields:
                yield from _bit_field(bit)
        elif isinstance(node, model.Choice):
            yield from _open_choice(node)
    for node in model.walk((*spec.record.nodes, *(spec.capture.nodes if spec.capture is not None else ()))):
        if isinstance(node, model.Bits) and node.bitmap:
            hint = "put it into a message, or into a type of the header"
            yield Violation(node.where("bits"), "a header has no bitmap of its own", hint)


def _widths(bits: model.Bits) -> Iterator[Violation]:
    wire = bits.wire.type
    if not isinstance(wire, Integer) or wire.signed:
        what = f"bit fields fill an unsigned integer, not {wire.word}"
        yield Violation(bits.where("bits"), what, "write u8 or u16, for instance")
        return
    if any("count" in bit.stray for bit in bits.fields):
        return
    total = bits.others + sum(bit.taken for bit in bits.fields)
    if bits.over is not None and bits.fields and total != bits.over[1]:
        what = f"this alternative has {counted(total, 'bit')}, but the first has {bits.over[1]}"
        yield Violation(bits.at, what, "fill it with bits that are reserved: true")
        return
    if bits.over is not None:
        return
    if bits.fields and total != wire.bits and wire.bits in BIT_WIDTHS:
        left = wire.bits - total
        hint = f"{abs(left)} {'is' if abs(left) == 1 else 'are'} {'missing' if left > 0 else 'too many'}"
        hint += ", with the one for the extension" if bits.gives("extension") else ""
        yield Violation(bits.where("bits"), f"the widths add up to {total} of {wire.bits} bits", hint)


def _open_choice(choice: model.Choice) -> Iterator[Violation]:
    """Alternatives of bits if none of them may be taken."""
    last = choice.alternatives[-1] if choice.alternatives else None
    is_over = last is not None and any(isinstance(node, model.Bits) and node.over for node in last.nodes)
    if isinstance(last, model.When) and is_over:
        what = "the last alternative for these bits has a condition, so they have no meaning otherwise"
        yield Violation(last.at, what, "delete the condition, or add an alternative that is reserved: true")


def _nameless(bits: model.Bits) -> Iterator[Violation]:
    """Keys of the whole number if that has no name."""
    for key in () if bits.whole is not None or bits.bitmap else _OF_WHOLE:
        if bits.gives(key):
            hint = "name the whole number, or move the key to its bit fields"
            yield Violation(bits.where(key), f"{key} describes the whole number, which has no name", hint)


def _bit_field(bit: model.BitField) -> Iterator[Violation]:
    if not 1 <= bit.width <= 64 and bit.text is None:
        yield Violation(bit.where("width"), "a bit field has at least one bit, and at most 64")
    if bit.stray.get("type") == "text":
        hint = 'add encoding:, as in {width: 6, characters: "@ABC…"}'
        yield Violation(bit.where("type"), "text among bits needs a set of characters", hint)
    elif "type" in bit.stray:
        what = f"a bit field can have the types bool and text, not {bit.stray['type']}"
        hint = "delete type; width is its number of bits"
        if _SIGNED.fullmatch(bit.stray["type"]):
            hint = "write sign: twos_complement, or another representation"
        yield Violation(bit.where("type"), what, hint)
    elif bit.boolean and bit.width > 1:
        yield Violation(bit.where("width"), "a bool has a single bit", "write width: 1")
    if bit.gives("sign"):
        yield from _sign(bit)
    if "count" in bit.stray:
        what = f"the count of a list of bits is a literal number from 1, not {bit.stray['count']!r}"
        hint = "if the record gives the count, declare a type of whole bytes, and repeat that"
        yield Violation(bit.where("count"), what, hint)
    elif bit.count is not None and bit.derive is not None:
        what, hint = "a list of bits cannot be derived", "write a bit field with derive: for each item"
        yield Violation(bit.where("derive"), what, hint)


def _sign(bit: model.BitField) -> Iterator[Violation]:
    """The mistakes in a sign."""
    at = bit.where("sign")
    if (word := bit.stray.get("sign")) is not None:
        hint = _OTHER_SIGNS.get(word.replace("-", "_")) or closest(word, signs.WORDS)
        yield Violation(at, f"unknown sign {word!r}", hint)
    elif bit.boolean:
        yield Violation(at, "a bool has no sign", "delete sign:, or the number needs more bits")
    elif bit.width == 1:
        yield Violation(at, "a single bit has no sign", "the number needs more bits")
    elif bit.reserved:
        yield Violation(at, "bits without a meaning have no sign", "delete sign:")
    elif isinstance(bit.sign, signs.OffsetBinary) and bit.sign.offset == 0:
        yield Violation(at, "an offset of 0 changes nothing", "delete sign:, the bits are an unsigned number")
    elif isinstance(bit.type, SignedBits) and bit.type.extended.bits > WIDTHS[-1]:
        what = f"{bit.type.least} to {bit.type.most} do not fit {WIDTHS[-1]} bits"
        yield Violation(at, what, "no signed number has more")


def byte_order(spec: Resolved) -> Iterator[Violation]:
    """Reports unknown byte orders."""
    parameter = spec.parameters.get(spec.byte_order)
    if parameter is not None:
        yield from _order_parameter(parameter)
    elif spec.little is not None:
        yield from _order(spec.little)
    elif spec.byte_order not in ORDERS:
        yield _unknown_order(spec.byte_order, spec.protocol.where("byte_order"), spec.parameters)
    for field in fields(spec):
        if isinstance(field, model.Field) and field.gives("byte_order"):
            yield from _field_order(field)
    for node in nodes(spec):
        if isinstance(node, model.Bits) and node.gives("byte_order") and not node.wire.type.has_order:
            yield _no_order(node.wire.type, node.where("byte_order"))
    said = dict.fromkeys(node.little for node in nodes(spec) if isinstance(node, model.Ordered))
    for little in said:
        yield from _order(little)
    yield from _lost_order(spec)


def _order_parameter(parameter: model.Parameter) -> Iterator[Violation]:
    if parameter.type != "text" or not set(ORDERS) <= set(parameter.choices):
        what = f"{parameter.name!r} cannot give the byte order"
        yield Violation(parameter.at, what, "it needs type: text and the choices big and little")
    else:
        for choice in parameter.choices:
            if choice not in (*ORDERS, "auto"):
                what = f"{choice!r} is not a byte order"
                yield Violation(parameter.where("choices"), what, "write big, little or auto")


def _field_order(field: model.Field) -> Iterator[Violation]:
    prefix = field.wire.extent.length if isinstance(field.wire.extent, model.Prefix) else None
    has_order = field.type.has_order or isinstance(field.type, Struct) or (prefix is not None and prefix.type.has_order)
    if not has_order and not field.type.orders:
        yield _no_order(field.type, field.where("byte_order"))


def _no_order(type_: WireType, at: Location) -> Violation:
    return Violation(at, f"{type_.word} has no byte order", "only integers and floats of several bytes have one")


def _order(little: model.Condition) -> Iterator[Violation]:
    """An order that follows from values, as it is written."""
    for outcome in orders.outcomes(little.tree) if little.is_written and little.tree is not None else ():
        if isinstance(outcome, Name):
            if outcome.name not in ORDERS:
                yield _unknown_order(outcome.name, little.where(outcome.column))
        elif other_tools.order_hint(little.raw):
            yield _unknown_order(little.raw, little.at)
        else:
            yield Violation(little.at, "a byte order is big or little", "as in little if mark == 1 else big")


def _unknown_order(word: str, at: Location, parameters: Iterable[str] = ()) -> Violation:
    if word in WORD_ORDERS:
        return Violation(at, f"only numbers of 4 and 8 bytes have the byte order {word}", "write it at each of them")
    hint = other_tools.order_hint(word) or closest(word, (*ORDERS, *parameters))
    return Violation(at, f"unknown byte order {word!r}", hint)


def _lost_order(spec: Resolved) -> Iterator[Violation]:
    """Reports includes of types with a byte order, because the included fields would lose it."""
    for each in spec.included:
        struct = spec.structs.get(each.name)
        if struct is not None and struct.gives("byte_order"):
            what = f"{each.name} is included, which loses its byte order"
            yield Violation(struct.where("byte_order"), what, "use a field of that type, or a section")
