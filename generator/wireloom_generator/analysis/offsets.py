"""What is known of a record before it is read: which numbers stand at a fixed offset, and what those tell."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from wireloom_generator import expressions, types
from wireloom_generator.analysis.scopes import expand, fixed_number, slots
from wireloom_generator.analysis.sites import constant
from wireloom_generator.expressions import Binary, Call, Expr, Name, Value, parsed
from wireloom_generator.reading import syntax
from wireloom_generator.reading.spec import Spec
from wireloom_generator.types import Bytes, Integer, Text, parse


@dataclass(frozen=True)
class At:
    """An offset from the record's start: bytes, and the sizes that the numbers in front of it tell."""

    bytes: int = 0
    told: tuple[Expr, ...] = ()

    def behind(self, size: "At") -> "At":
        """The offset behind something."""
        return At(self.bytes + size.bytes, (*self.told, *size.told))

    @property
    def expression(self) -> Expr:
        """The offset as one expression."""
        found: Expr | None = Value(self.bytes) if self.bytes or not self.told else None
        for size in self.told:
            found = size if found is None else Binary("+", found, size)
        assert found is not None
        return found


@dataclass
class Layout:
    """Offsets in bytes from the record's start: of ``numbers`` by name the fixed ones; of fields and sections the
    ``places`` that fixed numbers tell, and so their ``sizes``; of the ``slots`` that messages fill."""

    parameters: frozenset[str]
    numbers: dict[str, tuple[int, syntax.Field]] = field(default_factory=dict)
    places: dict[str, At] = field(default_factory=dict)
    sizes: dict[str, At] = field(default_factory=dict)
    fields: dict[str, syntax.Field] = field(default_factory=dict)
    slots: dict[str, At] = field(default_factory=dict)

    def note(self, name: str, at: At | None, size: At | None) -> None:
        """Remember where something stands and how large it is, as far as that is known."""
        if at is not None:
            self.places[name] = at
        if size is not None:
            self.sizes[name] = size

    def told(self, text: str) -> At | None:
        """The size that an expression over numbers in front of it says."""
        if (fixed := constant(text)) is not None:
            return At(fixed)
        tree = parsed(text) if text != "rest" else None
        if tree is None or expressions.measured(tree):
            return None
        known = self.numbers.keys() | self.parameters
        return At(0, (tree,)) if all(name.name in known for name in expressions.names(tree)) else None

    def settled(self, expression: Expr, length: Expr | None) -> Expr:
        """The expression with the sizes and offsets that are known as what they are; ``length`` is the record's."""
        match expression:
            case Call("size", (Name(name="record"),)) if length is not None:
                return length
            case Call("size", (Name(name=name),)) if name in self.sizes:
                return self.sizes[name].expression
            case Call("offset", (Name(name=name),)) if name in self.places:
                return self.places[name].expression
        return expressions.rebuild(expression, lambda part: self.settled(part, length))


def of_record(spec: Spec) -> Layout:
    """The layout of the record's own fields."""
    layout = Layout(frozenset(spec.parameters))
    _lay(spec, spec.protocol.record.fields, At(), layout, top=True)
    return layout


def of_message(spec: Spec, message: syntax.Message) -> Layout:
    """The layout of a message: the record's, and what all variants of the message share."""
    layout = of_record(spec)
    for slot in slots(spec):
        if slot.section in layout.slots:
            _lay(spec, message.sections.get(slot.section, ()), layout.slots[slot.section], layout)
    return layout


def _lay(spec: Spec, entries: Iterable[syntax.Entry], at: At | None, layout: Layout, *, top: bool = False) -> At | None:
    """Note what stands at a known offset from ``at`` on; the offset behind the entries, None if it is not known."""
    for entry, _ in expand(spec, entries):
        size: At | None
        match entry:
            case syntax.Field():
                size = _size(entry, layout)
                if at is not None and not at.told and fixed_number(entry) is not None:
                    layout.numbers[entry.name] = (at.bytes, entry)
                layout.fields[entry.name] = entry
                layout.note(entry.name, at, size)
            case syntax.Section(section=name, fields=inner):
                size = layout.told(entry.size)
                layout.note(name, at, size)
                if top and not inner and at is not None:
                    layout.slots[name] = at
                _lay(spec, inner, at, layout)
            case syntax.Choice():
                size = _choice(spec, entry, at, layout)
            case syntax.Bits(bits=bits):
                wire = parse(bits)
                size = At(wire.bits // 8) if isinstance(wire, Integer) else None
            case syntax.Pad(pad=count):
                size = At(count)
            case syntax.Align(align=align):
                size = At(-at.bytes % align) if at is not None and not at.told and align > 0 else None
            case syntax.Include():
                size = None
        at = None if at is None or size is None else at.behind(size)
    return at


def _size(entry: syntax.Field, layout: Layout) -> At | None:
    if entry.compute is not None:
        return At()
    if entry.when is not None or entry.tail or entry.repeat is not None:
        return None
    found = types.of(entry)
    if isinstance(found, Bytes | Text | None):
        return layout.told(entry.size or "")
    return At(found.size.least) if found.size.least == found.size.most else None


def _choice(spec: Spec, choice: syntax.Choice, at: At | None, layout: Layout) -> At | None:
    """The size that all alternatives have, if they have one and one of them is always taken."""
    if at is None or not choice.choice or choice.choice[-1].when is not None:
        return None
    ends = {_lay(spec, alternative.fields, at, Layout(layout.parameters)) for alternative in choice.choice}
    end = ends.pop()
    return At(end.bytes - at.bytes) if end is not None and not ends and end.told == at.told else None
