"""What can be known about conditions without a record: whether one can hold, whether two can, whether one implies
another.

The answers are sound but not complete: what is proven is true, and what would take too much work is left open. Each
name is given the few values that can make a difference: the constants it is compared with and their neighbours, the
ends of its range, or all values if they are few. A comparison that these values do not cover, such as one of two
fields, may be true or false; so less is proven, but nothing wrong.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, cached_property
from math import prod

from wireloom_generator.expressions import (
    Among,
    Binary,
    Call,
    Compare,
    Conditional,
    Expr,
    Function,
    Literal,
    Logical,
    Name,
    Unary,
    Value,
    in_list,
    key,
    parts,
    rebuild,
    rename,
    terms,
    walk,
)
from wireloom_generator.expressions.domain import TRUTH, Domain, between, may_be, submasks, within
from wireloom_generator.expressions.evaluation import (
    Result,
    UnknowableError,
    Values,
    holds,
    masked,
    of_values,
    out_of_reach,
    truth,
)
from wireloom_generator.expressions.kinds import Kind, kind

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
    try:
        return next(_Question(condition, domains or {}, proof=True).answers(), None) is None
    except UnknowableError:
        return False


def implies(one: Expr, other: Expr, domains: Domains | None = None) -> bool:
    """Whether ``other`` provably holds whenever ``one`` does, be it a part of it."""
    return bare(other) in map(bare, _conjuncts(one)) or impossible(both(one, Unary("not", other)), domains)


def disjoint(one: Expr, other: Expr, domains: Domains | None = None) -> bool:
    """Whether the conditions provably never hold together."""
    return impossible(both(one, other), domains)


def excludes(one: Expr, other: Expr, domains: Domains) -> bool:
    """Whether ``other`` provably never holds where ``one`` does, while ``one`` may hold."""
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


def _conjuncts(tree: Expr) -> Iterator[Expr]:
    """What must hold, each by itself, for the condition to hold."""
    if isinstance(tree, Logical) and tree.operator == "and":
        for operand in tree.operands:
            yield from _conjuncts(operand)
    else:
        yield tree


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
        self.order: list[str] = []
        self.trees: list[Expr] = [condition]
        pinned = list(dict.fromkeys(_pinned(condition)))
        self.pinned = dict(pinned)
        self.is_contradictory = len(self.pinned) < len(pinned)
        for name in _keys(condition):
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
            for other in _keys(domain.when):
                self.reach(other, (*through, name))
        self.order.append(name)
        if domain and domain.valid is not None:
            self.trees.append(domain.valid)
            for other in _keys(domain.valid):
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
        names = _keys(atom)
        return not names or self.is_linear(atom) or all(name in self.whole for name in names)

    def is_linear(self, atom: Expr) -> bool:
        return isinstance(atom, Name | Call) or bool(_points(atom))

    @cached_property
    def atoms(self) -> tuple[Expr, ...]:
        return tuple(atom for tree in self.trees for atom in _atoms(tree))

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
        masks = [masked(atom) for atom in self.atoms if name in _keys(atom)]
        bits = 0
        for mask in masks:
            if mask is None or mask[0] != name:
                return None
            bits |= mask[1]
        if not 0 < bits < 1 << 64 or bits.bit_count() > _BITS:
            return None
        return submasks(bits) if self.proof else [part for part in submasks(bits) if part <= domain.most]

    def ends(self, name: str) -> tuple[int, int] | None:
        """The lowest and the highest number that a name can be; None if it may be something else."""
        domain = self.domain(name)
        if domain.kind is not Kind.NUMBER:
            return None
        numbers = [value for value in domain.listed if isinstance(value, int) and not isinstance(value, bool)]
        if len(numbers) < len(domain.listed):
            return None
        return (min(numbers), max(numbers)) if numbers else (domain.least, domain.most)

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
        known = self.domains.get(name)
        domain = known if known is not None else self.guessed(name)
        pinned = self.pinned.get(name)
        return replace(domain, listed=(pinned,)) if pinned is not None and may_be(domain, pinned) else domain

    def guessed(self, name: str) -> Domain:
        """The domain of an unknown name, from what it is compared with."""
        may_lack = in_list(name) is not None or any(
            _asks_presence(part, name) for tree in self.trees for part in walk(tree)
        )
        if name.startswith(("size(", "count(", "offset(")):
            return Domain(least=0)
        for atom in self.atoms:
            if isinstance(atom, Name) and key(atom) == name:
                return replace(TRUTH, optional=may_lack)
            if isinstance(atom, Compare | Among) and name in _keys(atom):
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
        critical = [value for atom in self.atoms for other, value in _points(atom) if other == name]
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
        elif all(self.is_linear(atom) for atom in self.atoms if name in _keys(atom)):
            tried = within(domain, critical)
        else:
            some = self.all_of(name) or [part for part in self.masks_of(name) if domain.least <= part <= domain.most]
            tried = list(dict.fromkeys((*within(domain, critical), *some)))
        rule = self.simple.get(name)
        if rule is not None and _keys(rule) == (name,):
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
            if name not in self.deciding or truth(self.condition, of_values(more)) is not False:
                yield from self.completed(tried, more)

    @cached_property
    def deciding(self) -> frozenset[str]:
        """The names that the condition itself depends on."""
        return frozenset(_keys(self.condition))


def _is_never(atom: Expr) -> bool:
    """Whether a comparison of some bits of a number holds for none of their combinations."""
    mask = masked(atom)
    if mask is None or mask[1] < 0 or mask[1].bit_count() > _BITS:
        return False
    return not any(holds(atom, {mask[0]: part}) for part in submasks(mask[1]))


@cache
def _points(atom: Expr) -> tuple[tuple[str, Result], ...]:
    """The values of a name at which the comparison can change; none if they are unknown."""
    pairs: list[tuple[Expr, Expr]] = []
    match atom:
        case Compare(_, left, right):
            pairs = [(left, right)]
        case Among(tested, choices, _):
            pairs = [(tested, choice) for choice in choices]
    is_ordered = isinstance(atom, Compare) and atom.operator not in ("==", "!=")
    found = [_roots(left, right, is_ordered) for left, right in pairs]
    return tuple(point for points in found for point in points) if all(found) else ()


def _roots(left: Expr, right: Expr, is_ordered: bool) -> list[tuple[str, Result]]:
    match left, right:
        case (Name() as name, Value(str() as text)) | (Value(str() as text), Name() as name):
            return [] if is_ordered else [(key(name), text)]
        case (Name() as name, Value(bytes() as octets)) | (Value(bytes() as octets), Name() as name):
            return [] if is_ordered else [(key(name), octets)]
        case (Name() as name, Value(bool() as truth)) | (Value(bool() as truth), Name() as name):
            return [(key(name), truth)]
    one, other = terms(left), terms(right)
    if one is None or other is None:
        return []
    rest = other.pop("", 0) - one.pop("", 0)
    names = one.keys() | other.keys()
    if len(names) != 1:
        return []
    (asked,) = names
    slope = one.get(asked, 0) - other.get(asked, 0)
    if slope == 0:
        return []
    return [(asked, Fraction(rest, slope)), *((asked, rest // slope + step) for step in (-1, 0, 1, 2))]


def _pinned(condition: Expr) -> Iterator[tuple[str, Literal]]:
    """The names that can have only one value if the condition holds."""
    for part in _conjuncts(condition):
        match part:
            case Compare("==", Name() as name, Value(bool() | int() | str() as value)):
                yield key(name), value


def _asks_presence(part: Expr, name: str) -> bool:
    match part:
        case Name(nullable=True):
            return key(part) == name
        case Call(Function.PRESENT):
            return key(part.target) == name
        case _:
            return False


def _atoms(tree: Expr) -> tuple[Expr, ...]:
    """The parts of a condition other than and, or, not and if."""
    match tree:
        case Unary("not") | Logical() | Conditional():
            return tuple(atom for part in parts(tree) for atom in _atoms(part))
        case Value() | Name() | Unary() | Binary() | Compare() | Among() | Call():
            return (tree,)


def _keys(tree: Expr) -> tuple[str, ...]:
    """What the tree depends on: names, and sizes as if they were names."""
    match tree:
        case Name() | Call(Function.SIZE | Function.OFFSET | Function.COUNT):
            return (key(tree),)
        case Value() | Unary() | Binary() | Compare() | Among() | Logical() | Conditional() | Call():
            return tuple(dict.fromkeys(name for part in parts(tree) for name in _keys(part)))
