"""Which numbers stand at a fixed offset in every record, so that they can be read before the record is."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from wireloom_generator import syntax
from wireloom_generator.scopes import expand, fixed_number, slots
from wireloom_generator.sites import constant
from wireloom_generator.spec import Spec
from wireloom_generator.wiretypes import Bytes, Integer, Text, parse


@dataclass
class Layout:
    """Fixed offsets in bytes from the record's start: of numbers by name, and of the sections that messages fill."""

    numbers: dict[str, tuple[int, syntax.Field]] = field(default_factory=dict)
    slots: dict[str, int] = field(default_factory=dict)


def of_record(spec: Spec) -> Layout:
    """The layout of the record's own fields."""
    layout = Layout()
    _lay(spec, spec.protocol.record.fields, 0, layout, top=True)
    return layout


def of_message(spec: Spec, message: syntax.Message) -> Layout:
    """The layout of a message: the record's, and what all variants of the message share."""
    layout = of_record(spec)
    for slot in slots(spec):
        if slot.section in layout.slots:
            _lay(spec, message.sections.get(slot.section, ()), layout.slots[slot.section], layout)
    return layout


def _lay(
    spec: Spec, entries: Iterable[syntax.Entry], at: int | None, layout: Layout, *, top: bool = False
) -> int | None:
    """Note what stands at a fixed offset from ``at`` on; the offset behind the entries, None if it varies."""
    for entry, _ in expand(spec, entries):
        size: int | None
        match entry:
            case syntax.Field():
                if at is not None and fixed_number(entry) is not None:
                    layout.numbers[entry.name] = (at, entry)
                size = _size(entry)
            case syntax.Section(section=name, fields=()) if top:
                if at is not None:
                    layout.slots[name] = at
                size = None
            case syntax.Section(fields=inner):
                _lay(spec, inner, at, layout)
                size = constant(entry.size)
            case syntax.Choice():
                size = _choice(spec, entry, at)
            case syntax.Bits(bits=bits):
                wire = parse(bits)
                size = wire.bits // 8 if isinstance(wire, Integer) else None
            case syntax.Pad(pad=size):
                pass
            case syntax.Align(align=align):
                size = -at % align if at is not None and align > 0 else None
            case syntax.Include():
                size = None
        at = None if at is None or size is None else at + size
    return at


def _size(entry: syntax.Field) -> int | None:
    if entry.compute is not None:
        return 0
    if entry.when is not None or entry.tail or entry.repeat is not None:
        return None
    if isinstance(parse(entry.type), Bytes | Text | None):
        return constant(entry.size or "")
    return fixed_number(entry)


def _choice(spec: Spec, choice: syntax.Choice, at: int | None) -> int | None:
    """The size that all alternatives have, if they have one and one of them is always taken."""
    if at is None or not choice.choice or choice.choice[-1].when is not None:
        return None
    ends = {_lay(spec, alternative.fields, at, Layout()) for alternative in choice.choice}
    end = ends.pop()
    return end - at if end is not None and not ends else None
