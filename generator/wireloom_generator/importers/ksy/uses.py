"""Which names of its type an attribute uses: before it is read, and after."""

import contextlib
import re
from dataclasses import dataclass, replace

from wireloom_generator.importers.ksy.attributes import io_of, split_type, type_texts, user_type
from wireloom_generator.importers.ksy.phrases import CannotSayError
from wireloom_generator.importers.ksy.structs import Here, Struct
from wireloom_generator.importers.ksy.structure import Attribute
from wireloom_generator.importers.ksy.translation import Translator
from wireloom_generator.reading.source import YamlMapping, YamlScalar


@dataclass(frozen=True, slots=True)
class Uses:
    """The names that an attribute uses, itself or as arguments."""

    before: frozenset[str]
    """Those that are asked for before it is read."""
    after: frozenset[str]
    """Those that are asked for when its bytes are there."""


class AllUses:
    """Knows what attributes use."""

    def __init__(self, says: Translator) -> None:
        self.says = says

    def of(self, attribute: Attribute, struct: Struct) -> Uses:
        """What an attribute of a struct uses. The struct needs what its fields need of the header."""
        early, late = Here(struct, before=("before",)), Here(struct, before=("before",))
        for key in ("size", "if", "repeat-expr", "value", "pos", "io"):
            text = attribute.text(key)
            if text is not None:
                self._try(text, early, key)
        node = attribute.keys.get("type")
        if isinstance(node, YamlMapping):
            on = {key.text: value for key, value in node.entries}.get("switch-on")
            if isinstance(on, YamlScalar):
                self._try(on.text, early, "switch-on")
        self._types(attribute, early)
        process = attribute.text("process")
        if process is not None and "(" in process:
            self._try(process.partition("(")[2].rpartition(")")[0], late, "process")
        self._valid(attribute, late)
        late.used |= set(re.findall(r"(?<![.\w])[a-z]\w*", attribute.text("repeat-until") or ""))
        return Uses(frozenset(early.used), frozenset(late.used))

    def _valid(self, attribute: Attribute, here: Here) -> None:
        valid = attribute.keys.get("valid")
        for name, value in valid.entries if isinstance(valid, YamlMapping) else ():
            if isinstance(value, YamlScalar) and name.text in ("eq", "min", "max", "expr"):
                self._try(re.sub(r"(?<![.\w])_(?!\w)", attribute.id, value.text), here, "valid")
        if isinstance(valid, YamlScalar):
            self._try(valid.text, here, "valid")

    def _types(self, attribute: Attribute, here: Here) -> None:
        for text in type_texts(attribute):
            used = user_type(text, here.struct.type)
            if used is None:
                continue
            with contextlib.suppress(CannotSayError):
                self.says.around.arguments(used, split_type(text)[1], replace(here, io=io_of(attribute)))
            of_header = self.says.names.structs[used].of_header
            if here.struct.type is self.says.names.main:
                here.used |= of_header
            else:
                here.struct.of_header |= of_header

    def _try(self, text: str, here: Here, key: str) -> None:
        """Let ``here`` know what an expression uses, whether or not it can be said."""
        with contextlib.suppress(CannotSayError):
            self.says.text(text, here.under(key))
