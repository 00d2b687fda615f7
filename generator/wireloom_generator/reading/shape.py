"""Nodes → syntax: each file is checked against the shape that its dataclass declares.

All unknown, missing and wrongly typed keys are reported with line and column, and with the closest known key.
"""

import dataclasses
import re
import types
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, TypeVar, Union, assert_never, get_args, get_origin, get_type_hints

from wireloom_generator.expressions import integer
from wireloom_generator.problems import Location, Problem, odd_digits
from wireloom_generator.reading import bitmaps, other_tools, syntax
from wireloom_generator.reading.source import YamlList, YamlMapping, YamlNode, YamlScalar, number
from wireloom_generator.reading.written import Prose

T = TypeVar("T")

_BAD = object()
_FILES = {"protocol": syntax.Protocol, "message": syntax.Message, "library": syntax.Library}
_ENTRIES = {
    "name": syntax.Field,
    "section": syntax.Section,
    "choice": syntax.Choice,
    "include": syntax.Include,
    "pad": syntax.Pad,
    "align": syntax.Align,
    "bits": syntax.Bits,
    "bitmap": syntax.Bitmap,
}
_LONG = 40
_WORDS = {int: "a whole number", bool: "true or false", str: "text", syntax.Expression: "an expression"}


def read(document: YamlMapping) -> tuple[syntax.File | None, list[Problem]]:
    """The file's syntax, or None and problems if it does not match any kind of file."""
    for key, _ in document.entries:
        if key.text in _FILES:
            return read_as(_FILES[key.text], document)
    what = "neither protocol:, message: nor library: is given"
    return None, [Problem(document.at, "missing-key", what, _meant(document, _FILES))]


def kinds(document: YamlMapping) -> list[tuple[type, YamlMapping]]:
    """Every mapping of a file whose keys are declared, with the class that declares them; outer ones first.

    A file with mistakes has them as well, as far as it can be said what a mapping is.
    """
    shaping = _Shaping()
    for key, _ in document.entries:
        if key.text in _FILES:
            shaping.dataclass(_FILES[key.text], document)
            break
    return shaping.mappings


def read_as(kind: type[T], document: YamlMapping) -> tuple[T | None, list[Problem]]:
    """The document as a ``kind``; None with problems if it does not have that shape."""
    shaping = _Shaping()
    found = shaping.dataclass(kind, document)
    return (None if found is _BAD or shaping.problems else found), shaping.problems


def _meant(node: YamlMapping, known: Iterable[str]) -> str:
    """The hint for a mapping without a key that shows its kind: the language's word for one of its keys."""
    names = list(known)
    hints = (other_tools.hint(key.text, names) for key, _ in node.entries)
    return next((hint for hint in hints if hint and not hint.startswith("known: ")), "")


_hints = cache(get_type_hints)


@cache
def keys(kind: type) -> dict[str, tuple[dataclasses.Field[Any], Any]]:
    """The keys of a syntax class as specs write them, with their dataclass fields and annotations."""
    found: dict[str, tuple[dataclasses.Field[Any], Any]] = {}
    hints = _hints(kind)
    for field in dataclasses.fields(kind):
        if "without" in field.metadata:
            inner = keys(hints[field.name]).items()
            found |= {key: known for key, known in inner if key not in field.metadata["without"]}
        elif "key" in field.metadata:
            found[field.metadata["key"].name or field.name] = field, hints[field.name]
    return found


def _made(kind: type, at: Location, places: Mapping[str, Location], values: Mapping[str, Any]) -> Any:
    """The syntax object with the values of these keys."""
    arguments = {}
    for field in dataclasses.fields(kind):
        if "without" in field.metadata:
            arguments[field.name] = _made(_hints(kind)[field.name], at, places, values)
        elif "key" in field.metadata and (key := field.metadata["key"].name or field.name) in values:
            arguments[field.name] = values[key]
    return kind(at=at, places=places, **arguments)


