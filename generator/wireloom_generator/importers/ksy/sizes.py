"""Sizes that are fixed."""

from wireloom_generator.importers.ksy.attributes import BITS, NUMBER, contents_of, user_type
from wireloom_generator.importers.ksy.structure import Attribute, Type
from wireloom_generator.reading.source import YamlScalar


class Sizes:
    """Knows the sizes of types and attributes."""

    def __init__(self) -> None:
        self._open: set[Type] = set()

    def of_type(self, type: Type) -> int | None:
        """The size of a type if it is fixed."""
        bits = total = 0
        if type in self._open:
            return None
        self._open.add(type)
        try:
            for attribute in type.seq:
                node = attribute.keys.get("type")
                found = BITS.fullmatch(node.text) if isinstance(node, YamlScalar) else None
                if found is not None and not {"if", "repeat"} & attribute.keys.keys():
                    bits += int(found[1])
                    continue
                total, bits = total + (bits + 7) // 8, 0
                size = self.of(attribute, type)
                if size is None:
                    return None
                total += size
            return total + (bits + 7) // 8
        finally:
            self._open.discard(type)

    def of(self, attribute: Attribute, type: Type) -> int | None:
        """The size of an attribute if it is fixed."""
        if "if" in attribute.keys:
            return None
        count = 1
        if "repeat" in attribute.keys:
            times = attribute.text("repeat-expr") if attribute.text("repeat") == "expr" else None
            if times is None or not times.isdigit():
                return None
            count = int(times)
        one = self.of_one(attribute, type)
        return None if one is None else one * count

    def of_one(self, attribute: Attribute, type: Type) -> int | None:
        """The size of one item."""
        size = attribute.text("size")
        if size is not None:
            try:
                return int(size, 0)
            except ValueError:
                return None
        contents = attribute.keys.get("contents")
        if contents is not None:
            return len(contents_of(contents))
        node = attribute.keys.get("type")
        if not isinstance(node, YamlScalar) or {"size-eos", "terminator"} & attribute.keys.keys():
            return None
        return self.of_text(node.text, type)

    def of_text(self, text: str, type: Type) -> int | None:
        """The size of a type, as it is written, if it is fixed."""
        if (number := NUMBER.fullmatch(text)) is not None:
            return int(number[2])
        if (bits := BITS.fullmatch(text)) is not None:
            return (int(bits[1]) + 7) // 8
        used = user_type(text, type)
        return self.of_type(used) if used is not None else None
