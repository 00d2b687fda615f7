"""Message schemas of FIX Simple Binary Encoding in XML → a protocol whose records are its messages.

A schema does not say how messages are framed: a record is one message, as in a datagram or a value of a queue. Blocks
are as long as they say themselves, as those of later versions are longer.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from wireloom_generator import naming
from wireloom_generator.importers import Coverage, Imported, Importer, Outcome, SourceError, Sources, each_alone
from wireloom_generator.problems import Location, closest
from wireloom_generator.spec_text import Hex, Noted, YamlValue, todo
from wireloom_generator.xml_tree import Element, parsed

Yaml = dict[str, YamlValue]

_PRIMITIVES = {
    "char": "u8", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16",
    "uint32": "u32", "uint64": "u64", "float": "f32", "double": "f64",
}  # fmt: skip
_ENCODINGS = {"us-ascii": "ascii", "utf8": "utf-8", "iso-8859-1": "latin-1", "iso_8859_1": "latin-1"}
"""Names of character encodings that the language has other names for."""
_UNITS = {0: "s", 3: "ms", 6: "us", 9: "ns"}
_HEADER = ("blockLength", "templateId", "schemaId", "version")
_DIMENSION = ("blockLength", "numInGroup")
_RANKS = {"field": 0, "group": 1, "data": 2}
_DEEPEST = 8
"""How many groups or composites may be inside each other."""
_LONGEST = 65_535
"""The most bytes of a type, or of the block of a message."""
_MOST_FIELDS = 2_000
"""The most fields of a type or a block, with those inside each other."""


class _UnsayableError(Exception):
    """The language has nothing for a message."""


@dataclass(frozen=True, slots=True)
class _Encoding:
    """What the bytes of a field are."""

    primitive: str
    """Empty for a composite."""
    length: int = 1
    declared: Element | None = None
    """Where it is declared; None for a primitive type by its own name."""
    members: "tuple[_Member, ...]" = ()
    size: int = field(init=False)
    count: int = field(init=False)
    """How many fields it has, with those inside each other."""

    def __post_init__(self) -> None:
        if self.kind == "composite":
            size, count = _end(self.members), sum(each.encoding.count for each in self.members)
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
class _Member:
    """A field of a message, a group or a composite."""

    element: Element
    encoding: _Encoding
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
        return _number(self.element, "sinceVersion", 0)


def _end(members: Sequence[_Member]) -> int:
    """The bytes from the start to the end of the last of them."""
    return max((each.offset + each.size for each in members), default=0)


@dataclass(slots=True)
class _Schema:
    """What is in a file and all that it includes."""

    top: Element
    sources: Sources
    types: dict[str, Element] = field(default_factory=dict)
    messages: list[Element] = field(default_factory=list)
    known: dict[Location, _Encoding] = field(default_factory=dict)
    being_read: list[Location] = field(default_factory=list)

    @classmethod
    def of(cls, path: Path, sources: Sources) -> "_Schema":
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

    def named(self, name: str, by: Element) -> _Encoding:
        """The type of that name, which ``by`` has. Raises ``SourceError``."""
        if name in self.types:
            return self.declared(self.types[name])
        if name in _PRIMITIVES:
            return _Encoding(name)
        raise SourceError(by.at, f"there is no type {name!r}", closest(name, self.types, _PRIMITIVES))

    def declared(self, element: Element) -> _Encoding:
        """The type that an element declares."""
        if element.at not in self.known:
            if element.at in self.being_read:
                raise SourceError(element.at, f"{element.get('name')} contains itself")
            if len(self.being_read) == _DEEPEST:
                raise SourceError(element.at, f"types are nested more than {_DEEPEST} deep")
            self.being_read.append(element.at)
            self.known[element.at] = self.read(element)
            self.being_read.pop()
        return self.known[element.at]

    def read(self, element: Element) -> _Encoding:
        if element.name == "composite":
            members = tuple(self.members(element))
            if not members:
                raise SourceError(element.at, f"nothing is in {element.get('name')}")
            return _Encoding("", declared=element, members=members)
        if element.name in ("enum", "set"):
            primitive = self.named(element.needed("encodingType"), element).primitive
            if primitive in ("", "float", "double"):
                raise SourceError(element.at, f"<{element.name}> is not encoded as {element.get('encodingType')}")
            return _Encoding(primitive, declared=element)
        primitive = element.needed("primitiveType")
        if primitive not in _PRIMITIVES:
            raise SourceError(element.at, f"{primitive!r} is not a primitive type", closest(primitive, _PRIMITIVES))
        return _Encoding(primitive, _number(element, "length", 1), element)

    def members(self, element: Element) -> Iterator[_Member]:
        """The fields of a message, a group or a composite, at their offsets."""
        at = count = 0
        for each in element.all("field", "type", "composite", "enum", "set", "ref"):
            each.needed("name")
            named = each.name in ("field", "ref")
            encoding = self.named(each.needed("type"), each) if named else self.declared(each)
            offset = _number(each, "offset", at)
            if offset < at:
                raise SourceError(each.at, f"offset {offset} is before the end of the field before it, {at}")
            yield (member := _Member(each, encoding, offset))
            at, count = offset + member.size, count + encoding.count
            if at > _LONGEST or count > _MOST_FIELDS:
                what = f"{_LONGEST} bytes" if at > _LONGEST else f"{_MOST_FIELDS} fields"
                raise SourceError(each.at, f"more than {what} in {element.get('name')}")

    def composite(self, name: str, by: Element, needed: Sequence[str]) -> _Encoding:
        """A composite that has members of these names, all but ``varData`` integers. Raises ``SourceError``."""
        found = self.named(name, by)
        there = {each.element.get("name"): each for each in found.members}
        for each in needed:
            if each not in there:
                raise SourceError(by.at, f"{name} has no {each}", f"it is a composite with {', '.join(needed)}")
            is_said = there[each].is_constant and each in ("schemaId", "version")
            if each != "varData" and not is_said and not _is_whole(there[each]):
                raise SourceError(there[each].element.at, f"{each} of {name} is not an integer")
        return found


def _number(element: Element, attribute: str, default: int) -> int:
    text = element.get(attribute)
    if not text:
        return default
    if not re.fullmatch(r"[0-9]{1,9}", text):
        raise SourceError(element.at, f"{attribute} is {text!r}, not a number")
    if attribute in ("length", "offset", "blockLength") and int(text) > _LONGEST:
        raise SourceError(element.at, f"{attribute} is {text}, more than {_LONGEST}")
    return int(text)


@dataclass(slots=True)
class _FieldLine:
    """A field as it is written."""

    said: str
    """Its name in the schema."""
    keys: Yaml
    comment: str = ""
    at: Location | None = None

    @property
    def name(self) -> str:
        return str(self.keys["name"])

    @property
    def noted(self) -> YamlValue:
        return Noted(self.keys, self.comment, self.at)


class _SchemaWriter:
    """Writes the spec of a schema."""

    def __init__(self, path: Path, schema: _Schema, refused: Mapping[Location, str]) -> None:
        self.path, self.schema, self.refused = path, schema, refused
        self.version = _number(schema.top, "version", 0)
        self.outcomes: list[Outcome] = []
        self.reasons: list[str] = []
        """Why the message or type that is being written is not said whole."""
        self.enums: list[YamlValue] = []
        self.flags: list[YamlValue] = []
        self.types: list[YamlValue] = []
        self.names: dict[Location, str] = {}
        """The names of the declarations that were written."""
        self.taken: set[str] = set()
        """The names of all declarations."""
        self.header: dict[str, str] = {}
        """The names of the header's fields."""
        self.columns = {"block", "groups", "later_fields", "later_groups"}
        """The names of all that the record has, which no field of a message can have."""

    def files(self) -> Mapping[PurePosixPath, Mapping[str, YamlValue]]:
        top = self.schema.top
        name = naming.column_like(top.get("package") or self.path.stem, set())
        record = self.record()
        messages: dict[PurePosixPath, Mapping[str, YamlValue]] = {}
        taken = set(naming.ROW)
        numbers: dict[int, str] = {}
        for element in self.schema.messages:
            number = _number(element, "id", -1)
            if number < 0:
                raise SourceError(element.at, "<message> has no id")
            if number in numbers:
                raise SourceError(element.at, f"{element.get('name')} has the id of {numbers[number]}, {number}")
            numbers[number] = element.needed("name")
            own = naming.column_like(numbers[number], taken)
            self.reasons = []
            before = self.counts()
            try:
                messages[PurePosixPath(name, f"{own}.yaml")] = self.message(own, number, element)
                self.tell(element)
            except _UnsayableError as why:
                self.forget(before)
                self.reasons = [str(why)]
                self.tell(element, Coverage.REFUSED)
        protocol: Yaml = {
            "protocol": name,
            "title": top.get("package") or self.path.stem,
            **self.described(top),
            "source": {"document": self.path.name, "revision": top.get("semanticVersion") or str(self.version)},
            "byte_order": "big" if top.get("byteOrder") == "bigEndian" else "little",
        }
        for key, declared in (("enums", self.enums), ("flags", self.flags), ("types", self.types)):
            protocol |= {key: declared} if declared else {}
        return {PurePosixPath(name, "protocol.yaml"): {**protocol, "record": record}, **messages}

    def counts(self) -> tuple[int, ...]:
        """How much was written."""
        return len(self.enums), len(self.flags), len(self.types), len(self.outcomes), len(self.names)

    def forget(self, counts: tuple[int, ...]) -> None:
        """Take back what was written since there was so much."""
        enums, flags, types, outcomes, names = counts
        del self.enums[enums:], self.flags[flags:], self.types[types:], self.outcomes[outcomes:]
        while len(self.names) > names:
            self.names.popitem()

    def record(self) -> YamlValue:
        """What all messages have in common."""
        top = self.schema.top
        header = self.schema.composite(top.get("headerType") or "messageHeader", top, _HEADER)
        number = _number(top, "id", 0)
        more: dict[str, Yaml] = {
            "blockLength": {"derive": "size(block)", "unit": "bytes"},
            "schemaId": {"default": number},
            "version": {"default": self.version},
        }
        fields: list[YamlValue] = []
        taken = self.columns | naming.ROW
        try:
            for line in self.laid_out(header.members, taken, None):
                self.header[line.said] = line.name
                self.columns.add(line.name)
                line.keys |= {} if "compute" in line.keys else more.get(line.said, {})
                if line.said == "schemaId":
                    line.keys["valid"] = f"{line.name} == {number}"
                fields.append(line.noted)
        except _UnsayableError as why:
            raise SourceError(top.at, f"in the header, {why}") from None
        fields.append({"section": "block", "size": self.header["blockLength"], "trailing": "later_fields"})
        fields.append({"section": "groups", "size": "rest", "trailing": "later_groups"})
        comment = todo("the schema does not say how messages are framed; here a record is one message")
        return Noted({"length": "rest", "fields": fields}, comment)

    def message(self, name: str, number: int, element: Element) -> Mapping[str, YamlValue]:
        taken = set(self.columns)
        block = self.block(element, taken, _number(element, "blockLength", 0))
        groups = self.repeated(element, taken, element, 0)
        return {
            "message": name,
            "title": element.get("name"),
            **self.described(element),
            **self.dated(element),
            **_source(element),
            "match": {self.header["templateId"]: number},
            **({"sections": {"block": block} | ({"groups": groups} if groups else {})} if block or groups else {}),
        }

    def block(self, element: Element, taken: set[str], length: int) -> list[YamlValue]:
        """The fields of fixed size of a message or a group."""
        members = tuple(self.schema.members(element))
        size = _end(members)
        if length and length < size:
            raise SourceError(element.at, f"blockLength is {length}, but the fields have {size} bytes")
        return [line.noted for line in self.laid_out(members, taken, length or size)]

    def laid_out(self, members: Sequence[_Member], taken: set[str], length: int | None) -> Iterator[_FieldLine]:
        """The fields in the order of their offsets, and what is between them."""
        at = 0
        for member in members:
            if member.offset > at:
                yield _padding(member.offset - at, taken, self.when(member))
            at = member.offset + member.size
            said = member.element.get("name")
            name = naming.column_like(said, taken)
            known = len(self.reasons)
            keys = {"name": name, **self.keys(member, name)} | self.when(member)
            yield _FieldLine(
                said,
                keys,
                "; ".join(todo(why.removeprefix(f"{said}: ")) for why in self.reasons[known:]),
                member.element.at,
            )
        if length is not None and length > at:  # blocks of earlier versions may be shorter
            own: Yaml = {"when": f"{self.header['version']} >= {self.version}"} if self.version else {}
            yield _padding(length - at, taken, own)

    def when(self, member: _Member) -> Yaml:
        return self.since(member.since) if member.since and "version" in self.header else {}

    def since(self, version: int) -> Yaml:
        return {"when": f"{self.header['version']} >= {version}", "since": str(version)}

    def keys(self, member: _Member, name: str) -> Yaml:
        """What a field is, without its name and its presence."""
        element, encoding = member.element, member.encoding
        if element.at in self.refused and not member.is_constant:
            self.reasons.append(f"{element.get('name')}: {self.refused[element.at]}")
            found: Yaml = {"type": "bytes", "size": member.size}
        elif member.is_constant:
            found = self.constant(member)
        elif encoding.kind == "composite":
            found = self.composite(member, name)
        elif encoding.length == 0:
            raise _UnsayableError(f"{element.get('name')} has no length")
        elif encoding.kind in ("enum", "set"):
            found = {"type": encoding.wire, **self.label(encoding, element)}
        elif encoding.primitive == "char":
            charset = _encoding(member.said("characterEncoding") or "ascii")
            found = {"type": "text", "size": encoding.length, "until": "00", "encoding": charset}
            found |= {"raw": f"{name}_bytes"} if encoding.length > 1 else {}
        elif encoding.primitive == "uint8" and encoding.length > 1:
            found = {"type": "bytes", "size": encoding.length}
        else:
            found = {"type": encoding.wire}
            found |= {"repeat": {"count": encoding.length}} if encoding.length > 1 else {}
        return found | self.described(element, member) | self.dated(element)

    def constant(self, member: _Member) -> Yaml:
        """A column without bytes."""
        encoding = member.encoding
        value = self.constant_value(member)
        if encoding.primitive == "char" and encoding.kind == "type":
            if not re.fullmatch(r"[ -&(-\[\]-~]*", str(value)):
                raise SourceError(member.element.at, f"{value!r} is not a constant of characters")
            return {"type": "text", "compute": f"'{value}'"}
        label = self.label(encoding, member.element) if encoding.kind == "enum" else {}
        return {"type": encoding.wire, "compute": str(value), **label}

    def label(self, encoding: _Encoding, by: Element) -> Yaml:
        """The enum or the flags of a field."""
        assert encoding.declared is not None
        if next(encoding.declared.all("validValue", "choice"), None) is None:
            self.reasons.append(f"{by.get('name')}: {encoding.declared.get('name')} has no values")
            return {}
        return {"enum" if encoding.kind == "enum" else "flags": self.declare(encoding)}

    def constant_value(self, member: _Member) -> str | int:
        element, encoding = member.element, member.encoding
        reference = member.said("valueRef")
        if reference:
            name, _, value = reference.rpartition(".")
            found = self.schema.named(name, element)
            if found.kind == "enum" and found.declared is not None:
                for each in found.declared.all("validValue"):
                    if each.get("name") == value:
                        return _value(found, each)
            raise SourceError(element.at, f"there is no value {reference}")
        text = element.text or (encoding.declared.text if encoding.declared is not None else "")
        if encoding.primitive == "char" and encoding.kind == "type":
            return text
        is_float = encoding.primitive in ("float", "double")
        if not re.fullmatch(r"-?[0-9]{1,20}(\.[0-9]{1,20})?" if is_float else r"-?[0-9]{1,20}", text):
            raise SourceError(element.at, f"{text!r} is not a constant of {encoding.primitive or encoding.kind}")
        return text if is_float else int(text)

    def composite(self, member: _Member, name: str) -> Yaml:
        """A number and what a constant beside it says about it, or a struct."""
        encoding = member.encoding
        parts = {each.element.get("name"): each for each in encoding.members}
        number = parts.get("mantissa") or parts.get("time")
        constant = parts.get("exponent") if "mantissa" in parts else parts.get("unit")
        if (
            number is not None
            and constant is not None
            and len(parts) == 2
            and _is_whole(number)
            and constant.is_constant
        ):
            value = self.constant_value(constant)
            if "mantissa" in parts and isinstance(value, int) and -30 <= value <= 9:
                return {"type": number.encoding.wire, "as": {"decimal": {"scale": f"1e{value}" if value else 1}}}
            if "time" in parts and value in _UNITS:
                unit = _UNITS[int(value)]
                return {"type": number.encoding.wire, "as": {"timestamp": {"unit": unit}}, "raw": f"{name}_{unit}"}
        if any(each.encoding.length == 0 for each in encoding.members):
            raise _UnsayableError(f"{member.element.get('name')} has no length")
        return {"type": self.declare(encoding)}

    def declare(self, encoding: _Encoding) -> str:
        """The name of an enum, flags or a type, which is written if it was not yet."""
        element = encoding.declared
        assert element is not None
        if element.at not in self.names:
            name = self.names[element.at] = naming.class_like(element.needed("name"), self.taken)
            outer, self.reasons = self.reasons, []
            head: Yaml = {"name": name, **self.described(element), **_source(element)}
            if encoding.kind == "composite":
                taken = {self.header.get("version", "version")}
                fields = [line.noted for line in self.laid_out(encoding.members, taken, None)]
                self.types.append({**head, "fields": fields})
            else:
                values = list(self.values(encoding, element))
                into = self.enums if encoding.kind == "enum" else self.flags
                into.append(Noted({**head, "values": values}, "; ".join(map(todo, self.reasons))))
            self.tell(element)
            self.reasons = outer
        return self.names[element.at]

    def values(self, encoding: _Encoding, element: Element) -> Iterator[YamlValue]:
        """The values of an enum or the bits of a set."""
        taken: set[str] = set()
        seen: dict[int, str] = {}
        for each in element.all("validValue", "choice"):
            name = each.needed("name")
            value = _value(encoding, each)
            if value in seen or each.at in self.refused:
                why = self.refused.get(each.at) or f"it has the value of {seen[value]}"
                self.reasons.append(f"{name}: {why}")
                continue
            seen[value] = name
            shown = Hex(value) if encoding.primitive == "char" or encoding.kind == "set" else value
            keys: Yaml = {**naming.value_like(name, taken), "value": shown, **self.described(each)}
            since = {"since": each.get("sinceVersion")} if each.get("sinceVersion") not in ("", "0") else {}
            yield Noted(keys | since | self.dated(each), at=each.at)

    def repeated(self, element: Element, taken: set[str], message: Element, depth: int) -> list[YamlValue]:
        """The groups and the data of variable length of a message or a group."""
        if depth == _DEEPEST:
            raise SourceError(element.at, f"groups are nested more than {_DEEPEST} deep")
        found: list[YamlValue] = []
        last = "field"
        for each in element.all(*_RANKS):
            if _RANKS[each.name] < _RANKS[last]:
                raise SourceError(
                    each.at, f"<{each.name}> is after <{last}>", "fields, groups and data are in this order"
                )
            last = each.name
            if each.name == "group":
                found += self.group(each, taken, message, depth)
            elif each.name == "data":
                found.append(self.data(each, taken))
        return found

    def group(self, element: Element, taken: set[str], message: Element, depth: int) -> Iterator[YamlValue]:
        version = _number(element, "sinceVersion", 0)
        presence = self.since(version) if version else {}
        name = naming.column_like(element.needed("name"), taken)
        dimension = self.schema.composite(element.get("dimensionType") or "groupSizeEncoding", element, _DIMENSION)
        inner = self.columns | {"block_length"}
        members = tuple(self.schema.members(element))
        length = _number(element, "blockLength", 0) or _end(members)
        counts = {"numGroups": "group", "numVarDataFields": "data"}
        columns: dict[str, str] = {}
        for line in self.laid_out(dimension.members, set(), None):
            column = columns[line.said] = naming.column_like(f"{name}_{line.name}", taken)
            if line.said == "blockLength":
                line.keys |= {"default": length, "unit": "bytes"}
            elif line.said == "numInGroup":
                line.keys |= {"derive": f"count({naming.free(name)})"}
            elif line.said in counts:
                line.keys |= {"default": len(list(element.all(counts[line.said])))}
            yield Noted(line.keys | {"name": column} | presence, at=element.at)
        type_name = element.get("name")
        if naming.class_like(type_name, set()) in self.taken:
            type_name = f"{message.get('name')} {type_name}"
        type_name = naming.class_like(type_name, self.taken)
        section: YamlValue = {
            "section": "block",
            "size": "block_length",
            "trailing": "later_fields",
            "fields": self.block(element, inner, length),
        }
        fields: list[YamlValue] = [section, *self.repeated(element, inner, message, depth + 1)]
        self.types.append({"name": type_name, **_source(element), "given": ["block_length"], "fields": fields})
        keys: Yaml = {
            "name": name,
            "type": type_name,
            "with": {"block_length": columns["blockLength"]},
            "repeat": {"count": columns["numInGroup"]},
        }
        yield Noted(keys | presence | self.described(element) | self.dated(element), at=element.at)

    def data(self, element: Element, taken: set[str]) -> YamlValue:
        """Bytes or text after their length."""
        name = naming.column_like(element.needed("name"), taken)
        encoding = self.schema.composite(element.needed("type"), element, ("length", "varData"))
        length, value = encoding.members[0], encoding.members[-1]
        is_plain = len(encoding.members) == 2 and length.element.get("name") == "length" and _is_whole(length)
        if not is_plain or length.encoding.wire[0] != "u" or value.offset != length.size:
            raise _UnsayableError(f"{element.get('name')} is not a length and what has that length")
        charset = value.said("characterEncoding")
        keys: Yaml = {"name": name, "type": "bytes", "prefix": length.encoding.wire}
        if element.at in self.refused:
            self.reasons.append(f"{element.get('name')}: {self.refused[element.at]}")
        elif charset or value.encoding.primitive == "char":
            keys |= {"type": "text", "encoding": _encoding(charset or "ascii")}
        version = _number(element, "sinceVersion", 0)
        keys |= (self.since(version) if version else {}) | self.described(element) | self.dated(element)
        return Noted(keys, todo(self.refused.get(element.at, "")), element.at)

    def described(self, element: Element, member: _Member | None = None) -> Yaml:
        said = [element.get("description")]
        if member is not None and member.encoding.declared is not None:
            said[0] = said[0] or member.encoding.declared.get("description")
        if member is not None and not member.is_constant:
            said += [_limits(member), _null(member)]
        said[0] = said[0] if not said[0] or said[0].endswith((".", "!", "?")) or not any(said[1:]) else f"{said[0]}."
        doc = " ".join(" ".join(filter(None, said)).split())
        return {"doc": doc} if doc else {}

    def dated(self, element: Element) -> Yaml:
        version = _number(element, "deprecated", 0)
        return {"deprecated": {"since": str(version)}} if version else {}

    def tell(self, element: Element, said: Coverage = Coverage.BYTES) -> None:
        reasons = tuple(self.reasons)
        self.outcomes.append(Outcome(element.get("name"), element.at, said if reasons else Coverage.WHOLE, reasons))


