"""An expression gives what its place asks for, and compares and computes with what fits.

A size is a number, a condition is true or false. Numbers are not conditions: one output of a spec would take 2 for
true, another would not. Text equals text, bytes equal bytes, a number equals a number. Lists and structs cannot be in
an expression, but ``size``, ``count`` and ``present`` of them can. A divisor is above 0 whatever a record has, such as
``max(unit, 1)``, and a shift from 0 to 255, such as a small field, some bits of a field, or ``min`` of what is never
negative and a number, since a hostile record could otherwise divide by zero or shift by billions.

Bad::

    - {name: extra, type: u32, when: flags & 0x02}
    - {name: body, type: bytes, size: total // unit}

Good::

    - {name: extra, type: u32, when: flags & 0x02 != 0}
    - {name: body, type: bytes, size: total // 4}
"""

from collections.abc import Iterable, Iterator
from typing import assert_never

from wireloom_generator import expressions
from wireloom_generator.analysis.scopes import Seen, Visit
from wireloom_generator.analysis.sites import Site, sites
from wireloom_generator.expressions import Binary, Expr, Name, Value, key
from wireloom_generator.expressions.domain import Domain
from wireloom_generator.expressions.kinds import WIDE, Fault, Kind, Misfit, misfits
from wireloom_generator.expressions.spans import Ends, Span, span
from wireloom_generator.model import Named, Resolved
from wireloom_generator.problems import Problem
from wireloom_generator.types import Integer


def check(spec: Resolved) -> Iterator[Problem]:
    """Expressions of the wrong kind, and wrong kinds inside them."""
    for site in sites(spec):
        if (tree := site.tree) is None:
            continue
        if (whole := _whole(site, tree)) is None:
            for misfit in _causes(misfits(tree, site.kind, site.wants)):
                yield _problem(site, misfit.part, *_words(misfit, is_all=misfit.part is tree))
        elif site.wants is not whole:
            yield _problem(site, tree, f"{site.wants} expected, found {whole}", "")
        for part in expressions.walk(tree):
            if isinstance(part, Binary):
                yield from _bounded(site, part.operator, part.right)


def _causes(found: Iterable[Misfit]) -> Iterator[Misfit]:
    """The misfits that are no consequence of another: who computes with floats has a whole number in the end."""
    found = tuple(found)
    computes = any(_is_computed(misfit) for misfit in found)
    return (misfit for misfit in found if not (computes and misfit.other is Kind.FLOAT))


def _is_computed(misfit: Misfit) -> bool:
    return misfit.found is Kind.FLOAT and misfit.other is Kind.NUMBER


def _whole(site: Site, tree: Expr) -> Kind | None:
    """What kind of list or struct a type is given; None if it is something else."""
    found = site.kind(tree) if site.key == "with" and isinstance(tree, Name) else None
    return found if found in WIDE else None


_MOST_WRITTEN = 63
"""How far a shift by a written number can be."""
_MOST_OF_RECORD = 255
"""How far one by what is in a record can be: as far as a field of 8 bits says."""
_MEANT = (Kind.TIME, Kind.SPAN, Kind.SCALED)
"""What numbers stand for that cannot be asked for in its place."""


def _problem(site: Site, part: Expr, what: str, hint: str) -> Problem:
    names = expressions.names(part)
    return Problem(site.where(names[0].column if names else 0), "expression-type", what, hint)


def _words(misfit: Misfit, *, is_all: bool) -> tuple[str, str]:
    """What is wrong with a part, which may be all of the expression, and what to do."""
    found, other = misfit.found, misfit.other
    match misfit.fault:
        case Fault.UNWANTED:
            return _unwanted(found, other, is_all=is_all)
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


def _unwanted(found: Kind, wanted: Kind, *, is_all: bool) -> tuple[str, str]:
    hint, named = "", str(wanted)
    if wanted is Kind.NUMBER and found is Kind.FLOAT:
        named = "a whole number"
        hint = "floats are compared, not computed with; as: {decimal: {scale: 0.1}} scales a whole number"
        hint = "nothing rounds it" if is_all else hint
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
    found = span(right, _ends(site, right))
    if operator in ("//", "%") and not (isinstance(right, Value) and right.value) and not found.is_positive:
        hint = "a record could have 0 here; max(…, 1) is never 0"
        yield _problem(site, right, "the divisor must be a number other than 0", hint)
    elif operator in ("<<", ">>"):
        most = _MOST_OF_RECORD if expressions.names(right) else _MOST_WRITTEN
        if not found.is_natural or found.most is None or found.most > most:
            hint = "a record could have billions here; a field of 8 bits is enough, or min(…, 63)"
            yield _problem(site, right, "the shift must be a number up to 63 or a small field", hint)


def _ends(site: Site, tree: Expr) -> Ends:
    """What the names of an expression can be if they are integers. One that is unknown is another rule's concern."""
    names = {key(name): name for name in expressions.names(tree)}

    def ends(asked: str) -> Span:
        name = names.get(asked)
        if name is None or site.is_left(name) or site.is_index(name):
            return Span(0)  # sizes, offsets and counts are no names
        found = [_values(seen) for seen in site.values.get(asked, ())]
        known = [domain for domain in found if domain is not None]
        if len(known) < len(found):
            return Span()
        return Span(min((each.least for each in known), default=0), max((each.most for each in known), default=0))

    return ends


def _values(seen: Seen) -> Domain | None:
    type_ = seen.item.type if isinstance(seen, Visit) and isinstance(seen.item, Named) else None
    return type_.values if isinstance(type_, Integer) else None
