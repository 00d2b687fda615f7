"""The entries of a type: its attributes in sequence, and instances before the first attribute that uses them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from wireloom_generator import naming
from wireloom_generator.importers.ksy.attributes import is_bits, is_sized, is_switch, takes_rest
from wireloom_generator.importers.ksy.bit_groups import BitGroups, parts, width
from wireloom_generator.importers.ksy.fields import STAGES, Fields
from wireloom_generator.importers.ksy.instances import Instances
from wireloom_generator.importers.ksy.phrases import CannotSayError
from wireloom_generator.importers.ksy.pieces import Pieces
from wireloom_generator.importers.ksy.refusals import Written, stage_at
from wireloom_generator.importers.ksy.spelling import COMPUTED, Entry
from wireloom_generator.importers.ksy.structs import Here, Struct, area, mark, shown
from wireloom_generator.importers.ksy.structure import Attribute
from wireloom_generator.importers.ksy.switches import Switches
from wireloom_generator.importers.ksy.uses import AllUses
from wireloom_generator.spec_text import Noted


class TypeBodies:
    """Writes the entries of types."""

    def __init__(self, pieces: Pieces) -> None:
        self.pieces = pieces
        self.main = pieces.names.main
        self.groups = BitGroups(pieces)
        self.fields = Fields(pieces, Switches(pieces))
        self.placed = Instances(self.fields)
        self.uses = AllUses(pieces.says)

    def body(self, struct: Struct) -> Written:
        """The entries of a type."""
        type = struct.type
        made = Written()
        reason = self.pieces.refused.at(type.at, 0)
        if reason is not None and type is not self.main:
            made.todo(reason)
            made.add({"name": "data", "type": "bytes", "size": "rest"}, None)
            return made
        for name in sorted(struct.shown):
            param = next(each for each in type.params if each.id == name)
            kind = self.pieces.says.kinds.of(param, type)
            value: Entry = {"name": shown(struct, name), "type": COMPUTED.get(kind.base, "i64")}
            made.add({**value, "compute": naming.free(struct.fields[name])}, stage_at(param.at, 0))
        waiting = {each.id: each for each in type.instances}
        stopped = False
        before: tuple[str, ...] = ()
        is_first = True
        for part in parts(struct):
            here = Here(struct, before=before, mark=part[0].id, is_first=is_first, is_list="repeat" in part[0].keys)
            if part[0].id in struct.marked and not stopped:
                made.add({"name": mark(struct, part[0].id), "type": "bytes", "size": 0}, None)
            for attribute in part:
                self.instances(attribute, here, waiting, made)
            if stopped:
                continue
            stopped = self.bits(part, here, made) if is_bits(part[0]) else self.attribute(part[0], here, made)
            if not stopped:
                self.beside(part[0], here, made)
            before = self.before(struct, part[-1], before)
            is_first = False
        for attribute in type.seq if not stopped else ():
            if attribute.id in struct.peeked:
                made.add(self.placed.ahead(attribute, Here(struct, before=before)), None)
        for attribute in list(waiting.values()):
            if attribute.id in waiting:
                del waiting[attribute.id]
                self.instances(attribute, Here(struct), waiting, made)
                self.instance(attribute, Here(struct), made)
        is_whole = takes_rest(type) or stopped
        static = self.pieces.says.sizes.of_type(type)
        exact = static is not None and all(
            self.pieces.says.sizes.of_one(attribute, user.type) == static for user, attribute in struct.users
        )
        has_rest = struct.is_stream and not is_whole and not exact
        if struct.is_wrapped:
            section: Entry = {"section": area(struct), "size": "rest"}
            if has_rest and self.pieces.refused.at(type.at, 1) is None:
                section["trailing"] = self.unread(struct)
            section["fields"] = made.entries
            made.entries = [Noted(section, at=stage_at(type.at, 1))]
        elif has_rest and self.pieces.refused.at(type.at, 1) is None:
            rest: Entry = {"name": self.unread(struct), "type": "bytes", "size": "rest", "optional": True}
            made.entries.append(Noted(rest, at=stage_at(type.at, 1)))
        if made.above and made.entries:
            made.entries[0] = Noted(made.entries[0], "\n".join(made.above))
        self.pieces.empty = self.pieces.empty - {type} if made.entries else self.pieces.empty | {type}
        return made

    def before(self, struct: Struct, attribute: Attribute, before: tuple[str, ...]) -> tuple[str, ...]:
        """The fields that end where the next one begins: the last of them that is there."""
        name = naming.free(struct.fields[attribute.id])
        if is_bits(attribute):
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

    def attribute(self, attribute: Attribute, here: Here, made: Written) -> bool:
        """Add an attribute of ``seq``; whether bytes stand for it and all that follows."""
        stage, reason = self._in_stages(attribute, range(STAGES), partial(self.fields.said, attribute, here), made)
        if stage is None:
            made.todo(f"{attribute.id}: {reason}")
        return stage == STAGES - 1

    def beside(self, attribute: Attribute, here: Here, made: Written) -> None:
        """Add the fields that read an attribute's bytes again, as numbers that expressions use."""
        struct = here.struct
        if attribute.id in struct.counted:
            made.add(self.placed.number(attribute, here), None)
        for name, index in sorted(struct.picked):
            if name == attribute.id:
                made.add(self.placed.byte(attribute, index, here), None)

    def bits(self, group: Sequence[Attribute], here: Here, made: Written) -> bool:
        """Add bit fields that share bytes; whether bytes stand for all that follows."""
        at = group[0].at
        reason = self.pieces.refused.at(at, 0)
        if reason is None:
            try:
                made.add(self.groups.said(group, here), stage_at(at, 0))
                return False
            except CannotSayError as error:
                reason = str(error)
        made.todo(f"{', '.join(each.id for each in group)}: {reason}")
        name = here.struct.fields[group[0].id]
        if self.pieces.refused.at(at, 1) is None and not any({"if", "repeat"} & each.keys.keys() for each in group):
            made.add({"name": name, "type": "bytes", "size": (width(group) + 7) // 8}, stage_at(at, 1))
            return False
        if self.pieces.refused.at(at, 2) is None:
            made.add({"name": name, "type": "bytes", "size": "rest"}, stage_at(at, 2))
            return True
        return False

    def _in_stages(
        self, attribute: Attribute, stages: Sequence[int], said: Callable[[int], Iterable[Entry]], made: Written
    ) -> tuple[int | None, str]:
        """Add what is said of an attribute in the first stage in which all of it can be. Returns the stage, None if
        there is none, and why those before it were left out.
        """
        reason = ""
        for stage in stages:
            if (why := self.pieces.refused.at(attribute.at, stage)) is not None:
                reason = reason or why
                continue
            try:
                entries = list(said(stage))
            except CannotSayError as error:
                reason = reason or str(error)
                continue
            if reason and stage > 1:
                made.todo(reason)
            for entry in entries:
                made.add(entry, stage_at(attribute.at, stage))
            return stage, reason
        return None, reason

    def instances(self, attribute: Attribute, here: Here, waiting: dict[str, Attribute], made: Written) -> None:
        """Add the instances that an attribute uses, and that are not there yet."""
        used = self.uses.of(attribute, here.struct)
        for name in sorted((used.before | used.after) & waiting.keys()):
            if name in waiting:
                there = replace(here, is_list=False) if name in used.before else Here(here.struct)
                instance = waiting.pop(name)
                self.instances(instance, there, waiting, made)
                self.instance(instance, there, made)

    def instance(self, attribute: Attribute, here: Here, made: Written) -> None:
        """Add an instance; if that cannot be, say why."""
        is_value = "value" in attribute.keys
        said = partial(self.placed.said, attribute, here)
        stage, reason = self._in_stages(attribute, range(4), said, made)
        if stage is not None and not is_value:
            self.beside(attribute, here, made)
        if stage is None:
            what = attribute.text("value") or f"pos {attribute.text('pos')}"
            made.todo(f"{attribute.id}, {' '.join(what.split())}: {reason}", is_value=is_value)
