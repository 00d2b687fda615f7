"""The locations of a spec's elements, by dotted path."""

from collections.abc import Iterable, Iterator, Mapping

from wireloom_generator import model
from wireloom_generator.problems import Location

Locations = Mapping[str, Location]


def index(spec: model.Resolved) -> Locations:
    """Every element's location. A field in a variant is also found under its message."""
    found: dict[str, Location] = {}
    for path, location in _places(spec, spec.protocol.name):
        found.setdefault(path, location)
    return found


def nearest(places: Locations, path: str) -> Location:
    """The location of an element, or of the closest one around it."""
    while path not in places and "." in path:
        path = path.rpartition(".")[0]
    return places[path]


def _places(spec: model.Resolved, name: str) -> Iterator[tuple[str, Location]]:
    yield name, spec.protocol.where("protocol")
    yield f"{name}.record", spec.record.at
    for shared in spec.shared:
        for item in (*shared.parameters, *shared.named):
            yield f"{name}.{item.name}", item.where("name")
        for numbers in shared.numbers:
            yield from ((f"{name}.{numbers.name}.{value.name}", value.where("name")) for value in numbers.values)
        for table in shared.tables:
            yield from ((f"{name}.{table.name}.{field.name}", field.where("name")) for field in table.fields)
        for struct in shared.structs:
            yield from _nodes(f"{name}.{struct.name}", struct.nodes)
    for message in spec.messages:
        yield from _message(f"{name}.{message.name}", message)
    yield from _nodes(name, spec.record.nodes)


def _message(path: str, message: model.Message) -> Iterator[tuple[str, Location]]:
    yield path, message.where("message")
    for nodes in message.sections.values():
        yield from _nodes(path, nodes)
    for variant in message.variants:
        yield f"{path}.{variant.name}", variant.where("name")
        for nodes in variant.sections.values():
            yield from _nodes(f"{path}.{variant.name}", nodes)
    yield from _nodes(path, message.nodes)


def _nodes(path: str, nodes: Iterable[model.Node]) -> Iterator[tuple[str, Location]]:
    for node in model.walk(nodes):
        if isinstance(node, model.Named):
            yield f"{path}.{node.name}", node.where("name")
        elif isinstance(node, model.Region):
            yield f"{path}.{node.name}", node.where("section")
