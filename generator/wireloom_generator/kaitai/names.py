"""What a file consists of: its types and their names, and what is known of the values in them."""

import keyword
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from wireloom_generator import model
from wireloom_generator.expressions import Expr
from wireloom_generator.spec_text import YamlValue

KsyKeys = dict[str, YamlValue]


_PART = re.compile(r"""'[^']*'|"[^"]*"|[()\[\] ]""")
_RESERVED = frozenset(keyword.kwlist) | {
    "abstract", "bool", "boolean", "byte", "case", "catch", "char", "const", "default", "delete", "do", "double",
    "end", "enum", "export", "extends", "false", "final", "float", "func", "function", "goto", "int", "interface",
    "long", "module", "mro", "namespace", "native", "new", "nil", "none", "null", "object", "operator", "package",
    "private", "protected", "public", "register", "self", "short", "static", "string", "struct", "super",
    "switch", "template", "then", "this", "throw", "throws", "true", "type", "typedef", "typename", "undef",
    "union", "unless", "unsigned", "until", "use", "using", "var", "virtual", "void", "volatile", "when",
}  # fmt: skip
"""Words that languages of Kaitai Struct keep for themselves. Its compiler writes names as they are."""


class NoKsyError(Exception):
    """Kaitai Struct has nothing for it; the argument says what."""


@dataclass(eq=False, slots=True)
class KsyType:
    """A type of the file. One for a section is ``inside`` another type, whose field ``way`` has it.

    ``prefix`` leads to it from anywhere; it is empty if there are many of it, or only a path through others.
    """

    name: str
    inside: "KsyType | None" = None
    way: str = ""
    prefix: str = ""
    meta: KsyKeys = field(default_factory=dict)
    given: list[YamlValue] = field(default_factory=list)
    fields: list[YamlValue] = field(default_factory=list)
    instances: KsyKeys = field(default_factory=dict)
    types: KsyKeys = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    @property
    def outwards(self) -> "list[KsyType]":
        """This type and those that it is inside of, from the inside out."""
        return [self, *(self.inside.outwards if self.inside is not None else ())]

    @property
    def keys(self) -> KsyKeys:
        """What is declared of it."""
        parts: KsyKeys = {"meta": self.meta, "params": self.given, "seq": self.fields}
        parts |= {"instances": self.instances, "types": self.types}
        return {key: value for key, value in parts.items() if value}


@dataclass(frozen=True, slots=True)
class KsyValue:
    """A named value in a type: the ``text`` that reads it there, and of an item of a list what ``item`` adds to it.

    It is there if the condition holds; if it is ``unsure``, nothing tells afterwards. A ``lenient`` one can be bytes
    that are no value. ``given_as`` is the type of a parameter that it can be given for.
    """

    type: KsyType
    text: str
    given_as: str = ""
    item: str = ""
    enum: str | None = None
    struct: "KsyScope | None" = None
    there: Expr | None = None
    unsure: bool = False
    lenient: bool = False


@dataclass(eq=False, slots=True)
class KsyScope:
    """The names that the expressions of one struct, message or record see as their own, and its inputs."""

    top: KsyType
    names: dict[str, KsyValue] = field(default_factory=dict)
    inputs: dict[str, KsyValue] = field(default_factory=dict)
    sizes: dict[str, Expr] = field(default_factory=dict)
    """How many bytes fields and sections have."""
    offsets: dict[str, int] = field(default_factory=dict)
    """Where fields and sections begin in the record, if that is always the same place."""

    def place(self, nodes: Sequence[model.Node], at: int | None) -> None:
        """Tell where nodes are that begin ``at`` an offset."""
        for node in nodes:
            if at is None:
                return
            if isinstance(node, model.Named | model.Region):
                self.offsets[node.name] = at
            if isinstance(node, model.Section):
                self.place(node.nodes, at)
            space = model.space((node,))
            at = at + space.least if space.least == space.most else None


@dataclass(slots=True)
class KsyEnums:
    """The enums by their names in the spec: what they and their values are called in the file.

    Fields whose names are in ``plain`` are numbers, because expressions calculate with them.
    """

    names: Mapping[str, str]
    values: Mapping[str, Mapping[int, str]]
    plain: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class KsyContext:
    """What all types see: the record's header, the parameters, and the enums."""

    header: KsyScope
    parameters: Mapping[str, KsyValue]
    enums: KsyEnums
    is_whole: bool
    """Whether a stream has all bytes of a record."""


def usable(name: str, more: str = "value") -> str:
    """A name that parsers in all languages can have: one with ``more`` behind it if they use it themselves."""
    return f"{name}_{more}" if name in _RESERVED else name


def enclosed(text: str) -> str:
    """An expression that can be part of another one."""
    depth = 0
    for part in _PART.findall(text):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(part, 0)
        if part == " " and not depth:
            return f"({text})"
    return f"({text})" if text.startswith("-") else text


def documented(doc: model.Doc, *more: str) -> KsyKeys:
    """The keys that document something."""
    sentences = (doc.title if not doc.comment else "", doc.comment, f"In {doc.unit}" if doc.unit else "", *more)
    texts = [each if each[-1] in ".!?:" else f"{each}." for each in sentences if each]
    found: KsyKeys = {"doc": " ".join(texts)} if texts else {}
    if doc.source is not None:
        said = (doc.source.document, doc.source.section, doc.source.revision)
        found["doc-ref"] = ", ".join(each for each in said if each)
    return found
