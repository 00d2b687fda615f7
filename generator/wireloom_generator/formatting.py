"""A spec file in its canonical form, for ``wireloom fmt``: the same values and comments, laid out by ``spec_text``.

Files are read event by event, which still have the notation of each value. Nothing is returned that does not mean the
same as before.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import yaml

from wireloom_generator.problems import Location, Problem
from wireloom_generator.reading import source, yaml_errors
from wireloom_generator.reading.spec import is_declared
from wireloom_generator.spec_text import (
    Lines,
    Surrounded,
    Verbatim,
    YamlValue,
    is_foldable,
    is_like_number,
    quoted,
    written,
)

RULE = "format"

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_RESOLVER = yaml.resolver.Resolver()
_TEXT = "tag:yaml.org,2002:str"
_LINE_BREAKS = re.compile("[\x85\u2028\u2029]")
_COMMENT = re.compile(r"(?:(?<=[ \t\n])|\A)#[^\n]*")
_DATA = "decoded"
"""The key of a mapping that is one sentence, as it were: longer than a line, it stays in brackets."""
_Begin = tuple[int, bool]
"""The column of a key, and whether there are several blanks before it."""
_STANDARD = "tag:yaml.org,2002:"


class FormatError(Exception):
    """A file that has no canonical form, with the reason as a ``problem``."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


def files_in(path: Path) -> list[Path]:
    """The file itself, or the spec files in a folder and its folders; hidden ones and other YAML files are none."""
    if not path.is_dir():
        return [path]
    found = (
        each
        for each in sorted(path.rglob("*.yaml"))
        if not any(part[0] == "." for part in each.relative_to(path).parts)
    )
    return [
        each for each in found if each.is_file() and is_declared(each.read_text(encoding="utf-8", errors="replace"))
    ]


