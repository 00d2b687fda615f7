"""Types and sizes in the words of the spec language, for findings."""

from wireloom_generator import model
from wireloom_generator.model import matching
from wireloom_generator.reading.vocabulary import TERMINATORS
from wireloom_generator.types.signs import Sign


def selector(value: model.Selector) -> str:
    """What selects a message."""
    match value:
        case bool() | str() | bytes() | float():
            return matching.shown(value)
        case int():
            return f"{value:#x}"
        case model.Between(least=least, most=most):
            return f"{least:#x} to {most:#x}"


def extent(kind: model.Extent | None) -> str:
    """The extent of a value."""
    match kind:
        case None:
            return "its own size"
        case model.Rest():
            return "the rest"
        case model.Size(condition=model.Condition(text=text), pad=bytes() as pad, until=until):
            ended = "" if until is None else f" {extent(until)},"
            return f"size `{text}`,{ended} pad {pad.hex()}"
        case model.Size(condition=model.Condition(text=text)):
            return f"size `{text}`"
        case model.Prefix(length=length):
            counted = f" of {kind.counts}" if kind.in_characters else ""
            return f"prefix {length.type}{counted}"
        case model.Terminator(text=text, terminator=kept, unterminated=missing):
            kept = "" if kept == TERMINATORS[0] else f" ({kept})"
            return f"until {text}{kept}{', unterminated allowed' if missing else ''}"


def items(count: int | None) -> str:
    """How often some bits repeat."""
    return "one value" if count is None else f"a list of `{count}`"


def sign(kind: Sign | None) -> str:
    """How bits represent a number."""
    return "unsigned" if kind is None else str(kind)


def repeat(kind: model.Repeat | None) -> str:
    """How often a value repeats."""
    match kind:
        case None:
            return "one value"
        case model.Repeat(count=model.Condition(text=text)):
            return f"a list of `{text}`"
        case model.Repeat(until=model.Condition(text=text)):
            return f"a list until `{text}`"
        case model.Repeat():
            return "a list to the end of its section"
