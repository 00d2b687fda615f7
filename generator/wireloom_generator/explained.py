"""Which messages the columnar decoder reads many at once, and what of the others it leaves to the codec, and why.

This is the one place that says so: ``wireloom check --explain`` and the generated pages tell it in the same words.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import assert_never

from wireloom_generator import model
from wireloom_generator.expressions import Value, linear
from wireloom_generator.python_code.vectorised import Parts, strange
from wireloom_generator.types import Struct


@dataclass(frozen=True, slots=True)
class Reading:
    """How a message is read: ``left`` are the fields and sections in it that only the codec reads, each with why."""

    message: str
    left: tuple[tuple[str, str], ...]


def readings(protocol: model.Protocol) -> tuple[Reading, ...]:
    """How each message is read."""
    odd = strange(protocol.columns)
    types: dict[str, Parts] = {}
    for shared in protocol.types:
        types[shared.name] = Parts(odd)
        types[shared.name].nodes(shared.nodes)
    found = []
    for message in protocol.messages:
        parts = Parts(odd)
        parts.nodes(protocol.record)
        for nodes in message.sections.values():
            parts.nodes(nodes)
        parts.variants(message)
        tuple(parts.judged(valid=message.valid, otherwise=message.otherwise))
        found.append(Reading(message.name, tuple(_left(parts, types))))
    return tuple(found)


def _left(parts: Parts, types: dict[str, Parts]) -> dict[tuple[str, str], None]:
    """What is left to the codec in some parts and in the types that they refer to."""
    left = dict(parts.rowwise)
    waiting, known = list(parts.types), set(parts.types)
    while waiting:
        inner = types[waiting.pop(0)]
        left |= inner.rowwise
        waiting += [name for name in inner.types if name not in known]
        known |= inner.types.keys()
    return left


def _varying(protocol: model.Protocol) -> dict[str, None]:
    """The lists whose items may each have another size, so that each tells only where the next one stands."""
    types = {shared.name: shared for shared in protocol.types}
    nodes = (node for nodes in protocol.layouts for node in model.walk(nodes))
    lists = (node for node in nodes if isinstance(node, model.Field) and node.repeat is not None)
    return {node.name: None for node in lists if node.repeat and (node.repeat.until or not _alike(node.wire, types))}


def _alike(wire: model.Wire, types: Mapping[str, model.Type]) -> bool:
    """Whether all values in one record have the same size."""
    if isinstance(wire.type, Struct) and wire.extent is None:
        return all(_is_fixed(node, types) for node in types[wire.type.name].nodes)
    return wire.fixed is not None or isinstance(wire.extent, model.Size)


def _is_fixed(node: model.Node, types: Mapping[str, model.Type]) -> bool:
    """Whether a node has the same size wherever it stands."""
    match node:
        case model.Field(wire=wire, repeat=repeat):
            once = repeat is None or (repeat.count is not None and isinstance(repeat.count.expression, Value))
            is_struct = isinstance(wire.type, Struct) and wire.extent is None
            return once and (_alike(wire, types) if is_struct else wire.fixed is not None)
        case model.Section(extent=extent):
            return isinstance(extent, model.Size) and extent.fixed is not None
        case model.Bits() | model.Computed():
            return True
        case model.Padding(align=align):
            return align == 1
        case model.Slot() | model.When() | model.Choice() | model.Tail():
            return False
        case _:
            assert_never(node)


def sentences(
    protocol: model.Protocol, name: Callable[[str], str] = str, words: Callable[[str], str] = str
) -> Iterator[str]:
    """How the messages are read; ``name`` and ``words`` write names and reasons as a page has to have them."""
    apart = [reading for reading in readings(protocol) if reading.left]
    for reading in apart:
        left = "; ".join(f"{name(place)} ({words(why)})" for place, why in reading.left)
        yield f"{name(reading.message)} is read record by record where it has {left}."
    if len(apart) < len(protocol.messages):
        yield f"{'The other messages' if apart else 'All messages'} are read many records at once."
    varying = [name(place) for place in _varying(protocol)]
    if varying:
        yield f"The items of {' and of '.join(varying)} differ in size; long lists of them are read one by one if rare."
    if any(linear(lengths.length.expression) is None for lengths in protocol.lengths):
        yield "Records are found one by one, as their length is no sum of numbers."