def formatted(text: str, shown: Path) -> str:
    """The text of the file ``shown`` in its canonical form. Raises ``FormatError``."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    document, problems = source.document(text, shown)
    if document is None or problems:
        raise FormatError(problems[0])
    if strange := _LINE_BREAKS.search(text):
        line, column = text.count("\n", 0, strange.start()) + 1, strange.start() - text.rfind("\n", 0, strange.start())
        what, hint = f"a line break of its own kind, U+{ord(strange[0]):04X}", "write it in double quotes, as an escape"
        raise FormatError(Problem(Location(shown, line, column), RULE, what, hint))
    new = str(written(_File(text, shown).document()))
    for what, of in (("its values", _meaning), ("a comment", _comment_texts)):
        if of(new) != of(text):
            hint = "this is a bug in Wireloom; report it with the file, which is unchanged"
            raise FormatError(Problem(Location(shown, 1, 1), RULE, f"{what} would change", hint))
    return new


def _meaning(text: str) -> list[tuple[object, ...]]:
    """What a text means, in order: its values with their types, anchors and aliases."""
    found: list[tuple[object, ...]] = []
    for event in yaml.parse(text, Loader=_LOADER):
        match event:
            case yaml.ScalarEvent():
                found.append((_tag(event), event.anchor, event.value))
            case yaml.CollectionStartEvent():
                found.append((type(event), event.anchor, event.tag))
            case yaml.AliasEvent() | yaml.CollectionEndEvent():
                found.append((type(event), event.anchor if isinstance(event, yaml.AliasEvent) else None))
    return found


def _tag(event: yaml.ScalarEvent) -> str:
    """The type of a value: as it says itself, or by how it looks if it has no quotes."""
    if event.tag not in (None, "!"):
        return str(event.tag)
    return str(_RESOLVER.resolve(yaml.ScalarNode, event.value, event.implicit))  # type: ignore[no-untyped-call]


@dataclass(frozen=True, slots=True)
class _Comment:
    """A comment, and its line and column from 0. It is ``alone`` if nothing is before it on the line."""

    text: str
    line: int
    column: int
    alone: bool


def _comments(text: str, events: list[yaml.Event]) -> Iterator[_Comment]:
    """The comments of a text, which are between its values."""
    at, line, begins = 0, 0, 0
    values = [event for event in events if isinstance(event, yaml.ScalarEvent)]
    spans = [(_first(event, text), _end(event).index) for event in values]
    for start, end in (*spans, (len(text), len(text))):
        for found in _COMMENT.finditer(text, at, max(at, start)):
            line += text.count("\n", begins, found.start())
            begins = text.rfind("\n", 0, found.start()) + 1
            before = text[begins : found.start()]
            yield _Comment(found[0].rstrip(), line, len(before), not before.strip())
        at = max(at, end)


def _first(value: yaml.ScalarEvent, text: str) -> int:
    """Where a value begins in the text; below its indicator if it has one."""
    start: int = _begin(value).index
    return text.find("\n", start) % (len(text) + 1) if value.style in ("|", ">") else start


def _comment_texts(text: str) -> list[str]:
    return sorted(each.text for each in _comments(text, list(yaml.parse(text, Loader=_LOADER))))


class _File:
    """The values of a file, with what is around them."""

    def __init__(self, text: str, shown: Path) -> None:
        self.shown = shown
        self.lines = text.split("\n")
        self.events = list(yaml.parse(text, Loader=_LOADER))
        self.comments = {each.line: each for each in _comments(text, self.events)}
        self.place = 0
        """The number of the next event."""
        self.line = -1
        """The last line that was read."""
        self.begins: dict[str, _Begin] = {}
        """Where the keys of the last mapping in brackets begin."""

    def document(self) -> Surrounded:
        """All of the file, which is one mapping."""
        self._next()
        start = self._next()
        assert isinstance(start, yaml.DocumentStartEvent)
        if start.version or start.tags:
            raise self._refused(start, "a spec has no directives, such as %YAML")
        found = self._value(self._next(), -1)
        return replace(found, below=(*found.below, *self._before(len(self.lines), is_first=False)))

    def _next(self) -> yaml.Event:
        self.place += 1
        return self.events[self.place - 1]

    def _refused(self, event: yaml.Event, what: str) -> FormatError:
        return FormatError(Problem(yaml_errors.place(self.shown, event), RULE, what))

    def _entry(self, event: yaml.Event, line: int, column: int, above: list[str]) -> Surrounded:
        """The value that begins with an event, in a list or mapping at ``column``, with the comments around it: those
        ``above``, and those between the ``line`` on which the entry begins and the end of the value.
        """
        is_block = isinstance(event, yaml.CollectionStartEvent) and not event.flow_style
        has_head = is_block and line in self.comments and not self.comments[line].alone and line < _begin(event).line
        beside = self._taken(line, line + 1) if has_head else []
        found = self._value(event, column)
        beside = beside if is_block else self._taken(line, self.line + 1)
        return replace(found, above=(*above, *beside[:-1]), beside="".join(beside[-1:]))

    def _value(self, event: yaml.Event, outer: int) -> Surrounded:
        """The value that begins with an event, without what is around it."""
        match event:
            case yaml.AliasEvent():
                self.line = _end(event).line
                return Surrounded(Verbatim(f"*{event.anchor}"))
            case yaml.ScalarEvent():
                found = Surrounded(self._lines(event) if event.style in ("|", ">") else self._scalar(event))
            case yaml.CollectionStartEvent() if event.flow_style:
                found = self._flow(event)
            case yaml.MappingStartEvent():
                found = self._mapping(_begin(self.events[self.place]).column)
            case yaml.SequenceStartEvent():
                found = self._list(event, outer)
            case _:
                raise AssertionError(event)
        return replace(found, anchor=_anchor(event))

    def _scalar(self, event: yaml.ScalarEvent) -> str:
        self.line = _end(event).line
        if event.tag is not None:
            return Verbatim(quoted(event.value) if event.style else event.value)
        is_text = _tag(event) == _TEXT and (event.style or not is_like_number(event.value))
        return str(event.value) if is_text else Verbatim(event.value)

    def _lines(self, event: yaml.ScalarEvent) -> YamlValue:
        """A text below an indicator, folded anew if its lines mean nothing."""
        first, end = _begin(event).line, _end(event)
        lines = self.lines[first + 1 : end.line + (end.column > 0)]
        found = re.search(r"[|>]([-+]?)\d?([-+]?)", self.lines[first][_begin(event).column :])
        assert found is not None
        chomping = found[1] + found[2] or ("" if event.value.endswith("\n") or not event.value else "-")
        while lines and not lines[-1].strip() and chomping != "+":
            lines.pop()
        self.line = first + len(lines)
        is_folded = event.style == ">" and event.tag is None and is_foldable(event.value)
        inner = _indent(event.value.split("\n"))
        depth = _indent(lines) - inner
        kept = tuple(line[depth:] for line in lines)
        return Lines(f"{event.style}{'2' if inner else ''}{chomping}", kept, event.value if is_folded else None)

    def _key(self, event: yaml.Event) -> str:
        """A key; one that is given twice was refused before."""
        if not isinstance(event, yaml.ScalarEvent) or event.anchor or event.tag or event.style in ("|", ">"):
            raise self._refused(event, "a key must be a name")
        return self._scalar(event)

    def _mapping(self, column: int) -> Surrounded:
        entries: dict[str, YamlValue] = {}
        while not isinstance(event := self._next(), yaml.MappingEndEvent):
            line = _begin(event).line
            above = self._before(line, is_first=not entries)
            key = self._key(event)
            value = self._entry(self._next(), line, column, above)
            entries[key] = replace(value, rows=value.rows | {0}) if key == _DATA else value
        return Surrounded(entries, is_flow=False, below=self._after(column, _begin(event).line))

    def _list(self, start: yaml.SequenceStartEvent, outer: int) -> Surrounded:
        items: list[YamlValue] = []
        begins: list[dict[str, _Begin]] = []
        column = _begin(start).column
        if start.anchor or start.tag:
            column = _indent([self.lines[_begin(self.events[self.place]).line]])
        while not isinstance(event := self._next(), yaml.SequenceEndEvent):
            line = _begin(event).line
            items.append(item := self._entry(event, line, column, self._before(line, is_first=not items)))
            begins += [self.begins] if item.is_flow and isinstance(item.value, Mapping) else []
        below = self._after(column, _begin(event).line) if column > outer else ()
        return Surrounded(items, is_flow=False, below=below, aligned=_aligned(begins))

    def _flow(self, start: yaml.CollectionStartEvent) -> Surrounded:
        """A list or mapping in brackets, unless there are comments in it, which need lines."""
        entries: list[tuple[str, Surrounded]] = []
        rows: set[int] = set()
        begins: dict[str, _Begin] = {}
        self.line = _begin(start).line
        while not isinstance(event := self._next(), yaml.CollectionEndEvent):
            line, column = _begin(event).line, _begin(event).column
            above = self._within(entries, line)
            before = self.lines[line][:column]
            if not before.strip(" [{"):
                rows.add(len(entries))
            key = ""
            if isinstance(start, yaml.MappingStartEvent):
                key, event = self._key(event), self._next()
                begins[key] = column, before.endswith("  ")
            entries.append((key, replace(self._value(event, -1), above=tuple(above))))
        below = tuple(self._within(entries, _end(event).line))
        if _begin(start).line != _end(event).line:
            rows.add(0)
        self.begins = begins
        values = [each for _, each in entries]
        is_flow = not below and not any(each.above or each.beside or _is_block(each) for each in values)
        value = dict(entries) if isinstance(start, yaml.MappingStartEvent) else values
        return Surrounded(value, below=below, is_flow=is_flow, rows=frozenset(rows))

    def _within(self, entries: list[tuple[str, Surrounded]], line: int) -> list[str]:
        """The comments above a line in brackets. One beside an entry is added to that."""
        found: list[str] = []
        for each in [self.comments.pop(at) for at in range(self.line, line) if at in self.comments]:
            if each.alone or not entries or entries[-1][1].beside:
                found.append(each.text)
            else:
                key, before = entries.pop()
                entries.append((key, replace(before, beside=each.text)))
        self.line = max(self.line, line)
        return found

    def _taken(self, first: int, end: int) -> list[str]:
        """The comments on some lines, which belong to nothing else then."""
        return [self.comments.pop(at).text for at in range(first, end) if at in self.comments]

    def _before(self, end: int, *, is_first: bool) -> list[str]:
        """The comments and empty lines since what was read last. At first there are no empty lines."""
        found: list[str] = []
        for at in range(self.line + 1, end):
            if at in self.comments:
                found.append(self.comments.pop(at).text)
            elif not self.lines[at].strip() and (found or not is_first) and found[-1:] != [""]:
                found.append("")
        self.line = max(self.line, end - 1)
        return found[:-1] if found[-1:] == [""] and end == len(self.lines) else found

    def _after(self, column: int, end: int) -> tuple[str, ...]:
        """The comments after the last entry of a list or mapping, which are not farther to the left."""
        at = last = self.line
        while (at := at + 1) < end and (at not in self.comments or self.comments[at].column >= column):
            last = at if at in self.comments else last
        return tuple(self._before(last + 1, is_first=False)) if last > self.line else ()


class _Mark(Protocol):
    """A place in a text, counted from 0."""

    @property
    def line(self) -> int: ...
    @property
    def column(self) -> int: ...
    @property
    def index(self) -> int: ...


def _begin(event: yaml.Event) -> _Mark:
    assert event.start_mark is not None
    return event.start_mark


def _end(event: yaml.Event) -> _Mark:
    assert event.end_mark is not None
    return event.end_mark


def _aligned(mappings: Sequence[Mapping[str, _Begin]]) -> frozenset[str]:
    """The keys that most mappings in brackets have in the same column, and some of them behind several blanks."""
    found: dict[str, list[_Begin]] = {}
    for each in mappings:
        for key, begin in each.items():
            found.setdefault(key, []).append(begin)
    usual = {key: Counter(column for column, _ in begins).most_common(1)[0] for key, begins in found.items()}
    return frozenset(
        key for key, begins in found.items() if 2 * usual[key][1] > len(begins) and (usual[key][0], True) in begins
    )


def _is_block(kept: Surrounded) -> bool:
    return not kept.is_flow and not isinstance(kept.value, str)


def _indent(lines: list[str]) -> int:
    """How many blanks are before the first line that is not empty."""
    line = next((line for line in lines if line.strip()), "")
    return len(line) - len(line.lstrip(" "))


def _anchor(event: yaml.ScalarEvent | yaml.CollectionStartEvent) -> str:
    """What is before a value: its anchor, and its type if it says it."""
    tag = event.tag or ""
    if tag.startswith(_STANDARD):
        tag = f"!!{tag.removeprefix(_STANDARD)}"
    elif tag and not tag.startswith("!"):
        tag = f"!<{tag}>"
    return " ".join(filter(None, (event.anchor and f"&{event.anchor}", tag)))
