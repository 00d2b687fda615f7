"""An expression computes only with values that are there, or says what holds when they are not.

A field with ``when``, an optional one, and one of an alternative can be absent. A comparison with it is false then; but
there is no sum, size or count without it.

Bad::

    - {name: escape, type: u8, when: nibble == 15}
    - {name: data, type: bytes, size: nibble + escape}

Good::

    - {name: escape, type: u8, when: nibble == 15}
    - {name: data, type: bytes, size: 15 + escape if nibble == 15 else nibble}
"""

import re
from collections.abc import Iterable, Iterator

from wireloom_generator import expressions, syntax
from wireloom_generator.expressions import Among, Binary, Call, Compare, Conditional, Expr, Logical, Name, Unary
from wireloom_generator.problems import Problem
from wireloom_generator.scopes import Visit
from wireloom_generator.sites import Moment, Site, parsed, sites
from wireloom_generator.spec import Spec
from wireloom_generator.wiretypes import Kind

Facts = frozenset[str]
"""What is known to hold: names that have a value, and conditions as ``_shape`` gives them."""


def check(spec: Spec) -> Iterator[Problem]:
    """Values that a number is made of although they may be absent."""
    for site in sites(spec):
        tree = parsed(site.text)
        if tree is None or site.moment in (Moment.FRAMING, Moment.FILLING):
            continue
        needed = _asked(tree, frozenset()) if site.key == "compute" else _needed(tree, frozenset())
        for name, facts in needed if site.wants is Kind.NUMBER else _asked(tree, frozenset()):
            if name.name in site.values and not _surely(site, name.name, facts):
                hint = f"say what holds then, as in {name.name} if present({name.name}) else 0"
                yield Problem(site.where(name.column), "absent-value", f"{name.name!r} may be absent here", hint)


def _needed(tree: Expr, facts: Facts) -> Iterator[tuple[Name, Facts]]:
    """The names without which the number ``tree`` cannot be told, each with what holds where it stands."""
    if isinstance(tree, Name):
        yield tree, facts
    elif isinstance(tree, Conditional):
        yield from _asked(tree.test, facts)
        yield from _needed(tree.then, facts | _facts(tree.test))
        yield from _needed(tree.other, facts | _facts_without(tree.test))
    else:
        yield from _asked(tree, facts)


def _asked(tree: Expr, facts: Facts) -> Iterator[tuple[Name, Facts]]:
    """The same for a tree that may itself be without a value."""
    match tree:
        case Unary("-" | "~", operand):
            yield from _needed(operand, facts)
        case Unary(_, operand):
            yield from _asked(operand, facts)
        case Binary(_, left, right):
            yield from _needed(left, facts)
            yield from _needed(right, facts)
        case Call(function, arguments) if function in expressions.OF_NUMBERS:
            for argument in arguments:
                yield from _needed(argument, facts)
        case Logical(operator, operands):
            for operand in operands:
                yield from _asked(operand, facts)
                facts |= _facts(operand) if operator == "and" else frozenset()
        case Conditional(test, then, other):
            yield from _asked(test, facts)
            yield from _asked(then, facts | _facts(test))
            yield from _asked(other, facts | _facts_without(test))
        case _:
            pass  # a comparison is false without its values


def _facts(test: Expr) -> Facts:
    """What holds if ``test`` does."""
    match test:
        case Call("present", (Name(name=name),)):
            return frozenset({name})
        case Compare() | Among():
            return frozenset({_shape(test), *(name.name for name in expressions.names(test))})
        case Logical("and", operands):
            return frozenset({_shape(test)}).union(*map(_facts, operands))
        case _:
            return frozenset({_shape(test)})


def _facts_without(test: Expr) -> Facts:
    """What holds if ``test`` does not."""
    return _facts(test.operand) if isinstance(test, Unary) and test.operator == "not" else frozenset()


def _shape(tree: Expr) -> str:
    return re.sub(r"column=\d+", "", repr(tree))


def _condition(item: object) -> str | None:
    if not isinstance(item, syntax.Field) or item.when is None:
        return None
    tree = parsed(item.when)
    return _shape(tree) if tree is not None else item.when


def _surely(site: Site, name: str, facts: Facts) -> bool:
    """Whether the name has a value at the site, given ``facts``."""
    visit = site.visit
    own = _condition(visit.item) if visit and site.key != "when" else None
    facts |= {own} if own else frozenset()
    seen = [visit for visit in site.values[name] if isinstance(visit, Visit)]
    if name in facts or len(seen) < len(site.values[name]):
        return True
    open_ends = [missing for other in seen if (missing := _missing(site, other, facts)) is not None]
    return () in open_ends or _all_cases(open_ends)


def _missing(site: Site, other: Visit, facts: Facts) -> tuple[tuple[int, int, int], ...] | None:
    """The alternatives that must be the taken ones for ``other`` to be there; None if it may be absent even then."""
    when = _condition(other.item)
    if when is not None and when not in facts:
        return None
    if isinstance(other.item, syntax.Field) and other.item.tail and not _follows(site, other):
        return None
    is_header = other in site.scope.header
    inside = site.visit.branch if site.visit and not is_header else ()
    return tuple(taken for taken in other.branch if taken not in inside)


def _follows(site: Site, other: Visit) -> bool:
    """Whether the site's field is optional too, so that it is there only if the one before is."""
    item = site.visit.item if site.visit else None
    return (
        isinstance(item, syntax.Field)
        and item.tail
        and site.visit is not None
        and site.visit.sections == other.sections
    )


def _all_cases(open_ends: Iterable[tuple[tuple[int, int, int], ...]]) -> bool:
    """Whether one choice covers all cases, with the name in each of its alternatives."""
    covered: dict[tuple[int, int], set[int]] = {}
    for missing in open_ends:
        if len(missing) == 1:
            choice, alternative, cases = missing[0]
            covered.setdefault((choice, cases), set()).add(alternative)
    return any(cases == len(alternatives) for (_, cases), alternatives in covered.items())
