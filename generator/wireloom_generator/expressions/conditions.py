"""Facts about conditions without a record: whether one can hold, whether two can, whether one implies another.

The answers are sound but not complete: whatever is proven is true, but questions that would take too much work are left
open. Each name is tried with the few values that can make a difference: the constants that it is compared with and
their neighbours, the ends of its range, or all values if there are few. A comparison that these values do not cover,
such as one of two fields, counts as either true or false; so less is proven, but nothing wrong.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from math import prod

from wireloom_generator.expressions import (
    Among,
    Binary,
    Call,
    Compare,
    Conditional,
    Expr,
    Logical,
    Name,
    Unary,
    Value,
    comparisons,
    in_list,
    key,
    rebuild,
    rename,
    walk,
)
from wireloom_generator.expressions.domain import TRUTH, Domain, between, may_be, submasks, within
from wireloom_generator.expressions.evaluation import Result, UnknowableError, Values, holds, masked, of_values, truth
from wireloom_generator.expressions.kinds import Kind, kind
from wireloom_generator.expressions.spans import Span, out_of_reach

_MOST = 8192
"""The most assignments that are tried for one question."""
_WORK = 400_000
"""The most parts of conditions that are evaluated for one question; long conditions are tried with fewer values."""
_NAMES = 64
"""The most names in a question; more could hardly be tried, since most have more than one value."""
_FEW = 256
"""If a name has no more values than this, all are tried."""
_BITS = 6
"""If no more bits of a number are used than this, all combinations are tried."""
_FREE = "?"
"""The beginning of the names for comparisons that may be true or false."""


Domains = Mapping[str, Domain]
"""Domains by name; if a name is missing, only the values it is compared with are known."""


def impossible(condition: Expr, domains: Domains | None = None) -> bool:
    """Whether the condition provably never holds."""
    return _impossible(condition, tuple(_concerned(condition, domains or {})))


@lru_cache(maxsize=4096)
def _impossible(condition: Expr, domains: tuple[tuple[str, Domain], ...]) -> bool:
    """The same, cached, because messages share conditions."""
    try:
        return next(_Question(condition, dict(domains), proof=True).answers(), None) is None
    except UnknowableError:
        return False


def _concerned(condition: Expr, domains: Domains) -> Iterator[tuple[str, Domain]]:
    """The names that the condition depends on, also through the domains of others, with their domains."""
    left, seen = list(comparisons.keys(condition)), set()
    while left:
        name = left.pop()
        domain = domains.get(name)
        if domain is not None and name not in seen:
            yield name, domain
            left += [other for tree in (domain.when, domain.valid) if tree for other in comparisons.keys(tree)]
        seen.add(name)


def implies(one: Expr, other: Expr, domains: Domains | None = None) -> bool:
    """Whether ``other``, which may be a part of ``one``, provably holds whenever ``one`` does."""
    return bare(other) in map(bare, comparisons.conjuncts(one)) or impossible(both(one, Unary("not", other)), domains)


def disjoint(one: Expr, other: Expr, domains: Domains | None = None) -> bool:
    """Whether the conditions provably never hold together."""
    return impossible(both(one, other), domains)


def excludes(one: Expr, other: Expr, domains: Domains) -> bool:
    """Whether ``other`` provably never holds if ``one`` does, while ``one`` may hold."""
    return disjoint(one, other, domains) and not impossible(one, domains)


def example(condition: Expr, domains: Domains | None = None) -> Mapping[str, Result] | None:
    """Values with which the condition holds; names without a value are left out. None if none are found."""
    try:
        question = _Question(condition, domains or {}, proof=False)
        found = next(question.answers(), None)
    except UnknowableError:
        return None
    return None if found is None else {name: value for name, value in found.items() if value is not None}


def both(one: Expr, other: Expr) -> Expr:
    """The condition that both hold."""
    return Logical("and", (one, other))


def bare(tree: Expr) -> Expr:
    """The tree without the columns of its names, so that equal texts are equal."""
    return rename(tree, lambda name: Name(name.name, origin=name.origin))


class _Question:
    """A condition with everything it depends on. For a ``proof``, parts that are hard to decide may be anything; for an
    example, everything must be true.
    """

    def __init__(self, condition: Expr, domains: Domains, *, proof: bool) -> None:
        self.domains = domains
        self.proof = proof
        self.given: dict[str, Expr] = {}
        """When the names are present and what is valid for them, simplified like the condition."""
        self.simple: dict[str, Expr] = {}
        self.free: dict[Expr, Name] = {}
        self.found: dict[str, Domain] = {}
        """The domains used."""
        self.order: list[str] = []
        self.trees: list[Expr] = [condition]
        pinned = list(dict.fromkeys(comparisons.pinned(condition)))
        self.pinned = dict(pinned)
        self.is_contradictory = len(self.pinned) < len(pinned)
        for name in comparisons.keys(condition):
            self.reach(name, ())
        self.condition = self.simplified(condition)
        for name in self.order:
            domain = self.domains.get(name)
            if domain and domain.when is not None:
                self.given[name] = self.simplified(domain.when)
            if domain and domain.valid is not None:
                self.simple[name] = self.simplified(domain.valid)

    def reach(self, name: str, through: tuple[str, ...]) -> None:
        """Add a name after those that it depends on."""
        if name in self.order:
            return
        if name in through or len(self.order) + len(through) >= _NAMES:
            raise UnknowableError
        domain = self.domains.get(name)
        if domain and domain.when is not None:
            self.trees.append(domain.when)
            for other in comparisons.keys(domain.when):
                self.reach(other, (*through, name))
        self.order.append(name)
        if domain and domain.valid is not None:
            self.trees.append(domain.valid)
            for other in comparisons.keys(domain.valid):
                self.reach(other, ())

    def simplified(self, tree: Expr) -> Expr:
        """The condition, with free names for the comparisons that cannot be decided."""
        match tree:
            case Unary("not") | Logical() | Conditional():
                return rebuild(tree, self.simplified)
        if not self.proof or self.decided(tree):
            return tree
        if _is_never(tree) or out_of_reach(tree, self.ends):
            return Value(False)
        return self.free.setdefault(bare(tree), Name(f"{_FREE}{len(self.free)}"))

    def decided(self, atom: Expr) -> bool:
        """Whether the tried values of its names cover all their values."""
        return self.is_linear(atom) or self.whole.issuperset(comparisons.keys(atom))

    def is_linear(self, atom: Expr) -> bool:
        return isinstance(atom, Name | Call) or bool(comparisons.points(atom))

    @cached_property
    def atoms(self) -> Mapping[str, Sequence[Expr]]:
        """The comparisons that depend on each name."""
        found: dict[str, list[Expr]] = {}
        for atom in (atom for tree in self.trees for atom in comparisons.atoms(tree)):
            for name in comparisons.keys(atom):
                found.setdefault(name, []).append(atom)
        return found

    @cached_property
    def whole(self) -> frozenset[str]:
        """The names whose values, or whose used bits, are all tried."""
        return frozenset(name for name in self.order if self.all_of(name) is not None)

    def all_of(self, name: str) -> Sequence[Result] | None:
        domain = self.domain(name)
        if domain.listed:
            return domain.listed
        if domain.kind is Kind.NUMBER and domain.most - domain.least < _FEW:
            return range(domain.least, domain.most + 1)
        bits = 0
        for mask in map(masked, self.atoms.get(name, ())):
            if mask is None or mask[0] != name:
                return None
            bits |= mask[1]
        if not 0 < bits < 1 << 64 or bits.bit_count() > _BITS:
            return None
        return submasks(bits) if self.proof else [part for part in submasks(bits) if part <= domain.most]

    def ends(self, name: str) -> Span:
        """The range of a name's numbers; without ends if it may be anything else."""
        domain = self.domain(name)
        numbers = [value for value in domain.listed if isinstance(value, int) and not isinstance(value, bool)]
        if domain.kind is not Kind.NUMBER or len(numbers) < len(domain.listed):
            return Span()
        return Span(min(numbers), max(numbers)) if numbers else Span(domain.least, domain.most)

    def masks_of(self, name: str) -> Sequence[int]:
        """Combinations of those bits of a name that are used anywhere."""
        bits = 0
        for tree in self.trees:
            for part in walk(tree):
                match part:
                    case Binary("&", Name() as masked_name, Value(int() as mask)) if key(masked_name) == name:
                        bits |= mask
        return submasks(bits) if bits > 0 and bits.bit_count() <= _BITS else ()

    def domain(self, name: str) -> Domain:
        if name.startswith(_FREE):
            return TRUTH
        if name not in self.found:
            known = self.domains.get(name)
            domain = known if known is not None else self.guessed(name)
            pinned = self.pinned.get(name)
            if pinned is not None and may_be(domain, pinned):
                domain = replace(domain, listed=(pinned,))
            self.found[name] = domain
        return self.found[name]

    def guessed(self, name: str) -> Domain:
        """The domain of an unknown name, from what it is compared with."""
        may_lack = in_list(name) is not None or any(
            comparisons.asks_presence(part, name) for tree in self.trees for part in walk(tree)
        )
        if name.startswith(("size(", "count(", "offset(")):
            return Domain(least=0)
        for atom in self.atoms.get(name, ()):
            if isinstance(atom, Name):
                return replace(TRUTH, optional=may_lack)
            if isinstance(atom, Compare | Among):
                kinds = {kind(part) for part in walk(atom) if isinstance(part, Value)}
                if Kind.CONDITION in kinds:
                    return replace(TRUTH, optional=may_lack)
                if Kind.TEXT in kinds:
                    return Domain(kind=Kind.TEXT, optional=may_lack)
                if Kind.BYTES in kinds:
                    return Domain(kind=Kind.BYTES, optional=may_lack)
        return Domain(kind=Kind.FLOAT, optional=may_lack)

    def candidates(self, name: str) -> Sequence[Result | None]:
        domain = self.domain(name)
        atoms = self.atoms.get(name, ())
        critical = [value for atom in atoms for other, value in comparisons.points(atom) if other == name]
        tried: Sequence[Result]
        if domain.listed:
            tried = domain.listed
        elif domain.kind is Kind.TEXT:
            texts = sorted({value for value in critical if isinstance(value, str)})
            tried = (*texts, "".join(texts) + "…")
        elif domain.kind is Kind.BYTES:
            strings = sorted({value for value in critical if isinstance(value, bytes)})
            tried = (*strings, b"".join(strings) + b"\xff")
        elif domain.kind is Kind.FLOAT and self.all_of(name) is None:
            tried = between(critical)
        elif all(map(self.is_linear, atoms)):
            tried = within(domain, critical)
        else:
            some = self.all_of(name) or [part for part in self.masks_of(name) if domain.least <= part <= domain.most]
            tried = list(dict.fromkeys((*within(domain, critical), *some)))
        rule = self.simple.get(name)
        if rule is not None and comparisons.keys(rule) == (name,):
            tried = [number for number in tried if holds(rule, {name: number})]
        return (None, *tried) if domain.optional else tried

    def answers(self) -> Iterator[Values]:
        """The assignments with which the condition holds."""
        if self.is_contradictory:
            return
        names = [*self.order, *(name.name for name in self.free.values())]
        if not self.proof and any("(" in name or self.domain(name).is_wider for name in names):
            raise UnknowableError  # no size follows from values alone, and none of these values may be one
        tried: dict[str, Sequence[Result | None]] = {}
        most = min(_MOST, _WORK // sum(1 for tree in self.trees for _ in walk(tree)))
        for name in names:
            tried[name] = self.candidates(name)
            if prod(map(len, tried.values())) > most:
                raise UnknowableError
        free = {name: tried.pop(name) for name in names[len(self.order) :]}
        yield from self.completed([*free.items(), *tried.items()], {})

    def completed(
        self, tried: Sequence[tuple[str, Sequence[Result | None]]], values: dict[str, Result | None]
    ) -> Iterator[Values]:
        """The assignments with which the condition holds and that have these ``values`` of the first names."""
        if len(values) == len(tried):
            valid = all(values[name] is None or holds(rule, values) for name, rule in self.simple.items())
            if valid and holds(self.condition, values):
                yield values
            return
        name, choices = tried[len(values)]
        if name in self.given and not holds(self.given[name], values):
            choices = (None,)
        for choice in choices:
            more = {**values, name: choice}
            if self.may_hold(name, more):
                yield from self.completed(tried, more)

    def may_hold(self, name: str, values: Values) -> bool:
        """Whether the condition may hold with these values, the last of which is that of ``name``, and others."""
        known = of_values(values)
        if name in self.deciding and truth(self.condition, known) is False:
            return False
        ruled = (owner for owner in self.settling.get(name, ()) if values[owner] is not None)
        return all(truth(self.simple[owner], known) is not False for owner in ruled)

    @cached_property
    def deciding(self) -> frozenset[str]:
        """The names that the condition itself depends on."""
        return frozenset(comparisons.keys(self.condition))

    @cached_property
    def settling(self) -> Mapping[str, Sequence[str]]:
        """For each name, the others whose rule depends on it and on no later ones."""
        places = {name: place for place, name in enumerate(self.order)}
        found: dict[str, list[str]] = {}
        for owner, rule in self.simple.items():
            last = max((owner, *comparisons.keys(rule)), key=lambda name: places.get(name, -1))
            found.setdefault(last, []).append(owner)
        return found


def _is_never(atom: Expr) -> bool:
    """Whether a comparison of some bits of a number holds for none of their combinations."""
    mask = masked(atom)
    if mask is None or mask[1] < 0 or mask[1].bit_count() > _BITS:
        return False
    return not any(holds(atom, {mask[0]: part}) for part in submasks(mask[1]))
