"""The values that the names of a struct can have, and when they are present, to decide conditions."""

from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from wireloom_generator import expressions, model
from wireloom_generator.analysis.rivals import Case
from wireloom_generator.analysis.scopes import Branch, Scope, Visit, by_name, head, inside, once
from wireloom_generator.analysis.sites import input_kinds, sites
from wireloom_generator.expressions import LEFT, Compare, Expr, Logical, Name, Unary, Value
from wireloom_generator.expressions.conditions import Domains, bare, both
from wireloom_generator.expressions.domain import TRUTH, Domain, something
from wireloom_generator.expressions.kinds import Kind, kind
from wireloom_generator.model import Named, Resolved, matching

TRUE = Value(True)
_LONG = (1 << 63) - 1


@once
def _found(spec: Resolved) -> dict[Scope, Domains]:
    """The domains of scopes, computed when they are first needed."""
    return {}


def of(spec: Resolved, scope: Scope) -> Domains:
    """The domains of all names that expressions of the scope can use: its own fields, the header's, and parameters."""
    found = _found(spec)
    if scope not in found:
        found[scope] = _of(spec, scope)
    return found[scope]


def _of(spec: Resolved, scope: Scope) -> Domains:
    domains = {name: domain for name, each in spec.parameters.items() if (domain := _parameter(each)) is not None}
    domains |= _fields(scope.header)
    kinds = {value.name: kind for value in scope.given if (kind := input_kinds(spec).get(value)) is not None}
    domains |= {name: TRUTH if kind is Kind.CONDITION else Domain(kind=kind) for name, kind in kinds.items()}
    domains |= _fields(scope.visits)
    domains |= dict(_in_structs(spec, scope, domains))
    if isinstance(scope.owner, model.Message):
        selected = {name: selectors for name, selectors in scope.owner.match.items() if name in domains and selectors}
        domains |= {name: _selected(name, domains[name], selectors) for name, selectors in selected.items()}
    return domains


def _selected(name: str, domain: Domain, selectors: Sequence[model.Selector]) -> Domain:
    """The values of a domain that select a message."""
    ranges = [each for each in selectors if isinstance(each, model.Between)]
    if not ranges:
        return replace(domain, listed=tuple(matching.listed(selectors)))
    numbers = [each for each in matching.listed(selectors) if isinstance(each, int)]
    least = max(domain.least, min([*numbers, *(each.least for each in ranges)]))
    most = min(domain.most, max([*numbers, *(each.most for each in ranges)]))
    holds = matching.condition({name: tuple(selectors)})
    return replace(domain, least=least, most=most, valid=both(domain.valid, holds) if domain.valid else holds)


def _parameter(parameter: model.Parameter) -> Domain | None:
    """The values that a parameter can have."""
    if parameter.type == "text":
        return Domain(listed=parameter.choices, kind=Kind.TEXT)
    if parameter.bounds is not None:
        return Domain(*parameter.bounds)
    return TRUTH if parameter.type == "bool" else None


def _fields(visits: Iterable[Visit]) -> dict[str, Domain]:
    """The domains of the fields among the visits."""
    named = by_name(visit for visit in visits if isinstance(visit.item, Named))
    return {name: _merged([_visit(visit) for visit in same]) for name, same in named.items()}


def _in_structs(spec: Resolved, scope: Scope, known: Domains) -> Iterator[tuple[str, Domain]]:
    """The domains of those names with dots that expressions of the scope or of the record use."""
    visits = by_name((*scope.header, *scope.visits))
    for name in _dotted(spec).get(scope, frozenset()) | _dotted(spec).get(head(spec), frozenset()):
        first, *steps = name.split(".")
        found, absent = visits.get(first, ()), False
        for step in steps:
            inner = (each for visit in found for each in inside(spec, visit.item).get(step, ()))
            found = tuple(each for each in inner if isinstance(each.item, Named))
            absent |= any((domain := _visit(visit)).optional or domain.when is not None for visit in found)
        if found:
            outer = known[first]
            domain = _merged([replace(_visit(visit), when=None, valid=None) for visit in found])
            yield name, replace(domain, optional=absent or outer.optional, when=outer.when)


@once
def _dotted(spec: Resolved) -> Mapping[Scope, frozenset[str]]:
    """The names with dots that expressions use, by scope; those that messages match on are of the record."""
    found: dict[Scope, set[str]] = {}
    for site in sites(spec):
        if site.tree is not None and "." in site.condition.raw:
            named = (*expressions.names(site.tree), *(name for _, name in expressions.measured(site.tree)))
            found.setdefault(site.scope, set()).update(name.name for name in named if "." in name.name)
    matched = {name for message in spec.messages for name in message.match if "." in name}
    found.setdefault(head(spec), set()).update(matched)
    return {scope: frozenset(names) for scope, names in found.items()}


