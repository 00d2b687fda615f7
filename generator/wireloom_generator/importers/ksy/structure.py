"""A ``.ksy`` file as it is written: types with their fields, instances and enums, and where they are."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from wireloom_generator.importers import SourceError, Sources
from wireloom_generator.problems import Location
from wireloom_generator.reading import source
from wireloom_generator.reading.source import YamlList, YamlMapping, YamlNode, YamlScalar
from wireloom_generator.spec_text import Hex

_MOST_DEEP = 32
"""The most types that are declared inside each other."""


@dataclass(eq=False, slots=True)
class Attribute:
    """An entry of ``seq``, an instance or a parameter."""

    id: str
    at: Location
    keys: dict[str, YamlNode]

    def text(self, key: str) -> str | None:
        """The text of a key with a single value."""
        found = self.keys.get(key)
        if found is None or isinstance(found, YamlScalar):
            return found.text if found is not None else None
        raise SourceError(found.at, f"{key} must be a single value")

    def says(self, key: str) -> bool:
        return self.text(key) == "true"

    @property
    def doc(self) -> str:
        return doc_of(self.keys)


@dataclass(eq=False, slots=True)
class EnumValue:
    name: str
    number: int
    doc: str


@dataclass(eq=False, slots=True)
class Enum:
    name: str
    at: Location
    values: list[EnumValue]


@dataclass(eq=False, slots=True)
class Type:
    """A type, or the whole of a file."""

    name: str
    at: Location
    outer: "Type | None"
    meta: dict[str, YamlNode]
    doc: str
    params: list[Attribute] = field(default_factory=list)
    seq: list[Attribute] = field(default_factory=list)
    instances: list[Attribute] = field(default_factory=list)
    types: dict[str, "Type"] = field(default_factory=dict)
    enums: dict[str, Enum] = field(default_factory=dict)
    imports: "list[Type]" = field(default_factory=list)
    is_item: bool = False
    """Whether it was made for the items of a list; then the names in it are those of the type around it."""

    @property
    def file(self) -> "Type":
        """The type of the whole file."""
        found = self
        while found.outer is not None:
            found = found.outer
        return found

    @property
    def outwards(self) -> "Iterator[Type]":
        """This type and those around it, from the inside out."""
        found: Type | None = self
        while found is not None:
            yield found
            found = found.outer

    @property
    def all(self) -> "Iterator[Type]":
        """This type and those in it, in the order of the file."""
        yield self
        for inner in self.types.values():
            yield from inner.all

    def known_files(self) -> "list[Type]":
        """This file and those that it imports, themselves or by others."""
        found = [self]
        for each in found:
            found += [more for more in each.imports if more not in found]
        return found

    def own(self, name: str) -> Attribute | None:
        """The field, instance or parameter of that name."""
        return next((each for each in (*self.seq, *self.instances, *self.params) if each.id == name), None)

    def type_of(self, path: Sequence[str]) -> "Type | None":
        """The type that a path names here."""
        for scope in self.outwards:
            found: Type | None = scope.types.get(path[0])
            if found is None and scope.outer is None:
                found = next((each for each in scope.known_files() if each.name == path[0]), None)
            for name in path[1:]:
                found = found.types.get(name) if found is not None else None
            if found is not None:
                return found
        return None

    def enum_of(self, path: Sequence[str]) -> Enum | None:
        """The enum that a path names here."""
        if len(path) > 1:
            around = self.type_of(path[:-1])
            return around.enums.get(path[-1]) if around is not None else None
        return next((scope.enums[path[0]] for scope in self.outwards if path[0] in scope.enums), None)


def doc_of(keys: dict[str, YamlNode]) -> str:
    """The documentation of something, in one paragraph, with the references of it."""
    found = keys.get("doc")
    text = " ".join(found.text.split()) if isinstance(found, YamlScalar) else ""
    references = keys.get("doc-ref")
    listed = references.items if isinstance(references, YamlList) else [references] if references is not None else []
    said = "; ".join(" ".join(each.text.split()).rstrip(".") for each in listed if isinstance(each, YamlScalar))
    if not said:
        return text
    return f"{text}{'' if not text or text[-1] in '.!?:' else '.'} See {said}.".strip()


class Files:
    """Reads files, each once, with what they import."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.known: dict[Path, Type] = {}

    def read(self, path: Path, by: Location | None = None) -> Type:
        """The type of a file. Raises ``SourceError``."""
        key = path.resolve()
        if key not in self.known:
            document, problems = source.document(self.sources.text(path, by), path, begin="a .ksy file has keys")
            for problem in problems if document is None else ():
                raise SourceError(problem.location, problem.what, problem.hint)
            assert document is not None
            keys = _keys(document)
            meta = _mapping(keys, "meta")
            name = meta.get("id")
            if not isinstance(name, YamlScalar):
                raise SourceError(document.at, "meta has no id")
            made = self.known[key] = _type(name, document, None)
            imports = meta.get("imports")
            if imports is not None and not isinstance(imports, YamlList):
                raise SourceError(imports.at, "imports must be a list")
            for each in imports.items if imports is not None else ():
                if isinstance(each, YamlScalar):
                    made.imports.append(self.read(_imported(path, each), each.at))
        return self.known[key]


