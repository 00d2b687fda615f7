"""A ``.ksy`` file → a spec: the record, types and enums, in the order and the words of the file.

What has no words in the language, or what ``check`` refuses, is bytes: first of the size that is known, then all that
is left; what has no bytes is left out. The reason is a comment.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from wireloom_generator import naming
from wireloom_generator.importers import Coverage, Imported, Outcome
from wireloom_generator.importers.ksy.attributes import NUMBER, is_switch, takes_rest, used_types
from wireloom_generator.importers.ksy.bodies import TypeBodies
from wireloom_generator.importers.ksy.byte_orders import ByteOrders
from wireloom_generator.importers.ksy.columns import columns
from wireloom_generator.importers.ksy.names import Names
from wireloom_generator.importers.ksy.pieces import Pieces
from wireloom_generator.importers.ksy.refusals import Refusals, Written, stage_at
from wireloom_generator.importers.ksy.spelling import Entry, number_type, words
from wireloom_generator.importers.ksy.structs import member
from wireloom_generator.importers.ksy.structure import Attribute, Enum, Type
from wireloom_generator.importers.ksy.translation import Translator
from wireloom_generator.problems import Location
from wireloom_generator.reading.source import YamlScalar
from wireloom_generator.spec_text import Noted, YamlValue


class Writer:
    """Writes the spec of one file."""

    def __init__(self, main: Type, path: Path, refused: Mapping[Location, str]) -> None:
        self.main = main
        self.path = path
        self.names = Names(main)
        says = Translator(self.names)
        self.pieces = Pieces(self.names, says, ByteOrders(self.names, says), Refusals(refused))
        self.bodies = TypeBodies(self.pieces)
        self.orders: dict[Type, str] = {}
        self.name = naming.snake_case(main.name)
        if naming.asked_fault(self.name) or naming.option_fault(self.name) or self.name in naming.IMPORTED:
            self.name += "_file"
        self.message = self.name
        switches = [each for each in (*main.seq, *main.instances) if is_switch(each)]
        taken = {name for each in switches for name in columns(self.names.structs[main], each).values()}
        taken |= {*self.names.structs[main].fields.values(), "protocol", "unread"}
        while self.message in taken:
            self.message += "_file"

    def imported(self) -> Imported:
        """The spec, and what became of the file's types."""
        bodies: dict[Type, Written] = {}
        for _ in range(20):
            empty = self.pieces.empty
            before = self.seen()
            bodies = {type: self.bodies.body(struct) for type, struct in self.names.structs.items()}
            self.orders = {type: self.pieces.orders.of(type, struct) for type, struct in self.names.structs.items()}
            if before == self.seen() and empty == self.pieces.empty:
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

    def seen(self) -> list[tuple[int, ...]]:
        """How much types see of what is around them, and show of themselves."""
        return [
            (
                *map(
                    len, (each.given, each.of_header, each.shown, each.marked, each.counted, each.picked, each.peeked)
                ),
                each.is_wrapped,
            )
            for each in self.names.structs.values()
        ]

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
        found = words(bodies[type].entries)
        used = dict.fromkeys(used for _, used in used_types(type))
        return [each for each in used if self.names.structs[each].name in found]

    def is_struct(self, type: Type, bodies: Mapping[Type, Written]) -> bool:
        """Whether a type is one in the spec as well: all but the main one, unless it is in itself."""
        return type is not self.main or self.is_in_itself(bodies)

    def is_in_itself(self, bodies: Mapping[Type, Written]) -> bool:
        return any(self.main in self.inside(type, bodies) for type in bodies)

    def outcome(self, type: Type, bodies: Mapping[Type, Written], emitted: Sequence[Type]) -> Outcome:
        name = "::".join(each.name for each in reversed(list(type.outwards)))
        if type is not self.main and type not in emitted and type not in self.pieces.empty:
            unused = "no field has this type" if type not in bodies else "its fields are bytes"
            return Outcome(name, type.at, Coverage.REFUSED, (unused,))
        items = [bodies[used] for used in type.types.values() if used.is_item and used in bodies]
        found = [bodies[type], *items]
        reasons = tuple(dict.fromkeys(reason for each in found for reason in each.reasons))
        lacking = Coverage.BYTES if any(each.lacks_bytes for each in found) else Coverage.VALUES
        return Outcome(name, type.at, lacking if reasons else Coverage.WHOLE, reasons)

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
        made["byte_order"] = self.pieces.orders.order
        if self.main.params and not self.is_in_itself(bodies):
            made["parameters"] = [self.parameter(each) for each in self.main.params]
        types = [self.struct(type, bodies[type]) for type in emitted]
        fields: list[YamlValue] = list(main.entries)
        if self.is_in_itself(bodies):
            fields = [{"include": self.names.structs[self.main].name}]
        said = words([bodies[type].entries for type in (self.main, *emitted)]) | words(list(self.orders.values()))
        used = [enum for enum, name in self.names.enums.items() if name in said]
        enums = [self.enum(enum) for enum in used if self.pieces.refused.at(enum.at, 0) is None]
        made |= {"enums": enums} if enums else {}
        made |= {"types": types} if types else {}
        slot: Entry = {"section": "unread", "size": "rest", "trailing": "unread"}
        if takes_rest(self.main) or self.pieces.refused.at(self.main.at, 0) is not None:
            slot = {"section": "unread", "size": 0}
        fields.append(Noted(slot, at=stage_at(self.main.at, 0)))
        record: YamlValue = Noted({"length": "rest", "fields": fields})
        made["record"] = record
        return made

    def parameter(self, param: Attribute) -> YamlValue:
        """A parameter of the main type, which whoever reads the file knows. It has to have a default."""
        said = param.text("type") or "bytes"
        found = NUMBER.fullmatch(said)
        kind = number_type(found) if found is not None else {"bool": "bool", "str": "text"}.get(said, "u64")
        default: YamlValue = False if kind == "bool" else "" if kind == "text" else 0
        made: Entry = {"name": self.names.structs[self.main].fields[param.id], "type": kind, "default": default}
        return made | ({"doc": param.doc} if param.doc else {})

    def enum(self, enum: Enum) -> YamlValue:
        values: list[YamlValue] = []
        taken: set[str] = set()
        for value in enum.values:
            name = naming.unused(member(value.name), taken, "_")
            made: Entry = {"name": name, "value": value.number}
            if value.doc:
                made["doc"] = value.doc
            values.append(made)
        return Noted({"name": self.names.enum(enum), "values": values}, at=stage_at(enum.at, 0))

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
        return Noted(made, at=stage_at(type.at, 0))
