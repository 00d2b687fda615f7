"""Text as Markdown: prose escaped, code quoted, cells kept on one line."""

import re
from collections.abc import Iterable

from wireloom_generator import ir

_CODE = re.compile(r"(`[^`]+`)")
_SPECIAL = re.compile(r"[\\*<]|(?<![^\W_])_|_(?![^\W_])|\[(?=[^\]]*\]\()")
_OPENING = re.compile(r"^(?=[#>+-]+\s|\d+\.\s)")


def prose(text: str) -> str:
    """Plain text as Markdown that shows it unchanged; parts in backticks stay code."""
    parts = _CODE.split(text)
    escaped = (part if part.startswith("`") else _SPECIAL.sub(lambda found: f"\\{found[0]}", part) for part in parts)
    return _OPENING.sub(r"\\", "".join(escaped))


def code(text: object) -> str:
    """Code; text with a backtick in it is quoted by two."""
    shown = str(text)
    return f"`` {shown} ``" if "`" in shown else f"`{shown}`"


def cell(text: str) -> str:
    """Markdown as the cell of a table."""
    return text.replace("|", "\\|").replace("\n", "<br>") or " "


def sentences(parts: Iterable[str]) -> str:
    """The parts that say anything, one behind the other, each ending in a full stop."""
    return " ".join(part if part[-1] in ".!?:" else f"{part}." for part in parts if part)


def listing(items: Iterable[str], last: str = "or") -> str:
    """``a, b or c``."""
    found = list(items)
    return f" {last} ".join([", ".join(found[:-1]), found[-1]] if len(found) > 1 else found)


def source(doc: ir.Doc) -> str:
    """Where it is laid down: document, section, revision; empty if that is not said."""
    if doc.source is None:
        return ""
    parts = [doc.source.document]
    parts += [f"section “{doc.source.section}”"] if doc.source.section else []
    parts += [f"revision {doc.source.revision}"] if doc.source.revision else []
    return prose(", ".join(parts))


def number(value: int, *, hexadecimal: bool = False, width: int = 2) -> str:
    """A number as documents write it; ``width`` in hexadecimal digits."""
    return f"0x{value:0{width}x}" if hexadecimal and value >= 0 else str(value)


def bit_range(top: int, width: int) -> str:
    """The ``width`` bits below bit ``top``, in words."""
    return f"bit {top - 1}" if width == 1 else f"bits {top - 1} to {top - width}"
