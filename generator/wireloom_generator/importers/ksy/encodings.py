"""Encodings of texts: what the language calls them."""

import re

from wireloom_generator.importers.ksy.phrases import CannotSayError
from wireloom_generator.importers.ksy.structure import Attribute, Type
from wireloom_generator.reading.source import YamlScalar

_ENCODINGS = {
    "utf8": "utf-8", "utf16le": "utf-16-le", "utf16be": "utf-16-be", "utf32le": "utf-32-le", "utf32be": "utf-32-be",
    "iso88591": "latin-1", "latin1": "latin-1", "sjis": "shift-jis", "shiftjis": "shift-jis", "usascii": "ascii",
    "gb2312": "gb2312", "gb18030": "gb18030", "macroman": "mac-roman", "macintosh": "mac-roman", "eucjp": "euc-jp",
    "euckr": "euc-kr", "big5hkscs": "big5-hkscs",
}  # fmt: skip
"""Encodings whose names differ in more than punctuation, by their names without it."""
_ONE_BYTE = re.compile(r"ascii|latin-1|iso-8859-\d+|cp(?!932|936|949|950)\d+|mac-roman")


def encoding_of(attribute: Attribute, type: Type) -> str:
    """The encoding of an attribute of a type. Raises ``CannotSayError``."""
    said = attribute.text("encoding")
    for around in type.outwards:
        node = around.meta.get("encoding")
        if said is None and isinstance(node, YamlScalar):
            said = node.text
    if said is None:
        raise CannotSayError("nothing says its encoding")
    return encoding_name(said)


def has_bytes_as_characters(encoding: str) -> bool:
    """Whether each character is a byte."""
    return _ONE_BYTE.fullmatch(encoding) is not None


def encoding_name(said: str) -> str:
    """The name of an encoding in the language."""
    plain = re.sub(r"[^a-z0-9]", "", said.lower())
    if plain.startswith("windows") and plain[7:].isdigit():
        return f"cp{plain[7:]}"
    if (found := re.fullmatch(r"iso8859(\d+)", plain)) is not None and found[1] != "1":
        return f"iso-8859-{found[1]}"
    if (found := re.fullmatch(r"(?:ibm|cp)(\d+)", plain)) is not None:
        return f"cp{found[1]}"
    return _ENCODINGS.get(plain, said.lower())
