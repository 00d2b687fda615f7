"""A byte order is big, little, or the parameter that gives it.

Read in the wrong order, 1 is 16777216 and nothing looks damaged, so there is no default. The parameter is a text whose
choices are big and little, and auto if records can prove which one is theirs. A field may differ from the rest, if it
has more than a byte.

Bad::

    byte_order: network

Good::

    byte_order: big
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.analysis.scopes import fields
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem, closest
from wireloom_generator.reading.vocabulary import ORDERS


def check(spec: Resolved) -> Iterator[Problem]:
    """Byte orders that do not exist."""
    parameter = spec.parameters.get(spec.byte_order)
    if parameter is not None:
        yield from _parameter(parameter)
    elif spec.byte_order not in ORDERS:
        what, hint = f"unknown byte order {spec.byte_order!r}", closest(spec.byte_order, (*ORDERS, *spec.parameters))
        yield Problem(spec.protocol.where("byte_order"), "byte-order", what, hint)
    for field in fields(spec):
        if isinstance(field, model.Field) and field.gives("byte_order"):
            yield from _field(field)


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
    at, unknown = field.where("byte_order"), field.stray.get("byte_order")
    if unknown is not None:
        yield Problem(at, "byte-order", f"unknown byte order {unknown!r}", closest(unknown, ORDERS))
    elif not field.type.has_order:
        what, hint = f"{field.type.word} has no byte order", "integers and floats of several bytes have"
        yield Problem(at, "byte-order", what, hint)
