"""What is being written at a cursor: a key or a value, and of which kind of mapping.

The text around a cursor is rarely valid: a key has no value yet, a bracket is still open. So the word at the cursor is
replaced by one that no spec has, in each way that could make the text valid, until one of them can be read.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from wireloom_generator.language_server.places import TextRange, lines_of, word_at
from wireloom_generator.reading import shape, source
from wireloom_generator.reading.source import YamlList, YamlMapping, YamlNode, YamlScalar

_MARK = "wireloomcursor"
_SHOWN = Path("cursor.yaml")


@dataclass(frozen=True, slots=True)
class Cursor:
    """The word at a cursor, in a ``mapping``. ``key`` is the key whose value it is, or None if it is a key itself; with
    dots, names under that key, and with one at the end it is such a name. ``before`` is what stands before the word in
    its value.
    """

    word: TextRange
    kind: type
    mapping: YamlMapping
    key: str | None
    before: str = ""

    @property
    def given(self) -> set[str]:
        """The keys that the mapping has."""
        return {key.text for key, _ in self.mapping.entries} - {_MARK}


def cursor_at(text: str, line: int, column: int) -> Cursor | None:
    """What is being written at a place of a text; None if that cannot be said."""
    lines = lines_of(text)
    word = word_at(lines, line, column)
    for candidate in _readable(lines, word):
        document, _ = source.document(candidate, _SHOWN)
        if document is not None and (found := _found(document, word)) is not None:
            return found
    return None


def _readable(lines: Sequence[str], word: TextRange) -> Iterator[str]:
    """The text with a mark in place of the word, in each way that could be valid; at last without what follows."""
    line = lines[word.line]
    before, after = line[: word.start], line[word.end :]
    is_value = re.search(r":\s+\S*[^\s,\[{]*\Z", before) is not None and not re.search(r"[,{]\s*\Z", before)
    as_value, as_key = f"{before}{_MARK}{after}", f"{before}{_MARK}: 0{after}"
    has_colon = re.match(r"\s*:(\s|\Z)", after) is not None
    ways = [as_value, as_key] if is_value or has_colon else [as_key, as_value]
    quoted = re.sub(r'"?([^"]*wireloomcursor[^",\]}]*)"?', r'"\1"', as_value) if is_value else as_value
    for way in (*ways, quoted):
        yield "\n".join((*lines[: word.line], way, *lines[word.line + 1 :]))
    for way in ways:
        closed = way.partition(_MARK)[0] + _MARK + (": 0" if way == as_key else "")
        yield "\n".join((*lines[: word.line], closed + _closing(closed)))


def _closing(line: str) -> str:
    """The brackets that close those of a line."""
    bare = re.sub(r"\"[^\"]*\"|'[^']*'", "", line)
    opened: list[str] = []
    for char in bare:
        if char in "[{":
            opened.append("]" if char == "[" else "}")
        elif char in "]}" and opened:
            opened.pop()
    return "".join(reversed(opened))


def _found(document: YamlMapping, word: TextRange) -> Cursor | None:
    mappings = shape.kinds(document)
    kinds = {id(node): kind for kind, node in mappings}
    for kind, node in mappings:
        for key, value in node.entries:
            if _MARK in key.text:
                return Cursor(word, kind, node, None, key.text.partition(_MARK)[0])
            for name, scalar in _within(value, key.text, kinds):
                if _MARK in scalar.text:
                    return Cursor(word, kind, node, name, scalar.text.partition(_MARK)[0])
    return None


def _within(node: YamlNode, key: str, kinds: dict[int, type]) -> Iterator[tuple[str, YamlScalar]]:
    """The single values under a key, up to mappings whose keys are declared themselves."""
    match node:
        case YamlScalar():
            yield key, node
        case YamlList(items=items):
            for item in items:
                yield from _within(item, key, kinds)
        case YamlMapping(entries=entries) if id(node) not in kinds:
            for name, value in entries:
                yield f"{key}.", name
                yield from _within(value, f"{key}.{name.text}", kinds)
