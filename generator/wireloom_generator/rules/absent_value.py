"""An expression computes only with values that are there, or says what holds when they are not.

A field with ``when``, an optional one, and one of an alternative can be absent. A comparison with it is then false, but
there is no sum, size or count without it. That it is present may follow from other conditions at the place of the
expression, in any form: ``f > 127`` says as much as ``f >= 128``.

Bad::

    - {name: escape, type: u8, when: nibble == 15}
    - {name: data, type: bytes, size: nibble + escape}

Good::

    - {name: escape, type: u8, when: nibble == 15}
    - {name: data, type: bytes, size: 15 + escape if nibble == 15 else nibble}
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import assert_never

from wireloom_generator import expressions, model
from wireloom_generator.analysis import domains
from wireloom_generator.analysis.domains import TRUE
from wireloom_generator.analysis.scopes import Scope, Visit
from wireloom_generator.analysis.sites import Moment, Site, sites
from wireloom_generator.expressions import Binary, Call, Conditional, Expr, Function, Logical, Name, Unary, conditions
from wireloom_generator.expressions.conditions import Domains, both
from wireloom_generator.expressions.kinds import Kind
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem

Needed = Iterator[tuple[Name, Expr]]
"""Names without which something has no value, each with the condition that holds at its place."""


def check(spec: Resolved) -> Iterator[Problem]:
    """Values that a number needs although they may be absent."""
    known: dict[Scope, tuple[Domains, Domains]] = {}
    for site in sites(spec):
        tree = site.tree
        if tree is None or site.moment is Moment.FILLING:
            continue
        holds = _holds(site)
        needed = _asked(tree, holds) if site.key == "compute" else _needed(tree, holds)
        for name, here in needed if site.wants is Kind.NUMBER else _asked(tree, holds):
            if not all(isinstance(seen, Visit) for seen in site.values.get(name.name, (None,))):
                continue
            if site.scope not in known:
                all_known = domains.of(spec, site.scope)
                known[site.scope] = all_known, {other: replace(one, valid=None) for other, one in all_known.items()}
            if not _surely(spec, site, name, here, *known[site.scope]):
                written = expressions.spelled(name.name)
                hint = f"say what holds then, as in {written} if present({written}) else 0"
                yield Problem(site.where(name.column), "absent-value", f"{name.name!r} may be absent here", hint)


def _needed(tree: Expr, holds: Expr) -> Needed:
    """The names without which the number ``tree`` has no value."""
    if isinstance(tree, Name):
        yield tree, holds
    elif isinstance(tree, Conditional):
        yield from _asked(tree.test, holds)
        yield from _needed(tree.then, both(holds, tree.test))
        yield from _needed(tree.other, both(holds, Unary("not", tree.test)))
    else:
        yield from _asked(tree, holds)


def _asked(tree: Expr, holds: Expr) -> Needed:
    """The same for a tree that may itself have no value."""
    match tree:
        case Unary("-" | "~", operand):
            yield from _needed(operand, holds)
        case Unary(_, operand):
            yield from _asked(operand, holds)
        case Binary(_, left, right):
            yield from _needed(left, holds)
            yield from _needed(right, holds)
        case Call(Function.MIN | Function.MAX, arguments):
            for argument in arguments:
                yield from _needed(argument, holds)
        case Logical(operator, operands):
            for operand in operands:
                yield from _asked(operand, holds)
                holds = both(holds, operand if operator == "and" else Unary("not", operand))
        case Conditional(test, then, other):
            yield from _asked(test, holds)
            yield from _asked(then, both(holds, test))
            yield from _asked(other, both(holds, Unary("not", test)))
        case Name() | Call() | expressions.Value() | expressions.Compare() | expressions.Among():
            pass  # a comparison is false without its values
        case _:
            assert_never(tree)


def _holds(site: Site) -> Expr:
    """What holds wherever the expression is evaluated: that its node is present."""
    visit = site.visit
    if visit is None:
        return TRUE
    taken = domains.taken(visit.branch)
    item = visit.item
    if not isinstance(item, model.Named | model.Bits) or item.when is None or site.key == "when":
        return taken
    own = item.when.tree
    return both(taken, domains.there(item.when, own, visit)) if own is not None else taken


def _surely(spec: Resolved, site: Site, name: Name, holds: Expr, known: Domains, present_when: Domains) -> bool:
    """Whether the name has a value if ``holds`` does, because of that alone or because of possible values."""
    domain = known.get(name.name)
    if domain is None or (domain.when is None and not domain.optional):
        return True
    present: Expr = Call(Function.PRESENT, (name,))
    if domain.optional and _follows(site, name.name):
        present = domain.when or TRUE
    believed = both(domains.assumed(spec, site.scope), holds)
    return conditions.implies(holds, present, present_when) or conditions.implies(believed, present, known)


def _follows(site: Site, name: str) -> bool:
    """Whether the site's field is optional, too, so that it is present only if earlier ones of that name are."""
    item = site.visit.item if site.visit else None
    if site.visit is None or not isinstance(item, model.Field) or not item.optional:
        return False
    return all(isinstance(seen, Visit) and seen.sections == site.visit.sections for seen in site.values[name])
