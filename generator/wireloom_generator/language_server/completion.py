"""What can be written at a cursor: keys with their descriptions, words of the language, and names of the spec."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, get_args

from wireloom_generator import model
from wireloom_generator.analysis.scopes import Seen, Visit
from wireloom_generator.emitters.json_schema import schema
from wireloom_generator.language_server.cursors import Cursor, cursor_at
from wireloom_generator.language_server.key_docs import key_text
from wireloom_generator.language_server.nodes import entry, is_expression
from wireloom_generator.language_server.places import TextRange
from wireloom_generator.language_server.scopes import header_names, meant, names_at, names_in, numbered, numbers_of
from wireloom_generator.language_server.workspace import Checked, Workspace
from wireloom_generator.reading import shape, syntax
from wireloom_generator.reading.source import YamlScalar
from wireloom_generator.rules import RULES

_DOTTED = re.compile(r"([A-Za-z_][\w.\[\]()]*)\.\Z")
_ITEM = re.compile(r"\[[^\]]*\]|\A(?:first|last)\(|\)\Z")
_WORDS = {
    "left": "how many bytes are left in the section",
    "index": "the number of the item, from 0",
    "size()": "how many bytes something takes",
    "offset()": "where something begins",
    "count()": "how many items a list has",
    "present()": "whether something is there",
    "min()": "the least of its arguments",
    "max()": "the greatest of its arguments",
    "first()": "the first item of a list",
    "last()": "the last item of a list",
    "hex('')": "bytes",
}
_OF_MESSAGES = ((syntax.Protocol, "messages"), (syntax.FoundInCapture, "message"), (syntax.Answers, "to"))
"""Kinds of mappings with keys whose values are names of messages."""
_ENTRIES = ("name", "section", "choice", "include", "pad", "align", "bits", "bitmap")


class CompletionKind(StrEnum):
    """What is offered."""

    KEY = "key"
    WORD = "word"
    FIELD = "field"
    TYPE = "type"
    ENUM = "enum"
    VALUE = "value"
    MESSAGE = "message"


@dataclass(frozen=True, slots=True)
class Completion:
    """A word to write in place of that at the cursor, with a few words about it and a text in Markdown."""

    label: str
    kind: CompletionKind
    detail: str = ""
    text: str = ""
    insert: str = ""


def completions(workspace: Workspace, path: Path, line: int, column: int) -> tuple[TextRange, list[Completion]] | None:
    """What can be written at a place, and the word that it replaces."""
    text = workspace.document(path).text
    cursor = cursor_at(text, line, column)
    if cursor is None:
        return None
    checked = next(iter(workspace.of(path)), None)
    offered = dict.fromkeys(_Offers(workspace, checked, path, cursor, line).all())
    if workspace.document(path).lines[line][cursor.word.end :].lstrip().startswith(":"):
        return cursor.word, [replace(each, insert="") for each in offered]
    return cursor.word, list(offered)


@dataclass(frozen=True)
class _Offers:
    workspace: Workspace
    checked: Checked | None
    path: Path
    cursor: Cursor
    line: int

    def all(self) -> Iterator[Completion]:
        key = self.cursor.key
        if key is None:
            yield from _keys(self.cursor.kind, self.cursor.given)
        elif key.endswith("."):
            yield from self.names_as_keys(key.split(".")[0])
        else:
            first, _, inner = key.partition(".")
            yield from self.values(first, inner)

    def names_as_keys(self, key: str) -> Iterator[Completion]:
        """Keys of a mapping whose keys are names, or of an entry of which nothing is known yet."""
        hint = shape.keys(self.cursor.kind).get(key, (None, None))[1]
        if _mentions(hint, syntax.Field) or _mentions(hint, syntax.BitField):
            for kind in (syntax.BitField, syntax.BitChoice) if _mentions(hint, syntax.BitField) else _entry_kinds():
                yield from (each for each in _keys(kind, set()) if each.label in (*_ENTRIES, "width"))
        if self.checked is None:
            return
        if key in ("match", "quiet", "derive"):
            is_header = self.cursor.kind is not syntax.Alternative
            names = header_names(self.checked) if is_header else names_at(self.checked, self.path, self.line)
            yield from _fields(names, colon=True)
        elif key == "sections":
            slots = self.checked.model.record.slots
            yield from (_named(slot.name, CompletionKind.FIELD, "section", slot.doc, colon=":") for slot in slots)
        elif key == "with":
            name = entry(self.cursor.mapping, "type")
            struct = self.checked.model.structs.get(name.text) if isinstance(name, YamlScalar) else None
            for each in struct.given if struct is not None else ():
                yield Completion(each, CompletionKind.FIELD, "parameter", "", f"{each}: ")

    def values(self, key: str, inner: str) -> Iterator[Completion]:
        """Values of a key, or of a name under it."""
        hint = shape.keys(self.cursor.kind).get(key, (None, None))[1]
        if not inner:
            yield from (Completion(word, CompletionKind.WORD) for word in _words(self.cursor.kind.__name__, key))
        if hint is bool:
            yield from (Completion(word, CompletionKind.WORD) for word in ("true", "false"))
        if key == "rule":
            yield from (Completion(rule, CompletionKind.WORD, "rule") for rule in RULES)
        if self.checked is None:
            return
        if key in ("match", "quiet") and inner:
            is_header = self.cursor.kind is not syntax.Alternative
            names = header_names(self.checked) if is_header else names_at(self.checked, self.path, self.line)
            for numbers in numbers_of(self.checked, meant(self.checked, names, inner)):
                yield from _members(numbers)
        elif key == "imports":
            folders = {each.parent.name for each in self.path.parent.parent.glob("*/library.yaml")}
            yield from (Completion(name, CompletionKind.WORD, "library") for name in sorted(folders))
        elif hint is not None and (is_expression(hint) or key in ("through", "unescape")):
            yield from self.expression()
        else:
            yield from self.names(key)

    def names(self, key: str) -> Iterator[Completion]:
        """Names of declarations."""
        assert self.checked is not None
        found = self.checked.model
        if key in ("type", "include"):
            yield from (_named(each.name, CompletionKind.TYPE, "type", each.doc) for each in found.structs.values())
        elif key in ("enum", "flags"):
            declared = found.enums if key == "enum" else found.flags
            yield from (_named(each.name, CompletionKind.ENUM, key, each.doc) for each in declared.values())
        elif key == "table":
            yield from (_named(each.name, CompletionKind.TYPE, "table", each.doc) for each in found.tables.values())
        elif (self.cursor.kind, key) in _OF_MESSAGES:
            yield from (_named(each.name, CompletionKind.MESSAGE, "message", each.doc) for each in found.messages)
        elif key in ("checksum", "by", "field"):
            yield from _fields(names_at(self.checked, self.path, self.line))

    def expression(self) -> Iterator[Completion]:
        """Names that an expression can use; behind a dot, those inside of what is before it."""
        assert self.checked is not None
        names = names_at(self.checked, self.path, self.line)
        dotted = _DOTTED.search(self.cursor.before)
        if dotted is None:
            yield from _fields(names)
            yield from (Completion(word, CompletionKind.WORD, about) for word, about in _WORDS.items())
            for name, numbers in numbered(self.checked).items():
                yield _named(name, CompletionKind.ENUM, "enum", numbers.doc)
            return
        if dotted[1] in numbered(self.checked):
            yield from _members(numbered(self.checked)[dotted[1]])
            return
        yield from _fields(names_in(self.checked, meant(self.checked, names, _ITEM.sub("", dotted[1]))))


def _keys(kind: type, given: set[str]) -> Iterator[Completion]:
    for key, (field, hint) in shape.keys(kind).items():
        if key not in given:
            is_block = _mentions(hint, tuple) or hint is dict
            written = field.metadata["key"]
            insert = f"{key}:" if is_block else f"{key}: "
            yield Completion(key, CompletionKind.KEY, written.about, key_text(kind, key), insert)


def _named(name: str, kind: CompletionKind, detail: str, doc: model.Doc, *, colon: str = "") -> Completion:
    return Completion(name, kind, detail, doc.text, f"{name}{colon}" if colon else "")


def _entry_kinds() -> tuple[type, ...]:
    return (*(each for each in get_args(syntax.Entry) if isinstance(each, type)), syntax.Bitmap)


def _mentions(hint: Any, kind: type) -> bool:
    """Whether an annotation has this class in it."""
    return hint is kind or any(_mentions(each, kind) for each in get_args(hint))


def _fields(names: Mapping[str, Iterable[Seen]], *, colon: bool = False) -> Iterator[Completion]:
    for name, found in names.items():
        yield Completion(name, CompletionKind.FIELD, *_about(found), f"{name}: " if colon else "")


def _about(found: Iterable[Seen]) -> tuple[str, str]:
    for each in found:
        if isinstance(each, Visit) and isinstance(each.item, model.Named):
            return each.item.type.word, each.item.doc.text
        if isinstance(each, Visit):
            return "section", ""
        if isinstance(each, model.Parameter):
            return f"parameter, {each.type}", each.doc.text
        return "parameter of the type", ""
    return "", ""


def _members(numbers: model.Enum | model.Flags) -> Iterator[Completion]:
    for each in numbers.values:
        is_range = isinstance(each, model.EnumValue) and each.range
        number = f"{each.first} to {each.last}" if is_range and isinstance(each, model.EnumValue) else str(each.value)
        yield Completion(each.name, CompletionKind.VALUE, number, each.doc.text)
    for group, members in numbers.groups.items() if isinstance(numbers, model.Enum) else ():
        yield Completion(group, CompletionKind.VALUE, "group", ", ".join(members))


@cache
def _schema() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(schema())["$defs"]
    return found


@cache
def _words(kind: str, key: str) -> tuple[str, ...]:
    """The words of the language that a key can have, by the JSON Schema."""

    def found(part: Any) -> Iterator[str]:
        if isinstance(part, dict):
            yield from (str(word) for word in part.get("enum", ()) if isinstance(word, str))
            yield from ([part["const"]] if isinstance(part.get("const"), str) else [])
            for inner in (*part.get("anyOf", ()), part.get("items")):
                yield from found(inner)

    return tuple(dict.fromkeys(found(_schema().get(kind, {}).get("properties", {}).get(key))))
