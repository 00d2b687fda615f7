"""A ``.ksy`` file → a spec: the record, types and enums, in the order and the words of the file.

What has no words in the language, or what ``check`` refuses, is bytes: first of the size that is known, then all that
is left; what has no bytes is left out. The reason is a comment.
"""

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PurePosixPath

from wireloom_generator import naming
from wireloom_generator.importers import Coverage, Imported, Outcome
from wireloom_generator.importers.ksy import expressions as ks
from wireloom_generator.importers.ksy.structure import Attribute, Enum, Type
from wireloom_generator.importers.ksy.translation import (
    BITS,
    NUMBER,
    CannotSayError,
    Here,
    Names,
    Phrase,
    Struct,
    Translator,
    area,
    contents_of,
    is_built_in,
    is_sized,
    is_switch,
    member,
    parsed,
    split_type,
    type_texts,
    used_types,
    user_type,
)
from wireloom_generator.problems import Location
from wireloom_generator.reading.source import YamlMapping, YamlNode, YamlScalar
from wireloom_generator.spec_text import Hex, Noted, YamlValue, todo

Entry = dict[str, YamlValue]
_ENCODINGS = {
    "utf8": "utf-8", "utf16le": "utf-16-le", "utf16be": "utf-16-be", "utf32le": "utf-32-le", "utf32be": "utf-32-be",
    "iso88591": "latin-1", "latin1": "latin-1", "sjis": "shift-jis", "shiftjis": "shift-jis", "usascii": "ascii",
    "gb2312": "gb2312", "gb18030": "gb18030", "macroman": "mac-roman", "macintosh": "mac-roman", "eucjp": "euc-jp",
    "euckr": "euc-kr", "big5hkscs": "big5-hkscs",
}  # fmt: skip
"""Encodings whose names differ in more than punctuation, by their names without it."""
_COMPUTED = {"int": "i64", "float": "f64", "bool": "bool", "str": "text", "bytes": "bytes"}
"""The types of computed values, by what they are."""
_PATH = 12
"""How tightly a path holds together."""
_STAGES = 5
"""How an attribute is said: whole; with 0 for what may be absent, which is whole as well; without conditions on its
value; as bytes of its size; as all bytes that are left.
"""


@dataclass(slots=True)
class Written:
    """The entries of a type, and why some of them are not what the file means."""

    entries: list[YamlValue] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    above: list[str] = field(default_factory=list)
    """Comments for the next entry."""


