"""The values that a name can have, and the few that represent all of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import nan

from wireloom_generator.expressions import Expr, Literal
from wireloom_generator.expressions.evaluation import Result
from wireloom_generator.expressions.kinds import Kind


@dataclass(frozen=True, slots=True)
class Domain:
    """The values of a name: one of ``listed`` or any of the ``kind``; whole numbers are from ``least`` to ``most``.

    It has a value only if ``when`` holds; an ``optional`` one may lack it in any case. If it has one, ``valid`` holds.
    If it ``is_wider`` than the name's true values, it can be used for proofs, but not for examples.
    """

    least: int = -(1 << 64)
    most: int = 1 << 64
    listed: tuple[Literal | bytes, ...] = ()
    kind: Kind = Kind.NUMBER
    optional: bool = False
    when: Expr | None = None
    valid: Expr | None = None
    is_wider: bool = False


TRUTH = Domain(listed=(False, True), kind=Kind.CONDITION)


def something(kind: Kind) -> Domain:
    """The domain of values about which expressions can only ask the size and whether they are absent."""
    return Domain(listed=(True,), kind=kind)


def may_be(domain: Domain, value: Literal | bytes) -> bool:
    """Whether the domain has the value."""
    if domain.listed:
        return value in domain.listed
    if domain.kind is Kind.TEXT:
        return isinstance(value, str)
    if domain.kind is Kind.BYTES:
        return isinstance(value, bytes)
    return isinstance(value, int) and domain.least <= value <= domain.most


def within(domain: Domain, critical: Sequence[Result]) -> Sequence[Result]:
    """The critical whole numbers that the domain has, and its ends."""
    near = {point for point in critical if isinstance(point, int) and domain.least <= point <= domain.most}
    return sorted({domain.least, domain.most, *near, *({0} if domain.least <= 0 <= domain.most else ())})


def between(critical: Sequence[Result]) -> Sequence[Result]:
    """Numbers at and between the critical ones, and none at all."""
    turns = sorted({Fraction(point) for point in critical if isinstance(point, int | Fraction)}) or [Fraction(0)]
    middles = [(one + two) / 2 for one, two in pairwise(turns)]
    return [*turns, *middles, turns[0] - 1, turns[-1] + 1, nan]


def submasks(bits: int) -> Sequence[int]:
    """All numbers that have only these bits."""
    found, part = [0], bits
    while part:
        found.append(part)
        part = (part - 1) & bits
    return sorted(found)
