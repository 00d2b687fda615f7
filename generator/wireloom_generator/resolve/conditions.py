"""Syntax → model for expressions, and for checksums, whose range is two of them: names are resolved, places kept."""

from wireloom_generator import model
from wireloom_generator.expressions import Value, orders, parsed
from wireloom_generator.model.names import Names
from wireloom_generator.problems import Location
from wireloom_generator.reading import syntax
from wireloom_generator.reading.catalogue import ALGORITHMS, CrcParameters


def little(text: str, at: Location, names: Names) -> model.Condition:
    """Whether a byte order that is an expression is little."""
    tree = parsed(text)
    found = None if tree is None else orders.little(tree)
    return model.Condition(names.resolved(found or Value(False)), " ".join(text.split()), text, at)


def condition(text: str | None, at: Location, names: Names) -> model.Condition | None:
    """An expression with its place and resolved names; None for None."""
    return None if text is None else expression(text, at, names)


def expression(text: str, at: Location, names: Names) -> model.Condition:
    """An expression with resolved names; one that cannot be parsed has no value."""
    tree = parsed(text)
    return model.Condition(names.resolved(tree or Value(None)), " ".join(text.split()), text, at)


def checksum(written: syntax.Checksum | None, names: Names) -> model.Checksum | None:
    """A checksum with its range resolved."""
    if written is None:
        return None
    start = expression(written.start, written.where("from"), names)
    end = expression(written.end, written.where("to"), names)
    named, kind, title = written.algorithm, None, ""
    if isinstance(named, str):
        known = ALGORITHMS.get(named)
        kind, title = (known.kind, known.title) if known else (None, named)
    else:
        kind = CrcParameters(named.width, named.poly, named.init, named.reflect_in, named.reflect_out, named.xor_out)
        named = title = kind.words
    return model.Checksum(named, title, kind, start, end, written=written)
