"""MAVLink dialects in XML → a protocol of MAVLink 2 packets.

A dialect does not say how packets look; the documents of MAVLink do. Fields are sent by the size of their types, the
largest first, and extensions after them. The checksum of a packet covers one byte more than is sent, which is derived
from the message's name and fields.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from wireloom.codec.checksums import Crc
from wireloom_generator import naming
from wireloom_generator.importers import Coverage, Imported, Importer, Outcome, SourceError, Sources, each_alone
from wireloom_generator.problems import Location
from wireloom_generator.spec_text import Hex, Noted, YamlValue
from wireloom_generator.xml_tree import Element, parsed

Yaml = dict[str, YamlValue]

_SIZES = {
    "char": 1, "int8_t": 1, "uint8_t": 1, "int16_t": 2, "uint16_t": 2, "int32_t": 4, "uint32_t": 4, "float": 4,
    "int64_t": 8, "uint64_t": 8, "double": 8,
}  # fmt: skip
_FLOATS = {"float": "f32", "double": "f64"}
_VERSION = "uint8_t_mavlink_version"
_TYPE = re.compile(rf"({'|'.join(_SIZES)}|{_VERSION})(?:\[([0-9]{{1,3}})\])?")
_NUMBER = re.compile(r"-?([0-9]{1,20}|0[xX][0-9a-fA-F]{1,16}|0[bB][01]{1,64})|2\*\*[0-9]{1,2}")
_LONGEST = 255
"""The most bytes of a payload."""
_MCRF4XX = Crc(16, 0x1021, 0xFFFF, reflect_in=True, reflect_out=True)


@dataclass(frozen=True, slots=True)
class _Field:
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
class _DialectMessage:
    element: Element
    number: int
    version: int
    """That of the file that it is in."""
    fields: tuple[_Field, ...]
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
class _EnumEntry:
    element: Element
    value: int
    is_numbered: bool
    """Whether the file gives its number."""


@dataclass(slots=True)
class _Enum:
    element: Element
    is_bitmask: bool
    entries: list[_EnumEntry]

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
class _Dialect:
    """What is in a file and all that it includes."""

    enums: dict[str, _Enum] = field(default_factory=dict)
    messages: dict[int, _DialectMessage] = field(default_factory=dict)
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

    def add(self, message: _DialectMessage) -> None:
        other = self.messages.get(message.number)
        if other is not None:
            raise SourceError(message.element.at, f"{message.name} has the number of {other.name}, {message.number}")
        self.messages[message.number] = message

    def merge(self, enum: _Enum) -> None:
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


def _enum(element: Element) -> _Enum:
    entries: list[_EnumEntry] = []
    highest = 0
    for each in element.all("entry"):
        text = each.get("value")
        value = _number(text, each.at) if text else highest + 1
        highest = max(highest, value)
        each.needed("name")
        entries.append(_EnumEntry(each, value, bool(text)))
    return _Enum(element, element.get("bitmask") == "true", entries)


def _message(element: Element, version: int) -> _DialectMessage:
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
        wire = "uint8_t" if found[1] == _VERSION else found[1]
        fields.append(_Field(each, wire, int(found[2]) if found[2] else None, is_extension))
    own = sorted((each for each in fields if not each.is_extension), key=lambda each: -each.width)
    number = _number(element.needed("id"), element.at)
    if not 0 <= number < 1 << 24:
        raise SourceError(element.at, f"{number} is not the number of a message", "it has 24 bits")
    element.needed("name")
    return _DialectMessage(element, number, version, (*own, *(each for each in fields if each.is_extension)))


def _number(text: str, at: Location) -> int:
    if not _NUMBER.fullmatch(text):
        raise SourceError(at, f"{text!r} is not a number")
    if text.startswith("2**"):
        return 1 << int(text[3:])
    return int(text) if text.lstrip("-").isdecimal() else int(text, 0)


class _DialectWriter:
    """Writes the spec of a dialect."""

    def __init__(self, path: Path, dialect: _Dialect, refused: Mapping[Location, str]) -> None:
        self.path, self.dialect, self.refused = path, dialect, refused
        self.outcomes: list[Outcome] = []
        self.protocol = naming.column_like(path.stem, set())
        taken: set[str] = set()
        self.enums = {name: naming.class_like(name, taken) for name in dialect.enums}
        taken = set(naming.ROW)
        self.messages = {
            message.name: naming.column_like(message.name, taken)
            for message in sorted(dialect.messages.values(), key=lambda message: message.number)
        }
        self.known = {*self.enums, *self.messages}
        """What ``replaced_by`` can name."""
        self.used: set[str] = set()
        """The enums that fields have."""
        self.of_commands: set[str] = set()
        """The enums that parameters of commands have."""
        for enum in dialect.enums.values():
            for entry in enum.entries:
                self.known.add(entry.element.get("name"))
                self.of_commands.update(each.get("enum") for each in entry.element.all("param"))

    def files(self) -> Mapping[PurePosixPath, Mapping[str, YamlValue]]:
        messages: dict[PurePosixPath, Mapping[str, YamlValue]] = {}
        for message in self.dialect.messages.values():
            if message.size > _LONGEST:
                self.tell(message.element, [f"its payload has {message.size} bytes"], Coverage.REFUSED)
            else:
                name = self.messages[message.name]
                messages[PurePosixPath(self.protocol, f"{name}.yaml")] = self.message(name, message)
        labels: dict[bool, list[YamlValue]] = {False: [], True: [_SIGNED]}
        for enum in self.dialect.enums.values():
            if enum.is_empty:
                self.tell(enum.element, ["it has no values"], Coverage.REFUSED)
            else:
                labels[enum.is_bitmask].append(self.labels(enum))
        protocol: Yaml = {
            "protocol": self.protocol,
            "title": f"MAVLink 2: {self.path.stem}",
            "doc": "Packets of MAVLink 2. Zeros at the end of a payload are not sent; if they are, the payload is kept "
            "as it was sent.",
            "source": {"document": self.path.name},
            "byte_order": "little",
            **({"enums": labels[False]} if labels[False] else {}),
            "flags": labels[True],
            "record": _RECORD,
        }
        return {PurePosixPath(self.protocol, "protocol.yaml"): protocol, **messages}

    def labels(self, enum: _Enum) -> YamlValue:
        """An enum or flags."""
        values: list[YamlValue] = []
        reasons = []
        taken: set[str] = set()
        seen: dict[int, str] = {}
        for entry in enum.entries:
            own = entry.element
            why = self.refused.get(own.at)
            if entry.value in seen:
                why = f"it has the number of {seen[entry.value]}"
            elif enum.is_bitmask and entry.value.bit_count() != 1:
                why = f"{entry.value} is not one bit"
            if why is not None:
                reasons.append(f"{own.get('name')}: {why}")
                continue
            seen[entry.value] = own.get("name")
            value: YamlValue = Hex(entry.value) if enum.is_bitmask else entry.value
            doc = [*self.told(own), *map(_parameter, own.all("param"))]
            values.append(
                Noted(
                    {**naming.value_like(own.get("name"), taken), "value": value, **self.described(own, doc)}, at=own.at
                )
            )
        self.tell(enum.element, reasons)
        keys: Yaml = {"name": self.enums[enum.name]}
        keys |= self.described(enum.element, self.told(enum.element)) | self.source(enum.element)
        if enum.name not in self.used:
            user = "Parameters of commands have it" if enum.name in self.of_commands else "No field of a message has it"
            keys["accept"] = [{"rule": "unused", "reason": f"{user}."}]
        return Noted({**keys, "values": values}, _todo(reasons), enum.element.at)

    def message(self, name: str, message: _DialectMessage) -> Mapping[str, YamlValue]:
        element = message.element
        taken = {*_HEADER, "fields_as_sent", "newer_fields"}
        reasons: list[str] = []
        fields = [self.field(each, message, naming.column_like(each.name, taken), reasons) for each in message.fields]
        self.tell(element, reasons)
        payload: YamlValue = {
            "section": "fields",
            "size": "rest",
            "through": {"zeros": message.size},
            "raw": "fields_as_sent",
            "trailing": "newer_fields",
            "fields": fields,
        }
        if not fields:
            payload = {"name": "newer_fields", "type": "bytes", "size": "rest"}
        over: YamlValue = [{"from": 1, "to": "offset(tail)"}, {"const": f"{message.crc_extra:02x}"}]
        crc: YamlValue = {
            "name": naming.column_like("crc", taken),
            "type": "u16",
            "checksum": {"algorithm": "crc16_mcrf4xx", "over": over},
        }
        return {
            "message": name,
            "title": element.get("name"),
            **self.described(element, self.told(element)),
            **self.source(element),
            "match": {"message_number": message.number},
            "sections": {"body": [payload], "tail": [crc]},
        }

    def field(self, each: _Field, message: _DialectMessage, name: str, reasons: list[str]) -> YamlValue:
        element = each.element
        keys: Yaml = {"name": name}
        comments: list[str] = []
        if element.at in self.refused:
            comments.append(self.refused[element.at])
            keys |= {"type": "bytes", "size": each.size}
        elif each.wire == "char":
            keys |= {"type": "text", "size": each.size, "until": "00"}
            keys |= {"raw": f"{name}_bytes"} if each.size > 1 else {}
        elif each.wire == "uint8_t" and each.count and not (element.get("enum") or element.get("multiplier")):
            keys |= {"type": "bytes", "size": each.size}
        else:
            keys |= self.number(each, comments)
            keys |= {"repeat": {"count": each.count}} if each.count else {}
            if element.get("type") == _VERSION:
                keys["default"] = message.version
            elif each.is_extension and not each.count:
                keys["default"] = 0.0 if each.wire in _FLOATS else 0
        if element.get("units"):
            keys["unit"] = element.get("units")
        keys |= self.described(element, self.told(element))
        reasons += [f"{each.name}: {why}" for why in comments]
        return Noted(keys, _todo(comments), element.at)

    def number(self, each: _Field, comments: list[str]) -> Yaml:
        """The type of a number and what its values mean."""
        is_float = each.wire in _FLOATS
        whole = f"{'u' if each.wire[0] == 'u' else 'i'}{8 * each.width}"
        keys: Yaml = {"type": _FLOATS.get(each.wire, whole)}
        factor = each.element.get("multiplier")
        if factor and re.fullmatch(r"[0-9]+(\.[0-9]+)?([eE]-?[0-9]{1,2})?", factor) and not is_float:
            keys["as"] = {"decimal": {"scale": float(factor)}}
        elif re.fullmatch(r"[0-9]{1,9}/[0-9]{1,9}", factor) and not is_float:
            keys["as"] = {"double": {"scale": factor}}
        elif factor:
            comments.append(f"multiplier {factor} is not applied")
        why = self.unlabelled(each)
        if why:
            comments.append(why)
        elif each.element.get("enum"):
            label = self.dialect.enums[each.element.get("enum")]
            self.used.add(label.name)
            keys["flags" if label.is_bitmask else "enum"] = self.enums[label.name]
            if _deprecation(label.element) is not None:
                keys["accept"] = [{"rule": "deprecated", "reason": "The dialect uses it here."}]
        return keys

    def unlabelled(self, each: _Field) -> str:
        """Why a field cannot have the enum that the dialect says; empty if it can, or has none."""
        name = each.element.get("enum")
        label = self.dialect.enums.get(name)
        if not name:
            return ""
        if label is None or label.is_empty:
            return f"there is no enum {name}" if label is None else f"{name} has no values"
        if each.count:
            return f"a list cannot have {name}"
        if each.wire in _FLOATS or (label.is_bitmask and each.wire[0] != "u"):
            return (
                f"{name} names {'bits of unsigned' if label.is_bitmask else 'values of'} integers, not of {each.wire}"
            )
        bits = 8 * each.width
        least, most = (0, (1 << bits) - 1) if each.wire[0] == "u" else (-1 << bits - 1, (1 << bits - 1) - 1)
        outside = [entry.element.get("name") for entry in label.entries if not least <= entry.value <= most]
        return f"{outside[0]} of {name} does not fit {each.wire}" if outside else ""

    def told(self, element: Element) -> list[str]:
        """Sentences about an element that are not its description."""
        found = []
        if element.first("wip") is not None:
            found.append("Work in progress.")
        deprecation = _deprecation(element)
        if deprecation is not None:
            other = deprecation.get("replaced_by")
            found.append(f"Replaced by {other}." if other and other not in self.known else "")
            found.append(deprecation.text)
        low, high, step = (element.get(key) for key in ("minValue", "maxValue", "increment"))
        found.append(f"From {low}." if low and not high else f"Up to {high}." if high and not low else "")
        found.append(f"From {low} to {high}." if low and high else "")
        found.append(f"In steps of {step}." if step else "")
        found.append(f"By default {element.get('default')}." if element.get("default") else "")
        invalid = element.get("invalid")
        found.append(f"{invalid} is not known." if invalid and invalid not in element.text else "")
        return [each for each in found if each]

    def described(self, element: Element, more: Iterable[str]) -> Yaml:
        description = element.first("description")
        own = element.text or (description.text if description is not None else "")
        doc = " ".join((own if not own or own.endswith((".", "!", "?")) or not more else f"{own}.", *more)).strip()
        keys: Yaml = {"doc": doc} if doc else {}
        deprecation = _deprecation(element)
        if deprecation is not None:
            other = deprecation.get("replaced_by")
            since: Yaml = {"since": deprecation.get("since")} if deprecation.get("since") else {}
            name = self.messages.get(other) or self.enums.get(other) or other
            keys["deprecated"] = since | ({"replaced_by": name} if other in self.known else {})
        return keys

    def source(self, element: Element) -> Yaml:
        return {"source": {"document": element.at.path.name, "section": f"line {element.at.line}"}}

    def tell(self, element: Element, reasons: Sequence[str], said: Coverage = Coverage.BYTES) -> None:
        self.outcomes.append(
            Outcome(element.get("name"), element.at, said if reasons else Coverage.WHOLE, tuple(reasons))
        )


def _deprecation(element: Element) -> Element | None:
    return next(element.all("deprecated", "superseded"), None)


def _parameter(element: Element) -> str:
    """A sentence about a parameter of a command."""
    label = f", {element.get('label')}" if element.get("label") else ""
    unit = f" in {element.get('units')}" if element.get("units") else ""
    text = element.text.rstrip(".")
    return f"Param {element.get('index')}{label}{unit}{f': {text}' if text else ''}."


def _todo(reasons: Sequence[str]) -> str:
    return f"TODO: {'; '.join(reasons)}" if reasons else ""


_SIGNED: Yaml = {
    "name": "IncompatibilityFlag",
    "doc": "What a receiver must know to understand a packet.",
    "values": [{"name": "MAVLINK_IFLAG_SIGNED", "value": Hex(1)}],
}
_IS_SIGNED = "incompatibility_flags & 1 != 0"
_FIELDS: list[Yaml] = [
    {"name": "magic", "type": "u8", "const": Hex(0xFD)},
    {"name": "payload_size", "type": "u8", "derive": "size(body)", "unit": "bytes"},
    {
        "name": "incompatibility_flags",
        "type": "u8",
        "flags": "IncompatibilityFlag",
        "default": "1 if present(link_id) else 0",
    },
    {"name": "compatibility_flags", "type": "u8", "default": 0},
    {"name": "packet_sequence", "type": "u8", "doc": "Counts the packets of a component."},
    {"name": "system_id", "type": "u8"},
    {"name": "component_id", "type": "u8"},
    {"name": "message_number", "type": "u24"},
    {"section": "body", "size": "payload_size"},
    {"section": "tail", "size": 2},
    {"name": "link_id", "type": "u8", "when": _IS_SIGNED},
    {"name": "signed_at", "type": "u48", "when": _IS_SIGNED, "unit": "10 µs", "doc": "Since 2015-01-01."},
    {
        "name": "signature",
        "type": "bytes",
        "size": 6,
        "when": _IS_SIGNED,
        "doc": "The first bytes of a SHA-256.",
    },
]
_RECORD: Yaml = {
    "length": f"12 + payload_size + (13 if {_IS_SIGNED} else 0)",
    "proof": {"valid": "magic == 0xfd"},
    "fields": _FIELDS,
}
_HEADER = frozenset(str(each.get("name", each.get("section"))) for each in _FIELDS)
"""Names that fields of messages cannot have."""


def _read(path: Path, sources: Sources, refused: Mapping[Location, str]) -> Imported:
    dialect = _Dialect()
    dialect.read(path, sources)
    writer = _DialectWriter(path, dialect, refused)
    return Imported(writer.files(), tuple(writer.outcomes))


def _is_ours(text: str) -> bool:
    return re.search(r"<mavlink\b", text) is not None


IMPORTER = Importer("MAVLink dialects", (".xml",), _is_ours, each_alone(_read))
