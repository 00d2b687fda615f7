"""A parameter is true or false, a whole number, or text with choices; its default is one of them.

Parameters are facts that are not in the bytes: readers give them as options beside their own, so they cannot be called
as those. A misspelt choice would be taken for none. ``column: true`` records the value in force in each row, so that
encoding finds it there.

Bad::

    parameters:
      - {name: dialect, type: text, choices: [old, new], default: newest}

Good::

    parameters:
      - {name: dialect, type: text, choices: [old, new], default: new}
"""

from collections.abc import Iterator

from wireloom_generator.model import Parameter, Resolved
from wireloom_generator.problems import Problem, closest
from wireloom_generator.types import spelled

_OPTIONS = frozenset({
    "buffer", "columns", "data", "labels", "max_record_bytes", "maxrecordbytes", "message", "messages", "mode",
    "obj", "path", "positions", "self",
})  # fmt: skip
"""The names of readers' options and of arguments in the Python API."""


def check(spec: Resolved) -> Iterator[Problem]:
    """Parameters that a reader could not give."""
    for parameter in spec.protocol.parameters:
        if parameter.name.lower() in _OPTIONS:
            what = f"{parameter.name!r} is an option of every reader"
            yield Problem(parameter.where("name"), "parameters", what, "call the parameter something else")
        if parameter.type == "text":
            yield from _text(parameter)
        elif parameter.type == "bool":
            yield from _bool(parameter)
        elif parameter.bounds is not None:
            yield from _number(parameter, *parameter.bounds)
        else:
            what, at = f"a parameter is bool, text or an integer, not {parameter.type}", parameter.where("type")
            yield Problem(at, "parameters", what)


def _number(parameter: Parameter, least: int, most: int) -> Iterator[Problem]:
    if parameter.choices:
        hint = "write type: text to have choices"
        yield Problem(parameter.where("choices"), "parameters", "a number has no choices", hint)
    if not parameter.can_be(parameter.default):
        what = f"the default {spelled(parameter.default)} is no number from {least} to {most}"
        yield Problem(parameter.where("default"), "parameters", what)


def _text(parameter: Parameter) -> Iterator[Problem]:
    if not parameter.choices:
        yield Problem(parameter.at, "parameters", "a text parameter needs choices", "list the values it can have")
    elif parameter.default not in parameter.choices:
        at, what = parameter.where("default"), f"the default {spelled(parameter.default)} is none of the choices"
        yield Problem(at, "parameters", what, closest(str(parameter.default), parameter.choices))
    if len(set(parameter.choices)) < len(parameter.choices):
        yield Problem(parameter.where("choices"), "parameters", "a choice is given twice")


def _bool(parameter: Parameter) -> Iterator[Problem]:
    if parameter.choices:
        hint = "write type: text to have choices"
        yield Problem(parameter.where("choices"), "parameters", "the choices of a bool are true and false", hint)
    if not isinstance(parameter.default, bool):
        what = f"the default {spelled(parameter.default)} is neither true nor false"
        yield Problem(parameter.where("default"), "parameters", what)
