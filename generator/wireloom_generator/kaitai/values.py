"""Values in Kaitai Struct: the keys of an attribute, and types for what it has no type for.

Such a type has an instance ``value``. It is declared once in a file, under the name of the type in specs.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import assert_never

from wireloom_generator import model, types
from wireloom_generator.kaitai.names import KsyKeys, NoKsyError
from wireloom_generator.types import CharacterSet
from wireloom_generator.types import signs as types_signs

_NUMBERS = (8, 16, 32, 64)
_ENCODINGS = {
    "utf-8": "UTF-8", "ascii": "ASCII", "latin-1": "ISO-8859-1", "utf-16-be": "UTF-16BE", "utf-16-le": "UTF-16LE",
    "utf-32-be": "UTF-32BE", "utf-32-le": "UTF-32LE", "shift-jis": "Shift_JIS", "euc-jp": "EUC-JP", "big5": "Big5",
    "euc-kr": "EUC-KR", "gb2312": "GB2312", "gb18030": "GB18030", "gbk": "GBK", "koi8-r": "KOI8-R", "koi8-u": "KOI8-U",
    "cp437": "IBM437", "cp850": "IBM850", "cp852": "IBM852", "cp855": "IBM855", "cp862": "IBM862", "cp866": "IBM866",
    "cp037": "IBM037", "cp273": "IBM273", "cp424": "IBM424", "cp500": "IBM500", "cp1026": "IBM1026",
}  # fmt: skip
_MOST_GROUPS = 10
"""The most groups of seven bits in a number of 64 bits."""


def encoding_of(name: str) -> str:
    """The name that Kaitai Struct's runtimes know. Raises ``NoKsyError``."""
    if name.startswith("iso-8859-"):
        return name.upper()
    if name.startswith("cp125"):
        return f"windows-{name.removeprefix('cp')}"
    if name not in _ENCODINGS:
        raise NoKsyError(f"the encoding {name}")
    return _ENCODINGS[name]


