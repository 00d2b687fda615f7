"""Syntax → model for expressions: names are resolved, places kept."""

from dataclasses import replace

from wireloom_generator import model
from wireloom_generator.expressions import Expr, Value, orders, parsed
from wireloom_generator.model.names import Names
from wireloom_generator.problems import Location
from wireloom_generator.reading import syntax


def little(written: syntax.Expression, names: Names) -> model.Condition:
    """Whether a byte order that is an expression is little."""
    tree = parsed(names.with_numbers(written))
    found = None if tree is None else orders.little(tree)
    return _condition(found or Value(False), written, written.at, names)


def condition(written: syntax.Expression | None, names: Names) -> model.Condition | None:
    """An expression with its place and resolved names; None for None."""
    return None if written is None else expression(written, names)


def expression(written: syntax.Expression, names: Names) -> model.Condition:
    """An expression with resolved names; one that cannot be parsed has no value."""
    return of_text(written, written.at, names)


def of_text(text: str, at: Location, names: Names) -> model.Condition:
    """The same for a text at some place."""
    return _condition(parsed(names.with_numbers(text)) or Value(None), text, at, names)


def _condition(tree: Expr, text: str, at: Location, names: Names) -> model.Condition:
    return model.Condition(names.resolved(tree), " ".join(text.split()), names.with_numbers(text), at)


def through(
    written: syntax.Through | str | None, entry: syntax.Field | syntax.Section, names: Names
) -> model.Through | None:
    """The transform; None for None."""
    at = entry.where("through")
    if written is None:
        return None
    if isinstance(written, str):
        return model.Through("", _named(written, at, names), entry.limit, entry.raw, at=at)
    keys = {"xor": written.xor, "rol": written.rol, "zeros": written.zeros}
    given = tuple(key for key, text in {**keys, "unescape": written.unescape}.items() if text is not None)
    way = given[0] if given else "xor"
    if written.unescape is not None and way == "unescape":
        found = _unescape(written.unescape, at, names)
        return replace(found, limit=entry.limit, raw=entry.raw, given=given, at=at)
    asked = expression(keys[way] or syntax.Expression("0", at), names)
    return model.Through(way, asked, entry.limit, entry.raw, given, at)


def _unescape(written: syntax.Escapes | str, at: Location, names: Names) -> model.Through:
    """The transform of escaped bytes."""
    if isinstance(written, str):
        return model.Through("unescape", _named(written, at, names), None, None)
    table = escapes(written)
    return model.Through("unescape", of_text(repr(table.text), at, names), None, None, table=table)


def escapes(written: syntax.Escapes) -> model.Escapes:
    """The escapes of a table."""
    return model.Escapes(written.escape, tuple(written.codes.items()), written=written)


def _named(text: str, at: Location, names: Names) -> model.Condition:
    """An expression that gives names of transforms."""
    tree = parsed(names.with_numbers(text))
    return _condition(Value(None) if tree is None else orders.named(tree), text, at, names)
