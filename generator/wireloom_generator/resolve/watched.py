"""Lists of which somebody asks for items while they are read, or where these stand, and structs of which somebody asks
where their fields do.
"""

import re
from collections.abc import Callable, Iterator, Mapping

from wireloom_generator.expressions import OF_PLACES, Name, measured, parsed, walk
from wireloom_generator.problems import Location
from wireloom_generator.reading import syntax
from wireloom_generator.reading.spec import Spec

_SIGN = re.compile(r"\[|\b(?:first|last)\(|\b(?:size|offset)\([^()]*\.")


def watched(spec: Spec) -> frozenset[str]:
    """The names of these fields; others of these names count as well."""
    lists = (*spec.lists, *(struct.fields for struct in spec.structs.values()))
    entries = [entry for listed in lists for entry in syntax.walk(listed)]
    found = {name for entry in entries for text in _texts(entry) for name in _measured(text)}
    for message in spec.messages:
        conditions = (message.valid, message.otherwise, *((each.when, each.valid) for each in message.variants))
        found |= {name for text in _texts(conditions) for name in _measured(text)}
    own = (entry for entry in entries if isinstance(entry, syntax.Field) and entry.repeat is not None)
    return frozenset(found.union(entry.name for entry in own if any(map(_asks(entry.name), _texts(entry)))))


def _measured(text: str) -> Iterator[str]:
    """The lists and structs that the text leads into to ask where something in them is."""
    tree = parsed(text)
    for function, name in () if tree is None else measured(tree):
        if function in OF_PLACES and name.item is not None:
            yield from (*name.steps, *name.item.inner[:-1])
        elif function in OF_PLACES:
            yield from name.steps[:-1]


def _asks(name: str) -> Callable[[str], bool]:
    """Whether a text asks for items of that list."""

    def asks(text: str) -> bool:
        tree = parsed(text)
        parts = () if tree is None else walk(tree)
        return any(isinstance(part, Name) and part.item is not None and part.item.list == name for part in parts)

    return asks


def _texts(written: object) -> Iterator[str]:
    """The texts in something written that may be expressions about items, or what is inside of structs."""
    match written:
        case str():
            if _SIGN.search(written):
                yield written
        case None | int() | Location():
            pass
        case tuple():
            for value in written:
                yield from _texts(value)
        case Mapping():
            for value in written.values():
                yield from _texts(value)
        case _:
            for name in getattr(written, "__dataclass_fields__", ()):
                yield from _texts(getattr(written, name))
