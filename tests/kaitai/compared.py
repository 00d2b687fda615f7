"""Rows of the codec beside what Kaitai Struct reads from the same bytes, value by value."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from ipaddress import ip_address
from typing import Any
from uuid import UUID

from construct import Container

from wireloom_generator import model, types
from wireloom_generator.types import meanings

_NOTHING = object()
_OF_VALUES = frozenset({"digits", "groups", "len", "octets", "raw", "sign", "text", "value"})
"""What types for single values consist of."""


@dataclass
class Comparison:
    """What differs between rows and objects, or rows of another protocol, and which columns these lack."""

    protocol: model.Protocol
    pairs: int = 0
    differing: list[tuple[str, Any, Any]] = field(default_factory=list)
    missing: set[str] = field(default_factory=set)

    def compare(self, row: Mapping[str, Any], other: Any) -> None:
        """Compare a record."""
        messages = {each.name for each in self.protocol.messages}
        self._structs({name: value for name, value in row.items() if name not in messages}, other, "")
        name = row["message"]
        if name in messages and row.get(name) is not None:
            self._structs(row[name], other, f"{name}.")

    def _structs(self, row: Mapping[str, Any], other: Any, at: str) -> None:
        for name, value in row.items():
            if name in ("message", "_corrupt_record", "_corrupt_reason") or name.endswith(("_name", "_flags")):
                continue  # names are told by numbers
            try:
                theirs = _found(other, name, row, value)
                theirs = None if theirs is None else _plain(theirs) if value is None else theirs
            except Exception:
                if value is None:  # read when it is asked for, and then refused
                    continue
                raise
            if theirs is _NOTHING and value not in (None, []):
                self.missing.add(f"{at}{name}")
            elif value is None and theirs in (b"", "", []):
                self.pairs += 1  # nothing is left
            elif theirs is not _NOTHING:
                self._values(value, theirs, f"{at}{name}")

    def _values(self, value: Any, theirs: Any, at: str) -> None:
        theirs = theirs if isinstance(value, Mapping) else _plain(theirs)
        if isinstance(value, list) and isinstance(theirs, list) and len(value) == len(theirs):
            for number, (one, other) in enumerate(zip(value, theirs, strict=True)):
                self._values(one, other, f"{at}[{number}]")
        elif isinstance(value, Mapping) and _children(theirs) is not None:
            self._structs(value, theirs, f"{at}.")
        elif _children(theirs) is not None or {type(value), type(theirs)} in ({bytes, list}, {Container, bytes}):
            self.missing.add(at)  # one of them has bytes
        else:
            self.pairs += 1
            name = at.rpartition(".")[2].partition("[")[0]
            if not any(_same(value, meant) for meant in self._meant(name, theirs)):
                self.differing.append((at, value, theirs))

    def _meant(self, name: str, value: Any) -> Iterator[Any]:
        """What a value can be in a column."""
        yield value
        for node in self._named(name):
            if node.meaning is not None and isinstance(value, int | bytes):
                yield meant(node.meaning, value)
            if isinstance(node.type, types.Bcd | types.Zoned) and isinstance(value, int):
                yield Decimal(value).scaleb(-node.type.scale)

    def _named(self, name: str) -> Iterator[model.Named]:
        for nodes in self.protocol.layouts:
            yield from (each for each in model.walk(nodes) if isinstance(each, model.Named) and each.name == name)


def meant(meaning: meanings.Meaning, value: Any) -> Any:
    """What a number or bytes mean, worked out by the standard library."""
    match meaning:
        case meanings.Timestamp():
            microseconds = meaning.first + value * meaning.step // 1000
            try:
                return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)
            except OverflowError:
                return None
        case meanings.Duration():
            return timedelta(microseconds=value * meaning.step // 1000)
        case meanings.DecimalNumber():
            times, plus, by = meaning.whole
            return Decimal(value * times + plus) / by
        case meanings.DoubleNumber():
            times, plus, by = meaning.whole
            return (value * times + plus) / by
        case meanings.Identifier(word="uuid"):
            return str(UUID(bytes=value))
        case meanings.Identifier(word="mac"):
            return value.hex(":")
        case meanings.Identifier():
            return str(ip_address(value))


def _same(value: Any, other: Any) -> bool:
    """Whether they are the same; what is not a number is."""
    return bool(value == other) or (value != value and other != other)


def _children(other: Any) -> Mapping[str, Any] | None:
    """The fields of an object, or of a struct in a row; None for other values."""
    if isinstance(other, Mapping):
        return other
    if hasattr(other, "_io"):
        return {name: value for name, value in vars(other).items() if not name.startswith("_")}
    return None


def _get(other: Any, name: str) -> Any:
    return other.get(name, _NOTHING) if isinstance(other, Mapping) else getattr(other, name, _NOTHING)


def _plain(value: Any) -> Any:
    """A value, which may be in a type of its own."""
    children = _children(value)
    if children is None or _is_section(value) or (inner := _get(value, "value")) is _NOTHING:
        return value
    return _plain(inner)


def _is_section(value: Any) -> bool:
    """Whether it has fields, and is no type for a single value."""
    children = _children(value)
    if children is None or not children.keys() <= _OF_VALUES:
        return children is not None
    if isinstance(value, Mapping):
        return children.keys() == {"value"} or "value" not in children
    return children.keys() != {"len", "value"} and not hasattr(type(value), "value")


def _found(other: Any, name: str, row: Mapping[str, Any], value: Any) -> Any:
    """The value of that name, of one of several alternatives, or in a section."""
    for each in (name, f"{name}_value"):
        theirs = _get(other, each)
        is_other = _is_section(theirs) and isinstance(value, int | str | float | None)
        if theirs not in (_NOTHING, None) and not is_other:
            return theirs
    children = _children(other) or {}
    several = (key for key in children if key.startswith(f"{name}_") and key[len(name) + 1 :].isdecimal())
    if (found := next((key for key in several if children[key] is not None), None)) is not None:
        return children[found]
    for key, inner in children.items():
        is_inside = _is_section(inner) and not isinstance(row.get(key), Mapping)
        if is_inside and (found := _found(inner, name, row, value)) is not _NOTHING:
            return found
    return _NOTHING
