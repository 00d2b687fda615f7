"""A message schema of Simple Binary SchemaEncoding as it is written: its types, and where they are declared."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from wireloom_generator.importers import SourceError, Sources
from wireloom_generator.problems import Location, closest
from wireloom_generator.xml_tree import Element, parsed

_PRIMITIVES = {
    "char": "u8", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16",
    "uint32": "u32", "uint64": "u64", "float": "f32", "double": "f64",
}  # fmt: skip
DEEPEST = 8
"""How many groups or composites may be inside each other."""
_LONGEST = 65_535
"""The most bytes of a type, or of the block of a message."""
_MOST_FIELDS = 2_000
"""The most fields of a type or a block, with those inside each other."""


@dataclass(frozen=True, slots=True)
class SchemaEncoding:
    """What the bytes of a field are."""

    primitive: str
    """Empty for a composite."""
    length: int = 1
    declared: Element | None = None
    """Where it is declared; None for a primitive type by its own name."""
    members: "tuple[SchemaMember, ...]" = ()
    size: int = field(init=False)
    count: int = field(init=False)
    """How many fields it has, with those inside each other."""

    def __post_init__(self) -> None:
        if self.kind == "composite":
            size, count = end_of(self.members), sum(each.encoding.count for each in self.members)
        else:
            size, count = int(self.wire[1:]) // 8 * self.length, 1
        object.__setattr__(self, "size", size)
        object.__setattr__(self, "count", count)

    @property
    def kind(self) -> str:
        return self.declared.name if self.declared is not None else "type"

    @property
    def wire(self) -> str:
        return _PRIMITIVES[self.primitive]


@dataclass(frozen=True, slots=True)
class SchemaMember:
    """A field of a message, a group or a composite."""

    element: Element
    encoding: SchemaEncoding
    offset: int

    @property
    def size(self) -> int:
        return 0 if self.is_constant else self.encoding.size

    @property
    def is_constant(self) -> bool:
        return self.said("presence") == "constant"

    @property
    def is_optional(self) -> bool:
        return self.said("presence") == "optional"

    def said(self, attribute: str) -> str:
        """An attribute of the field or else of its type."""
        declared = self.encoding.declared
        return self.element.get(attribute) or (declared.get(attribute) if declared is not None else "")

    @property
    def since(self) -> int:
        return whole_number(self.element, "sinceVersion", 0)


def end_of(members: Sequence[SchemaMember]) -> int:
    """The bytes from the start to the end of the last of them."""
    return max((each.offset + each.size for each in members), default=0)


@dataclass(slots=True)
class MessageSchema:
    """What is in a file and all that it includes."""

    top: Element
    sources: Sources
    types: dict[str, Element] = field(default_factory=dict)
    messages: list[Element] = field(default_factory=list)
    known: dict[Location, SchemaEncoding] = field(default_factory=dict)
    being_read: list[Location] = field(default_factory=list)

    @classmethod
    def of(cls, path: Path, sources: Sources) -> "MessageSchema":
        with sources.including(path, Location(path, 1, 1)) as text:
            top = parsed(path, text)
            if top.name != "messageSchema":
                raise SourceError(top.at, f"<{top.name}> is not <messageSchema>, so this is no schema of SBE")
            schema = cls(top, sources)
            schema.add(top)
        return schema

    def add(self, parent: Element) -> None:
        for each in parent.children:
            if each.name == "include":
                path = each.at.path.parent / each.needed("href")
                with self.sources.including(path, each.at) as text:
                    included = parsed(path, text)
                    self.add(Element("", {}, each.at, [included]))
            elif each.name in ("types", "messageSchema"):
                self.add(each)
            elif each.name in ("type", "composite", "enum", "set"):
                name = each.needed("name")
                if name in self.types:
                    raise SourceError(each.at, f"there is another type {name}, in line {self.types[name].at.line}")
                self.types[name] = each
            elif each.name == "message":
                self.messages.append(each)

    def named(self, name: str, by: Element) -> SchemaEncoding:
        """The type of that name, which ``by`` has. Raises ``SourceError``."""
        if name in self.types:
            return self.declared(self.types[name])
        if name in _PRIMITIVES:
            return SchemaEncoding(name)
        raise SourceError(by.at, f"there is no type {name!r}", closest(name, self.types, _PRIMITIVES))

    def declared(self, element: Element) -> SchemaEncoding:
        """The type that an element declares."""
        if element.at not in self.known:
            if element.at in self.being_read:
                raise SourceError(element.at, f"{element.get('name')} contains itself")
            if len(self.being_read) == DEEPEST:
                raise SourceError(element.at, f"types are nested more than {DEEPEST} deep")
            self.being_read.append(element.at)
            self.known[element.at] = self.read(element)
            self.being_read.pop()
        return self.known[element.at]

    def read(self, element: Element) -> SchemaEncoding:
        if element.name == "composite":
            members = tuple(self.members(element))
            if not members:
                raise SourceError(element.at, f"nothing is in {element.get('name')}")
            return SchemaEncoding("", declared=element, members=members)
        if element.name in ("enum", "set"):
            primitive = self.named(element.needed("encodingType"), element).primitive
            if primitive in ("", "float", "double"):
                raise SourceError(element.at, f"<{element.name}> is not encoded as {element.get('encodingType')}")
            return SchemaEncoding(primitive, declared=element)
        primitive = element.needed("primitiveType")
        if primitive not in _PRIMITIVES:
            raise SourceError(element.at, f"{primitive!r} is not a primitive type", closest(primitive, _PRIMITIVES))
        return SchemaEncoding(primitive, whole_number(element, "length", 1), element)

    def members(self, element: Element) -> Iterator[SchemaMember]:
        """The fields of a message, a group or a composite, at their offsets."""
        at = count = 0
        for each in element.all("field", "type", "composite", "enum", "set", "ref"):
            each.needed("name")
            named = each.name in ("field", "ref")
            encoding = self.named(each.needed("type"), each) if named else self.declared(each)
            offset = whole_number(each, "offset", at)
            if offset < at:
                raise SourceError(each.at, f"offset {offset} is before the end of the field before it, {at}")
            yield (member := SchemaMember(each, encoding, offset))
            at, count = offset + member.size, count + encoding.count
            if at > _LONGEST or count > _MOST_FIELDS:
                what = f"{_LONGEST} bytes" if at > _LONGEST else f"{_MOST_FIELDS} fields"
                raise SourceError(each.at, f"more than {what} in {element.get('name')}")

    def composite(self, name: str, by: Element, needed: Sequence[str]) -> SchemaEncoding:
        """A composite that has members of these names, all but ``varData`` integers. Raises ``SourceError``."""
        found = self.named(name, by)
        there = {each.element.get("name"): each for each in found.members}
        for each in needed:
            if each not in there:
                raise SourceError(by.at, f"{name} has no {each}", f"it is a composite with {', '.join(needed)}")
            is_said = there[each].is_constant and each in ("schemaId", "version")
            if each != "varData" and not is_said and not is_whole(there[each]):
                raise SourceError(there[each].element.at, f"{each} of {name} is not an integer")
        return found

    def constant_value(self, member: SchemaMember) -> str | int:
        element, encoding = member.element, member.encoding
        reference = member.said("valueRef")
        if reference:
            name, _, value = reference.rpartition(".")
            found = self.named(name, element)
            if found.kind == "enum" and found.declared is not None:
                for each in found.declared.all("validValue"):
                    if each.get("name") == value:
                        return value_of(found, each)
            raise SourceError(element.at, f"there is no value {reference}")
        text = element.text or (encoding.declared.text if encoding.declared is not None else "")
        if encoding.primitive == "char" and encoding.kind == "type":
            return text
        is_float = encoding.primitive in ("float", "double")
        if not re.fullmatch(r"-?[0-9]{1,20}(\.[0-9]{1,20})?" if is_float else r"-?[0-9]{1,20}", text):
            raise SourceError(element.at, f"{text!r} is not a constant of {encoding.primitive or encoding.kind}")
        return text if is_float else int(text)


def whole_number(element: Element, attribute: str, default: int) -> int:
    text = element.get(attribute)
    if not text:
        return default
    if not re.fullmatch(r"[0-9]{1,9}", text):
        raise SourceError(element.at, f"{attribute} is {text!r}, not a number")
    if attribute in ("length", "offset", "blockLength") and int(text) > _LONGEST:
        raise SourceError(element.at, f"{attribute} is {text}, more than {_LONGEST}")
    return int(text)


def is_whole(member: SchemaMember) -> bool:
    """Whether a member is a single integer that is sent."""
    encoding = member.encoding
    return encoding.kind == "type" and encoding.wire[0] in "iu" and encoding.length == 1 and not member.is_constant


def value_of(encoding: SchemaEncoding, element: Element) -> int:
    """The number of an enum's value or the mask of a set's choice."""
    text = element.text
    if encoding.primitive == "char" and len(text) == 1 and text.isascii():
        return ord(text)
    bits = 8 * encoding.size
    allowed = range(1 << bits) if encoding.wire[0] == "u" else range(-1 << bits - 1, 1 << bits - 1)
    if not re.fullmatch(r"-?[0-9]{1,20}", text) or int(text) not in allowed:
        raise SourceError(element.at, f"{text!r} is not a value of {encoding.primitive}")
    if encoding.kind == "enum":
        return int(text)
    if not 0 <= int(text) < 8 * encoding.size:
        raise SourceError(element.at, f"there is no bit {text} in {encoding.primitive}")
    return 1 << int(text)
