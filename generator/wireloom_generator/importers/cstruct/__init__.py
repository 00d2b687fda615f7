"""C headers, read by pycparser: structs as they are in memory on x86-64 with Linux."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from wireloom_generator import naming
from wireloom_generator.importers import Coverage, Imported, Importer, Outcome, SourceError, Sources
from wireloom_generator.importers.cstruct import source as headers
from wireloom_generator.importers.cstruct.layout import (
    PRELUDE,
    CEnum,
    Layouts,
    Scalar,
    Struct,
    StructMember,
    UnsayableError,
)
from wireloom_generator.problems import Location
from wireloom_generator.spec_text import Noted, YamlValue, todo

Fields = list[YamlValue]
_WIDEST = 512
"""The most bits that are one integer here."""


def _read(paths: Sequence[Path], sources: Sources, refused: Mapping[Location, str]) -> Imported:
    files: dict[PurePosixPath, Mapping[str, YamlValue]] = {}
    outcomes: list[Outcome] = []
    taken: set[str] = set()
    for path in paths:
        header = _Header(path, headers.read(path, sources), refused)
        name = naming.column_like(path.stem, taken)
        files |= {PurePosixPath(name, f"{file}.yaml"): document for file, document in header.files(name).items()}
        outcomes += sorted(header.outcomes, key=lambda outcome: outcome.at)
    return Imported(files, tuple(outcomes))


def _parsed(path: Path, source: headers.Source) -> Any:
    """The file as pycparser has it. Raises ``SourceError``."""
    from pycparser import c_parser  # slow to import, and needed here alone

    def parse(text: str) -> Any:
        return c_parser.CParser().parse(f"{PRELUDE}\n{text}", "")

    try:
        return parse(source.text)
    except c_parser.ParseError as error:
        found = re.search(r":(\d+):(\d+): (.*)", str(error), re.DOTALL)
        if found:
            at, what = source.place(int(found[1]) - 1), f"{found[3][:100]}"
        else:
            at, what = source.place(_first_wrong(source.text, parse)), "perhaps a type that is declared nowhere"
        raise SourceError(at, f"not C as pycparser reads it: {what}") from None
    except RecursionError:
        raise SourceError(Location(path, 1, 1), "it is nested too deep") from None


def _first_wrong(text: str, parse: Any) -> int:
    """The line where the first declaration begins that cannot be parsed."""
    from pycparser.c_parser import ParseError

    ends, depth = [0], 0
    for index, character in enumerate(text):
        depth += (character in "({[") - (character in ")}]")
        if character == ";" and depth == 0:
            ends.append(index + 1)
    low, high = 0, len(ends) - 1
    while low < high:
        middle = (low + high + 1) // 2
        try:
            parse(text[: ends[middle]])
            low = middle
        except ParseError:
            high = middle - 1
    start = ends[low]
    return text.count("\n", 0, start + len(text[start:]) - len(text[start:].lstrip())) + 1


@dataclass
class _Header:
    """A header, and what becomes of its structs."""

    path: Path
    source: headers.Source
    refused: Mapping[Location, str]
    outcomes: list[Outcome] = field(default_factory=list)
    enums: dict[int, str] = field(default_factory=dict)
    types: dict[int, str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    """Names of types and enums."""
    declared_enums: Fields = field(default_factory=list)
    unnamed: Fields = field(default_factory=list)
    """Types of members that have no name of their own."""
    begins: set[int] = field(default_factory=set)
    """The lines on which structs begin: comments there are about them, and not about their members."""
    reasons: list[str] = field(default_factory=list)
    """Why the present struct is not said whole."""

    def files(self, name: str) -> dict[str, Mapping[str, YamlValue]]:
        """The protocol, and a message for each struct that is in no other."""
        layouts = Layouts(self.source)
        for node in _parsed(self.path, self.source).ext:
            try:
                layouts.add(node)
                if layouts.is_false(node):
                    reason = "it does not hold on x86-64 with Linux"
                    at = self.source.place(layouts.line(node))
                    self.outcomes.append(Outcome("_Static_assert", at, Coverage.REFUSED, (reason,)))
            except UnsayableError as error:
                raise SourceError(self.source.place(error.line), str(error)) from None
            except RecursionError:
                raise SourceError(self.source.place(layouts.line(node)), "it is nested too deep") from None
        structs: list[Struct] = []
        for node in layouts.found:
            struct = layouts.struct(node)
            if isinstance(struct, UnsayableError):
                at = self.source.place(struct.line)
                self.outcomes.append(Outcome(layouts.names[id(node)], at, Coverage.REFUSED, (str(struct),)))
            elif not struct.size and not struct.is_flexible:
                at = self.source.place(struct.line)
                self.outcomes.append(Outcome(struct.name, at, Coverage.REFUSED, ("it has no bytes",)))
            else:
                structs.append(struct)
        if not structs and not self.outcomes:
            raise SourceError(Location(self.path, 1, 1), "it declares no struct")
        self.begins = {struct.line for struct in structs}
        inner = [struct for struct in structs if id(struct) in layouts.used]
        for struct in inner:
            self.types[id(struct)] = self._camel(struct.name)
        roots = [struct for struct in structs if id(struct) not in layouts.used]
        columns = {*naming.ROW, "body", "capture", "protocol", "struct", "unknown", "variant"}
        messages = {naming.column_like(struct.name, columns): struct for struct in roots}
        types = [self._type(struct) for struct in inner]
        documents = {file: self._message(file, struct, len(roots)) for file, struct in messages.items()}
        types += self.unnamed
        if not messages:
            return {}
        parameter: YamlValue = {
            "name": "struct",
            "type": "text",
            "choices": [*messages],
            "default": next(iter(messages)),
            "doc": "Which struct the records are.",
        }
        alone = next(iter(roots)) if len(roots) == 1 else None
        record: YamlValue = {
            "length": self._length(alone) if alone else "rest",
            "fields": [{"section": "body", "size": "rest"}],
        }
        framing = todo("C does not say how records are told apart, nor where they end; give the record fields that do")
        protocol: Mapping[str, YamlValue] = {
            "protocol": name,
            "title": f"Structs of {self.path.name}",
            "source": {"document": self.path.name},
            "byte_order": "little",
            **({} if alone else {"parameters": Noted([parameter], framing)}),
            **({"enums": self.declared_enums} if self.declared_enums else {}),
            **({"types": types} if types else {}),
            "record": record,
        }
        return {"protocol": protocol, **documents}

    def _at(self, struct: Struct) -> Location:
        return self.source.place(struct.line)

    def _type(self, struct: Struct) -> YamlValue:
        named: dict[str, YamlValue] = {"name": self.types[id(struct)], **self._about(struct)}
        return Noted({**named, "fields": self._body(struct)}, at=self._at(struct))

    def _length(self, struct: Struct) -> YamlValue:
        return "rest" if struct.is_flexible else struct.size

    def _about(self, struct: Struct) -> dict[str, YamlValue]:
        at = self._at(struct)
        doc = self.source.docs.get(struct.line, "")
        about: dict[str, YamlValue] = {"doc": doc} if doc else {}
        return {**about, "source": {"document": at.path.name, "section": f"line {at.line}"}}

    def _message(self, name: str, struct: Struct, count: int) -> Mapping[str, YamlValue]:
        match: YamlValue = {"struct": name} if count > 1 else {}
        return {
            "message": name,
            "title": struct.name,
            **self._about(struct),
            "match": match,
            "sections": Noted({"body": self._body(struct)}, at=self._at(struct)),
        }

    def _body(self, struct: Struct) -> Fields:
        """The fields of a struct, which is noted as an outcome."""
        self.reasons = []
        found = self._fields(struct, {"body", "struct"})
        said = Coverage.BYTES if self.reasons else Coverage.WHOLE
        name = struct.name or self.types.get(id(struct), "")
        self.outcomes.append(Outcome(name, self._at(struct), said, tuple(self.reasons)))
        return found

    def _fields(self, struct: Struct, taken: set[str], base: int = 0) -> Fields:
        """The fields of a struct that begins at the bit ``base`` of the one around it."""
        found: Fields = []
        at = 0
        members = list(struct.members)
        while members:
            member = members[0]
            if member.width is not None:
                run = _run(members)
                del members[: len(run)]
                start, stop = run[0].start // 8 * 8, -(-run[-1].stop // 8) * 8
                found += [*_padding(at, start, base), *self._bits(run, start, stop, taken, base)]
                at = stop
                continue
            del members[0]
            found += _padding(at, member.start, base)
            at = member.stop
            if not member.name and isinstance(member.type, Struct) and not member.type.is_union and not member.dims:
                found += self._fields(member.type, taken, base + member.start)
            else:
                found += self._plain(member, taken)
        return [*found, *_padding(at, 8 * struct.size, base)]

    def _bits(self, run: Sequence[StructMember], start: int, stop: int, taken: set[str], base: int) -> Fields:
        """Bit fields that share bytes."""
        inside: Fields = []
        computed: Fields = []
        at = start
        for member in [*run, None]:
            until = stop if member is None else member.start
            if until > at:
                inside += _unused(at, until, base)
            if member is None:
                break
            at = member.stop
            if member.name:
                inside.append(self._bit_field(member, naming.column_like(member.name, taken), computed, taken))
            else:
                inside += _unused(member.start, member.stop, base)
        return [{"bits": f"u{stop - start}", "bit_order": "lsb", "fields": inside}, *computed]

    def _bit_field(self, member: StructMember, name: str, computed: Fields, taken: set[str]) -> YamlValue:
        scalar, at = member.type, self.source.place(member.line)
        assert isinstance(scalar, Scalar)
        about = self._doc(member)
        bare: dict[str, YamlValue] = {"name": name, "width": member.bits}
        if at in self.refused:
            return self._todo({**bare, **about}, member, self.refused[at])
        if scalar.enum is not None:
            enum = self._enum(scalar.enum)
            sign = {"sign": "twos_complement"} if scalar.kind == "i" and member.bits > 1 else {}
            is_named = enum and (member.bits > 1 or {0, 1} <= {number for _, number in scalar.enum.values})
            return Noted({**bare, **sign, **({"enum": enum} if is_named else {}), **about}, at=at)
        if scalar.kind == "i" and member.bits == 1:
            bit = naming.column_like(f"{name}_bit", taken)
            computed.append({"name": name, "type": "i8", "compute": f"-1 if {bit} else 0", **about})
            return Noted({"name": bit, "width": 1, "default": f"{name} != 0", "doc": f"The bit of {name}."}, at=at)
        sign = {"sign": "twos_complement"} if scalar.kind in ("i", "char") else {}
        return Noted({**bare, **sign, **about}, at=at)

    def _plain(self, member: StructMember, taken: set[str]) -> Fields:
        """A member of whole bytes."""
        name = naming.column_like(member.name or "anonymous", taken)
        at, size, about = self.source.place(member.line), member.bits // 8, self._doc(member)
        whole: dict[str, YamlValue] = {"name": name, "type": "bytes", "size": "rest" if member.is_flexible else size}
        if at in self.refused:
            return [self._todo({**whole, **about}, member, self.refused[at])]
        reason, value = self._typed(member, name)
        if reason:
            return [self._todo({**whole, **about}, member, reason)] if size or member.is_flexible else []
        count = 1
        dims = member.dims[:-1] if value.get("type") in ("bytes", "text") and member.dims else member.dims
        for dim in dims:
            count *= dim
        repeat: dict[str, YamlValue] = {}
        if member.is_flexible and dims:
            repeat = {"repeat": "rest"}
        elif dims:
            repeat = {"repeat": {"count": count}}
        if not size and not member.is_flexible:
            return []
        if len(dims) > 1:
            shape = " by ".join(map(str, dims))
            said = [*map(str, about.values()), f"{shape} items; the last index counts fastest."]
            about = {"doc": " ".join(said)}
        return [Noted({"name": name, **value, **repeat, **about}, at=at)]

    def _typed(self, member: StructMember, name: str) -> tuple[str, dict[str, YamlValue]]:
        """The type of a member or its items, as keys; or why there is none."""
        scalar = member.type
        last = member.dims[-1] if member.dims else 0
        if isinstance(scalar, Struct):
            if scalar.is_union:
                names = ", ".join(each.name or "an unnamed one" for each in scalar.members)
                return f"nothing says which member of the union it is: {names}", {}
            if id(scalar) not in self.types:
                self.types[id(scalar)] = self._camel(scalar.name or member.name)
                outer = self.reasons
                self.unnamed.append(self._type(scalar))
                self.reasons = outer
            return "", {"type": self.types[id(scalar)]}
        if scalar.kind == "bytes":
            return scalar.reason, {}
        is_open = member.is_flexible and len(member.dims) == 1
        if member.dims and scalar.kind == "char":
            size: dict[str, YamlValue] = {"size": "rest" if is_open else last}
            return "", {"type": "text", **size, "until": "00", "raw": f"{name}_bytes"}
        if member.dims and scalar.kind == "u" and scalar.size == 1 and scalar.enum is None:
            return "", {"type": "bytes", "size": "rest" if is_open else last}
        kind = {"char": "i", "bool": "bool"}.get(scalar.kind, scalar.kind)
        keys: dict[str, YamlValue] = {"type": kind if kind == "bool" else f"{kind}{8 * scalar.size}"}
        if scalar.is_big:
            keys["byte_order"] = "big"
        enum = self._enum(scalar.enum) if scalar.enum is not None else ""
        return "", {**keys, **({"enum": enum} if enum else {})}

    def _todo(self, value: YamlValue, member: StructMember, reason: str) -> YamlValue:
        self.reasons.append(f"{member.name or 'a member'}: {reason}")
        return Noted(value, todo(reason), self.source.place(member.line))

    def _doc(self, member: StructMember) -> dict[str, YamlValue]:
        doc = "" if member.line in self.begins else self.source.docs.get(member.line, "")
        return {"doc": doc} if doc else {}

    def _enum(self, enum: CEnum) -> str:
        """The name of an enum, which is declared; it is empty if it has no values."""
        if id(enum) not in self.enums:
            name = self._camel(enum.name or "Values")
            values: Fields = []
            numbers: set[int] = set()
            for word, number in enum.values:
                plain = re.sub(r"^_+|_+$", "", word) or "value"
                if number not in numbers:
                    values.append({"name": plain, "value": number, **({"label": word} if plain != word else {})})
                numbers.add(number)
            self.enums[id(enum)] = name if values else ""
            if values:
                at = self.source.place(enum.line)
                doc = self.source.docs.get(enum.line, "")
                about: dict[str, YamlValue] = {"doc": doc} if doc else {}
                self.declared_enums.append(Noted({"name": name, **about, "values": values}, at=at))
        return self.enums[id(enum)]

    def _camel(self, name: str) -> str:
        base = "".join(part[:1].upper() + part[1:] for part in name.split("_")) or "Struct"
        return naming.unused(base if base[0].isalpha() else f"N{base}", self.taken)


def _run(members: Sequence[StructMember]) -> list[StructMember]:
    """The bit fields at the beginning that share bytes, up to where a unit of their type ends."""
    run: list[StructMember] = []
    for member in members:
        if member.width is None:
            break
        if run:
            is_apart = member.start > -(-run[-1].stop // 8) * 8
            is_new = member.start % (8 * member.type.size) == 0
            is_long = member.start % 8 == 0 and member.stop - run[0].start // 8 * 8 > _WIDEST
            if is_apart or is_new or is_long:
                break
        run.append(member)
    return run


def _padding(start: int, stop: int, base: int) -> Fields:
    """Bytes between members."""
    first, size = -(-start // 8), (stop - -(-start // 8) * 8) // 8
    if size <= 0:
        return []
    return [{"name": f"padding_{first + base // 8}", "type": "bytes", "size": size, "reserved": True}]


def _unused(start: int, stop: int, base: int) -> Fields:
    """Bits between bit fields."""
    return [
        {"name": f"unused_{first + base}", "width": min(64, stop - first), "reserved": True}
        for first in range(start, stop, 64)
    ]


def _is_ours(text: str) -> bool:
    return re.search(r"\b(struct|typedef)\b", text) is not None


IMPORTER = Importer("C structs", (".h",), _is_ours, _read)
