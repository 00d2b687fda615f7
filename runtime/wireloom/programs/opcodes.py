"""The machine's instructions, and what they mean: ``OPCODES``. Each works on all rows of a tile.

A register has a 64-bit integer for each row; a mask has 1 or 0. ``SOUND`` is the mask of the rows that nothing has been
found wrong with. Positions are addresses. Those of rows that are not sound, or not concerned, are that of some zeros,
so that whatever is read there is harmless.
"""

from re import search
from typing import NamedTuple

LEB128, SIGNED_LEB128, VLQ, QUIC = range(4)
"""The forms of numbers of variable length."""
MOST_DIGITS = 15
"""So many digits fit 64 bits in every base."""
START, STOP, SOUND, ONES = range(4)
"""The registers that every program finds: where each record starts and stops, which are sound, and ones."""
FREE = 4
"""The first register that a program may use as it likes."""

(
    NUMBER,
    ADD,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    MODULO,
    AND,
    OR,
    XOR,
    SHIFT_LEFT,
    SHIFT_RIGHT,
    EQUAL,
    LESS,
    LESS_EQUAL,
    ADD_NUMBER,
    MULTIPLY_NUMBER,
    AND_NUMBER,
    EQUAL_NUMBER,
    LESS_NUMBER,
    MORE_NUMBER,
    NOT,
    CHOOSE,
    LOOK_UP,
    SIGN,
    LOAD_1,
    LOAD_2,
    LOAD_2_BIG,
    LOAD_4,
    LOAD_4_BIG,
    LOAD_8,
    LOAD_8_BIG,
    LOAD_ODD,
    NEED,
    TAKE,
    VARINT,
    FIND,
    CHECK,
    CHECK_TEXT,
    CHECK_BYTES,
    CRC,
    SAME,
    TRIM,
    SUM,
    DIGITS,
    SKIP,
    REPEAT,
    GIVEN,
    STORE_1,
    STORE_2,
    STORE_4,
    STORE_8,
    STORE_UNSIGNED,
    STORE_SIGNED,
    STORE_BIT,
    UNPACK,
    FILL,
    TRANSLATE,
    MASK,
    UNESCAPE,
    SPREAD,
    EXPAND,
    TRANSCODE,
    STORE_BYTES,
    STORE_SPELLED,
    STORE_LABEL,
    STORE_FLAGS,
    STORE_LIST,
) = range(67)

CHANGING = frozenset((UNPACK, FILL, TRANSLATE, MASK, UNESCAPE, SPREAD, EXPAND, TRANSCODE))
"""The instructions that write what becomes of bytes to an output, from which programs go on to read."""
FOREIGN = frozenset((EXPAND, TRANSCODE))
"""The instructions that call libraries, which compiled loops cannot: numpy follows programs that have them."""
JUDGING = CHANGING | {NEED, TAKE, VARINT, FIND, DIGITS, CHECK, CHECK_TEXT, CHECK_BYTES}
"""The instructions that find rows not sound."""


class Opcode(NamedTuple):
    """What an instruction is: its name, how it is written, and what it does.

    The letters in braces are its operands. Those of one instruction are in this order: the registers ``d`` and ``e``
    that it sets, ``a``, ``b``, ``c``, ``f`` and ``g`` that it reads, and the numbers ``n``, ``m``, ``k``, ``j``, ``i``.
    """

    name: str
    form: str
    doc: str

    @property
    def sets(self) -> str:
        """The letters of the registers that it sets."""
        return self._letters("de")

    @property
    def reads(self) -> str:
        """The letters of the registers that it reads."""
        return self._letters("abcfg")

    @property
    def numbers(self) -> str:
        """The letters of its numbers."""
        return self._letters("nmkji")

    @property
    def places(self) -> list[int]:
        """Which of its numbers, by their places among these, are those of outputs and tables."""
        return [
            place
            for place, letter in enumerate(self.numbers)
            if search(rf"(output|tables?)[ =]{{{letter}}}", self.form)
        ]

    @property
    def mask(self) -> int | None:
        """Which of the registers that it reads is the mask of the rows that it is about; None if none is."""
        found = search(r"where {(.)}", self.form)
        return None if found is None else self.reads.index(found[1])

    def _letters(self, known: str) -> str:
        return "".join(letter for letter in known if f"{{{letter}}}" in self.form)


