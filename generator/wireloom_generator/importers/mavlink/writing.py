"""Writes the spec of a MAVLink dialect."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath

from wireloom_generator import naming
from wireloom_generator.importers import Coverage, Outcome
from wireloom_generator.importers.mavlink.dialect import (
    FLOATS,
    VERSION,
    Dialect,
    DialectEnum,
    DialectField,
    DialectMessage,
)
from wireloom_generator.importers.mavlink.packets import FIRST_VERSION, MOST_OF_FIRST, SIGNED, DialectPackets, Yaml
from wireloom_generator.problems import Location
from wireloom_generator.spec_text import Hex, Noted, YamlValue, todo
from wireloom_generator.xml_tree import Element

LONGEST = 255
"""The most bytes of a payload."""


class DialectWriter:
    """Writes the spec of a dialect."""

    def __init__(self, path: Path, dialect: Dialect, packets: DialectPackets, refused: Mapping[Location, str]) -> None:
        self.path, self.dialect, self.packets, self.refused = path, dialect, packets, refused
        self.outcomes: list[Outcome] = []
        self.protocol = naming.column_like(path.stem, set())
        taken: set[str] = set()
        self.enums = {name: naming.class_like(name, taken) for name in dialect.enums}
        self.classes = taken
        taken = set(naming.ROW)
        self.messages = {
            message.name: naming.column_like(message.name, taken)
            for message in sorted(dialect.messages.values(), key=lambda message: message.number)
        }
        self.known = {*self.enums, *self.messages}
        """What ``replaced_by`` can name."""
        self.used: set[str] = set()
        """The enums that fields have."""
        self.of_commands: set[str] = set()
        """The enums that parameters of commands have."""
        for enum in dialect.enums.values():
            for entry in enum.entries:
                self.known.add(entry.element.get("name"))
                self.of_commands.update(each.get("enum") for each in entry.element.all("param"))

    def files(self) -> Mapping[PurePosixPath, Mapping[str, YamlValue]]:
        messages: dict[PurePosixPath, Mapping[str, YamlValue]] = {}
        for message in self.dialect.messages.values():
            if message.size > LONGEST:
                self.tell(message.element, [f"its payload has {message.size} bytes"], Coverage.REFUSED)
            else:
                name = self.messages[message.name]
                messages[PurePosixPath(self.protocol, f"{name}.yaml")] = self.message(name, message)
        labels: dict[bool, list[YamlValue]] = {False: [], True: [SIGNED]}
        for enum in self.dialect.enums.values():
            if enum.is_empty:
                self.tell(enum.element, ["it has no values"], Coverage.REFUSED)
            else:
                labels[enum.is_bitmask].append(self.labels(enum))
        protocol: Yaml = {
            "protocol": self.protocol,
            "title": f"{self.packets.title}: {self.path.stem}",
            "doc": self.packets.doc,
            "source": {"document": self.path.name},
            "byte_order": "little",
            **({"enums": labels[False]} if labels[False] else {}),
            "flags": labels[True],
            "record": self.packets.record,
        }
        return {PurePosixPath(self.protocol, "protocol.yaml"): protocol, **messages}

    def labels(self, enum: DialectEnum) -> YamlValue:
        """An enum or flags."""
        values: list[YamlValue] = []
        reasons = []
        taken: set[str] = set()
        seen: dict[int, str] = {}
        for entry in enum.entries:
            own = entry.element
            why = self.refused.get(own.at)
            if entry.value in seen:
                why = f"it has the number of {seen[entry.value]}"
            elif enum.is_bitmask and entry.value.bit_count() != 1:
                why = f"{entry.value} is not one bit"
            if why is not None:
                reasons.append(f"{own.get('name')}: {why}")
                continue
            seen[entry.value] = own.get("name")
            value: YamlValue = Hex(entry.value) if enum.is_bitmask else entry.value
            doc = [*self.told(own), *map(_parameter, own.all("param"))]
            values.append(
                Noted(
                    {**naming.value_like(own.get("name"), taken), "value": value, **self.described(own, doc)}, at=own.at
                )
            )
        self.tell(enum.element, reasons)
        keys: Yaml = {"name": self.enums[enum.name]}
        keys |= self.described(enum.element, self.told(enum.element)) | self.source(enum.element)
        if enum.name not in self.used:
            user = "Parameters of commands have it" if enum.name in self.of_commands else "No field of a message has it"
            keys["accept"] = [{"rule": "unused", "reason": f"{user}."}]
        return Noted({**keys, "values": values}, todo("; ".join(reasons)), enum.element.at)

    def message(self, name: str, message: DialectMessage) -> Mapping[str, YamlValue]:
        element = message.element
        taken = self.packets.taken
        reasons: list[str] = []
        fields = [self.field(each, message, naming.column_like(each.name, taken), reasons) for each in message.fields]
        is_bytes = any(each.element.at in self.refused for each in message.fields)
        self.tell(element, reasons, Coverage.BYTES if is_bytes else Coverage.VALUES)
        in_both = self.packets.of_first_version and message.number <= MOST_OF_FIRST and bool(fields)
        types: Yaml = {}
        payload = _payload(message, fields)
        if in_both:
            kind = naming.class_like(f"{message.name}_fields", self.classes)
            own = sum(not each.is_extension for each in message.fields)
            types = {"types": [{"name": kind, "fields": fields[:own]}]}
            include: YamlValue = {"include": kind}
            first: Yaml = {"when": FIRST_VERSION, "fields": [include]}
            payload = {"choice": [first, {"fields": [_payload(message, [include, *fields[own:]])]}]}
        over: YamlValue = [
            {"from": "offset(payload_size)", "to": "offset(tail)"},
            {"const": f"{message.crc_extra:02x}"},
        ]
        crc: YamlValue = {
            "name": naming.column_like("crc", taken),
            "type": "u16",
            "checksum": {"algorithm": "crc16_mcrf4xx", "over": over},
        }
        return {
            "message": name,
            "title": element.get("name"),
            **self.described(element, self.told(element)),
            **self.source(element),
            "match": {"message_number": message.number},
            **types,
            "sections": {"body": [payload], "tail": [crc]},
        }

    def field(self, each: DialectField, message: DialectMessage, name: str, reasons: list[str]) -> YamlValue:
        element = each.element
        keys: Yaml = {"name": name}
        comments: list[str] = []
        if element.at in self.refused:
            comments.append(self.refused[element.at])
            keys |= {"type": "bytes", "size": each.size}
        elif each.wire == "char":
            keys |= {"type": "text", "size": each.size, "until": "00"}
            keys |= {"raw": f"{name}_bytes"} if each.size > 1 else {}
        elif each.wire == "uint8_t" and each.count and not (element.get("enum") or element.get("multiplier")):
            keys |= {"type": "bytes", "size": each.size}
        else:
            keys |= self.number(each, comments)
            keys |= {"repeat": {"count": each.count}} if each.count else {}
            if element.get("type") == VERSION:
                keys["default"] = message.version
            elif each.is_extension and not each.count:
                keys["default"] = 0.0 if each.wire in FLOATS else 0
        if element.get("units"):
            keys["unit"] = element.get("units")
        keys |= self.described(element, self.told(element))
        reasons += [f"{each.name}: {why}" for why in comments]
        return Noted(keys, todo("; ".join(comments)), element.at)

    def number(self, each: DialectField, comments: list[str]) -> Yaml:
        """The type of a number and what its values mean."""
        is_float = each.wire in FLOATS
        whole = f"{'u' if each.wire[0] == 'u' else 'i'}{8 * each.width}"
        keys: Yaml = {"type": FLOATS.get(each.wire, whole)}
        factor = each.element.get("multiplier")
        if factor and re.fullmatch(r"[0-9]+(\.[0-9]+)?([eE]-?[0-9]{1,2})?", factor) and not is_float:
            keys["as"] = {"decimal": {"scale": float(factor)}}
        elif re.fullmatch(r"[0-9]{1,9}/[0-9]{1,9}", factor) and not is_float:
            keys["as"] = {"double": {"scale": factor}}
        elif factor:
            comments.append(f"multiplier {factor} is not applied")
        why = self.unlabelled(each)
        if why:
            comments.append(why)
        elif each.element.get("enum"):
            label = self.dialect.enums[each.element.get("enum")]
            self.used.add(label.name)
            keys["flags" if label.is_bitmask else "enum"] = self.enums[label.name]
            if _deprecation(label.element) is not None:
                keys["accept"] = [{"rule": "deprecated", "reason": "The dialect uses it here."}]
        return keys

    def unlabelled(self, each: DialectField) -> str:
        """Why a field cannot have the enum that the dialect says; empty if it can, or has none."""
        name = each.element.get("enum")
        label = self.dialect.enums.get(name)
        if not name:
            return ""
        if label is None or label.is_empty:
            return f"there is no enum {name}" if label is None else f"{name} has no values"
        if each.count and label.is_bitmask:
            return f"a list of numbers cannot have {name}, which names bits"
        if each.wire in FLOATS or (label.is_bitmask and each.wire[0] != "u"):
            return (
                f"{name} names {'bits of unsigned' if label.is_bitmask else 'values of'} integers, not of {each.wire}"
            )
        bits = 8 * each.width
        least, most = (0, (1 << bits) - 1) if each.wire[0] == "u" else (-1 << bits - 1, (1 << bits - 1) - 1)
        outside = [entry.element.get("name") for entry in label.entries if not least <= entry.value <= most]
        return f"{outside[0]} of {name} does not fit {each.wire}" if outside else ""

    def told(self, element: Element) -> list[str]:
        """Sentences about an element that are not its description."""
        found = []
        if element.first("wip") is not None:
            found.append("Work in progress.")
        deprecation = _deprecation(element)
        if deprecation is not None:
            other = deprecation.get("replaced_by")
            found.append(f"Replaced by {other}." if other and other not in self.known else "")
            found.append(deprecation.text)
        low, high, step = (element.get(key) for key in ("minValue", "maxValue", "increment"))
        found.append(f"From {low}." if low and not high else f"Up to {high}." if high and not low else "")
        found.append(f"From {low} to {high}." if low and high else "")
        found.append(f"In steps of {step}." if step else "")
        found.append(f"By default {element.get('default')}." if element.get("default") else "")
        invalid = element.get("invalid")
        found.append(f"{invalid} is not known." if invalid and invalid not in element.text else "")
        return [each for each in found if each]

    def described(self, element: Element, more: Iterable[str]) -> Yaml:
        description = element.first("description")
        own = element.text or (description.text if description is not None else "")
        doc = " ".join((own if not own or own.endswith((".", "!", "?")) or not more else f"{own}.", *more)).strip()
        keys: Yaml = {"doc": doc} if doc else {}
        deprecation = _deprecation(element)
        if deprecation is not None:
            other = deprecation.get("replaced_by")
            since: Yaml = {"since": deprecation.get("since")} if deprecation.get("since") else {}
            name = self.messages.get(other) or self.enums.get(other) or other
            keys["deprecated"] = since | ({"replaced_by": name} if other in self.known else {})
        return keys

    def source(self, element: Element) -> Yaml:
        return {"source": {"document": element.at.path.name, "section": f"line {element.at.line}"}}

    def tell(self, element: Element, reasons: Sequence[str], said: Coverage = Coverage.VALUES) -> None:
        self.outcomes.append(
            Outcome(element.get("name"), element.at, said if reasons else Coverage.WHOLE, tuple(reasons))
        )


def _payload(message: DialectMessage, fields: Sequence[YamlValue]) -> YamlValue:
    """The payload of a packet of MAVLink 2."""
    if not fields:
        return {"name": "newer_fields", "type": "bytes", "size": "rest"}
    return {
        "section": "fields",
        "size": "rest",
        "through": {"zeros": message.size},
        "raw": "fields_as_sent",
        "trailing": "newer_fields",
        "fields": fields,
    }


def _deprecation(element: Element) -> Element | None:
    return next(element.all("deprecated", "superseded"), None)


def _parameter(element: Element) -> str:
    """A sentence about a parameter of a command."""
    label = f", {element.get('label')}" if element.get("label") else ""
    unit = f" in {element.get('units')}" if element.get("units") else ""
    text = element.text.rstrip(".")
    return f"Param {element.get('index')}{label}{unit}{f': {text}' if text else ''}."
