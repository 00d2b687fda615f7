"""In which order the bytes of numbers are, and the bits of bit fields."""

from collections.abc import Mapping

from wireloom_generator.importers.ksy.attributes import BITS
from wireloom_generator.importers.ksy.names import Names
from wireloom_generator.importers.ksy.phrases import CannotSayError
from wireloom_generator.importers.ksy.spelling import case_value, text_of
from wireloom_generator.importers.ksy.structs import Here, Struct
from wireloom_generator.importers.ksy.structure import Attribute, Type
from wireloom_generator.importers.ksy.translation import Translator
from wireloom_generator.reading.source import YamlMapping, YamlNode, YamlScalar


class ByteOrders:
    """Knows the byte order of each type."""

    def __init__(self, names: Names, says: Translator) -> None:
        self.main = names.main
        self.says = says
        said = {endian(type.meta) for type in self.main.all} | {
            endian(type.meta) for struct in names.structs for type in struct.outwards
        }
        self.order = endian(self.main.meta) or "big"
        self.is_mixed = len(said - {""}) > 1

    def of(self, type: Type, struct: Struct) -> str:
        """The byte order of a type, if it is not that of what is around it."""
        for around in type.outwards:
            said = around.meta.get("endian")
            if isinstance(said, YamlScalar):
                return endian(around.meta) if self.is_mixed or endian(around.meta) != self.order else ""
            if isinstance(said, YamlMapping) and around is type:
                return self._switched(said, struct)
            if isinstance(said, YamlMapping):
                return ""
        return ""

    def _switched(self, node: YamlMapping, struct: Struct) -> str:
        keys = {key.text: value for key, value in node.entries}
        on, cases = keys.get("switch-on"), keys.get("cases")
        if not isinstance(on, YamlScalar) or not isinstance(cases, YamlMapping):
            return ""
        orders = {key.text: {"le": "little", "be": "big"}.get(text_of(value), "") for key, value in cases.entries}
        other = orders.pop("_", "")
        try:
            subject = self.says.text(on.text, Here(struct))
            said = [(case_value(self.says, key, subject, struct), order) for key, order in orders.items()]
        except CannotSayError:
            return ""
        if not other:
            other = said.pop()[1]
        return "".join(f"{order} if {subject.within(5)} == {value} else " for value, order in said) + other

    def around(self, type: Type) -> str:
        """The byte order of a type's numbers, if that is fixed."""
        for around in type.outwards:
            if isinstance(around.meta.get("endian"), YamlMapping):
                return ""
            if found := endian(around.meta):
                return found
        return "" if self.is_mixed and type is not self.main else self.order


def endian(meta: Mapping[str, YamlNode]) -> str:
    node = meta.get("endian")
    return {"le": "little", "be": "big"}.get(node.text, "") if isinstance(node, YamlScalar) else ""


def bit_endian(attribute: Attribute, type: Type) -> str:
    found = BITS.fullmatch(attribute.text("type") or "")
    if found is not None and found[2]:
        return found[2]
    for around in type.outwards:
        node = around.meta.get("bit-endian")
        if isinstance(node, YamlScalar):
            return node.text
    return "be"
