"""A field can have a value: its type, ``valid``, ``derive`` and the rest leave one, and it is there in some record.

Conditions on a field in several places can exclude each other: a range outside its type, a size that is too large for
the length field. Then every record with the field is malformed and none can be written. The same applies to proofs, and
to conditions on whole messages or variants.

Where a condition can never hold, the field stands in the spec and never in a table, and a message whose values never
occur has no rows. That may be what a document says, and so it is a warning.

Bad::

    - {name: level, type: u8, valid: level > 255}
    - {name: size_of_data, type: u8, derive: size(data)}
    - {name: data, type: bytes, size: 300}

Good::

    - {name: level, type: u8, valid: level > 0}
    - {name: size_of_data, type: u16, derive: size(data)}
    - {name: data, type: bytes, size: 300}
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from wireloom_generator import expressions, model
from wireloom_generator.analysis import domains
from wireloom_generator.analysis.domains import TRUE
from wireloom_generator.analysis.rivals import tried
from wireloom_generator.analysis.scopes import Scope, Visit, every, head, messages
from wireloom_generator.expressions import Call, Compare, Expr, Function, Name, Value, conditions, key
from wireloom_generator.expressions.conditions import Domains
from wireloom_generator.expressions.domain import Domain
from wireloom_generator.expressions.kinds import Kind
from wireloom_generator.model import Named, Resolved, matching
from wireloom_generator.problems import Location, Problem, Severity
from wireloom_generator.types.sizes import ANY, SizeRange

_HINT = "its type, const, match, when and derive contradict each other"


def check(spec: Resolved) -> Iterator[Problem]:
    """Fields, matches and proofs that no record can have."""
    found: dict[tuple[Location, str, Severity], list[bool]] = {}
    for scope in every(spec):
        known = domains.of(spec, scope)
        for visit in scope.visits:
            if isinstance(visit.item, Named):
                for at, what, severity, is_never in _field(spec, scope, visit, visit.item, known):
                    found.setdefault((at, what, severity), []).append(is_never)
    for (at, what, severity), uses in found.items():
        if all(uses):  # a type can be used where its field is possible and where it is not
            yield Problem(at, "possible-value", what, _HINT, severity)
    yield from _matches(spec)
    yield from _proofs(spec)
    yield from _messages(spec)


def _field(
    spec: Resolved, scope: Scope, visit: Visit, field: Named, known: Domains
) -> Iterator[tuple[Location, str, Severity, bool]]:
    """The conditions on the field in this scope, what it is if they never hold, and whether they never do."""
    when = None if field.when is None else field.when.tree
    if when is not None and domains.known(when, known):
        what = f"{field.name!r} is never there: its condition cannot hold"
        holds = conditions.both(domains.assumed(spec, scope), domains.taken(visit.branch))
        yield field.where("when"), what, Severity.WARNING, conditions.excludes(holds, when, known)
    alone = domains.beside(known, {field.name: _unrestricted(known[field.name])})
    valid = None if isinstance(field, model.Computed) else field.valid
    if valid is not None and (tree := valid.tree) is not None and domains.known(tree, known):
        what = f"no value of {field.name!r} is valid"
        yield valid.at, what, Severity.ERROR, conditions.excludes(TRUE, tree, alone)
    for word, condition in _amounts(field):
        tree = condition.tree
        if tree is not None and condition.constant is None and domains.known(tree, known):
            enough, below = Compare(">=", tree, Value(0)), Compare("<", tree, Value(0))  # neither, if it is never there
            never = conditions.excludes(TRUE, enough, known) and not conditions.excludes(TRUE, below, known)
            yield condition.at, f"the {word} of {field.name!r} is always below 0", Severity.ERROR, never
    source = field.compute if isinstance(field, model.Computed) else field.derive
    tree = source.tree if source is not None else None
    with_record = domains.beside(known, {"record": Domain()})
    if source is not None and tree is not None and domains.known(tree, with_record) and _is_number(known[field.name]):
        sizes = domains.beside(alone, _sizes(spec, scope, tree))
        what = f"{field.name!r} can never be what it is derived from"
        never = conditions.excludes(TRUE, Compare("==", Name(field.name), tree), sizes)
        yield source.at, what, Severity.ERROR, never


def _amounts(field: Named) -> Iterator[tuple[str, model.Condition]]:
    """How many bytes and how many items a field has, if expressions say it."""
    if isinstance(field, model.Field) and isinstance(field.wire.extent, model.Size):
        yield "size", field.wire.extent.condition
    if isinstance(field, model.Field) and field.repeat is not None and field.repeat.count is not None:
        yield "count", field.repeat.count


def _unrestricted(domain: Domain) -> Domain:
    return replace(domain, valid=None, when=None, optional=False)


def _is_number(domain: Domain) -> bool:
    return domain.kind is Kind.NUMBER


def _sizes(spec: Resolved, scope: Scope, tree: Expr) -> dict[str, Domain]:
    """The domains of the sizes that the expression asks for."""
    found = {}
    for part in expressions.walk(tree):
        if isinstance(part, Call) and part.function is Function.SIZE:
            extent = _extent(spec, scope, part.target.name)
            found[key(part)] = Domain(extent.least, 1 << 64 if extent.most is None else extent.most)
        elif isinstance(part, Call) and part.function is Function.COUNT:
            found[key(part)] = _count(scope, part.target.name)
    return found


def _count(scope: Scope, name: str) -> Domain:
    """How many items a list has."""
    fields = [visit.item for visit in (*scope.visits, *scope.header) if visit.name == name]
    repeat = fields[0].repeat if len(fields) == 1 and isinstance(fields[0], model.Field) else None
    count = repeat.count.constant if repeat is not None and repeat.count is not None else None
    is_fixed = isinstance(count, int) and count >= 0 and not (isinstance(fields[0], model.Field) and fields[0].when)
    return Domain(count, count) if is_fixed and count is not None else Domain(0, 1 << 64)


def _extent(spec: Resolved, scope: Scope, name: str) -> SizeRange:
    if name == "record":
        return SizeRange(model.space(spec.record.nodes).least, None)
    visits = [visit for visit in (*scope.visits, *scope.header) if visit.name == name]
    if len(visits) != 1 or not isinstance(visits[0].item, model.Field | model.Computed | model.Region):
        return ANY
    return model.space((visits[0].item,))


def _matches(spec: Resolved) -> Iterator[Problem]:
    scope = head(spec)
    known = domains.of(spec, scope)
    for message in spec.messages:
        for name, selectors in message.match.items():
            is_restricted = name in known and name not in spec.parameters and _is_restricted(known[name])
            for selector in selectors if is_restricted else ():
                if conditions.impossible(matching.condition({name: (selector,)}), _within(known, name)):
                    what = f"{name!r} is never {matching.shown(selector)}: its valid or const excludes it"
                    yield Problem(message.where(f"match.{name}"), "possible-value", what, severity=Severity.WARNING)


def _is_restricted(domain: Domain) -> bool:
    """Whether it is restricted by more than its type."""
    return bool(domain.listed or domain.valid is not None or domain.when is not None)


def _within(known: Domains, name: str) -> Domains:
    """The domains with the range of all numbers for the name; the range of its type is another rule's concern."""
    domain = known[name]
    return domains.beside(known, {name: replace(domain, least=-(1 << 64), most=1 << 64)})


