"""A schema → the spec of a protocol: a type for each composite, and a message for each of its own."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from wireloom_generator import naming
from wireloom_generator.importers import Coverage, Outcome, SourceError
from wireloom_generator.importers.sbe.documentation import Yaml, dated, described, source_of
from wireloom_generator.importers.sbe.schema import (
    DEEPEST,
    MessageSchema,
    SchemaEncoding,
    SchemaMember,
    end_of,
    is_whole,
    value_of,
    whole_number,
)
from wireloom_generator.problems import Location
from wireloom_generator.spec_text import Hex, Noted, YamlValue, todo
from wireloom_generator.xml_tree import Element

_ENCODINGS = {"us-ascii": "ascii", "utf8": "utf-8", "iso-8859-1": "latin-1", "iso_8859_1": "latin-1"}
"""Names of character encodings that the language has other names for."""
_UNITS = {0: "s", 3: "ms", 6: "us", 9: "ns"}
_HEADER = ("blockLength", "templateId", "schemaId", "version")
_DIMENSION = ("blockLength", "numInGroup")
_RANKS = {"field": 0, "group": 1, "data": 2}


class _UnsayableError(Exception):
    """The language has nothing for a message."""


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


class SchemaWriter:
    """Writes the spec of a schema."""

    def __init__(self, path: Path, schema: MessageSchema, refused: Mapping[Location, str]) -> None:
        self.path, self.schema, self.refused = path, schema, refused
        self.version = whole_number(schema.top, "version", 0)
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
            number = whole_number(element, "id", -1)
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
            **described(top),
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
        number = whole_number(top, "id", 0)
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
        block = self.block(element, taken, whole_number(element, "blockLength", 0))
        groups = self.repeated(element, taken, element, 0)
        return {
            "message": name,
            "title": element.get("name"),
            **described(element),
            **dated(element),
            **source_of(element),
            "match": {self.header["templateId"]: number},
            **({"sections": {"block": block} | ({"groups": groups} if groups else {})} if block or groups else {}),
        }

    def block(self, element: Element, taken: set[str], length: int) -> list[YamlValue]:
        """The fields of fixed size of a message or a group."""
        members = tuple(self.schema.members(element))
        size = end_of(members)
        if length and length < size:
            raise SourceError(element.at, f"blockLength is {length}, but the fields have {size} bytes")
        return [line.noted for line in self.laid_out(members, taken, length or size)]

    def laid_out(self, members: Sequence[SchemaMember], taken: set[str], length: int | None) -> Iterator[_FieldLine]:
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

    def when(self, member: SchemaMember) -> Yaml:
        return self.since(member.since) if member.since and "version" in self.header else {}

    def since(self, version: int) -> Yaml:
        return {"when": f"{self.header['version']} >= {version}", "since": str(version)}

    def keys(self, member: SchemaMember, name: str) -> Yaml:
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
        return found | described(element, member) | dated(element)

    def constant(self, member: SchemaMember) -> Yaml:
        """A column without bytes."""
        encoding = member.encoding
        value = self.schema.constant_value(member)
        if encoding.primitive == "char" and encoding.kind == "type":
            if not re.fullmatch(r"[ -&(-\[\]-~]*", str(value)):
                raise SourceError(member.element.at, f"{value!r} is not a constant of characters")
            return {"type": "text", "compute": f"'{value}'"}
        label = self.label(encoding, member.element) if encoding.kind == "enum" else {}
        return {"type": encoding.wire, "compute": str(value), **label}

    def label(self, encoding: SchemaEncoding, by: Element) -> Yaml:
        """The enum or the flags of a field."""
        assert encoding.declared is not None
        if next(encoding.declared.all("validValue", "choice"), None) is None:
            self.reasons.append(f"{by.get('name')}: {encoding.declared.get('name')} has no values")
            return {}
        return {"enum" if encoding.kind == "enum" else "flags": self.declare(encoding)}

    def composite(self, member: SchemaMember, name: str) -> Yaml:
        """A number and what a constant beside it says about it, or a struct."""
        encoding = member.encoding
        parts = {each.element.get("name"): each for each in encoding.members}
        number = parts.get("mantissa") or parts.get("time")
        constant = parts.get("exponent") if "mantissa" in parts else parts.get("unit")
        if (
            number is not None
            and constant is not None
            and len(parts) == 2
            and is_whole(number)
            and constant.is_constant
        ):
            value = self.schema.constant_value(constant)
            if "mantissa" in parts and isinstance(value, int) and -30 <= value <= 9:
                return {"type": number.encoding.wire, "as": {"decimal": {"scale": f"1e{value}" if value else 1}}}
            if "time" in parts and value in _UNITS:
                unit = _UNITS[int(value)]
                return {"type": number.encoding.wire, "as": {"timestamp": {"unit": unit}}, "raw": f"{name}_{unit}"}
        if any(each.encoding.length == 0 for each in encoding.members):
            raise _UnsayableError(f"{member.element.get('name')} has no length")
        return {"type": self.declare(encoding)}

    def declare(self, encoding: SchemaEncoding) -> str:
        """The name of an enum, flags or a type, which is written if it was not yet."""
        element = encoding.declared
        assert element is not None
        if element.at not in self.names:
            name = self.names[element.at] = naming.class_like(element.needed("name"), self.taken)
            outer, self.reasons = self.reasons, []
            head: Yaml = {"name": name, **described(element), **source_of(element)}
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

    def values(self, encoding: SchemaEncoding, element: Element) -> Iterator[YamlValue]:
        """The values of an enum or the bits of a set."""
        taken: set[str] = set()
        seen: dict[int, str] = {}
        for each in element.all("validValue", "choice"):
            name = each.needed("name")
            value = value_of(encoding, each)
            if value in seen or each.at in self.refused:
                why = self.refused.get(each.at) or f"it has the value of {seen[value]}"
                self.reasons.append(f"{name}: {why}")
                continue
            seen[value] = name
            shown = Hex(value) if encoding.primitive == "char" or encoding.kind == "set" else value
            keys: Yaml = {**naming.value_like(name, taken), "value": shown, **described(each)}
            since = {"since": each.get("sinceVersion")} if each.get("sinceVersion") not in ("", "0") else {}
            yield Noted(keys | since | dated(each), at=each.at)

    def repeated(self, element: Element, taken: set[str], message: Element, depth: int) -> list[YamlValue]:
        """The groups and the data of variable length of a message or a group."""
        if depth == DEEPEST:
            raise SourceError(element.at, f"groups are nested more than {DEEPEST} deep")
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
        version = whole_number(element, "sinceVersion", 0)
        presence = self.since(version) if version else {}
        name = naming.column_like(element.needed("name"), taken)
        dimension = self.schema.composite(element.get("dimensionType") or "groupSizeEncoding", element, _DIMENSION)
        inner = self.columns | {"block_length"}
        members = tuple(self.schema.members(element))
        length = whole_number(element, "blockLength", 0) or end_of(members)
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
        self.types.append({"name": type_name, **source_of(element), "given": ["block_length"], "fields": fields})
        keys: Yaml = {
            "name": name,
            "type": type_name,
            "with": {"block_length": columns["blockLength"]},
            "repeat": {"count": columns["numInGroup"]},
        }
        yield Noted(keys | presence | described(element) | dated(element), at=element.at)

    def data(self, element: Element, taken: set[str]) -> YamlValue:
        """Bytes or text after their length."""
        name = naming.column_like(element.needed("name"), taken)
        encoding = self.schema.composite(element.needed("type"), element, ("length", "varData"))
        length, value = encoding.members[0], encoding.members[-1]
        is_plain = len(encoding.members) == 2 and length.element.get("name") == "length" and is_whole(length)
        if not is_plain or length.encoding.wire[0] != "u" or value.offset != length.size:
            raise _UnsayableError(f"{element.get('name')} is not a length and what has that length")
        charset = value.said("characterEncoding")
        keys: Yaml = {"name": name, "type": "bytes", "prefix": length.encoding.wire}
        if element.at in self.refused:
            self.reasons.append(f"{element.get('name')}: {self.refused[element.at]}")
        elif charset or value.encoding.primitive == "char":
            keys |= {"type": "text", "encoding": _encoding(charset or "ascii")}
        version = whole_number(element, "sinceVersion", 0)
        keys |= (self.since(version) if version else {}) | described(element) | dated(element)
        return Noted(keys, todo(self.refused.get(element.at, "")), element.at)

    def tell(self, element: Element, said: Coverage = Coverage.BYTES) -> None:
        reasons = tuple(self.reasons)
        self.outcomes.append(Outcome(element.get("name"), element.at, said if reasons else Coverage.WHOLE, reasons))


def _padding(size: int, taken: set[str], keys: Yaml) -> _FieldLine:
    name = naming.column_like("padding", taken)
    return _FieldLine("", {"name": name, "type": "bytes", "size": size, "reserved": True, **keys})


def _encoding(name: str) -> str:
    return _ENCODINGS.get(name.lower(), name.lower())
