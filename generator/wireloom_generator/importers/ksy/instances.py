"""Instances: computed values, and fields at a place."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from wireloom_generator import naming
from wireloom_generator.importers.ksy import expressions as ks
from wireloom_generator.importers.ksy.attributes import io_of, is_bits, is_switch, parsed
from wireloom_generator.importers.ksy.encodings import encoding_name
from wireloom_generator.importers.ksy.fields import Fields
from wireloom_generator.importers.ksy.kinds import aliased, characters, digits, is_alias
from wireloom_generator.importers.ksy.phrases import WHOLE, CannotSayError
from wireloom_generator.importers.ksy.spelling import COMPUTED, Entry, number_or_text
from wireloom_generator.importers.ksy.structs import Here, byte_of, next_of, number_of
from wireloom_generator.importers.ksy.structure import Attribute
from wireloom_generator.reading.source import YamlMapping


@dataclass(frozen=True, slots=True)
class Instances:
    """Writes the fields of instances."""

    fields: Fields

    def said(self, attribute: Attribute, asked: Here, stage: int) -> Iterator[Entry]:
        """The fields of an instance, said as that stage says it; ``asked`` is where it is asked for."""
        here = replace(asked, is_guarded=stage == 1)
        if "value" not in attribute.keys:
            yield from self.placed(attribute, here, stage)
        elif stage > 1:
            raise CannotSayError("no other way")
        else:
            yield from self.value(attribute, here)

    def value(self, attribute: Attribute, here: Here) -> Iterator[Entry]:
        """The field of a value instance; none if it is said where it is used."""
        pieces = self.fields.pieces
        kind = pieces.says.kinds.of(attribute, here.struct.type)
        if (digit_text := digits(attribute, here.struct.type)) is not None:
            yield self.digits(attribute, *digit_text, here)
            return
        if (text := characters(attribute, here.struct.type)) is not None:
            yield self.characters(attribute, *text, here)
            return
        if is_alias(attribute, kind):
            if self.is_said_where_used(attribute, here):
                return
            raise CannotSayError("a struct or list is no value of its own")
        said = pieces.expression("value", attribute, here)
        entry: Entry = {"name": here.struct.fields[attribute.id], "type": COMPUTED[kind.base], "compute": str(said)}
        if isinstance(said, int) and said >= 1 << 63:
            entry["type"] = "u64"
        if kind.enum is not None:
            pieces.use_enum(entry, kind.enum)
        pieces.condition(entry, attribute, here)
        yield pieces.documented(entry, attribute)

    def placed(self, attribute: Attribute, asked: Here, stage: int) -> Iterator[Entry]:
        """The fields of an instance at a place."""
        if is_bits(attribute):
            raise CannotSayError("bits have no place of their own")
        place = self.place(attribute, asked)
        here = Here(asked.struct, io=io_of(attribute), is_guarded=asked.is_guarded)
        if stage != 3 and is_switch(attribute):
            node = attribute.keys["type"]
            assert isinstance(node, YamlMapping)
            yield from self.fields.switches.switch(attribute, node, here, here.struct.fields[attribute.id], place)
            return
        if stage == 2 and not {"valid", "enum"} & attribute.keys.keys():
            raise CannotSayError("no conditions")
        whole = self.fields.whole(attribute, here, is_strict=stage < 2)
        for entry in [self.fields.as_bytes(attribute, here)] if stage == 3 else list(whole):
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
        entry |= self.fields.pieces.ends(of, here, terminator="00" if of.text("type") == "strz" else "")
        if base != 10:
            entry["base"] = base
        entry["sign"] = "signed"
        if "if" in of.keys or "if" in attribute.keys:
            raise CannotSayError("to_i of a text that may be absent")
        return self.fields.pieces.documented({**entry, "at": f"offset({name})", "shared": True}, attribute)

    def number(self, of: Attribute, here: Here) -> Entry:
        """The number that expressions use a text for, if it has digits: a field beside it."""
        made = {"name": number_of(here.struct, of.id), "type": "ascii", **self.fields.pieces.ends(of, here)}
        name = naming.free(here.struct.fields[of.id])
        made |= {"sign": "signed", "at": f"offset({name})", "shared": True}
        self.fields.pieces.condition(made, of, here)
        return made

    def byte(self, of: Attribute, index: int, here: Here) -> Entry:
        """One of the bytes of a field, if it has so many."""
        name = naming.free(here.struct.fields[of.id])
        made: Entry = {"name": byte_of(here.struct, of.id, index), "type": "u8"}
        if (self.fields.pieces.says.sizes.of(of, here.struct.type) or 0) <= index:
            made["when"] = f"size({name}) > {index}"
        return {**made, "at": f"offset({name}) + {index}" if index else f"offset({name})", "shared": True}

    def ahead(self, of: Attribute, here: Here) -> Entry:
        """A field of the next item, which begins where this one ends; nothing if there is none."""
        type, says = here.struct.type, self.fields.pieces.says
        (entry,) = self.fields.whole(of, Here(here.struct), is_strict=False)
        inside = sum(says.sizes.of(each, type) or 0 for each in type.seq[: type.seq.index(of)])
        place = says.around.place(here)
        entry |= {"name": next_of(here.struct, of.id), "at": f"{place} + {inside}" if inside else place}
        return {**entry, "shared": True, "optional": True}

    def characters(self, attribute: Attribute, of: Attribute, said: str, here: Here) -> Entry:
        """The text that bytes are: the same bytes, read as text."""
        name = naming.free(here.struct.fields[of.id])
        entry: Entry = {"name": here.struct.fields[attribute.id], "type": "text", **self.fields.pieces.ends(of, here)}
        if (encoding := encoding_name(said)) != "utf-8":
            entry["encoding"] = encoding
        return self.fields.pieces.documented({**entry, "at": f"offset({name})", "shared": True}, attribute)

    def is_said_where_used(self, attribute: Attribute, here: Here) -> bool:
        """Whether another name of a struct can be replaced where it is used, so that nothing is lost."""
        try:
            node = aliased(attribute, here.struct.type)
            said = self.fields.pieces.says.say(node, here)
        except CannotSayError:
            return False
        return said.level == WHOLE or isinstance(node, ks.Choice)

    def place(self, attribute: Attribute, here: Here) -> int | str | None:
        """Where an instance is, from the start of the record; None if it is where it stands."""
        io, pos = attribute.text("io"), attribute.text("pos")
        start = self.fields.pieces.says.say(ks.StreamStart(), here.under("pos"))
        if io is not None:
            node = parsed(io)
            if isinstance(node, ks.Name) and node.name == "_io":
                pass
            elif isinstance(node, ks.FieldOf) and node.name == "_io":
                start = self.fields.pieces.says.say(ks.Offset(node.of), here.under("pos"))
            else:
                raise CannotSayError(f"the stream {io} has no counterpart")
        if pos is None and io is not None:
            return start.text
        if pos is None:
            return None
        said = self.fields.pieces.says.text(pos, here.under("pos"))
        if start.text == "0":
            return number_or_text(said.text)
        return start.text if said.text == "0" else f"{start.text} + {said.within(9)}"
