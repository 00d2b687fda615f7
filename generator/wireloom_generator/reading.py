"""Which messages the columnar decoder reads many at once, and what of the others it leaves to the codec, and why.

This is the one place that says so: ``wireloom check --explain`` and the generated pages tell it in the same words.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from wireloom_generator import ir
from wireloom_generator.vector_expressions import Vectors, linear
from wireloom_generator.vectorised import Parts


@dataclass(frozen=True, slots=True)
class Reading:
    """How a message is read: ``left`` are the fields and sections in it that only the codec reads, each with why."""

    message: str
    left: tuple[tuple[str, str], ...]


def readings(protocol: ir.Protocol) -> tuple[Reading, ...]:
    """How each message is read."""
    vectors = Vectors.of(protocol.columns)
    types: dict[str, Parts] = {}
    for shared in protocol.types:
        types[shared.name] = Parts(vectors)
        types[shared.name].nodes(shared.nodes)
    found = []
    for message in protocol.messages:
        parts = Parts(vectors)
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


def sentences(
    protocol: ir.Protocol, name: Callable[[str], str] = str, words: Callable[[str], str] = str
) -> Iterator[str]:
    """How the messages are read; ``name`` and ``words`` write names and reasons as a page has to have them."""
    apart = [reading for reading in readings(protocol) if reading.left]
    for reading in apart:
        left = "; ".join(f"{name(place)} ({words(why)})" for place, why in reading.left)
        yield f"{name(reading.message)} is read record by record where it has {left}."
    if len(apart) < len(protocol.messages):
        yield f"{'The other messages' if apart else 'All messages'} are read many records at once."
    if any(linear(lengths.length.expression) is None for lengths in protocol.lengths):
        yield "Records are found one by one, as their length is no sum of numbers."
