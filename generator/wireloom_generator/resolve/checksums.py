"""Syntax → model for checksums: their algorithms are looked up, their ranges resolved."""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.model.names import Names
from wireloom_generator.problems import Location
from wireloom_generator.reading import syntax
from wireloom_generator.reading.catalogue import ALGORITHMS, CrcParameters
from wireloom_generator.resolve import conditions


def of(written: syntax.Checksum | None, names: Names) -> model.Checksum | None:
    """A checksum with its ranges resolved."""
    if written is None:
        return None
    parts: tuple[syntax.Checksum | syntax.Summand, ...] = (written, *written.over)
    over = tuple(piece for part in parts if (piece := _piece(part, names)) is not None)
    named, kind, title = written.algorithm, None, ""
    if isinstance(named, str):
        known = ALGORITHMS.get(named)
        kind, title = (known.kind, known.title) if known else (None, named)
    else:
        kind = CrcParameters(named.width, named.poly, named.init, named.reflect_in, named.reflect_out, named.xor_out)
        named = title = kind.words
    return model.Checksum(named, title, kind, over, tuple(_faults(written)), written=written)


def _piece(written: syntax.Checksum | syntax.Summand, names: Names) -> model.ByteRange | bytes | None:
    """A range or a constant; None if it is neither."""
    if written.start is not None and written.end is not None:
        start = conditions.expression(written.start, written.where("from"), names)
        return model.ByteRange(start, conditions.expression(written.end, written.where("to"), names))
    return written.const if isinstance(written, syntax.Summand) else None


def _faults(written: syntax.Checksum) -> Iterator[tuple[Location, str, str]]:
    """What is wrong with what it is over: the place, the problem, a hint."""
    ends = [each is not None for each in (written.start, written.end)]
    if any(ends) if written.over else not all(ends):
        what = "a checksum is over one range, from and to, or over several pieces"
        yield written.at, what, "write from and to, or over: [{from: …, to: …}, …]"
        return
    for piece in written.over:
        given = [each is not None for each in (piece.start, piece.end, piece.const)]
        if given not in ([True, True, False], [False, False, True]) or piece.const == b"":
            yield piece.at, "a piece is a range, from and to, or the bytes of a const", ""
    if written.over and all(piece.const for piece in written.over):
        yield written.where("over"), "a checksum is over bytes of the record", "one of constants alone is a const"
    if len(written.over) == 1 and not written.over[0].const:
        yield written.where("over"), "over has one range alone", "write from and to without over"