def _source(element: Element) -> Yaml:
    return {"source": {"document": element.at.path.name, "section": f"line {element.at.line}"}}


def _padding(size: int, taken: set[str], keys: Yaml) -> _FieldLine:
    name = naming.column_like("padding", taken)
    return _FieldLine("", {"name": name, "type": "bytes", "size": size, "reserved": True, **keys})


def _is_whole(member: _Member) -> bool:
    """Whether a member is a single integer that is sent."""
    encoding = member.encoding
    return encoding.kind == "type" and encoding.wire[0] in "iu" and encoding.length == 1 and not member.is_constant


def _encoding(name: str) -> str:
    return _ENCODINGS.get(name.lower(), name.lower())


def _value(encoding: _Encoding, element: Element) -> int:
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


def _limits(member: _Member) -> str:
    low, high = member.said("minValue"), member.said("maxValue")
    return f"From {low} to {high}." if low and high else f"From {low}." if low else f"Up to {high}." if high else ""


def _null(member: _Member) -> str:
    """A sentence about the number that stands for no value."""
    primitive = member.encoding.primitive
    if not member.is_optional or not primitive or (primitive == "char" and member.encoding.kind == "type"):
        return ""
    null = member.said("nullValue")
    if not null:
        bits = int(member.encoding.wire[1:])
        whole = (1 << bits) - 1 if primitive.startswith("u") else -1 << bits - 1
        null = "NaN" if primitive in ("float", "double") else "0" if primitive == "char" else str(whole)
    return f"{null} is none."


def _read(path: Path, sources: Sources, refused: Mapping[Location, str]) -> Imported:
    writer = _SchemaWriter(path, _Schema.of(path, sources), refused)
    return Imported(writer.files(), tuple(writer.outcomes))


def _is_ours(text: str) -> bool:
    return re.search(r"<(\w+:)?messageSchema\b", text) is not None


IMPORTER = Importer("schemas of FIX Simple Binary Encoding", (".xml",), _is_ours, each_alone(_read))
