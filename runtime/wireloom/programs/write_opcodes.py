"""The instructions that only programs that write records have, in the manner of ``operations``.

Columns of a table are at inputs, whose addresses are among those of the outputs.
"""

(
    ROW,  # d = the number of the row in the table
    COLUMN,  # d = the unsigned number of m bytes of row a at input n; the next number is that of bytes between rows
    BIT,  # d = the bit of row a at input n; the bit of row 0 is told by the input behind it
    SPAN,  # d, e = where the bytes of row a start and stop, whose offsets are at input n, and the bytes at the next one
    COUNT,  # d = how many items row a has, whose offsets are at input n
    VARINT_SIZE,  # d = how many bytes a has as unsigned LEB128
    WRITE,  # a at b + n, in m bytes, the highest first if the next number is 1, where c is set
    WRITE_VARINT,  # a at b + n, as unsigned LEB128, where c is set
    COPY,  # the bytes from a to b, at c + n, where d is set
) = range(64, 73)
