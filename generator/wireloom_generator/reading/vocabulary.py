"""The words that some keys allow as values, with their meanings, each list in one place."""

ORDERS = ("big", "little")

WORD_ORDERS = ("cdab", "badc")
"""Byte orders of numbers of 4 and 8 bytes whose words, of 16 bits, come lowest first, or have their lowest byte first:
one of them alone, so that big endian (``abcd``) and little endian (``dcba``) are none of these.
"""

BIT_ORDERS = ("msb", "lsb")
"""The bit of an integer with which its first bit field begins: the most or the least significant one."""

ENCODINGS = (
    "utf-8", "ascii", "latin-1", "utf-16-be", "utf-16-le", "utf-32-be", "utf-32-le",
    *(f"iso-8859-{part}" for part in (*range(2, 12), *range(13, 17))), "koi8-r", "koi8-u", "tis-620",
    *(f"cp{page}" for page in range(1250, 1259)),
    "cp437", "cp720", "cp737", "cp775", "cp850", "cp852", "cp855", "cp857", "cp858", "cp860", "cp861", "cp862", "cp863",
    "cp864", "cp865", "cp866", "cp869", "cp874", "cp1125",
    "cp037", "cp273", "cp424", "cp500", "cp875", "cp1026", "cp1140",
    "mac-roman", "mac-cyrillic", "mac-greek", "mac-latin2", "mac-turkish", "mac-iceland",
    "big5", "big5-hkscs", "cp950", "gb2312", "gbk", "gb18030",
    "shift-jis", "cp932", "euc-jp", "euc-kr", "cp949", "johab",
)  # fmt: skip
"""The encodings of texts, under names that Python has for them; the first is the default."""

FORMATS = (
    "zlib", "gzip", "deflate", "bzip2", "xz", "zstd", "lz4", "lz4_block", "snappy", "snappy_framed", "snappy_xerial",
    "snappy_crc32",
)  # fmt: skip

PLAIN = "none"
"""The compression of bytes that are not packed, and the escapes of bytes in which nothing is escaped."""

ESCAPES = {"slip": "c0", "hdlc": "7e", "cobs": "00", "dle": "", "unsynchronisation": ""}
"""The known escapes, each with the flag that it escapes, if there is one."""

COUNTED = ("bytes", "characters")
"""What a length prefix counts; the first is the default."""

JUSTIFIED = ("left", "right")
"""Where characters are in bytes that have room for another one; the first is the default."""

TERMINATORS = ("drop", "keep", "leave")
"""The options for a terminator; the first is the default."""

UNTERMINATED = ("malformed", "allowed")
"""The options for a value without its terminator; the first is the default."""

U64_TYPES = ("long", "decimal")
"""The values of ``table_type``."""
TABLE_TYPES = ("u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f32", "f64", "bool", "text")
"""The types of a FlatBuffers table's fields."""


STYLES = ("json_lines",)

NOTATIONS = {
    "value": "the value",
    "label": "its label",
    "base64_57": "Base64 of the bytes, with a line feed after every complete 57 of them",
    "text": "the bytes decoded as UTF-8, with U+FFFD for invalid bytes",
    "signed": "the number, with its highest bit as the sign",
}
"""How a textual form writes a value; the first is the default."""

OMITTED = {"never": "never", "absent": "if null", "false": "if null or false"}
"""When a textual form leaves a key out; the first is the default."""
