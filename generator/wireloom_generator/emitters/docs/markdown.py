"""Text as Markdown: prose escaped, code quoted, cells kept on one line."""

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from unicodedata import category

from wireloom_generator import model

_CODE = re.compile(r"(?<!`)`(?!`)([^`]+)(?<!`)`(?!`)")
"""Code between single backticks; other backticks are ordinary characters."""
_SPECIAL = re.compile(r"[\\*<`\[\]{}]|&(?=[#\w]+;)|(?<![^\W_])_|_(?![^\W_])|~(?=~)|(?<=~)~")
_OPENING = re.compile(r"^(?:[#>+=~:|-]|\d{1,9}(?=[.)](?:\s|$)))")
"""Text that would begin a heading, a list, a quotation, a rule, a table or another block."""


@lru_cache(maxsize=4096)  # what fields of the header mean is on every page
def prose(text: str) -> str:
    """Plain text as Markdown that shows it unchanged, in the same paragraphs; parts in backticks stay code."""
    paragraphs = (_paragraph(part) for part in re.split(r"\n\s*\n", visible(text).strip()))
    return "\n\n".join(paragraphs)


def _paragraph(text: str) -> str:
    parts: list[str] = []
    end = 0
    for found in _CODE.finditer(text):
        parts += [_escaped(text[end : found.start()]), code(found[1])]
        end = found.end()
    parts.append(_escaped(text[end:]))
    lines = (line.strip() for line in "".join(parts).split("\n"))
    return "\n".join(_OPENING.sub(_literal, line) for line in lines)


def _escaped(text: str) -> str:
    return _SPECIAL.sub(_literal, text)


def _literal(found: re.Match[str]) -> str:
    """A literal character: escaped by a backslash where all kinds of Markdown allow it, or by its number."""
    if found[0].isdigit():
        return f"{found[0]}\\"
    return _NUMBERED.get(found[0]) or f"\\{found[0]}"


_NUMBERED = {"<": "&lt;", "&": "&amp;", "~": "&#126;", "=": "&#61;", ":": "&#58;"}


def phrase(text: str) -> str:
    """As ``prose``, for text within a line, such as a title or a unit."""
    return prose(" ".join(text.split()))


def visible(text: str) -> str:
    """The text with invisible characters escaped that have an effect; line ends are kept."""
    if "\n" in text:
        return "\n".join(map(visible, text.split("\n")))
    if text.isprintable():
        return text
    return "".join(char if _is_seen(char) else char.encode("unicode_escape").decode() for char in text)


def _is_seen(char: str) -> bool:
    return char.isprintable() or category(char) == "Zs" or char in _JOINERS


_JOINERS = "\u200c\u200d"
"""Invisible characters that some languages need."""


def code(text: object) -> str:
    """Code on one line; if it has backticks, more of them quote it."""
    shown = " ".join(visible(str(text)).split())
    if "`" not in shown:
        return f"`{shown or ' '}`"
    quotes = "`" * (max(map(len, re.findall("`+", shown))) + 1)
    return f"{quotes} {shown} {quotes}"


def plain(text: str) -> str:
    """Markdown without its code quotes."""
    return text.replace("`", "")


def cell(text: str) -> str:
    """Markdown as the cell of a table."""
    return text.replace("|", "\\|").replace("\n", "<br>") or " "


def sentences(parts: Iterable[str]) -> str:
    """The parts that are not empty, joined, each with a full stop."""
    return " ".join(part if part[-1] in ".!?:" else f"{part}." for part in parts if part)


def listing(items: Iterable[str], last: str = "or") -> str:
    """``a, b or c``."""
    found = list(items)
    return f" {last} ".join([", ".join(found[:-1]), found[-1]] if len(found) > 1 else found)


def source(doc: model.Doc) -> str:
    """The source: document, section, revision; empty if it is not given."""
    if doc.source is None:
        return ""
    parts = [doc.source.document]
    parts += [f"section “{doc.source.section}”"] if doc.source.section else []
    parts += [f"revision {doc.source.revision}"] if doc.source.revision else []
    return phrase(", ".join(parts))


def versions(doc: model.Doc) -> list[str]:
    """The version in which it was added, and the one in which it was deprecated."""
    since = f"Since {phrase(doc.since)}" if doc.since else ""
    old = doc.deprecated
    if old is None:
        return [since]
    instead = code(old.replaced_by) if old.replaced_by else None
    told = replace(old, since=phrase(old.since) if old.since else None).advice(instead)
    return [since, f"**Deprecated**{told.removeprefix('Deprecated')}"]


def number(value: int, *, hexadecimal: bool = False, width: int = 2) -> str:
    """A number as documents write it, with ``width`` hexadecimal digits."""
    return f"0x{value:0{width}x}" if hexadecimal and value >= 0 else str(value)


def bit_range(top: int, width: int) -> str:
    """The ``width`` bits below bit ``top``, in words."""
    return f"bit {top - 1}" if width == 1 else f"bits {top - 1} to {top - width}"
