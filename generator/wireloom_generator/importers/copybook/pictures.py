"""What a picture (PIC) says: digits with a scale, or characters."""

import re
from dataclasses import dataclass
from enum import StrEnum

_SYMBOL = re.compile(r"(CR|DB|[ABEGNPSVXZ0-9+\-*/,.]|[^\s()A-Z0-9])(?:\((\d{1,9})\))?")
_SHOWN = frozenset("BZ0/,.*+-V9P") | {"CR", "DB"}


class PictureError(Exception):
    """A picture means nothing."""


class Kind(StrEnum):
    """What an item consists of."""

    NUMBER = "number"
    TEXT = "text"
    EDITED = "edited"
    """Characters that show a number."""
    NATIONAL = "national"
    """UTF-16."""
    DOUBLE_BYTES = "DBCS"


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture. ``size`` is the number of its digits or characters, ``scale`` that of digits after the point."""

    kind: Kind
    size: int
    scale: int = 0
    is_signed: bool = False


def picture(text: str) -> Picture:
    """The meaning of a picture. Raises ``PictureError``."""
    symbols = _symbols(text.upper())
    names = [name for name, _ in symbols]
    kinds = set(names)
    size = sum(count for name, count in symbols for _ in name if name not in "VPS")
    if not size:
        raise PictureError("has neither digits nor characters")
    if kinds <= set("9SVP"):
        return _number(symbols, size)
    if kinds <= set("XA9B0/") and kinds & set("XA"):
        return Picture(Kind.TEXT, size)
    if kinds <= set("NB0/"):
        return Picture(Kind.NATIONAL, size)
    if kinds <= set("GB"):
        return Picture(Kind.DOUBLE_BYTES, size)
    if re.fullmatch(r"S9+\.9+", "".join(names)):  # which is not COBOL, but Cobrix reads it
        return Picture(Kind.EDITED, size)
    if ("E" in kinds and kinds <= set("+-9V.E")) or all(name in _SHOWN or not name.isalnum() for name in kinds):
        return Picture(Kind.EDITED, size)
    raise PictureError("has symbols that do not belong together")


def _symbols(text: str) -> list[tuple[str, int]]:
    found, end = [], 0
    for match in _SYMBOL.finditer(text):
        if match.start() != end or (match[2] and not int(match[2])):
            break
        end = match.end()
        found.append((match[1], int(match[2] or 1)))
    if end != len(text):
        raise PictureError(f"has no meaning from {text[end:][:20]!r} on")
    return found


def _number(symbols: list[tuple[str, int]], size: int) -> Picture:
    names = "".join(name for name, _ in symbols)
    if not re.fullmatch(r"S?(V?P+9+|9+P+V?|9*V?9*)", names):
        raise PictureError("has symbols that do not belong together")
    after = names.partition("V")[2] if "V" in names else ""
    assumed = sum(count for name, count in symbols if name == "P")
    if re.match(r"S?V?P", names):
        scale = assumed + size
    elif assumed:
        scale = -assumed
    else:
        scale = sum(count for _, count in symbols[len(names) - len(after) :])
    return Picture(Kind.NUMBER, size, scale, names.startswith("S"))