OPCODES = {
    NUMBER: Opcode("NUMBER", "{d} = {n}", "d is the number n in all rows."),
    ADD: Opcode("ADD", "{d} = {a} + {b}", "d is the sum of a and b, of which the lowest 64 bits are kept."),
    SUBTRACT: Opcode("SUBTRACT", "{d} = {a} - {b}", "d is b less than a."),
    MULTIPLY: Opcode("MULTIPLY", "{d} = {a} * {b}", "d is the product of a and b."),
    DIVIDE: Opcode("DIVIDE", "{d} = {a} // {b}", "d is a divided by b, rounded down; 0 where b is 0."),
    MODULO: Opcode(
        "MODULO",
        "{d} = {a} % {b}",
        "d is the remainder of a divided by b, with the sign of b; 0 where b is 0.",
    ),
    AND: Opcode("AND", "{d} = {a} & {b}", "d has the bits that a and b have in common."),
    OR: Opcode("OR", "{d} = {a} | {b}", "d has the bits of a and those of b."),
    XOR: Opcode("XOR", "{d} = {a} ^ {b}", "d has the bits that only one of a and b has."),
    SHIFT_LEFT: Opcode("SHIFT_LEFT", "{d} = {a} << {b}", "d is a, its bits moved up by b."),
    SHIFT_RIGHT: Opcode("SHIFT_RIGHT", "{d} = {a} >> {b}", "d is a, its bits moved down by b; the sign is kept."),
    EQUAL: Opcode("EQUAL", "{d} = {a} == {b}", "The mask d is set where a is b."),
    LESS: Opcode("LESS", "{d} = {a} < {b}", "The mask d is set where a is less than b."),
    LESS_EQUAL: Opcode("LESS_EQUAL", "{d} = {a} <= {b}", "The mask d is set where a is at most b."),
    ADD_NUMBER: Opcode("ADD_NUMBER", "{d} = {a} + {n}", "d is the sum of a and the number n."),
    MULTIPLY_NUMBER: Opcode("MULTIPLY_NUMBER", "{d} = {a} * {n}", "d is the product of a and the number n."),
    AND_NUMBER: Opcode("AND_NUMBER", "{d} = {a} & {n}", "d has the bits that a and the number n have in common."),
    EQUAL_NUMBER: Opcode("EQUAL_NUMBER", "{d} = {a} == {n}", "The mask d is set where a is the number n."),
    LESS_NUMBER: Opcode("LESS_NUMBER", "{d} = {a} < {n}", "The mask d is set where a is less than the number n."),
    MORE_NUMBER: Opcode("MORE_NUMBER", "{d} = {a} > {n}", "The mask d is set where a is more than the number n."),
    NOT: Opcode("NOT", "{d} = not {a}", "The mask d is set where the mask a is not."),
    CHOOSE: Opcode("CHOOSE", "{d} = {b} if {a} else {c}", "d is b where the mask a is set, and c elsewhere."),
    LOOK_UP: Opcode(
        "LOOK_UP",
        "{d} = table {n} of {m} at {a}",
        "d is the number at the place a of the table n, which has m numbers of 4 bytes; -1 outside of it.",
    ),
    SIGN: Opcode("SIGN", "{d} = sign {a} bits={n}", "d is what the lowest n bits of a are in two's complement."),
    LOAD_1: Opcode("LOAD_1", "{d} = load u8 [{a} + {n}]", "d is the byte n bytes behind the position a."),
    LOAD_2: Opcode(
        "LOAD_2",
        "{d} = load u16 little [{a} + {n}]",
        "d is the unsigned number of 2 bytes there, the lowest byte first.",
    ),
    LOAD_2_BIG: Opcode(
        "LOAD_2_BIG",
        "{d} = load u16 big [{a} + {n}]",
        "d is the unsigned number of 2 bytes there, the highest byte first.",
    ),
    LOAD_4: Opcode(
        "LOAD_4",
        "{d} = load u32 little [{a} + {n}]",
        "d is the unsigned number of 4 bytes there, the lowest byte first.",
    ),
    LOAD_4_BIG: Opcode(
        "LOAD_4_BIG",
        "{d} = load u32 big [{a} + {n}]",
        "d is the unsigned number of 4 bytes there, the highest byte first.",
    ),
    LOAD_8: Opcode(
        "LOAD_8",
        "{d} = load u64 little [{a} + {n}]",
        "d is the number of 8 bytes there, the lowest byte first; from 2^63 on it is in the register as a "
        "negative one.",
    ),
    LOAD_8_BIG: Opcode(
        "LOAD_8_BIG",
        "{d} = load u64 big [{a} + {n}]",
        "d is the number of 8 bytes there, the highest byte first; from 2^63 on it is in the register as a "
        "negative one.",
    ),
    LOAD_ODD: Opcode(
        "LOAD_ODD",
        "{d} = load {m} bytes big={k} [{a} + {n}]",
        "d is the unsigned number of m bytes there, the highest byte first if k is 1, else the lowest.",
    ),
    NEED: Opcode(
        "NEED",
        "{d} = need {n} bytes at {a} before {b} where {c}",
        "d is a. Rows of the mask c in which n bytes at the position a do not end by the position b are rejected.",
    ),
    TAKE: Opcode(
        "TAKE",
        "{d}, {e} = take {b} bytes at {a} before {c} where {f}",
        "d is the position a, and e is b bytes behind it. Rows of the mask f in which b is negative, or e is "
        "behind the position c, are rejected.",
    ),
    VARINT: Opcode(
        "VARINT",
        "{d}, {e} = load varint form={m} of {n} bits at {a} before {b} where {c}",
        "d is the number of variable length at the position a, of n bits, and e is where it ends. Its form m is "
        "unsigned LEB128 (0), signed LEB128 (1), a VLQ (2), or that of QUIC (3). Rows of the mask c are rejected in "
        "which it does not end by the position b, takes more bytes than it must, or has more bits.",
    ),
    FIND: Opcode(
        "FIND",
        "{d} = find {m} bytes {n} required={k} unit={j} from {a} to {b} where {c}",
        "d is where m bytes begin, those of the number n, the lowest first, between the positions a and b, a "
        "multiple of j behind a. Where they are not, d is b, and if k is 1, rows of the mask c are rejected.",
    ),
    CHECK: Opcode(
        "CHECK",
        "check {a} where {b} else reject",
        "Rows of the mask b in which the mask a is not set are rejected.",
    ),
    CHECK_TEXT: Opcode(
        "CHECK_TEXT",
        "check text ascii={n} from {a} to {b} where {c} else reject",
        "Rows of the mask c in which the bytes from a to b are not UTF-8, or not ASCII if n is 1, are rejected.",
    ),
    CHECK_BYTES: Opcode(
        "CHECK_BYTES",
        "check bytes from {a} to {b} are those from {c} to {f} where {g} else reject",
        "Rows of the mask g in which the bytes from a to b are not those from c to f are rejected.",
    ),
    CRC: Opcode(
        "CRC",
        "{d} = crc from {a} to {b} tables={n} initial={m} flipped={j} table={k}",
        "d is the register of a CRC behind the bytes from a to b. Its tables are at n, and it begins as m. If j "
        "is 1, the bits of each byte are reversed before, by the table k.",
    ),
    SAME: Opcode(
        "SAME",
        "{d} = bytes from {a} to {b} are table {n} of {m}",
        "The mask d is set where the bytes from a to b are the m bytes of the table n.",
    ),
    TRIM: Opcode(
        "TRIM",
        "{d} = trim {m} bytes {n} from {a} to {b} where {c}",
        "d is where the padding begins that ends at the position b, at a or behind it: m bytes, those of the number n, "
        "the lowest first, any number of times. d is a where the mask c is not set.",
    ),
    SUM: Opcode(
        "SUM",
        "{d} = sum from {a} to {b} modulo={n} initial={m} shift={k} where {c}",
        "d is the sum of the bytes from a to b where the mask c is set, modulo n, beginning as m. If k is not 0, "
        "the sum of the sums after each byte is k bits higher.",
    ),
    DIGITS: Opcode(
        "DIGITS",
        "{d} = digits from {a} to {b} base={n} size={m} form={k} where {c}",
        "d is the number whose ASCII digits of base n the bytes from a to b are. It has m characters, or as few "
        "as it takes. k is 1 if it may be negative, and 2 more if letters are capital. Other rows of the mask c "
        "are rejected.",
    ),
    SKIP: Opcode(
        "SKIP",
        "when {a}: {n} instructions",
        "Begins a block: the n instructions behind this one are left out in a tile in which the mask a is set in "
        "no row.",
    ),
    REPEAT: Opcode(
        "REPEAT",
        "repeat {n} instructions while {a}",
        "Goes back to the n instructions before this one, unless the mask a is set in no sound row of the tile.",
    ),
    GIVEN: Opcode(
        "GIVEN",
        "{d} = given {n}",
        "d is the number of 8 bytes that the row has at the output n, where another program put it.",
    ),
    STORE_1: Opcode("STORE_1", "store u8 {a} to output {n}", "Writes the lowest byte of a to the output n."),
    STORE_2: Opcode("STORE_2", "store u16 {a} to output {n}", "Writes the lowest 2 bytes of a."),
    STORE_4: Opcode("STORE_4", "store u32 {a} to output {n}", "Writes the lowest 4 bytes of a."),
    STORE_8: Opcode("STORE_8", "store u64 {a} to output {n}", "Writes a."),
    STORE_UNSIGNED: Opcode(
        "STORE_UNSIGNED",
        "store u128 {a} to output {n}",
        "Writes a as an unsigned number, in 16 bytes.",
    ),
    STORE_SIGNED: Opcode("STORE_SIGNED", "store i128 {a} to output {n}", "Writes a as a signed number, in 16 bytes."),
    STORE_BIT: Opcode("STORE_BIT", "store bit {a} to output {n}", "Writes the mask a, a bit a row."),
    UNPACK: Opcode(
        "UNPACK",
        "{d}, {e} = unpack from {a} to {b} to output {n} most={m} where {c}",
        "The Snappy block from a to b is unpacked to the output n, to m bytes at most: from d to e. Where the "
        "mask c is not set, these are a and b. Rows of c in which there is no such block are rejected.",
    ),
    FILL: Opcode(
        "FILL",
        "{d}, {e} = fill from {a} to {b} to output {n} least={m} where {c}",
        "The bytes from a to b are copied to the output n, with zeros behind them if they are fewer than m: from "
        "d to e. Where the mask c is not set, these are a and b. Rows of c for which there is no room are "
        "rejected.",
    ),
    TRANSLATE: Opcode(
        "TRANSLATE",
        "{d}, {e} = translate from {a} to {b} to output {n} table={m} where {c}",
        "What each of the bytes from a to b stands for is written to the output n: from d to e. The table m has 256 "
        "numbers of 4 bytes: the highest byte is how many bytes one stands for, which are the others, the lowest "
        "first. Where the mask c is not set, d and e are a and b. Rows of c for which there is no room, or with "
        "a byte that stands for none, are rejected.",
    ),
    MASK: Opcode(
        "MASK",
        "{d}, {e} = mask from {a} to {b} with {m} bytes {f} to output {n} where {c}",
        "The XOR of the bytes from a to b with the lowest m bytes of f, the lowest first, again and again, is "
        "written to the output n: from d to e. Where the mask c is not set, these are a and b. Rows of c for which "
        "there is no room are rejected.",
    ),
    UNESCAPE: Opcode(
        "UNESCAPE",
        "{d}, {e} = unescape from {a} to {b} to output {n} table={m} where {c}",
        "What the escaped bytes from a to b stand for is written to the output n: from d to e. The first number of the "
        "table m says how they are escaped: by pairs (0), in COBS (1), or by the unsynchronisation of ID3v2 (2). Of "
        "pairs, it also says whether each byte is plain (0), must be escaped (1), or begins an escape (2), and what "
        "each stands for as a code, 256 for none. Where the mask c is not set, d and e are a and b. Rows of c for "
        "which there is no room, or whose bytes would be escaped otherwise, are rejected.",
    ),
    SPREAD: Opcode(
        "SPREAD",
        "{d}, {e} = spread from {a} to {b} to output {n} bits={m} order={k} before={j} behind={i} where {c}",
        "The numbers of m bits each that are in the bytes from a to b, behind the first j bits and before the last i, "
        "are written to the output n, a byte each: from d to e. The first bits of a byte are its highest, or if k is "
        "odd, its lowest; if k is 2 or 3, the last number is written first. Where the mask c is not set, d and e are a "
        "and b. Rows of c for which there is no room, or in which bits are left over that are not 0, are rejected.",
    ),
    EXPAND: Opcode(
        "EXPAND",
        "{d}, {e} = expand {k} from {a} to {b} to output {n} most={m} where {c}",
        "As UNPACK, of the compression that is number k of those that the codec knows. A library does it.",
    ),
    TRANSCODE: Opcode(
        "TRANSCODE",
        "{d}, {e} = transcode from {a} to {b} to output {n} encoding table={m} of {k} where {c}",
        "The text that the bytes from a to b are in an encoding, whose name is the k bytes of the table m, is "
        "written in UTF-8 to the output n: from d to e. Where the mask c is not set, these are a and b. Rows of c in "
        "which there is no such text, or which would be written as other bytes, are rejected.",
    ),
    STORE_BYTES: Opcode(
        "STORE_BYTES",
        "store bytes from {a} to {b} to output {n} where {c}",
        "Writes the bytes from a to b where the mask c is set: offsets to the output n, bytes to the one behind it.",
    ),
    STORE_SPELLED: Opcode(
        "STORE_SPELLED",
        "store text way={m} at {a} to output {n} where {b}",
        "Writes the bytes at the position a as a text, spelled in the way m, such as an address, where the mask "
        "b is set: offsets to the output n, texts to the one behind it.",
    ),
    STORE_LABEL: Opcode(
        "STORE_LABEL",
        "store label {a} of {k} to output {n} table={m} room={j} where {b}",
        "Writes the text number a of k where the mask b is set: offsets, texts and validity to the outputs from "
        "n on. The sizes of the texts are the table m, the texts the one behind it, j bytes for each.",
    ),
    STORE_FLAGS: Opcode(
        "STORE_FLAGS",
        "store flags {a} of {k} to output {n} table={m} room={j} bits={i} where {b}",
        "Writes the texts of those of k bits, all of which are i, that a has, where the mask b is set: two kinds "
        "of offsets, and texts, to the outputs from n on. The bits are the table m, sizes and texts those behind "
        "it, j bytes for each.",
    ),
    STORE_LIST: Opcode(
        "STORE_LIST",
        "store list from {a} to {b} to output {n} where {c}",
        "Appends a, b and the number of the row to the outputs from n on, where the mask c is set and a is "
        "before b. A program of its own reads the items.",
    ),
}
"""What the instructions are, by their numbers."""
