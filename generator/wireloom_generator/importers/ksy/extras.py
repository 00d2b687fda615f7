"""Fields that are read once more because an expression asks: digits as a number, one of several bytes, and a field of
the next item.
"""

import itertools

from wireloom_generator import naming
from wireloom_generator.importers.ksy import expressions as ks
from wireloom_generator.importers.ksy.attributes import is_once, is_optional
from wireloom_generator.importers.ksy.kinds import ValueKinds
from wireloom_generator.importers.ksy.names import Names
from wireloom_generator.importers.ksy.paths import is_next
from wireloom_generator.importers.ksy.phrases import INT, CannotSayError, Phrase
from wireloom_generator.importers.ksy.sizes import Sizes
from wireloom_generator.importers.ksy.structs import Here, byte_of, next_of, number_of


class Extras:
    """Says them; the type gets them beside the field that they are of."""

    def __init__(self, names: Names, kinds: ValueKinds, sizes: Sizes) -> None:
        self.names = names
        self.kinds = kinds
        self.sizes = sizes

    def number(self, of: Phrase) -> Phrase:
        """The number that a text of a fixed place has the digits of."""
        attribute, type = of.kind.attribute, of.kind.type
        if attribute is None or type is None or not is_once(attribute, type) or "size" not in attribute.keys:
            raise CannotSayError("to_i of a text whose size is not given")
        struct = self.names.struct(type)
        path, dot, name = of.text.rpartition(".")
        if name != naming.free(struct.fields[attribute.id]) or {"process", "terminator"} & attribute.keys.keys():
            raise CannotSayError("to_i of what is computed")
        struct.counted.add(attribute.id)
        return Phrase(
            f"{path}{dot}{naming.free(number_of(struct, attribute.id))}", INT, is_optional=is_optional(attribute)
        )

    def byte(self, of: ks.Node, index: ks.Node, here: Here) -> Phrase | None:
        """One of the bytes of a field, which is read again as a number."""
        struct = here.struct
        attribute = struct.type.own(of.name) if isinstance(of, ks.Name) else None
        if attribute is None or not isinstance(index, ks.Number) or not index.text.isdigit():
            return None
        if self.kinds.of(attribute, struct.type).base != "bytes" or {"value", "process"} & attribute.keys.keys():
            return None
        if attribute in struct.type.params:
            return None
        struct.picked.add((attribute.id, int(index.text)))
        here.used.add(attribute.id)
        is_fixed = (self.sizes.of(attribute, struct.type) or 0) > int(index.text)
        name = naming.free(byte_of(struct, attribute.id, int(index.text)))
        if here.is_guarded and not is_fixed and here.key != "if":
            return Phrase(f"({name} if present({name}) else 0)", INT)
        return Phrase(name, INT, is_optional=not is_fixed)

    def next(self, of: ks.Node, name: str, here: Here) -> Phrase | None:
        """A field of the next item of the list that an item is in: it is read ahead, where this one ends."""
        struct = here.struct
        if not isinstance(of, ks.ItemOf) or not is_next(of, struct):
            return None
        attribute = struct.type.own(name)
        before = itertools.takewhile(lambda each: each is not attribute, struct.type.seq)
        sizes = [self.sizes.of(each, struct.type) for each in before]
        if attribute is None or not is_once(attribute, struct.type) or None in sizes or is_optional(attribute):
            return None
        struct.peeked.add(name)
        text = naming.free(next_of(struct, name))
        return Phrase(text, self.kinds.of(attribute, struct.type), is_optional=True)
