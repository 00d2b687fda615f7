"""Spec files as text, laid out as a person would write them: one line for what fits on it, comments above.

Values are those of YAML. ``Noted`` adds what YAML has no value for: a comment, and the place in a source that the value
was written for.
"""

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import yaml

from wireloom_generator.output import WIDTH
from wireloom_generator.problems import Location

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_WORD = re.compile(r"[a-z][a-z_]*[a-z]")
_NOT_TEXT = frozenset({"false", "no", "null", "off", "on", "true", "yes"})
_SHORT = {"\t": "\\t", "\n": "\\n", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


class Hex(int):
    """A number that is written in hex."""


@dataclass(frozen=True, slots=True)
class Noted:
    """A value with a comment of some lines above it, and the place in the source that it says.

    ``instead`` is what may stand in its place; it is below the comment, as a comment.
    """

    value: "YamlValue"
    comment: str = ""
    at: Location | None = None
    instead: "Mapping[str, YamlValue] | Sequence[YamlValue] | None" = None


def todo(reason: str) -> str:
    """The comment for what cannot be said; empty if there is no reason."""
    return f"TODO: {reason}" if reason else ""


YamlValue = str | int | float | Sequence["YamlValue"] | Mapping[str, "YamlValue"] | Noted


@dataclass(slots=True)
class SpecText:
    """The lines of a file, and which of them say which place of the source; the innermost place is the last."""

    lines: list[str] = field(default_factory=list)
    places: list[tuple[range, Location]] = field(default_factory=list)

    def __str__(self) -> str:
        return "".join(f"{line}\n" for line in self.lines)

    def origin(self, line: int) -> Location | None:
        """The place in the source that a line, counted from 1, was written for."""
        within = [(len(lines), at) for lines, at in self.places if line in lines]
        return min(within, key=lambda found: found[0])[1] if within else None  # inner ones come first


def written(document: Mapping[str, YamlValue], *, head: str = "") -> SpecText:
    """The text of a file, below a ``head`` of comments."""
    text = SpecText()
    text.lines += [f"# {line}" for line in head.splitlines()]
    _entries(text, document, 0)
    return text


def _entries(text: SpecText, entries: Mapping[str, YamlValue], indent: int) -> None:
    for key, value in entries.items():
        _entry(text, f"{' ' * indent}{scalar(key)}:", value, indent)


def _entry(text: SpecText, start: str, value: YamlValue, indent: int) -> None:
    """An entry of a mapping, which begins with ``start``."""
    first = len(text.lines) + 1
    bare = _comments(text, value, indent)
    one = _flat(bare)
    if one is not None and len(start) + 1 + len(one) <= WIDTH:
        text.lines.append(f"{start} {one}")
        _inner_places(text, bare)
    elif isinstance(bare, str):
        _long(text, start, bare, indent)
    elif isinstance(bare, Mapping):
        text.lines.append(start)
        _entries(text, bare, indent + 2)
    elif isinstance(bare, Sequence):
        text.lines.append(start)
        for item in bare:
            _item(text, item, indent + 2)
    else:
        text.lines.append(f"{start} {scalar(bare)}")
    _place(text, value, first)


def _item(text: SpecText, value: YamlValue, indent: int) -> None:
    first = len(text.lines) + 1
    bare = _comments(text, value, indent)
    one = _flat(bare)
    begin = len(text.lines)
    if one is not None and indent + 2 + len(one) <= WIDTH:
        text.lines.append(f"{' ' * indent}- {one}")
        _inner_places(text, bare)
    elif isinstance(bare, Mapping):
        _entries(text, bare, indent + 2)
        text.lines[begin] = f"{' ' * indent}- {text.lines[begin][indent + 2 :]}"
    else:
        _entry(text, f"{' ' * indent}-", bare, indent)
    _place(text, value, first)


def _comments(text: SpecText, value: YamlValue, indent: int) -> "YamlValue":
    """The value without its comment, which is written."""
    while isinstance(value, Noted):
        for line in value.comment.splitlines():
            said = " ".join("".join(each if each.isprintable() else " " for each in line).split())
            start = f"{' ' * indent}# "
            text.lines += textwrap.wrap(
                said, WIDTH, initial_indent=start, subsequent_indent=f"{start}  ", break_on_hyphens=False
            )
        if value.instead is not None:
            text.lines += _commented(value.instead, indent)
        value = value.value
    return value


def _commented(value: "Mapping[str, YamlValue] | Sequence[YamlValue]", indent: int) -> Iterator[str]:
    """The lines of a value as comments."""
    text = SpecText()
    if isinstance(value, Mapping):
        _entries(text, value, indent + 2)
    else:
        for item in value:
            _item(text, item, indent + 2)
    return (f"{' ' * indent}# {line[indent + 2 :]}" for line in text.lines)


def _place(text: SpecText, value: YamlValue, first: int) -> None:
    while isinstance(value, Noted):
        if value.at is not None:
            text.places.append((range(first, len(text.lines) + 1), value.at))
        value = value.value


def _inner_places(text: SpecText, value: YamlValue) -> None:
    """The places of what is inside a value on the last line, innermost first."""
    inner: list[YamlValue] = []
    if isinstance(value, Mapping):
        inner = list(value.values())
    elif isinstance(value, Noted):
        inner = [value.value]
    elif not isinstance(value, str | int | float):
        inner = list(value)
    for each in inner:
        _inner_places(text, each)
    if isinstance(value, Noted):
        _place(text, value, len(text.lines))


def _flat(value: YamlValue) -> str | None:
    """The value on one line, if it belongs on one: no comments, and no list of several mappings in it."""
    match value:
        case Noted():
            return None if value.comment or value.instead is not None else _flat(value.value)
        case str() | int() | float():
            return scalar(value)
        case Mapping():
            inner = [(scalar(key), _flat(each)) for key, each in value.items()]
            has_structs = any(map(_has_structs, value.values()))
            return None if has_structs else _joined("{", [each and f"{key}: {each}" for key, each in inner], "}")
        case _:
            alone = len(value) == 1 or not _has_structs(value)
            return _joined("[", [_flat(each) for each in value], "]") if alone else None


def _joined(opened: str, parts: Sequence[str | None], closed: str) -> str | None:
    """The parts in brackets, unless one of them is not on one line."""
    there = [part for part in parts if part is not None]
    return f"{opened}{', '.join(there)}{closed}" if len(there) == len(parts) else None


def _has_structs(value: YamlValue) -> bool:
    """Whether a value is a list of mappings."""
    while isinstance(value, Noted):
        value = value.value
    return not isinstance(value, str | int | float | Mapping) and any(
        isinstance(_bare(each), Mapping) for each in value
    )


def _bare(value: YamlValue) -> YamlValue:
    while isinstance(value, Noted):
        value = value.value
    return value


def _long(text: SpecText, start: str, value: str, indent: int) -> None:
    """A text of several lines, folded if that keeps it as it is."""
    paragraphs = value.split("\n\n")
    room = WIDTH - indent - 2
    lines = list(_folded(paragraphs, room))
    pad = " " * (indent + 2)
    if value.isprintable() and re.fullmatch(r"\S+( \S+)*", value) and all(map(len, lines)):
        text.lines += [f"{start} >-", *(f"{pad}{line}" for line in lines)]
    else:
        text.lines.append(f"{start} {scalar(value)}")


def _folded(paragraphs: Sequence[str], room: int) -> Iterator[str]:
    for paragraph in paragraphs:
        yield from textwrap.wrap(paragraph, room, break_long_words=False, break_on_hyphens=False)


def scalar(value: YamlValue) -> str:
    """A single value in YAML, which means the same in a block and inside brackets."""
    match value:
        case bool():
            return "true" if value else "false"
        case Hex():
            return f"{'-' if value < 0 else ''}{abs(value):#x}"
        case int() | float():
            return str(value)
        case str():
            return value if _is_plain(value) else quoted(value)
        case _:
            raise TypeError(f"not a single value: {value!r}")


def quoted(text: str) -> str:
    """A text in double quotes."""
    return f'"{"".join(map(_escaped, text))}"'


def _escaped(char: str) -> str:
    if char in _SHORT:
        return _SHORT[char]
    if char.isprintable():
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _is_plain(text: str) -> bool:
    """Whether the text means itself without quotes, wherever it is."""
    if _WORD.fullmatch(text):
        return text not in _NOT_TEXT
    if not text.isprintable() or len(text) > 1000 or "?" in text:  # of which readers of YAML think differently
        return False
    try:
        return bool(yaml.load(f"{{a: {text}, b: [{text}]}}", Loader=_LOADER) == {"a": text, "b": [text]})
    except (yaml.YAMLError, ValueError):
        return False
