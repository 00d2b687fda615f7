"""Attributes of a sequence, and the ways to say each: from whole to all bytes that are left."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from wireloom_generator.importers.ksy import expressions as ks
from wireloom_generator.importers.ksy.attributes import NUMBER, is_sized, takes_rest, user_type
from wireloom_generator.importers.ksy.phrases import CannotSayError
from wireloom_generator.importers.ksy.pieces import Pieces
from wireloom_generator.importers.ksy.spelling import Entry
from wireloom_generator.importers.ksy.structs import Here, Struct
from wireloom_generator.importers.ksy.structure import Attribute, Type
from wireloom_generator.importers.ksy.switches import Switches
from wireloom_generator.reading.source import YamlMapping, YamlScalar

STAGES = 5
"""How an attribute is said: whole; with 0 for what may be absent, which is whole as well; without conditions on its
value; as bytes of its size; as all bytes that are left.
"""


@dataclass(frozen=True, slots=True)
class Fields:
    """Writes the fields of attributes."""

    pieces: Pieces
    switches: Switches

    def said(self, attribute: Attribute, here: Here, stage: int) -> Iterator[Entry]:
        """An attribute of ``seq``, said as that stage says it. Raises ``CannotSayError``."""
        name = here.struct.fields[attribute.id]
        if stage == STAGES - 1:
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

    def whole(self, attribute: Attribute, here: Here, *, is_strict: bool) -> Iterator[Entry]:
        """An attribute as the file means it. Raises ``CannotSayError``."""
        node = attribute.keys.get("type")
        name = here.struct.fields[attribute.id]
        if isinstance(node, YamlMapping):
            yield from self.switches.switch(attribute, node, here, name)
            return
        text = node.text if isinstance(node, YamlScalar) else ""
        used = user_type(text, here.struct.type)
        entry: Entry = {"name": name}
        if "contents" in attribute.keys:
            self.pieces.contents(entry, attribute.keys["contents"])
        elif (number := NUMBER.fullmatch(text)) is not None:
            self.pieces.number(entry, number, here)
        elif (
            used is not None
            and used in self.pieces.empty
            and not is_sized(attribute)
            and "repeat" not in attribute.keys
        ):
            return
        elif used is not None:
            leaves = is_sized(attribute) and not self.pieces.names.structs[used].is_stream and not takes_rest(used)
            others = {"size", "repeat", "terminator", "process"} & attribute.keys.keys()
            is_place = attribute not in here.struct.type.seq and not others
            if leaves and not is_place:
                yield self.in_section(attribute, used, text, here, name)
                return
            self.pieces.user_type(entry, used, text, here)
            if leaves:
                self.no_stream(used)
            else:
                entry |= self.pieces.ends(attribute, here)
            if "size" in entry and {"until", "pad"} & entry.keys():
                raise CannotSayError("what is behind its end would be lost")
        elif text in ("", "str", "strz"):
            self.pieces.string(entry, attribute, text, here)
        else:
            raise CannotSayError(f"there is no type {text}")
        self.pieces.repeat(entry, attribute, here, used)
        enum = attribute.text("enum")
        if enum is not None and is_strict:
            found = here.struct.type.enum_of(enum.split("::"))
            if found is None:
                raise CannotSayError(f"there is no enum {enum}")
            self.pieces.use_enum(entry, found)
        self.pieces.process(entry, attribute, here)
        if is_strict:
            self.pieces.valid(entry, attribute, here)
        self.pieces.condition(entry, attribute, here)
        if attribute in here.struct.type.seq[-1:] and ends_items(here.struct):
            entry.setdefault("when", "left >= 0")
        yield self.pieces.documented(entry, attribute)

    def no_stream(self, used: Type) -> None:
        """Raise ``CannotSayError`` if a type needs a stream of its own, at a place where it has what follows there."""
        if any(
            isinstance(node, ks.StreamStart | ks.StreamSize) for node in self.pieces.names.structs[used].given.values()
        ):
            raise CannotSayError("the bytes that its type leaves over have no place here")

    def in_section(self, attribute: Attribute, used: Type, text: str, here: Here, name: str) -> Entry:
        """A field of a size whose type does not take all of it."""
        if "repeat" in attribute.keys:
            raise CannotSayError(f"{used.name} is also used without a size, so its bytes left over have no place here")
        section: Entry = {"section": f"{name}_area", **self.pieces.ends(attribute, here)}
        if set(section) != {"section", "size"}:
            raise CannotSayError("a section has a size")
        self.pieces.process(section, attribute, here)
        inner: Entry = {"name": name}
        self.pieces.user_type(inner, used, text, here)
        for key, node in self.pieces.names.structs[used].given.items():
            if isinstance(node, ks.StreamStart | ks.StreamSize):
                arguments = dict(inner["with"]) if isinstance(inner["with"], Mapping) else {}
                function = "offset" if isinstance(node, ks.StreamStart) else "size"
                inner["with"] = {**arguments, key: f"{function}({name}_area)"}
        static = self.pieces.says.sizes.of_type(used)
        if static is None or section["size"] != static:
            section["trailing"] = f"{name}_unread"
        section["fields"] = [self.pieces.documented(inner, attribute)]
        if "if" in attribute.keys:
            when: Entry = {}
            self.pieces.condition(when, attribute, here)
            return {"choice": [{"when": when["when"], "fields": [section]}]}
        return section

    def as_bytes(self, attribute: Attribute, here: Here) -> Entry:
        entry: Entry = {"name": here.struct.fields[attribute.id], "type": "bytes"}
        repeat = attribute.text("repeat")
        if repeat == "eos" or (attribute.says("size-eos") and repeat is None):
            entry["size"] = "rest"
        elif "size" in attribute.keys and repeat is None:
            entry["size"] = self.pieces.expression("size", attribute, here)
        elif "terminator" in attribute.keys and repeat is None and "type" not in attribute.keys:
            entry |= self.pieces.ends(attribute, here)
        else:
            size = self.pieces.says.sizes.of(attribute, here.struct.type)
            one = self.pieces.says.sizes.of_one(attribute, here.struct.type)
            if size is None and "repeat" not in attribute.keys and one is not None:
                size = one
            if size is None and repeat == "expr" and one is not None:
                count = self.pieces.says.text(attribute.text("repeat-expr") or "", here.under("repeat-expr"))
                entry["size"] = f"{one} * {count.within(10)}"
            elif size is None:
                raise CannotSayError("its size is not known")
            else:
                entry["size"] = size
        self.pieces.condition(entry, attribute, here)
        return self.pieces.documented(entry, attribute)


def ends_items(struct: Struct) -> bool:
    """Whether the first item of a list of a type takes all bytes, and leaves none for others. Then its last field has a
    condition that always holds, since a list of which only one item may have bytes is otherwise refused as a mistake.
    """
    listed = any("repeat" in attribute.keys and not is_sized(attribute) for _, attribute in struct.users)
    return listed and takes_rest(struct.type)
