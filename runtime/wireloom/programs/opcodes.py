"""The machine's instructions. Each works on all rows of a tile: ``d``, ``e`` are registers that it sets, ``a``, ``b``,
``c`` ones that it reads, ``n``, ``m`` plain numbers.

A register has a 64-bit integer for each row; a mask has 1 or 0. ``SOUND`` is the mask of the rows that nothing has been
found wrong with. Positions are addresses. Those of rows that are not sound, or not concerned, are that of some zeros,
so that whatever is read there is harmless.
"""

MOST_DIGITS = 15
"""So many digits fit 64 bits in every base."""
START, STOP, SOUND, ONES = range(4)
"""The registers that every program finds: where each record starts and stops, which are sound, and ones."""
FREE = 4
"""The first register that a program may use as it likes."""

(
    NUMBER,  # d = n
    ADD,  # d = a + b; those behind it alike
    SUBTRACT,
    MULTIPLY,
    DIVIDE,  # rounded down; 0 where b is 0
    MODULO,
    AND,
    OR,
    XOR,
    SHIFT_LEFT,
    SHIFT_RIGHT,
    EQUAL,
    LESS,
    LESS_EQUAL,
    ADD_NUMBER,  # d = a + n; those behind it alike
    MULTIPLY_NUMBER,
    AND_NUMBER,
    EQUAL_NUMBER,
    LESS_NUMBER,
    MORE_NUMBER,
    NOT,  # d = not the mask a
    CHOOSE,  # d = b where the mask a is set, else c
    LOOK_UP,  # d = the number for a in the table of 4-byte numbers at output n, which has m; -1 outside
    SIGN,  # d = a, whose lowest n bits are in two's complement
    LOAD_1,  # d = the unsigned number at a + n; those behind it alike
    LOAD_2,
    LOAD_2_BIG,
    LOAD_4,
    LOAD_4_BIG,
    LOAD_8,
    LOAD_8_BIG,
    LOAD_ODD,  # of m bytes, the highest first if the next number is 1
    NEED,  # d = a where c is set and n bytes from a on end before b; rows in which they do not are not sound
    TAKE,  # d, e = a and a + b where the mask f is set and that is not behind c; other rows of f are not sound
    VARINT,  # d, e = the unsigned LEB128 of n bits at a, in front of b, and its end, where c is set
    FIND,  # d = where the m bytes that are n, the lowest first, begin between a and b, where c is set; if they must be
    # there, which the next number says, other rows are not sound; else it is b
    CHECK,  # rows in which a is not set though b is are not sound
    CHECK_TEXT,  # rows in which c is set and the bytes from a to b are no UTF-8, or no ASCII if n is 1, are not sound
    CHECK_BYTES,  # rows in which f is set and the bytes from a to b are not those from c to d are not sound
    CRC,  # d = the register of a CRC from a to b, whose tables are at output n, and which begins as m; if the last of
    # two more numbers is 1, the bits of each byte are reversed by the table at the other
    SAME,  # d = whether the bytes from a to b are the m bytes at output n
    TRIM,  # d = where the bytes n begin that end at b, from a on, where c is set; else a
    SUM,  # d = the sum modulo n of the bytes from a to b, that begins as m, where c is set, with the sum of these sums
    # as many bits higher as the next number says, if that is not 0
    DIGITS,  # d = the number that the bytes from a to b are in ASCII digits of base n, where c is set; other rows that
    # have no such number, written with m characters or as few as it takes, are not sound; the next number adds 1 if it
    # may be negative, and 2 if letters are capital
    SKIP,  # over n instructions, unless a is set in a row
    GIVEN,  # d = the number at output n, 8 bytes a row
    STORE_1,  # a at output n, in so many bytes; those behind it alike
    STORE_2,
    STORE_4,
    STORE_8,
    STORE_UNSIGNED,  # in 16 bytes
    STORE_SIGNED,
    STORE_BIT,  # the mask a
    UNPACK,  # d, e = what Snappy's block from a to b unpacks to, at output n, m bytes at most; a, b where c is not set
    FILL,  # d, e = a copy, at output n, of the bytes from a to b, with zeros up to m bytes; a, b where c is not set
    STORE_BYTES,  # the bytes from a to b where c is set: offsets at output n, bytes behind it
    STORE_SPELLED,  # the bytes at a where b is set, spelled in the way m: offsets at output n, texts behind it
    STORE_LABEL,  # the text number a where b is set: offsets, bytes, validity from n on; sizes and texts from m on
    STORE_FLAGS,  # the texts of bits of a where b is set: two kinds of offsets, and bytes; bits, sizes and texts
    STORE_LIST,  # a, b and the row at outputs from n on, one behind the other, where c is set and a is before b
) = range(60)

JUDGING = frozenset((NEED, TAKE, VARINT, FIND, DIGITS, UNPACK, FILL, CHECK, CHECK_TEXT, CHECK_BYTES))
"""The instructions that find rows not sound."""
