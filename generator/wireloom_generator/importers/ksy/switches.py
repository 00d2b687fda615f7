"""Attributes that have one of several types: choices of fields."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from wireloom_generator.importers.ksy.attributes import BITS, NUMBER, is_built_in, is_sized, user_type
from wireloom_generator.importers.ksy.columns import columns, plain_column
from wireloom_generator.importers.ksy.encodings import encoding_of
from wireloom_generator.importers.ksy.phrases import CannotSayError, Phrase
from wireloom_generator.importers.ksy.pieces import Pieces
from wireloom_generator.importers.ksy.spelling import Entry, case_value, matched, scalar
from wireloom_generator.importers.ksy.structs import Here
from wireloom_generator.importers.ksy.structure import Attribute, Type
from wireloom_generator.reading.source import YamlMapping, YamlScalar
from wireloom_generator.spec_text import YamlValue


@dataclass(frozen=True, slots=True)
class Switches:
    """Writes choices."""

    pieces: Pieces

    def switch(
        self, attribute: Attribute, node: YamlMapping, here: Here, name: str, place: int | str | None = None
    ) -> Iterator[Entry]:
        keys = {key.text: value for key, value in node.entries}
        on, cases = keys.get("switch-on"), keys.get("cases")
        if not isinstance(on, YamlScalar) or not isinstance(cases, YamlMapping):
            raise CannotSayError("switch-on needs cases")
        if "repeat" in attribute.keys:
            raise CannotSayError("a list of several types")
        subject = self.pieces.says.text(on.text, here.under("switch-on"))
        names = columns(here.struct, attribute)
        found: list[tuple[list[str], Entry]] = []
        other: Entry | None = None
        is_area = is_sized(attribute)
        for key, value in cases.entries:
            case = self.case(scalar(value), names, attribute, here, name, is_area=is_area)
            if key.text == "_":
                other = case
                continue
            said = case_value(self.pieces.says, key.text, subject, here.struct)
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
        self.pieces.condition(when, attribute, here)
        if place is not None:
            for case in [case for _, case in found] + ([other] if other else []):
                if case:
                    case |= self.pieces.ends(attribute, here)
                    self.pieces.process(case, attribute, here)
                    case |= {"at": place, "shared": True}
        elif is_area:
            section: Entry = {"section": f"{name}_area", **self.pieces.ends(attribute, here)}
            if set(section) != {"section", "size"}:
                raise CannotSayError("a section has a size")
            self.pieces.process(section, attribute, here)
            section["fields"] = [choice]
            choice = section
        elif "process" in attribute.keys:
            raise CannotSayError("process needs a size")
        if attribute.doc and is_area and place is None:
            choice = {**{key: value for key, value in choice.items() if key != "fields"}, "doc": attribute.doc,
                      "fields": choice["fields"]}  # fmt: skip
        yield {"choice": [{"when": when["when"], "fields": [choice]}]} if when else choice

    def case(
        self, text: str, names: Mapping[Type, str], attribute: Attribute, here: Here, name: str, *, is_area: bool
    ) -> Entry:
        """The field of one alternative."""
        used = user_type(text, here.struct.type)
        if used is not None and used in self.pieces.empty:
            return {}
        if used is not None:
            entry: Entry = {"name": names[used]}
            self.pieces.user_type(entry, used, text, here)
            return entry
        entry = {"name": plain_column(here.struct, attribute, text) if is_built_in(text) else name}
        if (number := NUMBER.fullmatch(text)) is not None:
            self.pieces.number(entry, number, here)
        elif text in ("str", "strz"):
            entry["type"] = "text"
            encoding = encoding_of(attribute, here.struct.type)
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
            self.pieces.use_enum(entry, of_enum)
        return entry

    def alternative(self, subject: Phrase, on: str, values: Sequence[str], case: Entry, here: Here) -> YamlValue:
        type = here.struct.type
        attribute = type.own(on)
        is_plain = attribute is not None and attribute in type.seq and re.fullmatch(r"[a-z]\w*", subject.text)
        found = [matched(value, subject) for value in values]
        if is_plain and attribute is not None and all(value is not None for value in found):
            listed = [value for value in found if value is not None]
            name = here.struct.fields[attribute.id]
            return {"match": {name: listed[0] if len(listed) == 1 else listed}, "fields": [case] if case else []}
        if len(values) == 1 and values[0] in ("true", "false"):
            said = subject.text if values[0] == "true" else f"not {subject.within(3)}"
            return {"when": said, "fields": [case] if case else []}
        said = f"== {values[0]}" if len(values) == 1 else f"in [{', '.join(values)}]"
        return {"when": f"{subject.within(5)} {said}", "fields": [case] if case else []}
