"""A byte order is big, little, or what gives it: a parameter, or what was read before.

Read in the wrong order, 1 is 16777216 and nothing looks damaged, so there is no default. The parameter is a text whose
choices are big and little, and auto if records can prove which one is theirs. A field may differ from the rest, if it
has more than a byte, and so may a section or a type, with all that is in it. Their order may follow from values: it is
big or little in every case. Where a type is included, it is not, as then nothing is left of the type but its fields.

Bad::

    - {name: number, type: u32, byte_order: mark == 0x4949}

Good::

    - {name: number, type: u32, byte_order: little if mark == 0x4949 else big}
"""

from collections.abc import Iterable, Iterator

from wireloom_generator import model
from wireloom_generator.analysis.scopes import fields, nodes
from wireloom_generator.expressions import Name, orders
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Location, Problem, closest
from wireloom_generator.reading import other_tools
from wireloom_generator.reading.vocabulary import ORDERS
from wireloom_generator.types import Struct, WireType


def check(spec: Resolved) -> Iterator[Problem]:
    """Byte orders that do not exist."""
    parameter = spec.parameters.get(spec.byte_order)
    if parameter is not None:
        yield from _parameter(parameter)
    elif spec.little is not None:
        yield from _said(spec.little)
    elif spec.byte_order not in ORDERS:
        yield _unknown(spec.byte_order, spec.protocol.where("byte_order"), spec.parameters)
    for field in fields(spec):
        if isinstance(field, model.Field) and field.gives("byte_order"):
            yield from _field(field)
    for node in nodes(spec):
        if isinstance(node, model.Bits) and node.gives("byte_order") and not node.wire.type.has_order:
            yield _none(node.wire.type, node.where("byte_order"))
    said = dict.fromkeys(node.little for node in nodes(spec) if isinstance(node, model.Ordered))
    for little in said:
        yield from _said(little)
    yield from _included(spec)


def _parameter(parameter: model.Parameter) -> Iterator[Problem]:
    if parameter.type != "text" or not set(ORDERS) <= set(parameter.choices):
        what = f"{parameter.name!r} cannot tell the byte order"
        yield Problem(parameter.at, "byte-order", what, "it needs type: text and the choices big and little")
    else:
        for choice in parameter.choices:
            if choice not in (*ORDERS, "auto"):
                what = f"{choice!r} is no byte order"
                yield Problem(parameter.where("choices"), "byte-order", what, "big, little and auto are")


def _field(field: model.Field) -> Iterator[Problem]:
    prefix = field.wire.extent.length if isinstance(field.wire.extent, model.Prefix) else None
    has_order = field.type.has_order or isinstance(field.type, Struct) or (prefix is not None and prefix.type.has_order)
    if not has_order:
        yield _none(field.type, field.where("byte_order"))


def _none(type_: WireType, at: Location) -> Problem:
    hint = "integers and floats of several bytes have"
    return Problem(at, "byte-order", f"{type_.word} has no byte order", hint)


def _said(little: model.Condition) -> Iterator[Problem]:
    """An order that follows from values, as it is written."""
    for outcome in orders.outcomes(little.tree) if little.is_written and little.tree is not None else ():
        match outcome:
            case Name(name=name, column=column):
                if name not in ORDERS:
                    yield _unknown(name, little.where(column))
            case _ if other_tools.order_hint(little.raw):
                yield _unknown(little.raw, little.at)
            case _:
                what, hint = "a byte order is big or little", "as in little if mark == 1 else big"
                yield Problem(little.at, "byte-order", what, hint)


def _unknown(word: str, at: Location, parameters: Iterable[str] = ()) -> Problem:
    hint = other_tools.order_hint(word) or closest(word, (*ORDERS, *parameters))
    return Problem(at, "byte-order", f"unknown byte order {word!r}", hint)


def _included(spec: Resolved) -> Iterator[Problem]:
    """Types with an order whose fields are put into other lists, where it would not be theirs."""
    for each in spec.included:
        struct = spec.structs.get(each.name)
        if struct is not None and struct.gives("byte_order"):
            what = f"{each.name} is included, and its byte order is not"
            hint = "make it the type of a field, or a section"
            yield Problem(struct.where("byte_order"), "byte-order", what, hint)
