"""Rules about values and bytes that no record can have."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from wireloom_generator import expressions, model
from wireloom_generator.analysis import domains, required_bytes
from wireloom_generator.analysis.domains import TRUE
from wireloom_generator.analysis.required_bytes import Filling, OnlyValues
from wireloom_generator.analysis.rivals import tried
from wireloom_generator.analysis.scopes import Scope, Visit, every, head, message_scopes, nodes
from wireloom_generator.expressions import Call, Compare, Expr, Function, Name, Value, conditions, key
from wireloom_generator.expressions.conditions import Domains
from wireloom_generator.expressions.domain import Domain
from wireloom_generator.expressions.kinds import Kind
from wireloom_generator.model import Named, Resolved, matching
from wireloom_generator.problems import Location, Severity, Violation, counted
from wireloom_generator.types import Bytes, Struct, Text
from wireloom_generator.types.sizes import ANY, SizeRange

_CONTRADICTION = "its type, const, match, when and derive contradict each other"


def possible_value(spec: Resolved) -> Iterator[Violation]:
    """Reports fields, matches and proofs that no record can have."""
    found: dict[tuple[Location, str, Severity], list[bool]] = {}
    for scope in every(spec):
        known = domains.of(spec, scope)
        for visit in scope.visits:
            if isinstance(visit.item, Named):
                for at, what, severity, is_never in _field_conditions(spec, scope, visit, visit.item, known):
                    found.setdefault((at, what, severity), []).append(is_never)
    for (at, what, severity), uses in found.items():
        if all(uses):  # a type can be used where its field is possible and where it is not
            yield Violation(at, what, _CONTRADICTION, severity)
    yield from _matches(spec)
    yield from _proofs(spec)
    yield from _messages(spec)


def _field_conditions(
    spec: Resolved, scope: Scope, visit: Visit, field: Named, known: Domains
) -> Iterator[tuple[Location, str, Severity, bool]]:
    """The conditions on the field in this scope, each with its problem, and whether it never holds."""
    when = None if field.when is None else field.when.tree
    if when is not None and domains.known(when, known):
        what = f"{field.name!r} is never present: its condition is impossible"
        holds = conditions.both(domains.assumed(spec, scope), domains.taken(visit.branch))
        yield field.where("when"), what, Severity.WARNING, conditions.excludes(holds, when, known)
    alone = domains.beside(known, {field.name: replace(known[field.name], valid=None, when=None, optional=False)})
    valid = field.valid
    if valid is not None and (tree := valid.tree) is not None and domains.known(tree, known):
        what = f"no value of {field.name!r} is valid"
        yield valid.at, what, Severity.ERROR, conditions.excludes(TRUE, tree, alone)
    for word, condition in _amounts(field):
        tree = condition.tree
        if tree is not None and condition.constant is None and domains.known(tree, known):
            # a field that is never present is neither
            enough, below = Compare(">=", tree, Value(0)), Compare("<", tree, Value(0))
            never = conditions.excludes(TRUE, enough, known) and not conditions.excludes(TRUE, below, known)
            yield condition.at, f"the {word} of {field.name!r} is always below 0", Severity.ERROR, never
    source = field.compute if isinstance(field, model.Computed) else field.derive
    tree = source.tree if source is not None else None
    with_record, is_number = domains.beside(known, {"record": Domain()}), known[field.name].kind is Kind.NUMBER
    if source is not None and tree is not None and domains.known(tree, with_record) and is_number:
        sizes = domains.beside(alone, _sizes(spec, scope, tree))
        what = f"{field.name!r} can never be what it is derived from"
        never = conditions.excludes(TRUE, Compare("==", Name(field.name), tree), sizes)
        yield source.at, what, Severity.ERROR, never


def _amounts(field: Named) -> Iterator[tuple[str, model.Condition]]:
    """The expressions for the number of bytes and of items."""
    if isinstance(field, model.Field) and isinstance(field.wire.extent, model.Size):
        yield "size", field.wire.extent.condition
    if isinstance(field, model.Field) and field.repeat is not None and field.repeat.count is not None:
        yield "count", field.repeat.count


def _sizes(spec: Resolved, scope: Scope, tree: Expr) -> dict[str, Domain]:
    """The domains of the sizes and counts in the expression."""
    found = {}
    for part in expressions.walk(tree):
        if isinstance(part, Call) and part.function is Function.SIZE:
            extent = _size(spec, scope, part.target.name)
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


def _size(spec: Resolved, scope: Scope, name: str) -> SizeRange:
    if name == "record":
        return SizeRange(model.space(spec.record.nodes).least, None)
    visits = [visit for visit in (*scope.visits, *scope.header) if visit.name == name]
    if len(visits) != 1 or not isinstance(visits[0].item, model.Field | model.Computed | model.Region):
        return ANY
    return model.space((visits[0].item,))


def _matches(spec: Resolved) -> Iterator[Violation]:
    scope = head(spec)
    known = domains.of(spec, scope)
    for message in spec.messages:
        for name, selectors in message.match.items():
            is_restricted = name in known and name not in spec.parameters and _is_restricted(known[name])
            for selector in selectors if is_restricted else ():
                if conditions.impossible(matching.condition({name: (selector,)}), _of_any_number(known, name)):
                    what = f"{name!r} is never {matching.shown(selector)}: its valid or const excludes it"
                    yield Violation(message.where(f"match.{name}"), what, severity=Severity.WARNING)


def _is_restricted(domain: Domain) -> bool:
    """Whether it is restricted by more than its type."""
    return bool(domain.listed or domain.valid is not None or domain.when is not None)


def _of_any_number(known: Domains, name: str) -> Domains:
    """The domains, with the range of all numbers for the name; another rule checks the range of its type."""
    domain = known[name]
    return domains.beside(known, {name: replace(domain, least=-(1 << 64), most=1 << 64)})


def _proofs(spec: Resolved) -> Iterator[Violation]:
    for scope in every(spec):
        owner = scope.owner
        proof = None if isinstance(owner, model.Struct) else owner.proof
        asked = {"satisfies the proof": proof.valid, "satisfies doubt": proof.doubt} if proof is not None else {}
        for what, condition in asked.items():
            if condition is not None and (tree := condition.tree) is not None:
                known = domains.of(spec, scope)
                if domains.known(tree, known) and conditions.impossible(tree, known):
                    yield Violation(condition.at, f"no record ever {what}", _CONTRADICTION)


def _messages(spec: Resolved) -> Iterator[Violation]:
    for message, scope in message_scopes(spec):
        chosen = [domains.first(cases) for cases in tried(message.variants)]
        known = domains.of(spec, scope)
        proven = domains.assumed(spec, scope)
        if message.match and domains.known(proven, known) and conditions.impossible(proven, known):
            what = f"no record of {message.name!r} satisfies the proof"
            yield Violation(message.where("match"), what, _CONTRADICTION, Severity.WARNING)
        whole: Sequence[tuple[model.Message | model.Variant, Expr]] = [(message, TRUE)]
        for node, holds in (*whole, *zip(message.variants, chosen, strict=True)):
            tree = node.valid.tree if node.valid is not None else None
            measured = expressions.measured(tree) if tree is not None else ()
            with_sizes = domains.beside(known, {name.name: Domain() for _, name in measured})
            if tree is not None and domains.known(tree, with_sizes):
                sizes = domains.beside(known, _sizes(spec, scope, tree))
                if conditions.excludes(conditions.both(domains.assumed(spec, scope), holds), tree, sizes):
                    yield Violation(node.where("valid"), "no record is ever valid", _CONTRADICTION)


_FLAG = "for a flag on both sides, use a field before the frame, and until: on a field with the rest of it"
_ENDS = "it would end at the first one"
_HINTS = {
    "the record": 'for a flag on both sides of each record, write between: {flag: "7e", …}',
    "the record between flags": _ENDS,
}


def possible_bytes(spec: Resolved) -> Iterator[Violation]:
    """Reports fixed values that do not fit the bytes of their fields."""
    for node in nodes(spec):
        if isinstance(node, model.Field):
            found = required_bytes.value(node, {})
            if found is not None:
                key = "valid" if node.const is None else "const"
                yield from (Violation(node.where(key), *fault) for fault in _misfits(node, found))
            yield from _in_struct(spec, node)
    header = {visit.name: visit.item for visit in head(spec).visits if isinstance(visit.item, model.Field)}
    for message in spec.messages:
        for name, selectors in message.match.items():
            field = header.get(name)
            faults = [[*_misfits(field, each)] for each in selectors if isinstance(each, str | bytes)] if field else []
            if faults and len(faults) == len(selectors) and all(faults):
                yield Violation(message.where(f"match.{name}"), *faults[0][0])
    yield from _in_record(spec)


def _in_record(spec: Resolved) -> Iterator[Violation]:
    """Reports content that would end records with a terminator too early."""
    match spec.record.end:
        case model.Terminator(ends=terminators):
            ends = "the record"
        case model.BetweenFlags(flag=flag, escaping=None):
            ends, terminators = "the record between flags", (flag,)
        case _:
            return
    for terminator in filter(None, terminators):
        yield from _ended_by(spec, terminator, ends)


def _ended_by(spec: Resolved, terminator: bytes, ends: str) -> Iterator[Violation]:
    """Reports content that has a terminator of the record."""
    found = list(_with_terminator(spec.record.nodes, {}, {}, terminator, ends))
    yield from found
    for message in spec.messages if not found else ():
        selected = {name: each[0] for name, each in message.match.items() if len(each) == 1}
        told: dict[Violation, None] = {}
        for sections in _layouts(spec, message):
            told |= dict.fromkeys(_with_terminator(spec.record.nodes, sections, selected, terminator, ends))
        for problem in told:
            is_own = problem.location.path == message.at.path
            yield replace(problem, location=problem.location if is_own else message.where("match"))


def _layouts(spec: Resolved, message: model.Message) -> Iterator[Filling]:
    """The nodes that a message puts into sections, for each of its variants."""
    slots = [slot.name for slot in spec.record.slots]
    for variant in message.variants or (message,):
        more = variant.sections if isinstance(variant, model.Variant) else {}
        yield {name: (*message.sections.get(name, ()), *more.get(name, ())) for name in slots}


def _in_struct(spec: Resolved, field: model.Field) -> Iterator[Violation]:
    """Reports content that would end a struct with a terminator too early."""
    extent = field.wire.extent.until if isinstance(field.wire.extent, model.Size) else field.wire.extent
    if not isinstance(extent, model.Terminator) or not isinstance(field.type, Struct) or not extent.value:
        return
    struct = spec.structs.get(field.type.name)
    if struct is not None and extent.terminator == "drop":
        yield from _with_terminator(struct.nodes, {}, {}, extent.value, repr(field.name))


def _with_terminator(
    inside: Iterable[model.Node],
    sections: Filling,
    match: OnlyValues,
    terminator: bytes,
    ends: str,
) -> Iterator[Violation]:
    """The first node whose bytes contain the terminator of the enclosing region."""
    inside = tuple(inside)
    for run in required_bytes.runs(inside, sections, match):
        node = run.first(terminator)
        if node is not None:
            name = repr(node.name) if isinstance(node, model.Named | model.Region) else "padding"
            is_const = isinstance(node, model.Field) and node.const is not None
            is_flag = is_const and node is inside[0] and run.octets.startswith(terminator)
            at = node.where("const" if is_const else "valid")
            what = f"the bytes of {name} contain the terminator of {ends}, {terminator.hex()}"
            yield Violation(at, what, _HINTS.get(ends, _FLAG) if is_flag else _ENDS)
            return


def _misfits(field: model.Field, found: object) -> Iterator[tuple[str, str]]:
    """Why a text or bytes value does not fit the bytes of a field, and a hint."""
    if not isinstance(found, str | bytes) or field.through is not None or field.raw is not None:
        return
    if isinstance(field.type, Bytes) and field.const is not None and isinstance(field.wire.extent, model.Size):
        return  # reported by const-fits
    known = required_bytes.octets(field, found)
    shown = repr(found) if isinstance(found, str) else found.hex()
    if known is None:
        if isinstance(field.type, Text) and isinstance(found, str) and field.const is None:
            yield f"{shown} cannot be written in {field.type.encoding}", ""
        return
    size = counted(len(known), "byte")
    match field.wire.extent:
        case model.Size(fixed=int() as room, pad=None) if len(known) != room and field.const is None:
            yield f"{shown} has {size}, but {field.name!r} has {room}", ""
        case model.Size(fixed=int() as room, pad=bytes()) if len(known) > room:
            yield f"{shown} has {size}, but there is room for only {room}", ""
        case model.Size(pad=bytes() as pad, until=None) if pad and known.endswith(pad):
            yield f"{shown} ends with the padding of {field.name!r}, which would be removed", ""
        case model.Size(until=model.Terminator() as end) if _cuts(end, known):
            yield f"{shown} contains the terminator of {field.name!r}, {end.value.hex()}", _ENDS
        case model.Terminator() as end if _cuts(end, known):
            yield f"{shown} contains the terminator of {field.name!r}, {end.value.hex()}", _ENDS
        case model.Prefix(length=length, in_characters=False) if len(known) > (length.type.values.most or len(known)):
            yield f"{shown} has {size}, too many for a length of type {length.type.word}", ""


def _cuts(end: model.Terminator, known: bytes) -> bool:
    """Whether a value with these bytes would end too early."""
    places = ((at, each) for each in end.ends if each for at in range(0, len(known) - len(each) + 1, end.unit))
    found = [(at, each) for at, each in places if known[at:].startswith(each)]
    return any(end.terminator != "keep" or at + len(each) < len(known) for at, each in found)
