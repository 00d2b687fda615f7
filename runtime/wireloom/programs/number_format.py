"""How numbers are on the wire."""

from functools import cache
from typing import Self

from construct import BytesInteger, Construct, FormatField

from wireloom import codec
from wireloom.codec import floats
from wireloom.codec.varints import Varint
from wireloom.programs import opcodes as op
from wireloom.programs.assembler import Assembler, wrapped
from wireloom.programs.outputs import Table


def code(construct: Construct) -> str:
    """The numpy code of a fixed-size number: ``>u2``, ``i1``, ``?``; ``@`` means the record's byte order, and a ``w``
    behind it that its words come in the other order.
    """
    match construct:
        case codec.Boolean():
            return "?"
        case codec.Field() | codec.As():
            return code(construct.subcon)
        case codec.EitherOrder():
            return f"@{code(construct.big).lstrip('<>')}"
        case codec.WordSwapped():
            return f"{code(construct.number)}w"
        case BytesInteger():
            return f"{'<' if construct.swapped else '>'}{'i' if construct.signed else 'u'}{construct.length}"
    assert isinstance(construct, FormatField)
    order, letter = construct.fmtstr
    kind = "f" if letter in "efd" else "u" if letter.isupper() else "i"
    return f"{order if construct.length > 1 else ''}{kind}{construct.length}"


class NumberFormat:
    """A number by numpy's code (``>u2``, ``<i8``, ``u1``, ``>f4``, ``?``), or one of 3, 5, 6 or 7 bytes (``>u3``), or
    whose words are ``swapped`` (``>u4w``).

    A code that begins with ``@`` has the byte order of its record. With a ``part``, it is these bits of the number.
    """

    def __init__(self, code: str, part: codec.BitSlice | None = None) -> None:
        self.part = part
        self.order, kind = (code[0], code[1:]) if code[0] in "<>@" else ("", code)
        self.boolean = kind == "?"
        self.kind = "u" if self.boolean else kind[0]
        self.swapped = kind.endswith("w")
        self.size = 1 if self.boolean else int(kind[1:].rstrip("w"))
        self.odd = self.size not in (1, 2, 4, 8)
        self.half = kind == "f2"

    @classmethod
    def from_construct(cls, construct: Construct) -> Self:
        """How a number is read, or some bits of one."""
        if isinstance(construct, codec.Field):
            return cls.from_construct(construct.subcon)
        if isinstance(construct, codec.BitSlice):
            return cls(code(construct.integer), construct)
        return cls(code(construct))

    def is_little(self, *, little: bool) -> bool:
        """Whether its lowest byte is the first one, in a record of that byte order."""
        return self._sign(little=little) == "<"

    def _sign(self, *, little: bool) -> str:
        return ("<" if little else ">") if self.order in ("@", "") else self.order


def swapped_words(asm: Assembler, register: int, size: int) -> int:
    """A number of so many bytes with its words of 16 bits in the other order."""
    found = asm.number(0)
    for at in range(0, 8 * size, 16):
        word = asm.value(op.SHIFT_RIGHT, (register, asm.number(at))) if at else register
        word = asm.value(op.AND_NUMBER, (word,), (0xFFFF,))
        found = asm.value(op.OR, (found, asm.value(op.SHIFT_LEFT, (word, asm.number(8 * size - 16 - at)))))
    if size == 8:
        asm.wide.add(found)
    return found


@cache
def singles() -> Table:
    """The bits that numbers of half precision have in single precision, by their own."""
    return Table.of(wrapped(floats.dump(floats.load_half(bits)) << 32) >> 32 for bits in range(1 << 16))


def varint_form(kind: Varint) -> int:
    """The form of the bytes of a number of variable length."""
    match kind:
        case codec.SignedLeb128():
            return op.SIGNED_LEB128
        case codec.Vlq():
            return op.VLQ
        case codec.Quic():
            return op.QUIC
    return op.LEB128  # of what the number is folded into
