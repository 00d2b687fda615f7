"""What a field must be can stand where it does: in its size, in its encoding, and in front of every terminator.

A record, or a value, that ends with a terminator ends with the first one. So nothing in it has that terminator in its
bytes: no constant, no number that selects a message, no zeros between fields. Otherwise each record would end there,
and none could be read or written. In the same way a value of three bytes does not fit a size of two, a value that is
filled up does not end as padding does, and a length of one byte is for at most 255.

Where a flag stands on both sides of each frame, what is between them ends with the second one, and the first is a field
in front of that.

Bad::

    record:
      until: "7e"
      fields:
        - {name: start, type: u8, const: 0x7e}
        - {name: kind, type: u8}

Good::

    types:
      - {name: Frame, fields: [{name: kind, type: u8}, {name: data, type: bytes, size: rest}]}
    record:
      length: fields
      fields:
        - {name: start, type: u8, const: 0x7e}
        - {name: frame, type: Frame, until: "7e"}
        - {section: body, size: rest}
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from wireloom_generator import model
from wireloom_generator.analysis import required_bytes
from wireloom_generator.analysis.required_bytes import Filling, OnlyValues
from wireloom_generator.analysis.scopes import head, nodes
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem, counted
from wireloom_generator.types import Bytes, Integer, Struct, Text

_FLAG = "a flag on both sides of a frame is a field in front, and until: of a struct behind it"
_ENDS = "it ends with the first one, so nothing in it has it"


def check(spec: Resolved) -> Iterator[Problem]:
    """Values that fields must have, and that their bytes cannot say."""
    for node in nodes(spec):
        if isinstance(node, model.Field):
            found = required_bytes.value(node, {})
            if found is not None:
                key = "valid" if node.const is None else "const"
                yield from (Problem(node.where(key), "possible-bytes", *fault) for fault in _faults(node, found))
            yield from _struct(spec, node)
    header = {visit.name: visit.item for visit in head(spec).visits if isinstance(visit.item, model.Field)}
    for message in spec.messages:
        for name, selectors in message.match.items():
            field = header.get(name)
            faults = [[*_faults(field, each)] for each in selectors if isinstance(each, str | bytes)] if field else []
            if faults and len(faults) == len(selectors) and all(faults):
                yield Problem(message.where(f"match.{name}"), "possible-bytes", *faults[0][0])
    yield from _record(spec)


def _record(spec: Resolved) -> Iterator[Problem]:
    """What would end records that end at a terminator."""
    end = spec.record.end
    if not isinstance(end, model.Terminator) or not end.value:
        return
    found = list(_within(spec.record.nodes, {}, {}, end.value, "the record"))
    yield from found
    for message in spec.messages if not found else ():
        selected = {name: each[0] for name, each in message.match.items() if len(each) == 1}
        told: dict[Problem, None] = {}
        for sections in _layouts(spec, message):
            told |= dict.fromkeys(_within(spec.record.nodes, sections, selected, end.value, "the record"))
        for problem in told:
            is_own = problem.location.path == message.at.path
            yield replace(problem, location=problem.location if is_own else message.where("match"))


def _layouts(spec: Resolved, message: model.Message) -> Iterator[Filling]:
    """What a message puts into sections, with each of its variants."""
    slots = [slot.name for slot in spec.record.slots]
    for variant in message.variants or (message,):
        more = variant.sections if isinstance(variant, model.Variant) else {}
        yield {name: (*message.sections.get(name, ()), *more.get(name, ())) for name in slots}


def _struct(spec: Resolved, field: model.Field) -> Iterator[Problem]:
    """What would end a struct that ends at a terminator."""
    extent = field.wire.extent.until if isinstance(field.wire.extent, model.Size) else field.wire.extent
    if not isinstance(extent, model.Terminator) or not isinstance(field.type, Struct) or not extent.value:
        return
    struct = spec.structs.get(field.type.name)
    if struct is not None and extent.terminator == "drop":
        yield from _within(struct.nodes, {}, {}, extent.value, repr(field.name))


def _within(
    inside: Iterable[model.Node],
    sections: Filling,
    match: OnlyValues,
    terminator: bytes,
    ends: str,
) -> Iterator[Problem]:
    """The first node whose bytes have the terminator of what it is in."""
    inside = tuple(inside)
    for run in required_bytes.runs(inside, sections, match):
        node = run.first(terminator)
        if node is not None:
            name = repr(node.name) if isinstance(node, model.Named | model.Region) else "padding"
            is_const = isinstance(node, model.Field) and node.const is not None
            is_flag = is_const and node is inside[0] and run.octets.startswith(terminator)
            at = node.where("const" if is_const else "valid")
            what = f"the bytes of {name} have the terminator of {ends} in them, {terminator.hex()}"
            yield Problem(at, "possible-bytes", what, _FLAG if is_flag else _ENDS)
            return


def _faults(field: model.Field, found: object) -> Iterator[tuple[str, str]]:
    """Why the bytes of a field cannot say a value of text or bytes, and a hint."""
    if not isinstance(found, str | bytes) or field.through is not None or field.raw is not None:
        return
    if isinstance(field.type, Bytes) and field.const is not None and isinstance(field.wire.extent, model.Size):
        return  # another rule tells of those
    known = required_bytes.octets(field, found)
    shown = repr(found) if isinstance(found, str) else found.hex()
    if known is None:
        if isinstance(field.type, Text) and isinstance(found, str) and field.const is None:
            yield f"{shown} cannot be written in {field.type.encoding}", ""
        return
    size = counted(len(known), "byte")
    match field.wire.extent:
        case model.Size(fixed=int() as room, pad=None) if len(known) != room and field.const is None:
            yield f"{shown} is {size}, and {field.name!r} has {room}", ""
        case model.Size(fixed=int() as room, pad=bytes()) if len(known) > room:
            yield f"{shown} is {size}, and there is room for {room}", ""
        case model.Size(pad=bytes() as pad, until=None) if pad and known.endswith(pad):
            yield f"{shown} ends as the padding of {field.name!r} does, which is cut off", ""
        case model.Size(until=model.Terminator() as end) if _cuts(end, known):
            yield f"{shown} has the terminator of {field.name!r} in it, {end.value.hex()}", _ENDS
        case model.Terminator() as end if _cuts(end, known):
            yield f"{shown} has the terminator of {field.name!r} in it, {end.value.hex()}", _ENDS
        case model.Prefix(length=model.Wire(type=Integer(bits=bits))) if len(known) >> bits:
            yield f"{shown} is {size}, more than a length of {counted(bits // 8, 'byte')} can say", ""


def _cuts(end: model.Terminator, known: bytes) -> bool:
    """Whether a value of these bytes would end inside."""
    places = range(0, len(known) - len(end.value) + 1, end.unit) if end.value else range(0)
    inner = next((at for at in places if known[at:].startswith(end.value)), None)
    return inner is not None and not (end.terminator == "keep" and inner + len(end.value) == len(known))
