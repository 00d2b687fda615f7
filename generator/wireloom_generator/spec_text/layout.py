"""The text of a spec file: one line for what fits on it, comments above, brackets only around what is on one line.

Lists and mappings of a file stay in brackets or on lines of their own, as they were. Those of importers are in brackets
if they fit.
"""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from wireloom_generator.output import WIDTH
from wireloom_generator.problems import Location
from wireloom_generator.spec_text.columns import Columns
from wireloom_generator.spec_text.scalars import is_foldable, scalar
from wireloom_generator.spec_text.values import (
    Lines,
    Noted,
    Surrounded,
    Verbatim,
    YamlValue,
    bare,
    has_structs,
    is_list,
)


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


def written(document: Mapping[str, YamlValue] | Surrounded, *, head: str = "") -> SpecText:
    """The text of a file, below a ``head`` of comments."""
    text = SpecText()
    text.lines += [f"# {line}" for line in head.splitlines()]
    kept = _comments(text, document, 0)
    _inside(text, kept, 0)
    text.lines += kept.below
    return text


def _inside(text: SpecText, kept: Surrounded, indent: int) -> None:
    """The entries of a list or mapping, on lines of their own or as rows in brackets."""
    if kept.is_flow and (kept.rows if isinstance(kept.value, Mapping) else not has_structs(kept.value)):
        text.lines += _rows(kept, indent)
        _inner_places(text, kept.value)
    elif isinstance(kept.value, Mapping):
        for key, value in kept.value.items():
            _entry(text, f"{' ' * indent}{scalar(key)}:", value, indent)
    elif is_list(kept.value):
        columns = _columns(kept, WIDTH - indent - 2)
        for item in kept.value:
            _item(text, item, indent, columns)


def _entry(text: SpecText, start: str, value: YamlValue, indent: int) -> None:
    """An entry of a mapping or a list, which begins with ``start``."""
    first = len(text.lines) + 1
    kept = _comments(text, value, indent)
    start = f"{start} {kept.anchor}".rstrip()
    beside = f" {kept.beside}".rstrip()
    one = _alone(kept)
    if one is not None and (len(start) + 1 + len(one) <= WIDTH or one in ("{}", "[]")):
        text.lines.append(f"{start} {one}".rstrip() + beside)
        _inner_places(text, kept.value)
    elif isinstance(kept.value, str | int | float | Lines):
        text.lines += _long(start, beside, kept.value, indent + 2)
    else:
        text.lines.append(f"{start}{beside}")
        _inside(text, kept, indent + 2)
    text.lines += _indented(kept.below, indent + 2)
    _place(text, value, first)


def _item(text: SpecText, value: YamlValue, indent: int, columns: Columns | None) -> None:
    """An item of a list. A mapping begins beside the dash."""
    first = len(text.lines) + 1
    kept = _comments(text, value, indent)
    one = _alone(kept)
    if one is not None and columns is not None and kept.is_flow and isinstance(kept.value, Mapping):
        one = columns.aligned(_texts(kept.value))
    if one is not None and indent + 2 + len(one) > WIDTH:
        one = None
    if isinstance(kept.value, Mapping) and not kept.anchor and one is not None:
        text.lines.append(f"{' ' * indent}- {one} {kept.beside}".rstrip())
        _inner_places(text, kept.value)
    elif one is not None or kept.anchor or not isinstance(kept.value, Mapping):
        _entry(text, f"{' ' * indent}-", replace(kept, above=()), indent)
    else:
        text.lines += _indented((kept.beside,) if kept.beside else (), indent)
        begin = len(text.lines)
        _inside(text, replace(kept, rows=frozenset()), indent + 2)
        text.lines[begin] = f"{' ' * indent}- {text.lines[begin][indent + 2 :]}"
        text.lines += _indented(kept.below, indent + 2)
    _place(text, value, first)


def _columns(kept: Surrounded, room: int) -> Columns | None:
    """The columns of the mappings in brackets of a list."""
    if not kept.aligned or not is_list(kept.value):
        return None
    items = (item for item in kept.value if isinstance(item, Surrounded) and item.is_flow and not item.anchor)
    return Columns([_texts(item.value) for item in items if isinstance(item.value, Mapping)], kept.aligned, room)


def _texts(entries: Mapping[str, YamlValue]) -> dict[str, str]:
    """The entries of a mapping as they are in brackets, by key; none if they need lines."""
    texts = {key: (start, _flat(each)) for key, (start, each) in zip(entries, _parts(entries), strict=True)}
    return {key: f"{start}{one}" for key, (start, one) in texts.items() if one is not None}


def _indented(lines: Sequence[str], indent: int) -> Iterator[str]:
    return (f"{' ' * indent}{line}".rstrip() for line in lines)


def _comments(text: SpecText, value: YamlValue, indent: int) -> Surrounded:
    """The value without the comments above it, which are written."""
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
    kept = value if isinstance(value, Surrounded) else Surrounded(value)
    text.lines += _indented(kept.above, indent)
    return kept


def _commented(value: Mapping[str, YamlValue] | Sequence[YamlValue], indent: int) -> Iterator[str]:
    """The lines of a value as comments."""
    text = SpecText()
    _inside(text, Surrounded(value), indent + 2)
    return (f"{' ' * indent}# {line[indent + 2 :]}" for line in text.lines)


