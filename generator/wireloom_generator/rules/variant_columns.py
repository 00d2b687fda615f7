"""Alternatives that share a name share a column: of one type, and with names for its numbers in all or in none.

The variants of a message, and the alternatives of a choice, have one flat struct; whatever they call alike is one
column. Integers may differ in width, the widest is taken.

Bad::

    variants:
      - {name: v1, when: version == 1, sections: {body: [{name: id, type: u32}]}}
      - {name: v2, sections: {body: [{name: id, type: bytes, size: 16}]}}

Good::

    variants:
      - {name: v1, when: version == 1, sections: {body: [{name: id, type: u32}]}}
      - {name: v2, sections: {body: [{name: uuid, type: bytes, size: 16}]}}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.analysis.scopes import Branch, Visit, every
from wireloom_generator.model import Named, Resolved
from wireloom_generator.problems import Problem, seen_from
from wireloom_generator.types import Unknown


def check(spec: Resolved) -> Iterator[Problem]:
    """Columns that differ between alternatives."""
    for scope in every(spec):
        first: dict[str, Visit] = {}
        for visit in scope.visits:
            if visit.name is None or not isinstance(visit.item, Named) or isinstance(visit.item.type, Unknown):
                continue
            other = first.setdefault(visit.name, visit)
            if other is not visit and not other.meets(visit):
                yield from _differing(visit, other)


def _differing(visit: Visit, other: Visit) -> Iterator[Problem]:
    one, two = visit.item, other.item
    assert isinstance(one, Named) and isinstance(two, Named)
    place = seen_from(visit.at, other.at)
    found, known = one.holds, two.holds
    if found != known:
        hint = "alternatives that share a name share a column"
        what = f"{visit.name!r} is {found} here and {known} {place}"
        yield Problem(one.where("type"), "variant-columns", what, hint)
        return
    found, known = _names(one), _names(two)
    if found != known:
        key = "flags" if found == "flags" else "enum"
        what = f"{visit.name!r} has {found} here and {known} {place}"
        yield Problem(one.where(key), "variant-columns", what)
    elif _variant(visit) == _variant(other) and _derivation(one) != _derivation(two):
        hint = "alternatives of a choice derive a field alike"
        what = f"{visit.name!r} is derived otherwise {place}"
        yield Problem(one.where("derive"), "variant-columns", what, hint)


def _variant(visit: Visit) -> Branch:
    return visit.branch[:1] if visit.in_variant else ()


def _names(field: Named) -> str:
    if field.enum is not None:
        return "an enum"
    return "flags" if isinstance(field, model.Field) and field.flags is not None else "no names"


def _derivation(field: Named) -> tuple[object, ...]:
    derive = None if isinstance(field, model.Computed) else field.derive
    return (derive and derive.raw, field.checksum if isinstance(field, model.Field) else None)
