"""The instructions that only programs that write records have, in the manner of ``opcodes``.

Columns of a table are at inputs, whose addresses are among those of the outputs.
"""

from wireloom.programs import opcodes as op
from wireloom.programs.opcodes import Opcode

(
    ROW,
    COLUMN,
    BIT,
    SPAN,
    COUNT,
    CONSTANT,
    VARINT_SIZE,
    DIGITS_SIZE,
    WRITE,
    WRITE_VARINT,
    WRITE_DIGITS,
    COPY,
    WRITE_SPELLED,
    PAD,
) = range(80, 94)

JUDGING = op.JUDGING | {WRITE_SPELLED}
"""The instructions that find rows not sound."""

OPCODES = {
    **op.OPCODES,
    ROW: Opcode("ROW", "{d} = row", "d is the number of the row in the table."),
    COLUMN: Opcode(
        "COLUMN",
        "{d} = column {n} of row {a} size={m} step={k}",
        "d is the unsigned number of m bytes that the row a has in the column at the input n, in which k bytes "
        "are from one row to the next.",
    ),
    BIT: Opcode(
        "BIT",
        "{d} = bit {n} of row {a}",
        "The mask d has the bit of the row a in the column at the input n; the input behind it has the place of "
        "the bit of row 0.",
    ),
    SPAN: Opcode(
        "SPAN",
        "{d}, {e} = bytes {n} of row {a}",
        "d and e are where the bytes of the row a start and stop; the input n has the offsets of the column, the "
        "one behind it the bytes.",
    ),
    COUNT: Opcode(
        "COUNT",
        "{d} = count {n} of row {a}",
        "d is how many items the row a has in the column whose offsets are at the input n.",
    ),
    CONSTANT: Opcode(
        "CONSTANT",
        "{d}, {e} = table {n} of {m}",
        "d and e are where the m bytes of the table n start and stop.",
    ),
    VARINT_SIZE: Opcode(
        "VARINT_SIZE",
        "{d} = size of varint {a} form={n}",
        "d is how many bytes a has as a number of variable length in the form n, see VARINT.",
    ),
    DIGITS_SIZE: Opcode(
        "DIGITS_SIZE",
        "{d} = size of digits {a} base={n} least={m}",
        "d is how many characters a has in base n: its digits, and a sign if it is negative; m at least.",
    ),
    WRITE: Opcode(
        "WRITE",
        "write {a} in {m} bytes big={k} to [{b} + {n}] where {c}",
        "Writes the lowest m bytes of a, the highest byte first if k is 1, else the lowest, n bytes behind the "
        "position b, where the mask c is set.",
    ),
    WRITE_VARINT: Opcode(
        "WRITE_VARINT",
        "write varint {a} form={m} to [{b} + {n}] where {c}",
        "Writes a in the form m, see VARINT, n bytes behind the position b, where the mask c is set.",
    ),
    WRITE_DIGITS: Opcode(
        "WRITE_DIGITS",
        "write digits {a} base={n} capital={m} from {b} to {c} where {f}",
        "Writes the lowest digits of a in base n, as ASCII, to all places from b to before c, with a sign at b if a is "
        "negative, where the mask f is set. Letters are capital if m is 1.",
    ),
    COPY: Opcode(
        "COPY",
        "copy from {a} to {b} to [{c} + {n}] where {f}",
        "Copies the bytes from a to b to n bytes behind the position c, where the mask f is set.",
    ),
    WRITE_SPELLED: Opcode(
        "WRITE_SPELLED",
        "write what the text from {a} to {b} spells way={m} to [{c} + {n}] where {f}",
        "Writes the bytes that STORE_SPELLED writes as the text from a to b, n bytes behind the position c, where the "
        "mask f is set. Rows of f in which there are no such bytes are rejected.",
    ),
    PAD: Opcode(
        "PAD",
        "pad from {a} to {b} with {n} where {c}",
        "Writes the byte n to all places from a to before b, where the mask c is set.",
    ),
}
"""What all instructions are, also those of ``opcodes``, by their numbers."""