def _place(text: SpecText, value: YamlValue, first: int) -> None:
    while isinstance(value, Noted):
        if value.at is not None:
            text.places.append((range(first, len(text.lines) + 1), value.at))
        value = value.value


def _inner_places(text: SpecText, value: YamlValue) -> None:
    """The places of what is inside a value on the last line, innermost first."""
    inner: Sequence[YamlValue] = ()
    if isinstance(value, Mapping):
        inner = list(value.values())
    elif isinstance(value, Noted):
        inner = [value.value]
    elif is_list(value):
        inner = value
    for each in inner:
        _inner_places(text, each)
    if isinstance(value, Noted):
        _place(text, value, len(text.lines))


def _alone(kept: Surrounded) -> str | None:
    """A value on one line of its own, without what is around it."""
    match kept.value:
        case str() | int() | float():
            return scalar(kept.value, is_block=True)
        case Lines(text=text) if text is not None:
            one = scalar(text, is_block=True)
            return one if one == text else None
    return None if kept.below else _flat(replace(kept, above=(), beside="", anchor=""))


def _flat(value: YamlValue) -> str | None:
    """The value on one line, if it belongs on one: in brackets before, or without lists of several mappings in it."""
    match value:
        case Noted():
            return None if value.comment or value.instead is not None else _flat(value.value)
        case Surrounded(above=(), beside="", below=()):
            one = _flat(value.value) if value.is_flow is None or not value.value else None
            one = _bracketed(value.value) if value.is_flow else one
            return None if one is None else f"{value.anchor} {one}".strip()
        case Surrounded() | Lines():
            return None
        case str() | int() | float():
            return scalar(value)
        case Mapping():
            return None if any(map(has_structs, value.values())) else _bracketed(value)
        case _:
            return _bracketed(value) if len(value) == 1 or not has_structs(value) else None


def _bracketed(value: YamlValue) -> str | None:
    """A list or mapping in brackets, unless something in it needs lines."""
    parts = [(start, _flat(each)) for start, each in _parts(value)]
    there = [f"{start}{part}" for start, part in parts if part is not None]
    opened, closed = "{}" if isinstance(value, Mapping) else "[]"
    return f"{opened}{', '.join(there)}{closed}" if len(there) == len(parts) else None


def _parts(value: YamlValue) -> list[tuple[str, YamlValue]]:
    """The entries of a list or mapping, each with the text before it."""
    if isinstance(value, Mapping):
        return [(f"{scalar(key)}: ", each) for key, each in value.items()]
    return [("", each) for each in value] if is_list(value) else []


def _rows(kept: Surrounded, indent: int) -> Iterator[str]:
    """A list or mapping in brackets, on lines that begin as before; once one is too long, on as few as possible."""
    line, rows = "", kept.rows
    for number, piece in _pieces(kept.value, WIDTH - indent - 1):
        is_full = indent + len(line) + 1 + len(piece) > WIDTH
        if line and (is_full or number in rows):
            yield f"{' ' * indent}{line}"
            line = f" {piece}"
        else:
            line = f"{line} {piece}" if line else piece
        rows = frozenset() if is_full else rows
    yield f"{' ' * indent}{line}"


def _pieces(value: YamlValue, room: int) -> Iterator[tuple[int, str]]:
    """What in brackets lines may begin with, each no longer than ``room`` if it can be. With each is the number of the
    entry that begins there, or -1.
    """
    opened, closed = "{}" if isinstance(value, Mapping) else "[]"
    parts = _parts(value)
    for number, (start, each) in enumerate(parts):
        before, after = ("" if number else opened), ("," if number + 1 < len(parts) else closed)
        whole = f"{before}{start}{_flat(each)}{after}"
        inner = [piece for _, piece in _pieces(bare(each), room - 1)] if len(whole) > room else []
        if len(inner) > 1:
            yield number, f"{before}{start}{inner[0]}"
            yield from ((-1, piece) for piece in inner[1:-1])
            yield -1, f"{inner[-1]}{after}"
        else:
            yield number, whole


def _long(start: str, beside: str, value: str | int | float | Lines, indent: int) -> Iterator[str]:
    """A value that is longer than a line, folded if that keeps it as it is."""
    text = value.text if isinstance(value, Lines) else value
    if isinstance(value, Lines) and (text is None or all(indent + len(line) <= WIDTH for line in value.lines)):
        yield f"{start} {value.indicator}{beside}"
        yield from _indented(value.lines, indent)
    elif isinstance(text, str) and not isinstance(text, Verbatim) and is_foldable(text):
        yield f"{start} >-{beside}" if " " in text else f'{start} "\\{beside}'
        yield from _indented(_folded(text, WIDTH - indent), indent)
    else:
        yield f"{start} {scalar(text or '', is_block=True)}{beside}"


def _folded(text: str, room: int) -> list[str]:
    """The lines of a text. One without blanks is in quotes."""
    if " " in text:
        return textwrap.wrap(text, room, break_long_words=False, break_on_hyphens=False)
    parts = [text[at : at + room - 1] for at in range(0, len(text), room - 1)]
    return [*(f"{part}\\" for part in parts[:-1]), f'{parts[-1]}"']
