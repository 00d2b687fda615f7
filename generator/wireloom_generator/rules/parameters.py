"""Rules about parameters, which are set by readers or captures."""

from collections.abc import Iterator

from wireloom_generator.analysis import captured_parameters
from wireloom_generator.analysis.selectors import faults
from wireloom_generator.model import FoundInCapture, Parameter, Resolved
from wireloom_generator.problems import Violation, closest
from wireloom_generator.types import spelled

_OPTIONS = frozenset({
    "buffer", "columns", "data", "labels", "max_record_bytes", "maxrecordbytes", "message", "messages", "mode",
    "obj", "path", "positions", "resync", "self",
})  # fmt: skip
"""The names of readers' options and of arguments in the Python API."""


def parameters(spec: Resolved) -> Iterator[Violation]:
    """Reports parameters that cannot be set."""
    for parameter in spec.protocol.parameters:
        if parameter.name.lower() in _OPTIONS:
            what = f"{parameter.name!r} is an option of every reader"
            yield Violation(parameter.where("name"), what, "rename the parameter")
        if parameter.type == "text":
            yield from _text(parameter)
        elif parameter.type == "bool":
            yield from _bool(parameter)
        elif parameter.bounds is not None:
            yield from _number(parameter, *parameter.bounds)
        else:
            what, at = f"a parameter is bool, text or an integer, not {parameter.type}", parameter.where("type")
            yield Violation(at, what)
        if parameter.found is not None:
            yield from _captured(spec, parameter, parameter.found)


def _captured(spec: Resolved, parameter: Parameter, found: FoundInCapture) -> Iterator[Violation]:
    """Reports mistakes in a parameter that is found in captures."""
    if parameter.type != "bool":
        yield Violation(parameter.where("found"), "only a bool can be found in captures")
    if parameter.column:
        yield Violation(parameter.where("column"), "a parameter that is found in captures cannot be a column")
    messages = [message.name for message in spec.messages]
    if found.message not in messages:
        what = f"there is no message {found.message!r}"
        yield Violation(found.where("message"), what, closest(found.message, messages))
        return
    if sum(place.startswith("has.") for place in found.written.places) != 1:
        yield Violation(found.where("has"), "has needs exactly one field, with its values")
        return
    own, at = captured_parameters.fields(spec, found.message), found.where(f"has.{found.field}")
    if (first := found.field.split(".")[0]) not in own:
        yield Violation(at, f"{found.message!r} has no field {first!r}", closest(first, own))
        return
    told = faults(spec, own, found.field, found.values, items=True)
    yield from (Violation(at, *fault) for fault in told)
    asking = captured_parameters.asking(spec, parameter)
    if found.message in asking:
        yield Violation(found.where("message"), f"{found.message!r} depends on the parameter itself")
    for condition in captured_parameters.framing(spec, parameter):
        what = f"{parameter.name!r} is found in records, so it cannot affect where they end"
        yield Violation(condition.at, what, "delete it from length and proof, or delete found:")
    for message in spec.messages:
        if parameter.name in message.match:
            what = f"{parameter.name!r} is found in records, so it cannot select messages"
            yield Violation(message.where(f"match.{parameter.name}"), what)


def _number(parameter: Parameter, least: int, most: int) -> Iterator[Violation]:
    if parameter.choices:
        yield Violation(parameter.where("choices"), "a number cannot have choices", "write type: text to have choices")
    if not parameter.can_be(parameter.default):
        what = f"the default {spelled(parameter.default)} is not a number from {least} to {most}"
        yield Violation(parameter.where("default"), what)


def _text(parameter: Parameter) -> Iterator[Violation]:
    if not parameter.choices:
        yield Violation(parameter.at, "a text parameter needs choices", "list its values")
    elif parameter.default not in parameter.choices:
        at, what = parameter.where("default"), f"the default {spelled(parameter.default)} is not one of the choices"
        yield Violation(at, what, closest(str(parameter.default), parameter.choices))
    if len(set(parameter.choices)) < len(parameter.choices):
        yield Violation(parameter.where("choices"), "a choice is listed twice")


def _bool(parameter: Parameter) -> Iterator[Violation]:
    if parameter.choices:
        hint = "write type: text to have choices"
        yield Violation(parameter.where("choices"), "the choices of a bool are true and false", hint)
    if not isinstance(parameter.default, bool):
        what = f"the default {spelled(parameter.default)} is neither true nor false"
        yield Violation(parameter.where("default"), what)
