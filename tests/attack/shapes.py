"""What a row must come back as once it was built and read: what becomes of the columns of a protocol."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

from wireloom.codec import (
    Bits,
    Choice,
    Elsewhere,
    Field,
    Layout,
    Nested,
    Optional,
    Ordered,
    Packed,
    Protocol,
    Repeat,
    Section,
    Unpack,
    When,
    With,
)
from wireloom.codec.computed import Computed
from wireloom.codec.envelopes import KeptRecord
from wireloom.codec.flatbuffers import Encoded
from wireloom.codec.layout import Lone
from wireloom.codec.meanings import Meaning
from wireloom.codec.runs import Run

Row = dict[str, Any]


@dataclass(frozen=True)
class Kind:
    """What may become of a column: ``follows`` from the rest whatever is given; ``fills`` itself if nothing is;
    is the label of another column; is a struct, or a list of such; is beside values that do not determine it; is a
    number with such parts; is what a number or bytes stand for."""

    follows: bool = False
    fills: bool = False
    label_of: str | None = None
    inner: "Shape | None" = None
    raw: bool = False
    parts: tuple[str, ...] = ()
    meaning: Meaning | None = None

    @property
    def spared(self) -> bool:
        """Whether it can be left out."""
        return self.follows or self.fills or self.label_of is not None


Shape = dict[str, Kind]


@dataclass(frozen=True)
class Shapes:
    """The kinds of a protocol's columns."""

    whole: Shape

    @classmethod
    def of(cls, protocol: Protocol) -> "Shapes":
        found = _SHAPES.get(protocol)
        if found is None:
            found = _SHAPES[protocol] = cls(_whole(protocol))
        return found


_SHAPES: WeakKeyDictionary[Protocol, Shapes] = WeakKeyDictionary()


def _whole(protocol: Protocol) -> Shape:
    record = protocol.record
    whole: Shape = {"message": Kind(fills=True)}
    whole |= {parameter.name: Kind(fills=True) for parameter in protocol.parameters if parameter.column}
    for layout in (record.head, *(part for part in record.tail if isinstance(part, Layout))):
        _add(whole, _shape(layout.steps))
    for message in protocol.messages.values():
        inner: Shape = {"variant": Kind(fills=True)} if message.variants else {}
        for sections in (message.sections, *(variant.sections for variant in message.variants)):
            for layout in sections.values():
                _add(inner, _shape(layout.steps))
        inner |= {name: Kind() for name in message.trailing.values() if name}
        for path in message.match:
            _selects(whole, path)
        whole[message.name] = Kind(inner=inner)
    return whole


def _selects(shape: Shape, path: str) -> None:
    """What selects the message is filled in, be it in a struct; a parameter that no row has is not."""
    name, _, inner = path.partition(".")
    kind = shape.get(name)
    if kind is not None:
        shape[name] = replace(kind, fills=True)
        if inner and kind.inner is not None:
            _selects(kind.inner, inner)


def _add(shape: Shape, more: Shape) -> None:
    """Columns that two layouts share follow or fill where either says so."""
    for name, kind in more.items():
        known = shape.get(name, kind)
        shape[name] = replace(kind, follows=known.follows or kind.follows, fills=known.fills or kind.fills)


def _shape(steps: Iterable[Any]) -> Shape:
    shape: Shape = {}
    for step in steps:
        match step:
            case Run():
                for name, field in step.fields:
                    _add(shape, _field(name, field))
                    if field.meaning is not None and field.raw is not None:
                        told = Kind(fills=True, meaning=_meaning(field))
                        _add(shape, {name: told, field.raw: Kind(raw=True, fills=True)})
            case Bits():
                if step.whole is not None:
                    follows = any(field.derived for _, field, _, _ in step.fields)
                    names = tuple(name for name, *_ in step.fields)
                    _add(shape, {step.name: Kind(follows=follows, fills=True, parts=names)})
                for name, field, _, _ in step.fields:
                    _add(shape, _field(name, field))
            case Lone():
                _add(shape, _field(step.name, step.field))
                if step.raw is not None or step.beside:
                    _add(shape, {step.field.raw or step.beside: Kind(raw=True, fills=True)})
            case Computed():
                _add(
                    shape, {**_field(step.name, step.field), step.name: Kind(fills=True, meaning=_meaning(step.field))}
                )
            case Encoded():
                fields = {field.name: Kind(fills=True) for field in step.encoding.table.fields}
                _add(shape, {step.name: Kind(inner=fields), step.encoding.raw: Kind(raw=True, fills=True)})
            case KeptRecord():
                _add(shape, {step.name: Kind(raw=True, fills=True)})
            case Section() | When() | Optional() | Ordered() | Unpack():
                _add(shape, _shape(step.content.steps))
                if isinstance(step, Section | Unpack) and step.trailing:
                    shape[step.trailing] = Kind()
                if isinstance(step, Unpack) and step.through.raw:
                    shape[step.through.raw] = Kind(raw=True, fills=True)
            case Elsewhere():
                inside = _shape(step.content.steps)
                _add(shape, _filled(inside) if step.shared else inside)
            case Choice():
                for option in step.alternatives:
                    _add(shape, _shape((option if isinstance(option, Layout) else option.content).steps))
            case _:
                pass
    return shape


def _filled(shape: Shape) -> Shape:
    """The shape of what is read from the bytes of others, whatever is given of it."""
    return {name: replace(kind, fills=True, inner=kind.inner and _filled(kind.inner)) for name, kind in shape.items()}


def _field(name: str, field: Field) -> Shape:
    inside, constant = field.subcon, type(field.subcon).__name__ == "Constant"
    repeated = isinstance(inside, Repeat)
    inside = inside.item if isinstance(inside, Repeat) else inside
    while isinstance(inside, Nested | With | Packed):
        inside = inside.value if isinstance(inside, Packed) else inside.layout
    inner = _shape(inside.steps) if isinstance(inside, Layout) else None
    fills = repeated or constant or field.const is not None or field.default is not None
    shape: Shape = {}
    if field.labels and (field.enum or field.flags):
        shape[f"{name}_name" if field.enum else f"{name}_flags"] = Kind(label_of=name)
    return {name: Kind(follows=field.derived, fills=fills, inner=inner, meaning=_meaning(field)), **shape}


def _meaning(field: Field) -> Meaning | None:
    """What the field, or each item of its list, stands for."""
    inside = field.subcon.item if isinstance(field.subcon, Repeat) else field.subcon
    found = field.meaning or getattr(inside, "meaning", None)
    return found if isinstance(found, Meaning) else None


def structs(values: Any, shape: Shape) -> Iterator[tuple[Row, Shape]]:
    """The structs of a row with their shapes, itself first."""
    yield values, shape
    for name, kind in shape.items():
        value = values.get(name)
        if kind.inner is not None:
            for item in value if isinstance(value, list) else [value]:
                if isinstance(item, dict):
                    yield from structs(item, kind.inner)
