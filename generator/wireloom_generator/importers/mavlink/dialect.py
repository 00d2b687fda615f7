"""A MAVLink dialect as it is written, with all that it includes.

Fields are sent by the size of their types, the largest first, and extensions after them. The checksum of a packet
covers one byte more than is sent, which is derived from the message's name and fields.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

from wireloom.codec.checksums import Crc
from wireloom_generator.importers import SourceError, Sources
from wireloom_generator.problems import Location
from wireloom_generator.xml_tree import Element, parsed

_SIZES = {
    "char": 1, "int8_t": 1, "uint8_t": 1, "int16_t": 2, "uint16_t": 2, "int32_t": 4, "uint32_t": 4, "float": 4,
    "int64_t": 8, "uint64_t": 8, "double": 8,
}  # fmt: skip
FLOATS = {"float": "f32", "double": "f64"}
VERSION = "uint8_t_mavlink_version"
_TYPE = re.compile(rf"({'|'.join(_SIZES)}|{VERSION})(?:\[([0-9]{{1,3}})\])?")
_NUMBER = re.compile(r"-?([0-9]{1,20}|0[xX][0-9a-fA-F]{1,16}|0[bB][01]{1,64})|2\*\*[0-9]{1,2}")
_MCRF4XX = Crc(16, 0x1021, 0xFFFF, reflect_in=True, reflect_out=True)


@dataclass(frozen=True, slots=True)
class DialectField:
    element: Element
    wire: str
    """The type's name in the dialect."""
    count: int | None
    is_extension: bool

    @property
    def name(self) -> str:
        return self.element.needed("name")

    @property
    def width(self) -> int:
        return _SIZES[self.wire]

    @property
    def size(self) -> int:
        return self.width * (1 if self.count is None else self.count)


@dataclass(frozen=True, slots=True)
class DialectMessage:
    element: Element
    number: int
    version: int
    """That of the file that it is in."""
    fields: tuple[DialectField, ...]
    """As they are sent."""

    @property
    def name(self) -> str:
        return self.element.needed("name")

    @property
    def size(self) -> int:
        return sum(each.size for each in self.fields)

    @property
    def crc_extra(self) -> int:
        """The byte that its checksums end with: of the names and types of all fields that are no extensions."""
        said = f"{self.name} ".encode()
        for each in self.fields:
            if not each.is_extension:
                said += f"{each.wire} {each.name} ".encode() + bytes([each.count] if each.count else [])
        crc = _MCRF4XX(said)
        return (crc & 0xFF) ^ (crc >> 8)


@dataclass(slots=True)
class DialectEntry:
    element: Element
    value: int
    is_numbered: bool
    """Whether the file gives its number."""


@dataclass(slots=True)
class DialectEnum:
    element: Element
    is_bitmask: bool
    entries: list[DialectEntry]

    @property
    def name(self) -> str:
        return self.element.needed("name")

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in it that a field could have."""
        return not any(entry.value.bit_count() == 1 or not self.is_bitmask for entry in self.entries)

    @property
    def numbers(self) -> range:
        values = [0, *(entry.value for entry in self.entries)]
        return range(min(values[1:], default=0), max(values) + 1)


@dataclass(slots=True)
class Dialect:
    """What is in a file and all that it includes."""

    enums: dict[str, DialectEnum] = field(default_factory=dict)
    messages: dict[int, DialectMessage] = field(default_factory=dict)
    done: set[Path] = field(default_factory=set)

    def read(self, path: Path, sources: Sources, by: Location | None = None) -> None:
        with sources.including(path, by or Location(path, 1, 1)) as text:
            if path.resolve() in self.done:
                return
            top = parsed(path, text)
            if top.name != "mavlink":
                raise SourceError(top.at, f"<{top.name}> is not <mavlink>, so this is no dialect")
            for each in top.all("include"):
                self.read(path.parent / each.text, sources, each.at)
            number = top.first("version")
            version = _number(number.text, number.at) if number is not None else 2
            for group in top.all("enums"):
                for each in group.all("enum"):
                    self.merge(_enum(each))
            for group in top.all("messages"):
                for each in group.all("message"):
                    self.add(_message(each, version))
        self.done.add(path.resolve())

    def add(self, message: DialectMessage) -> None:
        other = self.messages.get(message.number)
        if other is not None:
            raise SourceError(message.element.at, f"{message.name} has the number of {other.name}, {message.number}")
        self.messages[message.number] = message

    def merge(self, enum: DialectEnum) -> None:
        """Add what a file says about an enum to what the files say that it includes.

        Entries without a number come behind those of the included files if they would be among them.
        """
        known = self.enums.setdefault(enum.name, enum)
        if known is enum:
            return
        if enum.numbers.start <= known.numbers.stop - 1 and known.numbers.start <= enum.numbers.stop - 1:
            last = known.numbers.stop - 1
            for entry in enum.entries:
                if not entry.is_numbered and entry.value <= last:
                    entry.value = last = last + 1
        known.entries += enum.entries
        known.entries.sort(key=lambda entry: entry.value)
        known.is_bitmask |= enum.is_bitmask


def _enum(element: Element) -> DialectEnum:
    entries: list[DialectEntry] = []
    highest = 0
    for each in element.all("entry"):
        text = each.get("value")
        value = _number(text, each.at) if text else highest + 1
        highest = max(highest, value)
        each.needed("name")
        entries.append(DialectEntry(each, value, bool(text)))
    return DialectEnum(element, element.get("bitmask") == "true", entries)


def _message(element: Element, version: int) -> DialectMessage:
    fields = []
    is_extension = False
    for each in element.all("field", "extensions"):
        if each.name == "extensions":
            is_extension = True
            continue
        found = _TYPE.fullmatch(each.needed("type"))
        if found is None or found[2] == "0":
            raise SourceError(each.at, f"{each.get('type')!r} is not a type of MAVLink")
        each.needed("name")
        wire = "uint8_t" if found[1] == VERSION else found[1]
        fields.append(DialectField(each, wire, int(found[2]) if found[2] else None, is_extension))
    own = sorted((each for each in fields if not each.is_extension), key=lambda each: -each.width)
    number = _number(element.needed("id"), element.at)
    if not 0 <= number < 1 << 24:
        raise SourceError(element.at, f"{number} is not the number of a message", "it has 24 bits")
    element.needed("name")
    return DialectMessage(element, number, version, (*own, *(each for each in fields if each.is_extension)))


def _number(text: str, at: Location) -> int:
    if not _NUMBER.fullmatch(text):
        raise SourceError(at, f"{text!r} is not a number")
    if text.startswith("2**"):
        return 1 << int(text[3:])
    return int(text) if text.lstrip("-").isdecimal() else int(text, 0)
