"""A byte order is big, little, or the parameter that tells it.

Read in the wrong order, 1 is 16777216 and nothing looks damaged, so no order is taken for granted. The parameter is a
text whose choices are big and little, and auto if records can prove which one is theirs. A field may differ from the
rest, if it has more than a byte.

Bad::

    byte_order: network

Good::

    byte_order: big
"""

from collections.abc import Iterator

from wireloom_generator.analysis.scopes import fields
from wireloom_generator.problems import Problem, closest
from wireloom_generator.reading import syntax
from wireloom_generator.reading.spec import Spec
from wireloom_generator.types import parse

_ORDERS = ("big", "little")


def check(spec: Spec) -> Iterator[Problem]:
    """Byte orders that are none."""
    protocol = spec.protocol
    parameter = spec.parameters.get(protocol.byte_order)
    if parameter is not None:
        yield from _parameter(parameter)
    elif protocol.byte_order not in _ORDERS:
        hint = closest(protocol.byte_order, (*_ORDERS, *spec.parameters))
        yield Problem(protocol.where("byte_order"), "byte-order", f"unknown byte order {protocol.byte_order!r}", hint)
    for field in fields(spec):
        if isinstance(field, syntax.Field) and field.byte_order is not None and field.compute is None:
            yield from _field(field)


def _parameter(parameter: syntax.Parameter) -> Iterator[Problem]:
    if parameter.type != "text" or not set(_ORDERS) <= set(parameter.choices):
        what = f"{parameter.name!r} cannot tell the byte order"
        yield Problem(parameter.at, "byte-order", what, "it needs type: text and the choices big and little")
    else:
        for choice in parameter.choices:
            if choice not in (*_ORDERS, "auto"):
                what = f"{choice!r} is no byte order"
                yield Problem(parameter.where("choices"), "byte-order", what, "big, little and auto are")


def _field(field: syntax.Field) -> Iterator[Problem]:
    at, wire = field.where("byte_order"), parse(field.type)
    if field.byte_order not in _ORDERS:
        yield Problem(
            at, "byte-order", f"unknown byte order {field.byte_order!r}", closest(field.byte_order or "", _ORDERS)
        )
    elif wire is None or not wire.has_order:
        yield Problem(at, "byte-order", f"{field.type} has no byte order", "integers and floats of several bytes have")