def _imported(path: Path, name: YamlScalar) -> Path:
    """The file that is imported: beside the importing one or, if the path is absolute, below a folder around it."""
    if not re.fullmatch(r"/?[\w.-]+(/[\w.-]+)*", name.text):
        raise SourceError(name.at, f"{name.text!r} cannot be imported")
    if not name.text.startswith("/"):
        return path.parent / f"{name.text}.ksy"
    inner = f"{name.text[1:]}.ksy"
    around = path.resolve().parents
    return next((folder / inner for folder in around if (folder / inner).is_file()), path.parent / inner)


def _keys(node: YamlNode) -> dict[str, YamlNode]:
    if not isinstance(node, YamlMapping):
        raise SourceError(node.at, "a mapping expected")
    return {key.text: value for key, value in node.entries}


def _mapping(keys: dict[str, YamlNode], key: str) -> dict[str, YamlNode]:
    found = keys.get(key)
    return {} if found is None or _is_null(found) else _keys(found)


def _named(keys: dict[str, YamlNode], key: str) -> Sequence[tuple[YamlScalar, YamlNode]]:
    """The entries of a mapping, with the places of their names."""
    found = keys.get(key)
    if found is None or _is_null(found):
        return ()
    _keys(found)
    assert isinstance(found, YamlMapping)
    return found.entries


def _list(keys: dict[str, YamlNode], key: str) -> Sequence[YamlNode]:
    found = keys.get(key)
    if found is None or _is_null(found):
        return ()
    if not isinstance(found, YamlList):
        raise SourceError(found.at, f"{key} must be a list")
    return found.items


def _is_null(node: YamlNode) -> bool:
    return isinstance(node, YamlScalar) and node.kind == "null"


def _type(name: YamlScalar, node: YamlNode, outer: Type | None) -> Type:
    keys = {} if _is_null(node) else _keys(node)
    made = Type(name.text, name.at, outer, _mapping(keys, "meta"), doc_of(keys))
    if len(list(made.outwards)) > _MOST_DEEP:
        raise SourceError(node.at, f"more than {_MOST_DEEP} types inside each other")
    for part, listed in (("params", made.params), ("seq", made.seq)):
        for number, each in enumerate(_list(keys, part)):
            found = _keys(each)
            named = found.get("id")
            given = named.text if isinstance(named, YamlScalar) else f"unnamed_{number}"
            listed.append(Attribute(given, each.at, found))
    for key, each in _named(keys, "instances"):
        made.instances.append(Attribute(key.text, key.at, {} if _is_null(each) else _keys(each)))
    for key, each in _named(keys, "enums"):
        made.enums[key.text] = Enum(key.text, key.at, list(_values(each)))
    for key, each in _named(keys, "types"):
        made.types[key.text] = _type(key, each, made)
    return made


def _values(node: YamlNode) -> Iterator[EnumValue]:
    for key, each in node.entries if isinstance(node, YamlMapping) else ():
        try:
            number = int(key.text.replace("_", ""), 0)
        except ValueError:
            raise SourceError(key.at, f"{key.text!r} is not a number") from None
        keys = {} if isinstance(each, YamlScalar) else _keys(each)
        named = each if isinstance(each, YamlScalar) else keys.get("id")
        if not isinstance(named, YamlScalar):
            raise SourceError(each.at, "a value of an enum needs an id")
        yield EnumValue(named.text, Hex(number) if key.text.lower().startswith("0x") else number, doc_of(keys))
