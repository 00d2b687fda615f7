"""Where the elements of a spec stand, by their dotted paths."""

from collections.abc import Iterable, Iterator, Mapping

from wireloom_generator.problems import Location
from wireloom_generator.reading import syntax
from wireloom_generator.reading.spec import Spec

Places = Mapping[str, Location]


def index(spec: Spec) -> Places:
    """Every element's place. A message's field is found under the message too, whatever variant it is in."""
    found: dict[str, Location] = {}
    for path, location in _places(spec):
        found.setdefault(path, location)
    return found


def nearest(places: Places, path: str) -> Location:
    """The place of an element, or of the nearest around it that has one."""
    while path not in places and "." in path:
        path = path.rpartition(".")[0]
    return places[path]


def _places(spec: Spec) -> Iterator[tuple[str, Location]]:
    name, protocol = spec.protocol.protocol, spec.protocol
    yield name, protocol.where("protocol")
    yield f"{name}.record", protocol.record.at
    for parameter in protocol.parameters:
        yield f"{name}.{parameter.name}", parameter.where("name")
    for shared in spec.shared:
        for enum in shared.enums:
            yield f"{name}.{enum.name}", enum.where("name")
            yield from ((f"{name}.{enum.name}.{value.name}", value.where("name")) for value in enum.values)
        for flags in shared.flags:
            yield f"{name}.{flags.name}", flags.where("name")
            yield from ((f"{name}.{flags.name}.{flag.name}", flag.where("name")) for flag in flags.values)
        for table in shared.tables:
            yield f"{name}.{table.name}", table.where("name")
            yield from ((f"{name}.{table.name}.{field.name}", field.where("name")) for field in table.fields)
        for type_ in shared.types:
            yield f"{name}.{type_.name}", type_.where("name")
            yield from _entries(spec, f"{name}.{type_.name}", type_.fields)
    for message in spec.messages:
        yield from _message(spec, f"{name}.{message.message}", message)
    yield from _entries(spec, name, protocol.record.fields)


def _message(spec: Spec, path: str, message: syntax.Message) -> Iterator[tuple[str, Location]]:
    yield path, message.where("message")
    for entries in message.sections.values():
        yield from _entries(spec, path, entries)
    for variant in message.variants:
        yield f"{path}.{variant.name}", variant.where("name")
        for entries in variant.sections.values():
            yield from _entries(spec, f"{path}.{variant.name}", entries)
    for variant in message.variants:
        for entries in variant.sections.values():
            yield from _entries(spec, path, entries)


def _entries(spec: Spec, path: str, entries: Iterable[syntax.Entry]) -> Iterator[tuple[str, Location]]:
    for entry in spec.entries(entries):
        match entry:
            case syntax.Field():
                yield f"{path}.{entry.name}", entry.where("name")
            case syntax.Bits(fields=fields):
                yield from ((f"{path}.{field.name}", field.where("name")) for field in fields)
            case syntax.Section():
                yield f"{path}.{entry.section}", entry.where("section")
        for inner in syntax.children(entry):
            yield from _entries(spec, path, inner)