def beside(known: Domains, others: Mapping[str, Domain]) -> Domains:
    """The domains, with those of some names replaced; the others are shared, not copied."""
    return ChainMap(dict(others), known)  # type: ignore[arg-type]  # the first mapping alone is ever written to


def assumed(spec: Resolved, scope: Scope) -> Expr:
    """The condition that every accepted record satisfies: the proofs."""
    proofs = [spec.record.proof]
    if isinstance(scope.owner, model.Message):
        proofs.append(scope.owner.proof)
    return _all(tree for proof in proofs if proof and proof.valid and (tree := proof.valid.tree))


def there(condition: model.Condition, tree: Expr, visit: Visit) -> Expr:
    """The condition of a node, in which the number of bytes left has a different name at each node."""
    if not condition.asks_left:
        return tree
    return expressions.rename(
        tree, lambda name: name._replace(name=f"{name.name} {visit.order}") if name.name in LEFT else name
    )


def taken(branch: Branch) -> Expr:
    """The condition under which the alternatives and the variant of ``branch`` are taken."""
    return _all(first(case.cases) for case in branch)


def first(cases: Sequence[Case]) -> Expr:
    """The condition under which the last of the cases is the first that holds."""
    *before, last = (case.when.tree if case.when is not None else TRUE for case in cases)
    return _all([*(Unary("not", tree) for tree in before if tree is not None), last or TRUE])


def known(tree: Expr, domains: Domains) -> bool:
    """Whether every name in the tree has a domain."""
    named = {name.name for name in expressions.names(tree)} | {name.name for _, name in expressions.measured(tree)}
    return all(name in domains for name in named)


def _all(conditions: Iterable[Expr]) -> Expr:
    """All conditions as one, without nesting, which would be too deep for Python."""
    found = tuple(conditions)
    if len(found) > 1:
        return Logical("and", found)
    return found[0] if found else TRUE


def _visit(visit: Visit) -> Domain:
    item = visit.item
    assert isinstance(item, Named)
    conditions = [taken(visit.branch)] if visit.branch else []
    if item.when is not None and (tree := item.when.tree) is not None:
        conditions.append(there(item.when, tree, visit))
    optional = isinstance(item, model.Field) and item.optional
    when = _all(conditions) if conditions else None
    return replace(_values(item), optional=optional, when=when, valid=_valid(item))


def _values(item: Named) -> Domain:
    if item.kind is Kind.LIST:
        return something(Kind.LIST)
    if item.meaning is not None:
        return something(item.meaning.kind)
    values = item.type.values
    if isinstance(item, model.Computed):
        return values
    if isinstance(item, model.Field) and item.long:
        values = replace(values, most=_LONG)
    if item.const is not None and isinstance(item.const, bool | int) and values.kind in (Kind.NUMBER, Kind.CONDITION):
        return replace(values, listed=(item.const,))
    return values


def _valid(item: Named) -> Expr | None:
    """The condition on the field's value if it is present: its ``valid``, and its derivation or computation."""
    rules = [item.valid.tree] if item.valid is not None else []
    if isinstance(item, model.Computed):
        # No NaN equals what it is computed from.
        source: model.Condition | None = None if item.kind is Kind.FLOAT else item.compute
    else:
        source = item.derive
    tree = source.tree if source is not None else None
    if tree is not None and not expressions.measured(tree):
        rules.append(_equal(Name(item.name), tree))
    found = [rule for rule in rules if rule is not None]
    return bare(_all(found)) if found else None


def _equal(name: Name, tree: Expr) -> Expr:
    if kind(tree) is Kind.CONDITION:
        return Logical("or", (both(name, tree), both(Unary("not", name), Unary("not", tree))))
    return Compare("==", name, tree)


def _merged(domains: Sequence[Domain]) -> Domain:
    """The domain of alternative fields with one name; wider than theirs if they differ."""
    if len(domains) == 1:
        return domains[0]
    conditions = [domain.when for domain in domains]
    when = Logical("or", tuple(tree for tree in conditions if tree)) if all(conditions) else None
    if len({replace(domain, when=None) for domain in domains}) == 1:
        return replace(domains[0], when=when)
    kinds = {domain.kind for domain in domains}
    return Domain(
        least=min(domain.least for domain in domains),
        most=max(domain.most for domain in domains),
        listed=tuple(dict.fromkeys(value for domain in domains for value in domain.listed))
        if all(domain.listed for domain in domains)
        else (),
        kind=next((kind for kind in (Kind.TEXT, Kind.BYTES, Kind.FLOAT) if kind in kinds), domains[0].kind),
        optional=any(domain.optional for domain in domains),
        when=when,
        valid=domains[0].valid if len({domain.valid for domain in domains}) == 1 else None,
        is_wider=True,
    )