@cache
def _parts(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """The parts of an annotation: ``Mapping`` and ``(str, int)`` for ``Mapping[str, int]``."""
    return get_origin(hint), get_args(hint)


class _Shaping:
    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.mappings: list[tuple[type, YamlMapping]] = []

    def wrong(self, node: YamlNode, expected: str, hint: str = "") -> Any:
        match node:
            case YamlScalar(text=text):
                found = repr(text) if len(text) <= _LONG else f"{text[:_LONG]!r}…"
            case YamlList():
                found = "a list"
            case YamlMapping():
                found = "a mapping"
            case _:
                assert_never(node)
        self.problems.append(Problem(node.at, "wrong-type", f"{expected} expected, found {found}", hint))
        return _BAD

    def dataclass(self, kind: type, node: YamlNode) -> Any:
        if not isinstance(node, YamlMapping):
            return self.wrong(node, "a mapping", _as_in("{}", kind))
        self.mappings.append((kind, node))
        known = keys(kind)
        values: dict[str, Any] = {key: {} for key, (_, hint) in known.items() if _parts(hint)[0] is Mapping}
        places = {}
        for key, value in node.entries:
            if key.text not in known:
                hint = other_tools.hint(key.text, known)
                if isinstance(value, YamlScalar) and value.kind == "null" and not value.text:
                    hint = hint or "put text with a comma in it in quotes"
                self.problems.append(Problem(key.at, "unknown-key", f"unknown key {key.text!r}", hint))
                continue
            _, hint_type = known[key.text]
            places[key.text] = value.at
            if _parts(hint_type)[0] is Mapping and isinstance(value, YamlMapping):
                places |= {f"{key.text}.{inner.text}": inner.at for inner, _ in value.entries}
            values[key.text] = self.value(hint_type, value, key.text)
        missing = [
            Problem(node.at, "missing-key", f"{name!r} is missing", field.metadata["key"].about)
            for name, (field, _) in known.items()
            if name not in places and field.default is dataclasses.MISSING
        ]
        self.problems += missing
        if missing or any(value is _BAD for value in values.values()):
            return _BAD
        return _made(kind, node.at, places, values)

    def value(self, hint: Any, node: YamlNode, key: str = "") -> Any:
        origin, arguments = _parts(hint)
        if origin in (Union, types.UnionType):
            return self.union(arguments, node, key)
        if origin is tuple:
            return self.sequence(arguments[0], node)
        if origin is Mapping:
            return self.mapping(arguments[1], node)
        if isinstance(hint, type) and dataclasses.is_dataclass(hint):
            return self.dataclass(hint, node)
        if hint is object:
            return _plain(node)
        return self.scalar(hint, node, key)

    def union(self, arguments: tuple[Any, ...], node: YamlNode, key: str) -> Any:
        choices = tuple(argument for argument in arguments if argument is not type(None))
        if set(choices) == set(get_args(syntax.Entry)):
            return self.entry(node)
        if set(choices) == set(get_args(syntax.BitEntry)):
            is_choice = isinstance(node, YamlMapping) and any(key.text == "choice" for key, _ in node.entries)
            return self.dataclass(syntax.BitChoice if is_choice else syntax.BitField, node)
        if len(choices) == 1:
            return self.value(choices[0], node, key)
        if set(choices) == set(get_args(syntax.Literal)):
            if isinstance(node, YamlScalar) and node.kind != "null":
                return _plain(node)
            return self.wrong(node, "a value", "" if isinstance(node, YamlScalar) else other_tools.whole(key))
        structured = [choice for choice in choices if isinstance(choice, type) and dataclasses.is_dataclass(choice)]
        if isinstance(node, YamlMapping) and structured:
            return self.dataclass(structured[0], node)
        if structured and len(choices) > 2:
            return self.value(syntax.Literal, node)
        return self.scalar(syntax.Expression if syntax.Expression in choices else str, node)

    def entry(self, node: YamlNode) -> Any:
        if not isinstance(node, YamlMapping):
            return self.wrong(node, "a mapping")
        present = {key.text for key, _ in node.entries}
        first = next((key for key in ("bits", "bitmap", *_ENTRIES) if key in present), "")  # these also have names
        kind = _ENTRIES.get(first)
        if kind is not None:
            return self.dataclass(kind, node)
        what = f"an entry has one of the keys {', '.join(_ENTRIES)}"
        self.problems.append(Problem(node.at, "wrong-type", what, _meant(node, _ENTRIES)))
        return _BAD

    def sequence(self, item: Any, node: YamlNode) -> Any:
        if not isinstance(node, YamlList):
            if (item in (str, int, bytes, Prose) and isinstance(node, YamlScalar)) or item == syntax.Matched:
                single = self.value(item, node)
                return _BAD if single is _BAD else (single,)
            return self.wrong(node, "a list", _as_in("[{}]", item))
        values = tuple(self.value(item, child) for child in node.items)
        if any(value is _BAD for value in values):
            return _BAD
        return tuple(each for value in values for each in overlaid(value)) if item == syntax.Entry else values

    def mapping(self, item: Any, node: YamlNode) -> Any:
        if not isinstance(node, YamlMapping):
            return self.wrong(node, "a mapping")
        values = {key.text: self.value(item, value) for key, value in node.entries}
        return _BAD if any(value is _BAD for value in values.values()) else types.MappingProxyType(values)

    def scalar(self, hint: Any, node: YamlNode, key: str = "") -> Any:
        if not isinstance(node, YamlScalar) or node.kind == "null":
            meant = "" if isinstance(node, YamlScalar) else other_tools.whole(key)
            if isinstance(node, YamlMapping):
                meant = meant or _meant(node, ())
            return self.wrong(node, _WORDS.get(hint, "text"), meant)
        if hint is int:
            return integer(node.text) if node.kind == "int" else self.wrong(node, _WORDS[int])
        if hint is bool:
            return node.text.lower() == "true" if node.kind == "bool" else self.wrong(node, _WORDS[bool])
        if hint is bytes:
            return self.hex(node)
        if hint is syntax.Expression:
            return syntax.Expression(node.text, node.at)
        if hint is Prose:
            return " ".join(node.text.split())
        return node.text

    def hex(self, node: YamlScalar) -> Any:
        digits = re.sub(r"#[^\n]*|\s", "", node.text)
        if len(digits) % 2 or not re.fullmatch(r"[0-9A-Fa-f]*", digits) or (node.text and node.text.isspace()):
            return self.wrong(node, "pairs of hex digits", _in_hex(node.text) or odd_digits(digits))
        return bytes.fromhex(digits)


def _in_hex(text: str) -> str:
    """The hint for escapes, or for a byte written with 0x."""
    if re.fullmatch(r"0x([0-9A-Fa-f]{2})+", text):
        return f'write "{text[2:]}"'
    return f'write "{text.encode().hex()}"' if text.isascii() and not any(map(str.isalnum, text)) else ""


def _as_in(place: str, item: Any) -> str:
    """The hint with the keys that a syntax class needs, in a ``place`` for them, such as ``[{}]``."""
    if not (isinstance(item, type) and dataclasses.is_dataclass(item)):
        return ""
    needed = [
        name for name, (field, _) in keys(item).items() if field.default is dataclasses.MISSING or name == "value"
    ]
    mapping = f"{{{', '.join(f'{name}: …' for name in needed)}}}"
    return f"as in {place.format(mapping)}" if needed else ""


def _plain(node: YamlNode) -> Any:
    if isinstance(node, YamlMapping):
        return {key.text: _plain(value) for key, value in node.entries}
    if isinstance(node, YamlList):
        return [_plain(item) for item in node.items]
    match node.kind:
        case "int":
            return integer(node.text)
        case "bool":
            return node.text.lower() == "true"
        case "float":
            return number(node.text)
        case "null":
            return None
    return node.text


def overlaid(entry: syntax.Entry | syntax.Bitmap) -> Iterator[syntax.Entry]:
    """The entry, or the integers that it extends to; after one with alternatives, a choice for each of them."""
    if isinstance(entry, syntax.Bitmap):
        yield from bitmaps.expanded(entry)
        return
    if isinstance(entry, syntax.Bits) and entry.extension is not None:
        for each in extended(entry):
            yield from overlaid(each)
        return
    choices = tuple(_choices(entry)) if isinstance(entry, syntax.Bits) else ()
    if not choices or not isinstance(entry, syntax.Bits) or entry.when is None:
        yield entry
        yield from choices
        return
    places = {"when": entry.where("when")}
    fields: tuple[syntax.Entry, ...] = (replace(entry, when=None), *choices)
    alone = syntax.Alternative(at=entry.at, places=places, when=entry.when, match={}, fields=fields)
    yield syntax.Choice(at=entry.at, places={}, choice=(alone,))


def extended(bits: syntax.Bits) -> Iterator[syntax.Bits]:
    """The integers of bits with an extension: each has as many fields as fit before the bit that tells of the next."""
    assert bits.extension is not None
    room = int(re.sub(r"\D", "", bits.bits) or 0) - 1
    parts: list[list[syntax.BitEntry]] = [[]]
    for entry in bits.fields:
        if parts[-1] and sum(each.taken for each in parts[-1]) >= room:
            parts.append([])
        parts[-1].append(entry)
    at, when = bits.where("extension"), bits.when
    for place, fields in enumerate(parts, 1):
        name = f"{bits.extension}_{place}"
        told = [_told(each) for part in parts[place:] for entry in part for each in _fields(entry) if not each.reserved]
        follows = syntax.Expression(" or ".join(told), at) if told else None
        const, doc = None if told else False, syntax.Doc(at=at, places={})
        more = syntax.BitField(at=at, places={}, doc=doc, name=name, width=1, derive=follows, const=const)
        entries = (*fields, more)
        name_of_first = bits.name if place == 1 else None
        yield replace(bits, name=name_of_first, when=when, extension=None, fields=entries, is_alone=len(parts) == 1)
        when = syntax.Expression(name, at)


def _fields(entry: syntax.BitEntry) -> Iterator[syntax.BitField]:
    """The bit fields in an entry."""
    if isinstance(entry, syntax.BitField):
        yield entry
        return
    for alternative in entry.choice:
        for each in alternative.fields:
            yield from _fields(each)


def _told(field: syntax.BitField) -> str:
    """The condition under which there is something in a bit field."""
    derived = field.derive
    if derived is None:
        return f"present({field.name})"
    return derived if re.fullmatch(r"present\([\w.]+\)", derived) else f"({derived})"


def _choices(bits: syntax.Bits) -> Iterator[syntax.Choice]:
    for entry, first in bits.begins:
        if isinstance(entry, syntax.BitChoice):
            alternatives = tuple(_alternative(bits, each, (first, entry.taken)) for each in entry.choice)
            yield syntax.Choice(at=entry.at, places=entry.places, choice=alternatives)


def _alternative(bits: syntax.Bits, each: syntax.BitAlternative, over: tuple[int, int]) -> syntax.Alternative:
    places = {key: bits.where(key) for key in ("bits", "byte_order") if key in bits.places}
    own = syntax.Bits(
        at=each.at,
        places=places,
        doc=syntax.Doc(at=each.at, places={}),
        bits=bits.bits,
        bit_order=bits.bit_order,
        byte_order=bits.byte_order,
        fields=each.fields,
        over=over,
    )
    fields: tuple[syntax.Entry, ...] = (own, *_choices(own))
    return syntax.Alternative(at=each.at, places=each.places, when=each.when, match=each.match, fields=fields)