class Writer:
    """Writes the spec of one file."""

    def __init__(self, main: Type, path: Path, refused: Mapping[Location, str]) -> None:
        self.main = main
        self.path = path
        self.refused = refused
        self.names = Names(main)
        self.says = Translator(self.names)
        self.empty: set[Type] = set()
        self._resting: set[Type] = set()
        self.orders: dict[Type, str] = {}
        orders = {_endian(type.meta) for type in main.all} | {
            _endian(type.meta) for struct in self.names.structs for type in struct.outwards
        }
        self.order = _endian(main.meta) or "big"
        self.is_mixed = len(orders - {""}) > 1
        self.name = naming.snake_case(main.name)
        if naming.asked_fault(self.name) or naming.option_fault(self.name) or self.name in naming.IMPORTED:
            self.name += "_file"
        self.message = self.name
        switches = [each for each in (*main.seq, *main.instances) if is_switch(each)]
        taken = {name for each in switches for name in self.says.columns(each, main).values()}
        taken |= {*self.names.structs[main].fields.values(), "protocol", "unread"}
        while self.message in taken:
            self.message += "_file"

    def imported(self) -> Imported:
        """The spec, and what became of the file's types."""
        bodies: dict[Type, Written] = {}
        for _ in range(20):
            self.says.changed = False
            empty = self.empty
            before = self.seen()
            bodies = {type: self.body(struct) for type, struct in self.names.structs.items()}
            self.orders = {type: self.byte_order(type, struct) for type, struct in self.names.structs.items()}
            if not self.says.changed and before == self.seen() and empty == self.empty:
                break
        emitted = self.emitted(bodies)
        self.names.find_cycles({type: self.inside(type, bodies) for type in bodies})
        outcomes = [self.outcome(type, bodies, emitted) for type in self.main.all if not type.is_item]
        outcomes += [
            self.outcome(type, bodies, emitted) for type in emitted if type.file is not self.main and not type.is_item
        ]
        folder = PurePosixPath(self.name)
        main = bodies[self.main]
        message: Entry = {"message": self.message, "match": {}}
        return Imported(
            {
                folder / "protocol.yaml": self.protocol(bodies, emitted, main),
                folder / f"{self.message}.yaml": message,
            },
            tuple(outcomes),
        )

    def seen(self) -> list[tuple[int, int, int]]:
        """How much types see of what is around them, and show of themselves."""
        return [(len(each.given), len(each.of_header), len(each.shown)) for each in self.names.structs.values()]

    def emitted(self, bodies: Mapping[Type, Written]) -> list[Type]:
        """The types that fields of the spec have, in the order of the file."""
        found: set[Type] = set()
        waiting = [self.main]
        while waiting:
            type = waiting.pop()
            if type in found:
                continue
            found.add(type)
            waiting += self.inside(type, bodies)
        known = [type for type in self.names.structs if type in found and self.is_struct(type, bodies)]
        order = {type: number for number, type in enumerate(self.main.all)}
        return sorted(known, key=lambda type: order.get(type, len(order) + known.index(type)))

    def inside(self, type: Type, bodies: Mapping[Type, Written]) -> list[Type]:
        """The types of a type's fields in the spec."""
        words = _words(bodies[type].entries)
        used = dict.fromkeys(used for _, used in used_types(type))
        return [each for each in used if self.names.structs[each].name in words]

    def is_struct(self, type: Type, bodies: Mapping[Type, Written]) -> bool:
        """Whether a type is one in the spec as well: all but the main one, unless it is in itself."""
        return type is not self.main or self.is_in_itself(bodies)

    def is_in_itself(self, bodies: Mapping[Type, Written]) -> bool:
        return any(self.main in self.inside(type, bodies) for type in bodies)

    def outcome(self, type: Type, bodies: Mapping[Type, Written], emitted: Sequence[Type]) -> Outcome:
        name = "::".join(each.name for each in reversed(list(type.outwards)))
        if type is not self.main and type not in emitted:
            unused = "no field has this type" if type not in bodies else "its fields are bytes"
            return Outcome(name, type.at, Coverage.REFUSED, (unused,))
        reasons = list(bodies[type].reasons)
        for used in type.types.values():
            reasons += bodies[used].reasons if used.is_item and used in bodies else []
        return Outcome(name, type.at, Coverage.BYTES if reasons else Coverage.WHOLE, tuple(dict.fromkeys(reasons)))

    # Files

    def protocol(self, bodies: Mapping[Type, Written], emitted: Sequence[Type], main: Written) -> Entry:
        title, licence = self.main.meta.get("title"), self.main.meta.get("license")
        made: Entry = {"protocol": self.name}
        if isinstance(title, YamlScalar):
            made["title"] = " ".join(title.text.split())
        if self.main.doc:
            made["doc"] = self.main.doc
        source: YamlValue = {"document": self.path.name}
        if isinstance(licence, YamlScalar):
            source = Noted(source, f"License: {licence.text}")
        made["source"] = source
        made["byte_order"] = self.order
        types = [self.struct(type, bodies[type]) for type in emitted]
        fields: list[YamlValue] = list(main.entries)
        if self.is_in_itself(bodies):
            fields = [{"include": self.names.structs[self.main].name}]
        words = _words([bodies[type].entries for type in (self.main, *emitted)]) | _words(list(self.orders.values()))
        used = [enum for enum, name in self.names.enums.items() if name in words]
        enums = [self.enum(enum) for enum in used if self.stage(enum.at) == 0]
        made |= {"enums": enums} if enums else {}
        made |= {"types": types} if types else {}
        slot: Entry = {"section": "unread", "size": "rest", "trailing": "unread"}
        if self.takes_rest(self.main) or self.at_stage(self.main.at, 0):
            slot = {"section": "unread", "size": 0}
        fields.append(Noted(slot, at=_at(self.main.at, 0)))
        record: YamlValue = Noted({"length": "rest", "fields": fields})
        made["record"] = record
        return made

    def enum(self, enum: Enum) -> YamlValue:
        values: list[YamlValue] = []
        taken: set[str] = set()
        for value in enum.values:
            name = naming.unused(member(value.name), taken, "_")
            made: Entry = {"name": name, "value": value.number}
            if value.doc:
                made["doc"] = value.doc
            values.append(made)
        return Noted({"name": self.names.enum(enum), "values": values}, at=_at(enum.at, 0))

    def struct(self, type: Type, body: Written) -> YamlValue:
        struct = self.names.structs[type]
        made: Entry = {"name": struct.name}
        if type.doc:
            made["doc"] = type.doc
        if not type.is_item:
            made["source"] = {"document": type.at.path.name, "section": f"line {type.at.line}"}
        given = [*(struct.fields[param.id] for param in type.params), *struct.given]
        if given:
            made["given"] = given
        if struct.depth:
            made["depth"] = struct.depth
        order = self.orders[type]
        if order and type is not self.main:
            made["byte_order"] = order
        made["fields"] = body.entries
        return Noted(made, at=_at(type.at, 0))

    def byte_order(self, type: Type, struct: Struct) -> str:
        """The byte order of a type, if it is not that of what is around it."""
        for around in type.outwards:
            endian = around.meta.get("endian")
            if isinstance(endian, YamlScalar):
                return _endian(around.meta) if self.is_mixed or _endian(around.meta) != self.order else ""
            if isinstance(endian, YamlMapping) and around is type:
                return self.switched_order(endian, struct)
            if isinstance(endian, YamlMapping):
                return ""
        return ""

    def switched_order(self, node: YamlMapping, struct: Struct) -> str:
        keys = {key.text: value for key, value in node.entries}
        on, cases = keys.get("switch-on"), keys.get("cases")
        if not isinstance(on, YamlScalar) or not isinstance(cases, YamlMapping):
            return ""
        orders = {key.text: {"le": "little", "be": "big"}.get(_text(value), "") for key, value in cases.entries}
        other = orders.pop("_", "")
        try:
            subject = self.says.text(on.text, Here(struct))
            said = [(self.case_value(key, subject, struct), order) for key, order in orders.items()]
        except CannotSayError:
            return ""
        if not other:
            other = said.pop()[1]
        return "".join(f"{order} if {subject.within(5)} == {value} else " for value, order in said) + other

    # Types

    def body(self, struct: Struct) -> Written:
        """The entries of a type."""
        type = struct.type
        made = Written()
        if self.at_stage(type.at, 0) and type is not self.main:
            self.todo(made, self.reason(type.at, 0))
            self.add(made, {"name": "data", "type": "bytes", "size": "rest"}, None)
            return made
        for name in sorted(struct.shown):
            param = next(each for each in type.params if each.id == name)
            kind = self.says.kind(param, type)
            shown: Entry = {"name": self.says.shown(struct, name), "type": _COMPUTED.get(kind.base, "i64")}
            self.add(made, {**shown, "compute": naming.free(struct.fields[name])}, _at(param.at, 0))
        parts = self.parts(struct)
        waiting = {each.id: each for each in type.instances}
        stopped = False
        before: tuple[str, ...] = ()
        is_first = True
        for part in parts:
            for attribute in part:
                self.instances(struct, attribute, waiting, made)
            if stopped:
                continue
            here = Here(struct, before=before, is_first=is_first, is_list="repeat" in part[0].keys)
            stopped = self.bits(part, here, made) if self.is_bits(part[0]) else self.attribute(part[0], here, made)
            before = self.before(struct, part[-1], before)
            is_first = False
        for attribute in list(waiting.values()):
            if attribute.id in waiting:
                del waiting[attribute.id]
                self.instances(struct, attribute, waiting, made)
                self.instance(struct, attribute, made)
        is_whole = self.takes_rest(type) or stopped
        static = self.says.static(type)
        exact = static is not None and all(
            self.says.size_of_one(attribute, user.type) == static for user, attribute in struct.users
        )
        has_rest = struct.is_stream and not is_whole and not exact
        if struct.is_wrapped:
            section: Entry = {"section": area(struct), "size": "rest"}
            if has_rest and not self.at_stage(type.at, 1):
                section["trailing"] = self.unread(struct)
            section["fields"] = made.entries
            made.entries = [Noted(section, at=_at(type.at, 1))]
        elif has_rest and not self.at_stage(type.at, 1):
            rest: Entry = {"name": self.unread(struct), "type": "bytes", "size": "rest", "optional": True}
            made.entries.append(Noted(rest, at=_at(type.at, 1)))
        if made.above and made.entries:
            made.entries[0] = Noted(made.entries[0], "\n".join(made.above))
        self.empty = self.empty - {type} if made.entries else self.empty | {type}
        return made

    def before(self, struct: Struct, attribute: Attribute, before: tuple[str, ...]) -> tuple[str, ...]:
        """The fields that end where the next one begins: the last of them that is there."""
        name = naming.free(struct.fields[attribute.id])
        if self.is_bits(attribute):
            return ()
        if is_switch(attribute):
            is_area = is_sized(attribute) and "if" not in attribute.keys
            return (f"{struct.fields[attribute.id]}_area",) if is_area else ()
        if "if" in attribute.keys:
            return (*before, name) if 0 < len(before) < 4 else ()
        return (name,)

    def unread(self, struct: Struct) -> str:
        found = "unread"
        while found in struct.fields.values():
            found += "_bytes"
        return found

    def parts(self, struct: Struct) -> Iterator[list[Attribute]]:
        """The attributes in sequence, those of bits that share bytes together."""
        group: list[Attribute] = []
        for attribute in struct.type.seq:
            if self.is_bits(attribute):
                is_other = (
                    bool(group)
                    and not _is_opposite(group[-1], attribute)
                    and (
                        group[0].text("if") != attribute.text("if")
                        or _bit_endian(group[0], struct.type) != _bit_endian(attribute, struct.type)
                    )
                )
                if is_other and not self.width(group) % 8:
                    yield group
                    group = []
                group.append(attribute)
                continue
            if group:
                yield group
                group = []
            yield [attribute]
        if group:
            yield group

    def is_bits(self, attribute: Attribute) -> bool:
        return not is_switch(attribute) and bool(BITS.fullmatch(attribute.text("type") or ""))

    def width(self, group: Sequence[Attribute]) -> int:
        total = 0
        for attribute in group:
            found = BITS.fullmatch(attribute.text("type") or "")
            assert found is not None
            times = attribute.text("repeat-expr") or "1"
            total += int(found[1]) * (int(times) if times.isdigit() else 0)
        return total

    def takes_rest(self, type: Type) -> bool:
        """Whether the last field of a type always takes all bytes that are left."""
        if not type.seq or type in self._resting:
            return False
        last = type.seq[-1]
        if "if" in last.keys or ("process" in last.keys and not last.says("size-eos")):
            return False
        if last.says("size-eos") or last.text("repeat") == "eos":
            return True
        if {"size", "repeat", "terminator"} & last.keys.keys() or is_switch(last):
            return False
        used = user_type(last.text("type") or "str", type)
        self._resting.add(type)
        try:
            return used is not None and self.takes_rest(used)
        finally:
            self._resting.discard(type)

    # Attributes

    def attribute(self, attribute: Attribute, here: Here, made: Written) -> bool:
        """Add an attribute of ``seq``; whether bytes stand for it and all that follows."""
        stage, reason = self._in_stages(attribute, range(_STAGES), partial(self.said, attribute, here), made)
        if stage is None:
            self.todo(made, f"{attribute.id}: {reason}")
        return stage == _STAGES - 1

    def _in_stages(
        self, attribute: Attribute, stages: Sequence[int], said: Callable[[int], Iterable[Entry]], made: Written
    ) -> tuple[int | None, str]:
        """Add what is said of an attribute in the first stage in which all of it can be. Returns the stage, None if
        there is none, and why those before it were left out.
        """
        reason = ""
        for stage in stages:
            if (why := self.refusal(attribute.at, stage)) is not None:
                reason = reason or why
                continue
            try:
                entries = list(said(stage))
            except CannotSayError as error:
                reason = reason or str(error)
                continue
            if reason and stage > 1:
                self.todo(made, reason)
            for entry in entries:
                self.add(made, entry, _at(attribute.at, stage))
            return stage, reason
        return None, reason

    def said(self, attribute: Attribute, here: Here, stage: int) -> Iterator[Entry]:
        """An attribute of ``seq``, said as that stage says it. Raises ``CannotSayError``."""
        name = here.struct.fields[attribute.id]
        if stage == _STAGES - 1:
            yield {"name": name, "type": "bytes", "size": "rest"}
            return
        if stage == 1:
            guarded = replace(here, is_guarded=True)
            if list(self.whole(attribute, guarded, is_strict=True)) == list(
                self.whole(attribute, here, is_strict=True)
            ):
                raise CannotSayError("nothing may be absent")
            yield from self.whole(attribute, guarded, is_strict=True)
            return
        if stage == 2 and not {"valid", "enum"} & attribute.keys.keys():
            raise CannotSayError("no conditions")
        if stage == 3:
            yield self.as_bytes(attribute, here)
            return
        yield from self.whole(attribute, here, is_strict=stage == 0)

    def as_bytes(self, attribute: Attribute, here: Here) -> Entry:
        entry: Entry = {"name": here.struct.fields[attribute.id], "type": "bytes"}
        repeat = attribute.text("repeat")
        if repeat == "eos" or (attribute.says("size-eos") and repeat is None):
            entry["size"] = "rest"
        elif "size" in attribute.keys and repeat is None:
            entry["size"] = self.expression("size", attribute, here)
        elif "terminator" in attribute.keys and repeat is None and "type" not in attribute.keys:
            entry |= self.ends(attribute, here)
        else:
            size = self.says.size(attribute, here.struct.type)
            one = self.says.size_of_one(attribute, here.struct.type)
            if size is None and "repeat" not in attribute.keys and one is not None:
                size = one
            if size is None and repeat == "expr" and one is not None:
                count = self.says.text(attribute.text("repeat-expr") or "", _in(here, "repeat-expr"))
                entry["size"] = f"{one} * {count.within(10)}"
            elif size is None:
                raise CannotSayError("its size is not known")
            else:
                entry["size"] = size
        self.condition(entry, attribute, here)
        return self.documented(entry, attribute)

    def instances(self, struct: Struct, attribute: Attribute, waiting: dict[str, Attribute], made: Written) -> None:
        """Add the instances that an attribute uses, and that are not there yet."""
        for name in sorted(self.uses(struct, attribute) & waiting.keys()):
            if name in waiting:
                instance = waiting.pop(name)
                self.instances(struct, instance, waiting, made)
                self.instance(struct, instance, made)

    def uses(self, struct: Struct, attribute: Attribute) -> set[str]:
        """The names of its type that an attribute uses, itself or as arguments."""
        here = Here(struct, before=("before",))
        for key in ("size", "if", "repeat-expr", "value", "pos", "io"):
            text = attribute.text(key)
            if text is not None:
                self.quietly(text, here, key)
        process = attribute.text("process")
        if process is not None and "(" in process:
            self.quietly(process.partition("(")[2].rpartition(")")[0], here, "process")
        valid = attribute.keys.get("valid")
        for name, value in valid.entries if isinstance(valid, YamlMapping) else ():
            if isinstance(value, YamlScalar) and name.text in ("eq", "min", "max", "expr"):
                self.quietly(re.sub(r"(?<![.\w])_(?!\w)", attribute.id, value.text), here, "valid")
        if isinstance(valid, YamlScalar):
            self.quietly(valid.text, here, "valid")
        here.used |= set(re.findall(r"(?<![.\w])[a-z]\w*", attribute.text("repeat-until") or ""))
        node = attribute.keys.get("type")
        if isinstance(node, YamlMapping):
            on = {key.text: value for key, value in node.entries}.get("switch-on")
            if isinstance(on, YamlScalar):
                self.quietly(on.text, here, "switch-on")
        for type_text in type_texts(attribute):
            used = user_type(type_text, struct.type)
            if used is None:
                continue
            with contextlib.suppress(CannotSayError):
                self.says.arguments(used, split_type(type_text)[1], here)
            if struct.type is self.main:
                here.used |= self.names.structs[used].of_header
            else:
                struct.of_header |= self.names.structs[used].of_header
        return here.used

    def quietly(self, text: str, here: Here, key: str) -> None:
        """Let ``here`` know what an expression uses, whether or not it can be said."""
        with contextlib.suppress(CannotSayError):
            self.says.text(text, _in(here, key))

    def instance(self, struct: Struct, attribute: Attribute, made: Written) -> None:
        """Add an instance; if that cannot be, say why."""
        here = Here(struct)
        said = partial(self.said_instance, attribute, here)
        stage, reason = self._in_stages(attribute, range(4), said, made)
        if stage is None:
            what = attribute.text("value") or f"pos {attribute.text('pos')}"
            self.todo(made, f"{attribute.id}, {' '.join(what.split())}: {reason}")

    def said_instance(self, attribute: Attribute, here: Here, stage: int) -> Iterator[Entry]:
        if stage == 1:
            here = replace(here, is_guarded=True)
        value = attribute.text("value")
        if value is not None:
            if stage > 1:
                raise CannotSayError("no other way")
            kind = self.says.kind(attribute, here.struct.type)
            if (digits := self.says.digits(attribute, here.struct.type)) is not None:
                yield self.digits(attribute, *digits, here)
                return
            if (characters := self.says.characters(attribute, here.struct.type)) is not None:
                yield self.characters(attribute, *characters, here)
                return
            if self.says.is_alias(attribute, kind):
                if self.is_said_where_used(attribute, here):
                    return
                raise CannotSayError("a struct or list is no value of its own")
            said = self.says.text(value, _in(here, "value"))
            if kind.base in ("list", "struct", "switch", "io"):
                raise CannotSayError(f"a {kind.base} is no value of its own")
            entry: Entry = {
                "name": here.struct.fields[attribute.id],
                "type": _COMPUTED[kind.base],
                "compute": said.text,
            }
            number = _number(said.text)
            if isinstance(number, int) and number >= 1 << 63:
                entry["type"] = "u64"
            if kind.enum is not None:
                self.use_enum(entry, kind.enum)
            self.condition(entry, attribute, here)
            yield self.documented(entry, attribute)
            return
        if self.is_bits(attribute):
            raise CannotSayError("bits have no place of their own")
        place = self.place(attribute, here)
        if stage != 3 and is_switch(attribute):
            node = attribute.keys["type"]
            assert isinstance(node, YamlMapping)
            yield from self.switch(attribute, node, here, here.struct.fields[attribute.id], place)
            return
        if stage == 2 and not {"valid", "enum"} & attribute.keys.keys():
            raise CannotSayError("no conditions")
        is_strict = stage < 2
        entries = (
            [self.as_bytes(attribute, here)] if stage == 3 else list(self.whole(attribute, here, is_strict=is_strict))
        )
        for entry in entries:
            if "name" not in entry:
                raise CannotSayError("the bytes that its type leaves over have no place here")
            if place is None:
                yield entry
                continue
            doc = entry.pop("doc", None)
            entry |= {"at": place, "shared": True}
            if doc is not None:
                entry["doc"] = doc
            yield entry

    def digits(self, attribute: Attribute, of: Attribute, base: int, here: Here) -> Entry:
        """The number that a text is the digits of: the same bytes, read as a number."""
        name = naming.free(here.struct.fields[of.id])
        entry: Entry = {"name": here.struct.fields[attribute.id], "type": "ascii"}
        entry |= self.ends(of, here, terminator="00" if of.text("type") == "strz" else "")
        if base != 10:
            entry["base"] = base
        entry["sign"] = "signed"
        if "if" in of.keys or "if" in attribute.keys:
            raise CannotSayError("to_i of a text that may be absent")
        return self.documented({**entry, "at": f"offset({name})", "shared": True}, attribute)

    def characters(self, attribute: Attribute, of: Attribute, said: str, here: Here) -> Entry:
        """The text that bytes are: the same bytes, read as text."""
        name = naming.free(here.struct.fields[of.id])
        entry: Entry = {"name": here.struct.fields[attribute.id], "type": "text", **self.ends(of, here)}
        if (encoding := _encoding(said)) != "utf-8":
            entry["encoding"] = encoding
        return self.documented({**entry, "at": f"offset({name})", "shared": True}, attribute)

    def is_said_where_used(self, attribute: Attribute, here: Here) -> bool:
        """Whether another name of a struct can be replaced where it is used, so that nothing is lost."""
        try:
            said = self.says.text(attribute.text("value") or "", here)
        except CannotSayError:
            return False
        return said.level == _PATH

    def place(self, attribute: Attribute, here: Here) -> int | str | None:
        """Where an instance is, from the start of the record; None if it is where it stands."""
        io, pos = attribute.text("io"), attribute.text("pos")
        start = self.says.say(ks.StreamStart(), _in(here, "pos"))
        if io is not None:
            node = parsed(io)
            if isinstance(node, ks.Name) and node.name == "_io":
                pass
            elif isinstance(node, ks.FieldOf) and node.name == "_io":
                start = self.says.say(ks.Offset(node.of), _in(here, "pos"))
            else:
                raise CannotSayError(f"the stream {io} has no counterpart")
        if pos is None and io is not None:
            return start.text
        if pos is None:
            return None
        said = self.says.text(pos, _in(here, "pos"))
        if start.text == "0":
            return _number(said.text)
        return start.text if said.text == "0" else f"{start.text} + {said.within(9)}"

    def whole(self, attribute: Attribute, here: Here, *, is_strict: bool) -> Iterator[Entry]:
        """An attribute as the file means it. Raises ``CannotSayError``."""
        node = attribute.keys.get("type")
        name = here.struct.fields[attribute.id]
        if isinstance(node, YamlMapping):
            yield from self.switch(attribute, node, here, name)
            return
        text = node.text if isinstance(node, YamlScalar) else ""
        used = user_type(text, here.struct.type)
        entry: Entry = {"name": name}
        if "contents" in attribute.keys:
            self.contents(entry, attribute.keys["contents"])
        elif (number := NUMBER.fullmatch(text)) is not None:
            self.number(entry, number, here)
        elif used is not None and used in self.empty and not is_sized(attribute) and "repeat" not in attribute.keys:
            return
        elif used is not None:
            if is_sized(attribute) and not self.names.structs[used].is_stream and not self.takes_rest(used):
                yield self.in_section(attribute, used, text, here, name)
                return
            self.user_type(entry, used, text, here)
            entry |= self.ends(attribute, here)
            if "size" in entry and {"until", "pad"} & entry.keys():
                raise CannotSayError("what is behind its end would be lost")
        elif text in ("", "str", "strz"):
            self.string(entry, attribute, text, here)
        else:
            raise CannotSayError(f"there is no type {text}")
        self.repeat(entry, attribute, here, used)
        enum = attribute.text("enum")
        if enum is not None and is_strict:
            found = here.struct.type.enum_of(enum.split("::"))
            if found is None:
                raise CannotSayError(f"there is no enum {enum}")
            self.use_enum(entry, found)
        self.process(entry, attribute, here)
        if is_strict:
            self.valid(entry, attribute, here)
        self.condition(entry, attribute, here)
        yield self.documented(entry, attribute)

    def user_type(self, entry: Entry, used: Type, text: str, here: Here) -> None:
        entry["type"] = self.names.structs[used].name
        given = self.says.arguments(used, split_type(text)[1], _in(here, "with"))
        if given:
            entry["with"] = {key: _number(value) for key, value in given.items()}

    def in_section(self, attribute: Attribute, used: Type, text: str, here: Here, name: str) -> Entry:
        """A field of a size whose type does not take all of it."""
        if "repeat" in attribute.keys:
            raise CannotSayError(f"{used.name} is also used without a size, so its bytes left over have no place here")
        section: Entry = {"section": f"{name}_area", **self.ends(attribute, here)}
        if set(section) != {"section", "size"}:
            raise CannotSayError("a section has a size")
        self.process(section, attribute, here)
        inner: Entry = {"name": name}
        self.user_type(inner, used, text, here)
        for key, node in self.names.structs[used].given.items():
            if isinstance(node, ks.StreamStart | ks.StreamSize):
                arguments = dict(inner["with"]) if isinstance(inner["with"], Mapping) else {}
                function = "offset" if isinstance(node, ks.StreamStart) else "size"
                inner["with"] = {**arguments, key: f"{function}({name}_area)"}
        static = self.says.static(used)
        if static is None or section["size"] != static:
            section["trailing"] = f"{name}_unread"
        section["fields"] = [self.documented(inner, attribute)]
        if "if" in attribute.keys:
            when: Entry = {}
            self.condition(when, attribute, here)
            return {"choice": [{"when": when["when"], "fields": [section]}]}
        return section

    def number(self, entry: Entry, found: "re.Match[str]", here: Here) -> None:
        letter, size, order = found.groups()
        entry["type"] = f"{letter}{8 * int(size)}".replace("s", "i")
        if order is not None and size != "1":
            said = "little" if order == "le" else "big"
            if said != self.order_around(here.struct.type):
                entry["byte_order"] = said

    def order_around(self, type: Type) -> str:
        """The byte order of a type's numbers, if that is fixed."""
        for around in type.outwards:
            if isinstance(around.meta.get("endian"), YamlMapping):
                return ""
            if found := _endian(around.meta):
                return found
        return "" if self.is_mixed and type is not self.main else self.order

    def contents(self, entry: Entry, node: YamlNode) -> None:
        data = contents_of(node)
        text = node.text if isinstance(node, YamlScalar) and node.kind != "int" else ""
        if text and text.isascii() and text.isprintable():
            entry |= {"type": "text", "size": len(data), "const": text}
        else:
            entry |= {"type": "bytes", "size": len(data), "const": data.hex()}

    def string(self, entry: Entry, attribute: Attribute, text: str, here: Here) -> None:
        entry["type"] = "text" if text else "bytes"
        encoding = self.encoding(attribute, here) if text else ""
        wide = 2 if encoding.startswith("utf-16") else 4 if encoding.startswith("utf-32") else 1
        entry |= self.ends(attribute, here, terminator="00" * wide if text == "strz" else "", wide=wide)
        if "size" not in entry and "until" not in entry:
            raise CannotSayError("nothing says where it ends")
        if encoding not in ("", "utf-8"):
            entry["encoding"] = encoding
        is_open = "until" in entry or ("pad" in entry and entry["size"] == "rest")
        is_masked = (attribute.text("process") or "zlib")[:3] in ("xor", "rol", "ror")
        if "size" in entry and is_open and is_masked:
            raise CannotSayError("what is behind its end would be lost")
        if "size" in entry and is_open:
            entry["raw"] = f"{entry['name']}_bytes"

    def encoding(self, attribute: Attribute, here: Here) -> str:
        said = attribute.text("encoding")
        for around in here.struct.type.outwards:
            node = around.meta.get("encoding")
            if said is None and isinstance(node, YamlScalar):
                said = node.text
        if said is None:
            raise CannotSayError("nothing says its encoding")
        return _encoding(said)

    def ends(self, attribute: Attribute, here: Here, terminator: str = "", wide: int = 1) -> Entry:
        """Where an attribute, or each of its items, ends."""
        made: Entry = {}
        if "size" in attribute.keys:
            made["size"] = self.expression("size", attribute, here)
        elif attribute.says("size-eos"):
            made["size"] = "rest"
        said = attribute.text("terminator")
        if said is not None:
            terminator = int(said, 0).to_bytes(1, "big").hex() + "00" * (wide - 1)
        if terminator:
            made["until"] = terminator
            if attribute.says("include"):
                made["terminator"] = "keep"
            elif attribute.text("consume") == "false":
                made["terminator"] = "leave"
            if attribute.text("eos-error") == "false" and "size" not in made:
                made["unterminated"] = "allowed"
        pad = attribute.text("pad-right")
        if pad is not None:
            made["pad"] = int(pad, 0).to_bytes(1, "big").hex()
        return made

    def expression(self, key: str, attribute: Attribute, here: Here) -> int | str:
        return _number(self.says.text(attribute.text(key) or "", _in(here, key)).text)

    def repeat(self, entry: Entry, attribute: Attribute, here: Here, used: Type | None) -> None:
        match attribute.text("repeat"):
            case "eos":
                entry["repeat"] = "rest"
            case "expr":
                entry["repeat"] = {"count": self.expression("repeat-expr", attribute, here)}
            case "until" if used is not None:
                there = _in(here, "repeat-until", self.names.structs[used])
                entry["repeat"] = {"until": self.says.text(attribute.text("repeat-until") or "", there).text}
            case None:
                pass
            case _:
                raise CannotSayError("the list has no end that can be said")

    def process(self, entry: Entry, attribute: Attribute, here: Here) -> None:
        said = attribute.text("process")
        if said is None:
            return
        name, _, inner = said.partition("(")
        if name == "zlib":
            entry |= {"through": "zlib", "raw": f"{entry.get('name') or entry.get('section')}_packed"}
        elif name == "xor":
            key = inner.rpartition(")")[0]
            node = parsed(key)
            text = self.says.say(node, _in(here, "process")).text
            value: YamlValue = Hex(int(text, 0)) if re.fullmatch(r"\d+|0x[0-9a-f]+", text) else text
            entry["through"] = {"xor": value}
        elif name in ("rol", "ror"):
            bits = inner.rpartition(")")[0].strip()
            if not bits.isdigit():
                raise CannotSayError("a rotation is a number")
            entry["through"] = {"rol": int(bits) % 8 if name == "ror" else -int(bits) % 8}
        else:
            raise CannotSayError(f"process: {name} has no counterpart")

    def valid(self, entry: Entry, attribute: Attribute, here: Here) -> None:
        node = attribute.keys.get("valid")
        if node is None:
            return
        name = naming.free(here.struct.fields[attribute.id])
        there = _in(here, "valid")
        if isinstance(node, YamlScalar):
            said = self.says.text(node.text, there)
            if "repeat" not in attribute.keys and (plain := _constant(said, str(entry.get("type")))) is not None:
                entry["const"] = plain
            else:
                entry["valid"] = f"{name} == {said.within(5)}"
            return
        if not isinstance(node, YamlMapping):
            raise CannotSayError("valid is neither a value nor a mapping")
        conditions = []
        for key, value in node.entries:
            match key.text:
                case "eq" | "min" | "max":
                    sign = {"eq": "==", "min": ">=", "max": "<="}[key.text]
                    conditions.append(f"{name} {sign} {self.says.text(_scalar(value), there).within(5)}")
                case "any-of":
                    items = [self.says.text(_scalar(each), there).text for each in getattr(value, "items", ())]
                    conditions.append(f"{name} in [{', '.join(items)}]")
                case "expr":
                    text = re.sub(r"(?<![.\w])_(?!\w)", attribute.id, _scalar(value))
                    conditions.append(self.says.text(text, there).within(2))
                case "in-enum":
                    kind = self.says.kind(attribute, here.struct.type)
                    if kind.enum is None:
                        raise CannotSayError("in-enum without an enum")
                    conditions.append(f"{name} in [{', '.join(str(each.number) for each in kind.enum.values)}]")
                case other:
                    raise CannotSayError(f"valid: {other} has no counterpart")
        entry["valid"] = " and ".join(conditions)

    def condition(self, entry: Entry, attribute: Attribute, here: Here) -> None:
        if "if" in attribute.keys:
            entry["when"] = str(self.expression("if", attribute, here))

    def use_enum(self, entry: Entry, enum: Enum) -> None:
        if self.stage(enum.at) == 0:
            entry["enum"] = self.names.enum(enum)

    def documented(self, entry: Entry, attribute: Attribute) -> Entry:
        unit = attribute.text("-unit")
        if unit is not None:
            entry["unit"] = unit
        if attribute.doc:
            entry["doc"] = attribute.doc
        return entry

    # Alternatives

    def switch(
        self, attribute: Attribute, node: YamlMapping, here: Here, name: str, place: int | str | None = None
    ) -> Iterator[Entry]:
        keys = {key.text: value for key, value in node.entries}
        on, cases = keys.get("switch-on"), keys.get("cases")
        if not isinstance(on, YamlScalar) or not isinstance(cases, YamlMapping):
            raise CannotSayError("switch-on needs cases")
        if "repeat" in attribute.keys:
            raise CannotSayError("a list of several types")
        subject = self.says.text(on.text, _in(here, "switch-on"))
        columns = self.says.columns(attribute, here.struct.type)
        found: list[tuple[list[str], Entry]] = []
        other: Entry | None = None
        is_area = is_sized(attribute)
        for key, value in cases.entries:
            case = self.case(_scalar(value), columns, attribute, here, name, is_area=is_area)
            if key.text == "_":
                other = case
                continue
            said = self.case_value(key.text, subject, here.struct)
            same = next((values for values, each in found if each == case), None)
            if same is not None:
                same.append(said)
            else:
                found.append(([said], case))
        if other is None and is_area:
            is_taken = any(case.get("name") == name for _, case in found)
            other = {"name": f"{name}_bytes" if is_taken else name, "type": "bytes", "size": "rest"}
        alternatives: list[YamlValue] = [
            self.alternative(subject, on.text, values, case, here) for values, case in found
        ]
        if other is not None:
            alternatives.append({"fields": [other] if other else []})
        choice: Entry = {"choice": alternatives}
        when: Entry = {}
        self.condition(when, attribute, here)
        if place is not None:
            for case in [case for _, case in found] + ([other] if other else []):
                if case:
                    case |= self.ends(attribute, here)
                    self.process(case, attribute, here)
                    case |= {"at": place, "shared": True}
        elif is_area:
            section: Entry = {"section": f"{name}_area", **self.ends(attribute, here)}
            if set(section) != {"section", "size"}:
                raise CannotSayError("a section has a size")
            self.process(section, attribute, here)
            section["fields"] = [choice]
            choice = section
        elif "process" in attribute.keys:
            raise CannotSayError("process needs a size")
        if attribute.doc and is_area and place is None:
            choice = {**{key: value for key, value in choice.items() if key != "fields"}, "doc": attribute.doc,
                      "fields": choice["fields"]}  # fmt: skip
        yield {"choice": [{"when": when["when"], "fields": [choice]}]} if when else choice

    def case(
        self, text: str, columns: Mapping[Type, str], attribute: Attribute, here: Here, name: str, *, is_area: bool
    ) -> Entry:
        """The field of one alternative."""
        used = user_type(text, here.struct.type)
        if used is not None and used in self.empty:
            return {}
        if used is not None:
            entry: Entry = {"name": columns[used]}
            self.user_type(entry, used, text, here)
            return entry
        entry = {"name": self.says.plain_column(attribute, text, here.struct.type) if is_built_in(text) else name}
        if (number := NUMBER.fullmatch(text)) is not None:
            self.number(entry, number, here)
        elif text in ("str", "strz"):
            entry["type"] = "text"
            encoding = self.encoding(attribute, here)
            if text == "strz":
                entry["until"] = "00" * (2 if encoding.startswith("utf-16") else 1)
            elif is_area:
                entry["size"] = "rest"
            else:
                raise CannotSayError("nothing says where it ends")
            if encoding != "utf-8":
                entry["encoding"] = encoding
        elif (bits := BITS.fullmatch(text)) is not None and int(bits[1]) % 8 == 0 and int(bits[1]) <= 64:
            entry["type"] = f"u{bits[1]}"
        else:
            raise CannotSayError(f"there is no type {text}")
        enum = attribute.text("enum")
        of_enum = here.struct.type.enum_of(enum.split("::")) if enum is not None else None
        if of_enum is not None:
            self.use_enum(entry, of_enum)
        return entry

    def case_value(self, text: str, subject: Phrase, struct: Struct) -> str:
        """The value of a case, as an expression."""
        said = self.says.text(text, Here(struct, "switch-on"))
        if subject.kind.base == "bytes" and said.kind.base == "str":
            return f"hex('{text.strip(chr(39) + chr(34)).encode().hex()}')"
        if subject.kind.base == "str" and said.kind.base == "bytes":
            data = bytes.fromhex(said.text[5:-2])
            return repr(data.decode("latin-1"))
        return said.text

    def alternative(self, subject: Phrase, on: str, values: Sequence[str], case: Entry, here: Here) -> YamlValue:
        type = here.struct.type
        attribute = type.own(on)
        is_plain = attribute is not None and attribute in type.seq and re.fullmatch(r"[a-z]\w*", subject.text)
        matched = [_matched(value, subject) for value in values]
        if is_plain and attribute is not None and all(value is not None for value in matched):
            listed = [value for value in matched if value is not None]
            name = here.struct.fields[attribute.id]
            return {"match": {name: listed[0] if len(listed) == 1 else listed}, "fields": [case] if case else []}
        if len(values) == 1 and values[0] in ("true", "false"):
            said = subject.text if values[0] == "true" else f"not {subject.within(3)}"
            return {"when": said, "fields": [case] if case else []}
        said = f"== {values[0]}" if len(values) == 1 else f"in [{', '.join(values)}]"
        return {"when": f"{subject.within(5)} {said}", "fields": [case] if case else []}

    # Bits

    def bits(self, group: Sequence[Attribute], here: Here, made: Written) -> bool:
        """Add bit fields that share bytes; whether bytes stand for all that follows."""
        at = group[0].at
        reason = self.refusal(at, 0)
        if reason is None:
            try:
                self.add(made, self.said_bits(group, here), _at(at, 0))
                return False
            except CannotSayError as error:
                reason = str(error)
        self.todo(made, f"{', '.join(each.id for each in group)}: {reason}")
        name = here.struct.fields[group[0].id]
        if self.refusal(at, 1) is None and not any({"if", "repeat"} & each.keys.keys() for each in group):
            self.add(made, {"name": name, "type": "bytes", "size": (self.width(group) + 7) // 8}, _at(at, 1))
            return False
        if self.refusal(at, 2) is None:
            self.add(made, {"name": name, "type": "bytes", "size": "rest"}, _at(at, 2))
            return True
        return False

    def said_bits(self, group: Sequence[Attribute], here: Here) -> Entry:
        units = list(_alternatives(group))
        orders = {_bit_endian(each, here.struct.type) for each in group}
        if len(orders) > 1:
            raise CannotSayError("bits of both orders share bytes")
        is_little = orders == {"le"}
        width = self.width([unit[0] for unit in units])
        fields = [self.bit_unit(unit, here) for unit in units]
        spare = -width % 8
        if spare:
            taken = set(here.struct.fields.values())
            name = f"spare_{here.struct.fields[group[-1].id]}" if "spare" in taken or self.has_groups(here) else "spare"
            fields.append({"name": name, "width": spare, "reserved": True})
        made: Entry = {"bits": f"u{width + spare}"}
        if is_little:
            made["bit_order"] = "lsb"
        order = "little" if is_little else "big"
        if width + spare > 8 and order != self.order_around(here.struct.type):
            made["byte_order"] = order
        if "if" in group[0].keys:
            made["when"] = str(self.expression("if", group[0], here))
        made["fields"] = fields
        return made

    def bit_unit(self, unit: Sequence[Attribute], here: Here) -> YamlValue:
        """A bit field, or a choice of two for the same bits."""
        if len(unit) == 1:
            return self.bit_field(unit[0], here)
        first, other = (self.bit_field(each, here) for each in unit)
        when = str(self.expression("if", unit[0], here))
        return {"choice": [{"when": when, "fields": [first]}, {"fields": [other]}]}

    def has_groups(self, here: Here) -> bool:
        """Whether several groups of bits end inside a byte."""
        groups = [part for part in self.parts(here.struct) if self.is_bits(part[0]) and self.width(part) % 8]
        return len(groups) > 1

    def bit_field(self, attribute: Attribute, here: Here) -> Entry:
        found = BITS.fullmatch(attribute.text("type") or "")
        assert found is not None
        made: Entry = {"name": here.struct.fields[attribute.id], "width": int(found[1])}
        if "repeat" in attribute.keys:
            times = attribute.text("repeat-expr") or ""
            if not times.isdigit():
                raise CannotSayError("the number of bits is not fixed")
            made["count"] = int(times)
        if "enum" in attribute.keys:
            kind = self.says.kind(attribute, here.struct.type)
            enum = kind.enum or (kind.item.enum if kind.item is not None else None)
            if enum is None:
                raise CannotSayError(f"there is no enum {attribute.text('enum')}")
            self.use_enum(made, enum)
        self.valid(made, attribute, here)
        return self.documented(made, attribute)

    # Refusals

    def refusal(self, at: Location, stage: int) -> str | None:
        return self.refused.get(_at(at, stage))

    def at_stage(self, at: Location, stage: int) -> bool:
        return self.refusal(at, stage) is not None

    def reason(self, at: Location, stage: int) -> str:
        return self.refusal(at, stage) or ""

    def stage(self, at: Location) -> int:
        return int(self.at_stage(at, 0))

    def todo(self, made: Written, reason: str) -> None:
        made.reasons.append(reason)
        made.above.append(todo(reason))

    def add(self, made: Written, entry: Entry, at: Location | None) -> None:
        made.entries.append(Noted(entry, "\n".join(made.above), at))
        made.above.clear()


def _at(at: Location, stage: int) -> Location:
    """The place of an attribute, told apart by how it is said."""
    return Location(at.path, at.line, at.column + stage)


def _in(here: Here, key: str, item: Struct | None = None) -> Here:
    return replace(here, key=key, item=item)


def _endian(meta: Mapping[str, YamlNode]) -> str:
    node = meta.get("endian")
    return {"le": "little", "be": "big"}.get(node.text, "") if isinstance(node, YamlScalar) else ""


def _bit_endian(attribute: Attribute, type: Type) -> str:
    found = BITS.fullmatch(attribute.text("type") or "")
    if found is not None and found[2]:
        return found[2]
    for around in type.outwards:
        node = around.meta.get("bit-endian")
        if isinstance(node, YamlScalar):
            return node.text
    return "be"


def _alternatives(group: Sequence[Attribute]) -> Iterator[Sequence[Attribute]]:
    """Bit fields that share bytes; two together if always one of them is there."""
    rest = list(group)
    while rest:
        first, *rest = rest
        if first.text("if") == group[0].text("if"):
            yield [first]
        elif rest and _is_opposite(first, rest[0]) and first.text("type") == rest[0].text("type"):
            yield [first, rest.pop(0)]
        else:
            raise CannotSayError("some of the bits that share bytes are conditional")


def _is_opposite(one: Attribute, other: Attribute) -> bool:
    """Whether the condition of an attribute holds if that of the other one does not."""
    conditions = [re.sub(r"\s+", " ", each.text("if") or "").strip() for each in (one, other)]
    plain = [re.sub(r"^not (\w+)$", r"\1 == false", re.sub(r"^(\w+)$", r"\1 == true", each)) for each in conditions]
    found = [re.fullmatch(r"(\w+) == (true|false)", each) for each in plain]
    first, second = found
    return first is not None and second is not None and first[1] == second[1] and first[2] != second[2]


def _scalar(node: YamlNode) -> str:
    if not isinstance(node, YamlScalar):
        raise CannotSayError("a single value expected")
    return node.text


def _encoding(said: str) -> str:
    """The name of an encoding in the language."""
    plain = re.sub(r"[^a-z0-9]", "", said.lower())
    if plain.startswith("windows") and plain[7:].isdigit():
        return f"cp{plain[7:]}"
    if (found := re.fullmatch(r"iso8859(\d+)", plain)) is not None and found[1] != "1":
        return f"iso-8859-{found[1]}"
    if (found := re.fullmatch(r"(?:ibm|cp)(\d+)", plain)) is not None:
        return f"cp{found[1]}"
    return _ENCODINGS.get(plain, said.lower())


def _words(value: YamlValue) -> set[str]:
    """The words of all texts in a value."""
    match value:
        case str():
            return set(re.findall(r"\w+", value))
        case Noted(inner):
            return _words(inner)
        case Mapping():
            return {word for key, each in value.items() if key != "doc" for word in _words(each)}
        case Sequence():
            return {word for each in value for word in _words(each)}
        case _:
            return set()


def _text(node: YamlNode) -> str:
    return node.text if isinstance(node, YamlScalar) else ""


def _number(text: str) -> int | str:
    """The number that an expression is, or the expression."""
    if text.isdigit():
        return int(text)
    if re.fullmatch(r"0x[0-9a-f]+", text):
        return Hex(int(text, 0))
    return text


def _constant(said: Phrase, type: str) -> YamlValue | None:
    """The constant that an expression is, as ``const`` has it."""
    number = _number(said.text)
    if isinstance(number, int):
        return number
    if re.fullmatch(r"-\d+", said.text):
        return int(said.text)
    if said.text in ("true", "false"):
        return said.text == "true"
    if type == "bytes" and said.text.startswith("hex('"):
        return said.text[5:-2]
    return None


def _matched(value: str, subject: Phrase) -> YamlValue | None:
    """A value under ``match``, if it can be one."""
    number = _number(value)
    if isinstance(number, int):
        return number
    if re.fullmatch(r"-\d+", value):
        return int(value)
    if value in ("true", "false"):
        return value == "true"
    if subject.kind.base == "bytes" and value.startswith("hex('"):
        return value[5:-2]
    if subject.kind.base == "str" and value[:1] in "'\"" and "\\" not in value:
        return value[1:-1]
    if subject.kind.enum is not None and re.fullmatch(r"\w+\.\w+", value):
        return value.partition(".")[2]
    return None
