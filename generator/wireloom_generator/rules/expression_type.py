"""An expression gives what its place asks for, and compares and computes with what fits.

A size is a number, a condition is true or false. Numbers are not conditions: one output of a spec would take 2 for
true, another would not. Text equals text, bytes equal bytes, a number equals a number. Lists and structs cannot be in
an expression, but ``size``, ``count`` and ``present`` of them can. A divisor is a number, or ``max`` of something and
a number above 0, and a shift a number, a small field, some bits of a field, or ``min`` of what is never negative and a
number, since a hostile record could otherwise divide by zero or shift by billions.

Bad::

    - {name: extra, type: u32, when: flags & 0x02}
    - {name: body, type: bytes, size: total // unit}

Good::

    - {name: extra, type: u32, when: flags & 0x02 != 0}
    - {name: body, type: bytes, size: total // 4}
"""

from collections.abc import Iterator
from typing import assert_never

from wireloom_generator import expressions
from wireloom_generator.analysis.scopes import Seen, Visit
from wireloom_generator.analysis.sites import Site, sites
from wireloom_generator.expressions import Binary, Call, Expr, Function, Name, Value
from wireloom_generator.expressions.kinds import WIDE, Fault, Kind, Misfit, misfits
from wireloom_generator.model import Named, Resolved
from wireloom_generator.problems import Problem
from wireloom_generator.types import Integer


def check(spec: Resolved) -> Iterator[Problem]:
    """Expressions of the wrong kind, and wrong kinds inside them."""
    for site in sites(spec):
        if (tree := site.tree) is None:
            continue
        for misfit in misfits(tree, site.kind, site.wants) if _whole(site, tree) is None else ():
            yield _problem(site, misfit.part, *_words(misfit))
        if (found := _whole(site, tree)) is not None and site.wants is not found:
            yield _problem(site, tree, f"{site.wants} expected, found {found}", "")
        for part in expressions.walk(tree):
            if isinstance(part, Binary):
                yield from _bounded(site, part.operator, part.right)


def _whole(site: Site, tree: Expr) -> Kind | None:
    """What kind of list or struct a type is given; None if it is something else."""
    found = site.kind(tree) if site.key == "with" and isinstance(tree, Name) else None
    return found if found in WIDE else None


_MEANT = (Kind.TIME, Kind.SPAN, Kind.SCALED)
"""What numbers stand for that cannot be asked for in its place."""


def _problem(site: Site, part: Expr, what: str, hint: str) -> Problem:
    names = expressions.names(part)
    return Problem(site.where(names[0].column if names else 0), "expression-type", what, hint)


def _words(misfit: Misfit) -> tuple[str, str]:
    """What is wrong with a part, and what to do."""
    found, other = misfit.found, misfit.other
    match misfit.fault:
        case Fault.UNWANTED:
            return _unwanted(found, other)
        case Fault.UNLIKE:
            return f"{found} is never {other}", _unlike({found, other})
        case Fault.UNORDERED:
            return f"{found} has no order", "compare it by == or !="
        case Fault.MIXED:
            return f"{other} or {found}, as the case may be", "both must be of one kind"
        case Fault.OPAQUE:
            (name,) = (name.name for name in expressions.names(misfit.part))
            if found in _MEANT:
                hint = f"give the number a field of its own, and compute {name} from it with as:"
                return f"{name!r} is {found}, which expressions cannot work with", hint
            asks = f"count({name})" if found is Kind.LIST else f"size({name})"
            return (
                f"{name!r} is {found}, which expressions cannot work with",
                f"they can ask for {asks} and present({name})",
            )
        case _:
            assert_never(misfit.fault)


def _unwanted(found: Kind, wanted: Kind) -> tuple[str, str]:
    hint, named = "", str(wanted)
    if wanted is Kind.NUMBER and found is Kind.FLOAT:
        named = "a whole number"
    elif wanted is Kind.FLOAT and found is Kind.NUMBER:
        hint = "it takes one as it is; a literal has a fraction, as in 1.0"
    elif wanted is Kind.CONDITION and found is Kind.NUMBER:
        hint = "compare it, as in … != 0"
    elif wanted is Kind.NUMBER and found is Kind.CONDITION:
        hint = "write 1 if … else 0"
    return f"{named} expected, found {found}", hint


def _unlike(kinds: set[Kind]) -> str:
    if kinds == {Kind.CONDITION, Kind.NUMBER}:
        return "write true or false"
    if kinds == {Kind.BYTES, Kind.TEXT}:
        return "bytes are written hex('0d0a')"
    return "numbers stand without quotes" if kinds == {Kind.TEXT, Kind.NUMBER} else ""


def _bounded(site: Site, operator: str, right: Expr) -> Iterator[Problem]:
    if operator in ("//", "%") and not (isinstance(right, Value) and right.value) and not _is_positive(right):
        hint = "a record could have 0 here; max(…, 1) is never 0"
        yield _problem(site, right, "the divisor must be a number other than 0", hint)
    elif operator in ("<<", ">>") and not _is_small(site, right):
        hint = "a record could have billions here; a field of 8 bits is enough, or min(…, 63)"
        yield _problem(site, right, "the shift must be a number up to 63 or a small field", hint)


def _is_positive(part: Expr) -> bool:
    """Whether a number is above 0 by what is written, whatever its names are."""
    match part:
        case Value(value=int() as value):
            return value > 0
        case Call(Function.MAX, arguments):
            return any(map(_is_positive, arguments))
        case _:
            return False


def _is_small(site: Site, part: Expr) -> bool:
    match part:
        case Value(value=int() as value):
            return 0 <= value <= 63
        case Name(name=name):
            return _bits(site, name) <= 8
        case Binary("&", left, right):
            return _is_small(site, left) or _is_small(site, right)
        case Binary("%", _, Value(value=int() as divisor)):
            return 0 < divisor <= 64
        case Binary(">>", shifted, _):
            return _is_small(site, shifted)
        case Call(Function.MIN, (limited, Value(value=int() as most))):
            return _is_never_negative(site, limited) and 0 <= most <= 63
        case _:
            return False


def _is_never_negative(site: Site, part: Expr) -> bool:
    match part:
        case Value(value=int() as value):
            return value >= 0
        case Name(name=name):
            return _bits(site, name) <= 64
        case Binary("&", left, right) | Call(Function.MAX, (left, right)):
            return _is_never_negative(site, left) or _is_never_negative(site, right)
        case Binary("+" | "*" | "|" | "^", left, right):
            return _is_never_negative(site, left) and _is_never_negative(site, right)
        case _:
            return False


def _bits(site: Site, name: str) -> int:
    """How many bits a name has that is never negative; more than 64 if that is unknown."""
    return max((_width(seen) for seen in site.values.get(name, ())), default=0)


def _width(seen: Seen) -> int:
    type_ = seen.item.type if isinstance(seen, Visit) and isinstance(seen.item, Named) else None
    return type_.bits if isinstance(type_, Integer) and not type_.signed else 65
