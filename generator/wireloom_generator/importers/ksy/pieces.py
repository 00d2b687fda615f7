"""The keys of a field: each from what an attribute says about it."""

import re
from dataclasses import dataclass, field

from wireloom_generator import naming
from wireloom_generator.importers.ksy.attributes import contents_of, parsed, split_type
from wireloom_generator.importers.ksy.byte_orders import ByteOrders
from wireloom_generator.importers.ksy.encodings import encoding_of
from wireloom_generator.importers.ksy.names import Names
from wireloom_generator.importers.ksy.phrases import CannotSayError
from wireloom_generator.importers.ksy.refusals import Refusals
from wireloom_generator.importers.ksy.spelling import Entry, constant, number_or_text, number_type, scalar
from wireloom_generator.importers.ksy.structs import Here
from wireloom_generator.importers.ksy.structure import Attribute, Enum, Type
from wireloom_generator.importers.ksy.translation import Translator
from wireloom_generator.reading.source import YamlMapping, YamlNode, YamlScalar
from wireloom_generator.spec_text import Hex, YamlValue


@dataclass(slots=True)
class Pieces:
    """Writes the keys of fields."""

    names: Names
    says: Translator
    orders: ByteOrders
    refused: Refusals
    empty: set[Type] = field(default_factory=set)
    """The types without bytes or values."""

    def user_type(self, entry: Entry, used: Type, text: str, here: Here) -> None:
        entry["type"] = self.names.structs[used].name
        given = self.says.around.arguments(used, split_type(text)[1], here.under("with"))
        if given:
            entry["with"] = {key: number_or_text(value) for key, value in given.items()}

    def number(self, entry: Entry, found: "re.Match[str]", here: Here) -> None:
        _, size, order = found.groups()
        entry["type"] = number_type(found)
        if order is not None and size != "1":
            said = "little" if order == "le" else "big"
            if said != self.orders.around(here.struct.type):
                entry["byte_order"] = said

    def contents(self, entry: Entry, node: YamlNode) -> None:
        data = contents_of(node)
        text = node.text if isinstance(node, YamlScalar) and node.kind != "int" else ""
        if text and text.isascii() and text.isprintable():
            entry |= {"type": "text", "size": len(data), "const": text}
        else:
            entry |= {"type": "bytes", "size": len(data), "const": data.hex()}

    def string(self, entry: Entry, attribute: Attribute, text: str, here: Here) -> None:
        entry["type"] = "text" if text else "bytes"
        encoding = encoding_of(attribute, here.struct.type) if text else ""
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
        is_dropped = "unterminated" in entry and "terminator" not in entry
        if ("size" in entry and is_open) or is_dropped:
            entry["raw"] = f"{entry['name']}_bytes"

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
        return number_or_text(self.says.text(attribute.text(key) or "", here.under(key)).text)

    def repeat(self, entry: Entry, attribute: Attribute, here: Here, used: Type | None) -> None:
        match attribute.text("repeat"):
            case "eos":
                entry["repeat"] = "rest"
            case "expr":
                entry["repeat"] = {"count": self.expression("repeat-expr", attribute, here)}
            case "until" if used is not None:
                there = here.under("repeat-until", self.names.structs[used])
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
            text = self.says.say(node, here.under("process")).text
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
        there = here.under("valid")
        if isinstance(node, YamlScalar):
            said = self.says.text(node.text, there)
            if "repeat" not in attribute.keys and (plain := constant(said, str(entry.get("type")))) is not None:
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
                    conditions.append(f"{name} {sign} {self.says.text(scalar(value), there).within(5)}")
                case "any-of":
                    items = [self.says.text(scalar(each), there).text for each in getattr(value, "items", ())]
                    conditions.append(f"{name} in [{', '.join(items)}]")
                case "expr":
                    text = re.sub(r"(?<![.\w])_(?!\w)", attribute.id, scalar(value))
                    conditions.append(self.says.text(text, there).within(2))
                case "in-enum":
                    kind = self.says.kinds.of(attribute, here.struct.type)
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
        if self.refused.at(enum.at, 0) is None:
            entry["enum"] = self.names.enum(enum)

    def documented(self, entry: Entry, attribute: Attribute) -> Entry:
        unit = attribute.text("-unit")
        if unit is not None:
            entry["unit"] = unit
        if attribute.doc:
            entry["doc"] = attribute.doc
        return entry
