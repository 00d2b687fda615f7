"""Syntax → model for expressions: names are resolved, places kept."""

from wireloom_generator import model
from wireloom_generator.expressions import Value, orders, parsed
from wireloom_generator.model.names import Names
from wireloom_generator.problems import Location
from wireloom_generator.reading import syntax


def little(text: str, at: Location, names: Names) -> model.Condition:
    """Whether a byte order that is an expression is little."""
    raw = names.with_numbers(text)
    tree = parsed(raw)
    found = None if tree is None else orders.little(tree)
    return model.Condition(names.resolved(found or Value(False)), " ".join(text.split()), raw, at)


def condition(text: str | None, at: Location, names: Names) -> model.Condition | None:
    """An expression with its place and resolved names; None for None."""
    return None if text is None else expression(text, at, names)


def expression(text: str, at: Location, names: Names) -> model.Condition:
    """An expression with resolved names; one that cannot be parsed has no value."""
    raw = names.with_numbers(text)
    return model.Condition(names.resolved(parsed(raw) or Value(None)), " ".join(text.split()), raw, at)


def through(
    written: syntax.Through | str | None, entry: syntax.Field | syntax.Section, names: Names
) -> model.Through | None:
    """What bytes go through; None for None."""
    at = entry.where("through")
    if written is None:
        return None
    if isinstance(written, str):
        raw = names.with_numbers(written)
        tree = parsed(raw)
        named = Value(None) if tree is None else orders.named(tree)
        asked = model.Condition(names.resolved(named), " ".join(written.split()), raw, at)
        return model.Through("", asked, entry.limit, entry.raw, at=at)
    keys = {"xor": written.xor, "rol": written.rol, "zeros": written.zeros}
    given = tuple(key for key, text in keys.items() if text is not None)
    way = given[0] if given else "xor"
    asked = expression(keys[way] or "0", written.where(way) if given else at, names)
    return model.Through(way, asked, entry.limit, entry.raw, given, at)