def _proofs(spec: Resolved) -> Iterator[Problem]:
    for scope in every(spec):
        owner = scope.owner
        proof = None if isinstance(owner, model.Struct) else owner.proof
        asked = {"satisfies the proof": proof.valid, "is in doubt": proof.doubt} if proof is not None else {}
        for what, condition in asked.items():
            if condition is not None and (tree := condition.tree) is not None:
                known = domains.of(spec, scope)
                if domains.known(tree, known) and conditions.impossible(tree, known):
                    yield Problem(condition.at, "possible-value", f"no record ever {what}", _HINT)


def _messages(spec: Resolved) -> Iterator[Problem]:
    for scope in messages(spec):
        message = scope.owner
        assert isinstance(message, model.Message)
        chosen = [domains.first(cases) for cases in tried(message.variants)]
        known = domains.of(spec, scope)
        proven = domains.assumed(spec, scope)
        if message.match and domains.known(proven, known) and conditions.impossible(proven, known):
            what = f"no record of {message.name!r} satisfies the proof"
            yield Problem(message.where("match"), "possible-value", what, _HINT, Severity.WARNING)
        whole: Sequence[tuple[model.Message | model.Variant, Expr]] = [(message, TRUE)]
        for node, holds in (*whole, *zip(message.variants, chosen, strict=True)):
            tree = node.valid.tree if node.valid is not None else None
            if tree is not None and domains.known(tree, domains.beside(known, _measured(tree))):
                sizes = domains.beside(known, _sizes(spec, scope, tree))
                if conditions.excludes(conditions.both(domains.assumed(spec, scope), holds), tree, sizes):
                    yield Problem(node.where("valid"), "possible-value", "no record is ever valid", _HINT)


def _measured(tree: Expr) -> dict[str, Domain]:
    return {name.name: Domain() for _, name in expressions.measured(tree)}
