"""XML of strangers → elements with their places in the file.

There is no document type in it, so no entities but those of XML itself: nothing is fetched, and nothing grows.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from wireloom_generator.problems import Location, SourceError

_MOST_ELEMENTS = 250_000
_DEEPEST = 64
_SEPARATOR = " "
"""Between a namespace and a name; no name contains it."""


@dataclass(slots=True)
class Element:
    """An element, by its name without the namespace."""

    name: str
    attributes: Mapping[str, str]
    at: Location
    children: list["Element"] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Its own text in one line."""
        return " ".join("".join(self.pieces).split())

    def all(self, *names: str) -> Iterator["Element"]:
        """The elements of these names in it, in the order of the file."""
        return (child for child in self.children if child.name in names)

    def first(self, name: str) -> "Element | None":
        return next(self.all(name), None)

    def get(self, attribute: str) -> str:
        """The value of an attribute without blanks around it; empty if there is none."""
        return self.attributes.get(attribute, "").strip()

    def needed(self, attribute: str) -> str:
        """The value of an attribute that must be there. Raises ``SourceError``."""
        if not self.get(attribute):
            raise SourceError(self.at, f"<{self.name}> has no {attribute}")
        return self.get(attribute)


def parsed(path: Path, text: str) -> Element:
    """The outermost element of a file. Raises ``SourceError``."""
    return _Builder(path).built(text)


class _Builder:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.open: list[Element] = []
        self.outermost: Element | None = None
        self.count = 0
        self.parser = expat.ParserCreate(namespace_separator=_SEPARATOR)
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self.refuse
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters

    def built(self, text: str) -> Element:
        try:
            self.parser.Parse(text, True)
        except expat.ExpatError as error:
            at = Location(self.path, error.lineno, error.offset + 1)
            raise SourceError(at, f"not XML: {expat.ErrorString(error.code)}") from None
        except UnicodeEncodeError:
            raise SourceError(Location(self.path, 1, 1), "not XML: half a character") from None
        assert self.outermost is not None, "expat refuses a text without an element"
        return self.outermost

    def refuse(self, name: str, system: str | None, public: str | None, has_subset: bool) -> None:
        raise SourceError(self.here(), "a document type, which may declare entities, is not read", "remove the DOCTYPE")

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        self.count += 1
        if self.count > _MOST_ELEMENTS:
            raise SourceError(self.here(), f"more than {_MOST_ELEMENTS} elements")
        if len(self.open) == _DEEPEST:
            raise SourceError(self.here(), f"elements are nested more than {_DEEPEST} deep")
        own = {key.rpartition(_SEPARATOR)[2]: value for key, value in attributes.items()}
        element = Element(name.rpartition(_SEPARATOR)[2], own, self.here())
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.outermost = element
        self.open.append(element)

    def end(self, name: str) -> None:
        self.open.pop()

    def characters(self, data: str) -> None:
        self.open[-1].pieces.append(data)

    def here(self) -> Location:
        return Location(self.path, self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1)
