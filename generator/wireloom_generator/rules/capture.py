"""A capture's header tells itself where it ends, and in which byte order it is.

What stands once at the start of a capture is read before anything is known of the capture. So it ends where its fields
do, and each of them needs an end of its own. Where the protocol's byte order follows from its values, the fields that
tell it, and those in front of them, say their own. It is there for many records: one that is all there is has it among
its own fields. Its row is of the message ``capture``, so nothing else has that name.

Bad::

    byte_order: little if magic == 0xd4c3b2a1 else big
    capture:
      fields:
        - {name: magic, type: u32}
        - {name: comment, type: text, size: rest}

Good::

    byte_order: little if magic == 0xd4c3b2a1 else big
    capture:
      fields:
        - {name: magic, type: u32, byte_order: big}
        - {name: comment, type: text, prefix: u16}
"""

from collections.abc import Iterable, Iterator

from wireloom_generator import model
from wireloom_generator.analysis import heads
from wireloom_generator.model import Order, Resolved
from wireloom_generator.problems import Location, Problem


def check(spec: Resolved) -> Iterator[Problem]:
    """Headers of captures that cannot be read first, and other uses of their name."""
    if spec.capture is None:
        return
    hint = "nothing tells how long a capture is, so each field of its header needs an end of its own"
    for node in heads.endless(spec, list(_plain(spec.capture.nodes))):
        name = node.name if isinstance(node, model.Named | model.Region) else "this"
        yield Problem(node.at, "capture", f"{name!r} depends on where the capture ends", hint)
    parameter = spec.parameters.get(spec.byte_order)
    if spec.little is not None or (parameter is not None and "auto" in parameter.choices):
        for node in _turning(spec.capture.nodes):
            what = "the byte order is not known yet when this is read"
            yield Problem(node.at, "capture", what, "give it a byte_order of its own: big or little")
    for owner in (spec.record, *spec.messages):
        if isinstance(owner.end, model.Rest):
            what = "behind a header of its own no record is all there is"
            yield Problem(owner.where("length"), "capture", what, "put the fields of capture into the record")
    for at in _called_so(spec):
        what = f"{spec.capture.name!r} is the message of the capture's header"
        yield Problem(at, "capture", what, "call it something else")


def _plain(nodes: Iterable[model.Node]) -> Iterator[model.Node]:
    """The nodes, and those in a byte order in its place."""
    for node in nodes:
        yield from (node.nodes if isinstance(node, model.Ordered) else (node,))


def _turning(nodes: tuple[model.Node, ...]) -> Iterator[model.Field | model.Bits]:
    """Numbers that have the protocol's byte order, but for those behind what tells it."""
    for node in nodes:
        if isinstance(node, model.Field | model.Bits):
            wires = [node.wire, *([node.wire.extent.length] if isinstance(node.wire.extent, model.Prefix) else [])]
            if any(wire.order is Order.PARAMETER for wire in wires):
                yield node
        elif not isinstance(node, model.Ordered):
            yield from _turning(model.children(node))


def _called_so(spec: Resolved) -> Iterator[Location]:
    assert spec.capture is not None
    name = spec.capture.name
    yield from (each.where("message") for each in spec.messages if each.name == name)
    yield from (each.where("name") for each in spec.protocol.parameters if each.name == name)
    for nodes in (spec.capture.nodes, spec.record.nodes):
        named = (node for node in model.walk(nodes) if isinstance(node, model.Named | model.Region))
        yield from (node.at for node in named if node.name == name)