@dataclass(slots=True)
class ValueTypes:
    """The types for values that are declared in a file; ``endian`` is the byte order of numbers that name none."""

    endian: model.Order
    declared: dict[str, KsyKeys] = field(default_factory=dict)

    def number(self, bits: int, *, signed: bool, order: model.Order | None) -> str:
        """The type of an integer of whole bytes. Raises ``NoKsyError``."""
        suffix = self.suffix(order) if bits > 8 else ""
        if bits in _NUMBERS:
            return f"{'s' if signed else 'u'}{bits // 8}{suffix}"
        if order is model.Order.PARAMETER:
            raise NoKsyError(f"integers of {bits} bits in an order that is not fixed")
        end = "le" if order is model.Order.LITTLE else "be"
        if not signed:
            return f"b{bits}{end}"
        sign = f"raw - (raw >> {bits - 1} << {bits})"
        return self.declare(f"i{bits}_{end}", [{"id": "raw", "type": f"b{bits}{end}"}], sign)

    def suffix(self, order: model.Order | None) -> str:
        """What a type says of its order; nothing if it is the usual one."""
        if order is None or order is self.endian or order is model.Order.PARAMETER:
            return ""
        if order.swapped:
            raise NoKsyError(f"numbers in the order {order}")
        return "le" if order is model.Order.LITTLE else "be"

    def declare(self, name: str, fields: list[KsyKeys], value: str) -> str:
        """A type with a value, and its name."""
        self.declared[name] = {"seq": fields, "instances": {"value": {"value": value}}}
        return name

    def of(self, wire: model.Wire, order: model.Order | None, order_of_rest: model.Order) -> tuple[KsyKeys, str, str]:
        """The keys for a value without an extent, what leads to the number or text in it, and the type of a parameter
        that it can be given for. Raises ``NoKsyError``.
        """
        match wire.type:
            case types.Integer(bits=bits, signed=signed):
                name = self.number(bits, signed=signed, order=order)
                in_type = name in self.declared
                return {"type": name}, ".value" if in_type else "", "s8" if signed else "u8"
            case types.Float(bits=16):
                raise NoKsyError("floats of 16 bits")
            case types.Float(bits=bits):
                return {"type": f"f{bits // 8}{self.suffix(order)}"}, "", "f8"
            case types.Boolean():
                raw: KsyKeys = {"id": "raw", "type": "u1", "valid": {"max": 1}}
                return {"type": self.declare("boolean", [raw], "raw == 1")}, ".value", "bool"
            case types.Varint():
                return {"type": self._varint(wire.type)}, ".value", "s8"
            case types.SizedInteger(signed=signed):
                return {"type": self._sized(order or order_of_rest, signed=signed)}, ".value", "s8"
            case types.Bcd() | types.Zoned():
                return {"type": self._digits(wire.type)}, ".value", "s8"
            case types.Ascii() as found if not (found.fill or found.signed):
                text: KsyKeys = {"id": "text", "type": "str", "size-eos": True, "encoding": "ASCII"}
                base = "" if found.base == 10 else f"({found.base})"
                name = f"digits_of_base_{found.base}" if base else "digits"
                return {"type": self.declare(name, [text], f"text.to_i{base}")}, ".value", "s8"
            case types.Text(encoding=encoding):
                if isinstance(encoding, CharacterSet):
                    raise NoKsyError("characters that are no bytes")
                return {"type": "str", "encoding": encoding_of(encoding)}, "", "str"
            case types.Bytes() | types.FlatBuffers():
                return {}, "", "bytes"
            case types.IbmFloat() | types.Ascii():
                raise NoKsyError(f"the type {wire.type.word}")
            case types.Struct() | types.Deeper():
                raise AssertionError("types of the spec are declared elsewhere")
            case _:
                assert_never(wire.type)

    def _varint(self, kind: types.Varint) -> str:
        groups = -(-kind.bits // 7)
        form = kind.form.block
        if form not in _VARINTS or (form == "SignedLeb128" and groups == _MOST_GROUPS):
            raise NoKsyError(f"the type {kind.word}")
        more: KsyKeys = {"id": "groups", "type": "u1", "repeat": "until", "repeat-until": "_ & 0x80 == 0"}
        fits = f"groups.size <= {groups}"
        if form != "SignedLeb128":
            first = "groups.first & 0x7f" if form == "Vlq" else "groups.last"
            fits += f" and (groups.size < {groups} or {first} < {1 << kind.bits - 7 * (groups - 1)})"
        # Without this, what the number cannot hold would be another number.
        most: KsyKeys = {"size": 0, "valid": {"expr": fits}}
        return self.declare(kind.word, [more, most], _VARINTS[form](groups))

    def _sized(self, order: model.Order, *, signed: bool) -> str:
        if order is model.Order.PARAMETER or signed:
            raise NoKsyError("integers of some bytes with a sign, or in an order that is not fixed")
        little = order is model.Order.LITTLE
        octets = (f"octets[{each if little else f'octets.size - {each + 1}'}]" for each in range(8))
        terms = (f"(octets.size > {each} ? ({one}).as<u8> << {8 * each} : 0)" for each, one in enumerate(octets))
        name = f"uint_{'le' if little else 'be'}"
        field: KsyKeys = {"id": "octets", "type": "u1", "repeat": "eos"}
        return self.declare(name, [field], " + ".join(terms))

    def _digits(self, kind: types.Bcd | types.Zoned) -> str:
        """A type for digits, with the digits after the point as whole ones."""
        if kind.digits > 18 or (isinstance(kind, types.Zoned) and kind.sign is not None):
            raise NoKsyError(f"the type {kind}")
        if isinstance(kind, types.Zoned):
            zero = 0xF0 if kind.encoding == "ebcdic" else 0x30
            octets: KsyKeys = {"id": "digits", "type": "u1", "repeat": "expr", "repeat-expr": kind.digits}
            octets["valid"] = {"min": zero, "max": zero + 9}
            value = _decimal(kind.digits, f" - {zero}")
            return self.declare(f"zoned_{kind.digits}_{kind.encoding}", [octets], value)
        if kind.little or kind.low:
            raise NoKsyError(f"the type {kind}")
        nibbles: KsyKeys = {"id": "digits", "type": "b4", "repeat": "expr", "repeat-expr": kind.digits}
        nibbles["valid"] = {"max": 9}
        front: list[KsyKeys] = [{"type": "b4", "valid": 0}] if (kind.digits + (kind.sign is not None)) % 2 else []
        value = _decimal(kind.digits)
        if kind.sign is None:
            return self.declare(f"bcd_{kind.digits}", [*front, nibbles], value)
        sign: KsyKeys = {"id": "sign", "type": "b4", "valid": {"min": 10}}
        value = f"({value}) * (sign == 11 or sign == 13 ? -1 : 1)" if kind.sign == "signed" else value
        return self.declare(f"bcd_{kind.digits}_{kind.sign}", [*front, nibbles, sign], value)


def _decimal(digits: int, less: str = "") -> str:
    """The number that digits are."""
    return " + ".join(f"(digits[{each}]{less}).as<s8> * {10 ** (digits - 1 - each)}" for each in range(digits))


def _low_first(groups: int) -> str:
    each = (f"(groups.size > {n} ? (groups[{n}] & 0x7f).as<u8> << {7 * n} : 0)" for n in range(1, groups))
    return " + ".join(["(groups[0] & 0x7f)", *each])


def _high_first(groups: int) -> str:
    each = (
        f"(groups.size > {n} ? (groups[groups.size - {n + 1}] & 0x7f).as<u8> << {7 * n} : 0)" for n in range(1, groups)
    )
    return " + ".join(["(groups.last & 0x7f)", *each])


def _zig_zag(groups: int) -> str:
    number = _low_first(groups)
    return f"((({number}) >> 1) & 0x7fffffffffffffff) ^ -(({number}) & 1)"


def _signed(groups: int) -> str:
    return f"({_low_first(groups)}) - ((groups.last & 0x40).as<u8> << (7 * groups.size - 6))"


_VARINTS: dict[str, Callable[[int], str]] = {
    "Leb128": _low_first,
    "SignedLeb128": _signed,
    "ZigZag": _zig_zag,
    "Vlq": _high_first,
}


@dataclass(frozen=True, slots=True)
class BitValue:
    """Bits of an integer, which are an attribute with the ``keys``, or else an instance with the ``value``.

    Bits without a ``field`` have no name. Characters that are no bytes are their codes.
    """

    field: model.BitField | None
    keys: KsyKeys
    value: str = ""
    is_code: bool = False


def in_order(node: model.Bits, order: model.Order) -> bool:
    """Whether the bits come in the order in which Kaitai Struct reads bits."""
    one = (node.wire.fixed or 0) == 1
    as_read = model.Order.LITTLE if node.lsb else model.Order.BIG
    return node.over is None and not node.others and (one or order is as_read)


def attributes_of(node: model.Bits) -> Iterator[BitValue]:
    """Bits that come in such an order. Those of a number with a sign are under another name. Raises
    ``NoKsyError``.
    """
    end = "le" if node.lsb else ""
    for each in node.gapless:
        if isinstance(each, int):
            for at in range(0, each, 64):
                yield BitValue(None, {"type": f"b{min(64, each - at)}{end}"})
            continue
        if each.text is not None and isinstance(each.text.encoding, CharacterSet):
            width = each.text.encoding.width
            count: KsyKeys = {"repeat": "expr", "repeat-expr": each.width // width}
            yield BitValue(each, {"type": f"b{width}{end}", **count}, is_code=True)
            continue
        if each.width > 64:
            raise NoKsyError(f"{each.name}, which has more than 64 bits")
        keys: KsyKeys = {"type": f"b{each.width}{end}"}
        if each.count is not None:
            keys |= {"repeat": "expr", "repeat-expr": each.count}
        is_signed = isinstance(each.type, types_signs.SignedBits)
        is_number = each.width == 1 and not each.boolean and each.enum is None
        if (is_signed or is_number) and each.count is not None:
            raise NoKsyError(f"{each.name}, a list of bits that are numbers")
        raw = f"{each.name}_bits"
        if is_signed and each.width == 64:
            raise NoKsyError(f"{each.name}, bits that are a number of 64 bits with a sign")
        value = _signed_bits(raw, each) if is_signed else f"{raw}.to_i" if is_number else ""
        yield BitValue(each, keys, value)


def instances_of(node: model.Bits, number: str) -> Iterator[BitValue]:
    """Bits of an integer that was read under the name ``number``. Raises ``NoKsyError``."""
    for each, shift in zip(node.fields, node.shifts, strict=True):
        if each.text is not None or each.count is not None:
            raise NoKsyError(f"{each.name}, a list of bits, or characters that are no bytes")
        shifted = f"{number} >> {shift}" if shift else number
        masked = f"({shifted}) & {(1 << each.width) - 1:#x}" if shift else f"{number} & {(1 << each.width) - 1:#x}"
        if each.boolean:
            yield BitValue(each, {}, f"{masked} != 0")
        elif isinstance(each.type, types_signs.SignedBits):
            if each.width == 64:
                raise NoKsyError(f"{each.name}, bits that are a number of 64 bits with a sign")
            yield BitValue(each, {}, _signed_bits(f"({masked})", each))
        else:
            yield BitValue(each, {}, masked)


def _signed_bits(text: str, field: model.BitField) -> str:
    """The number that bits are."""
    last = field.width - 1
    match field.sign:
        case types_signs.OffsetBinary(offset=offset):
            return f"{text} + {offset}" if offset >= 0 else f"{text} - {-offset}"
        case types_signs.SignMagnitude():
            return f"{text} >> {last} == 1 ? -({text} & {(1 << last) - 1:#x}) : {text}"
        case _:
            return f"{text} - ({text} >> {last} << {field.width})"
