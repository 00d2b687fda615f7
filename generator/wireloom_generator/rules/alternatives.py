"""Rules about alternatives: those of a choice, and the variants of a message."""

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum, auto
from typing import assert_never

from wireloom_generator import expressions, model
from wireloom_generator.analysis import domains
from wireloom_generator.analysis.domains import TRUE
from wireloom_generator.analysis.labels import unnamed
from wireloom_generator.analysis.rivals import AnyCase, tried
from wireloom_generator.analysis.scopes import Branch, Scope, Visit, every, message_scopes, nodes
from wireloom_generator.expressions import Expr, Logical, Unary, Value, conditions
from wireloom_generator.expressions.conditions import Domains
from wireloom_generator.expressions.evaluation import Result
from wireloom_generator.model import Alternative, Named, Resolved
from wireloom_generator.problems import Location, Severity, Violation, seen_from
from wireloom_generator.types import Unknown


class _Never(Enum):
    """Why a case is never taken."""

    IMPOSSIBLE = auto()
    """Its condition can never hold."""
    REPEATED = auto()
    """An earlier case has the same condition."""
    IMPLIED = auto()
    """An earlier case holds whenever this one does."""
    COVERED = auto()
    """Some earlier case holds whenever this one does."""


_Judged = tuple[AnyCase, _Never | None, AnyCase]
"""A case with why it is never taken, None if it may be, and the earlier case that is the reason, if it is one."""


def _judged(cases: Sequence[AnyCase], assumed: Expr, known: Domains) -> Iterator[_Judged[AnyCase]]:
    """The cases, if ``assumed`` holds.

    Ends before a case about which nothing is known, because later cases depend on it. Empty if a case before the last
    has no condition, which is another mistake.
    """
    if any(case.when is None for case in cases[:-1]):
        return
    for case, together in zip(cases, tried(cases), strict=True):
        tree = case.when.tree if case.when is not None else TRUE
        if tree is None or not domains.known(tree, known):
            return
        holds = conditions.both(assumed, tree)
        if conditions.impossible(holds, known):
            yield case, _Never.IMPOSSIBLE, case
        elif conditions.impossible(conditions.both(assumed, domains.first(together)), known):
            yield case, *_covering(case, together[:-1], holds, known)
        else:
            yield case, None, case


def _covering(case: AnyCase, before: Sequence[AnyCase], holds: Expr, known: Domains) -> tuple[_Never, AnyCase]:
    for earlier in before:
        assert earlier.when is not None
        if case.when is not None and earlier.when.text == case.when.text:
            return _Never.REPEATED, earlier
        tree = earlier.when.tree
        if tree is not None and conditions.implies(holds, tree, known):
            return _Never.IMPLIED, earlier
    return _Never.COVERED, case


def choice(spec: Resolved) -> Iterator[Violation]:
    """Reports unreachable alternatives, and choices without alternatives."""
    for node in nodes(spec):
        if isinstance(node, model.Choice):
            yield from _alternatives(spec, node)
    found: dict[Location, list[tuple[str, Severity] | None]] = {}
    for scope in every(spec):
        known = domains.of(spec, scope)
        for visit in scope.visits:
            if isinstance(visit.item, model.Choice):
                for alternative, why in _not_taken(spec, scope, visit, visit.item.alternatives, known):
                    found.setdefault(alternative.at, []).append(why)
    for at, uses in found.items():
        never = [use for use in uses if use is not None]
        if len(never) == len(uses):  # a type can be used where an alternative is never taken and where it is
            what, severity = never[0]
            yield Violation(at, f"never taken: {what}", severity=severity)


def _alternatives(spec: Resolved, choice: model.Choice) -> Iterator[Violation]:
    for alternative in choice.alternatives:
        for word, enum in alternative.misnamed if isinstance(alternative, model.When) else ():
            yield Violation(alternative.at, *unnamed(spec.enums[enum], word))
    if not choice.alternatives:
        yield Violation(choice.where("choice"), "a choice needs at least one alternative")
    for alternative in choice.alternatives[:-1]:
        if alternative.when is None:
            hint = "give this one a condition, or put it last"
            yield Violation(alternative.at, "the alternatives after this one are never taken", hint)


def _not_taken(
    spec: Resolved, scope: Scope, visit: Visit, cases: Sequence[Alternative], known: Domains
) -> Iterator[tuple[Alternative, tuple[str, Severity] | None]]:
    """Each alternative with the reason why it is unreachable here, and its severity; None if it may be taken."""
    assumed = conditions.both(domains.assumed(spec, scope), domains.taken(visit.branch))
    for case, reason, earlier in _judged(cases, assumed, known):
        match reason:
            case None:
                yield case, None
            case _Never.IMPOSSIBLE:
                tree = None if case.when is None else case.when.tree
                by_itself = tree is not None and conditions.impossible(tree)
                yield case, ("its condition is impossible here", Severity.ERROR if by_itself else Severity.WARNING)
            case _Never.REPEATED:
                yield case, (f"the alternative {_place(case, earlier)} has the same condition", Severity.ERROR)
            case _Never.IMPLIED:
                severity = Severity.ERROR if _by_itself(case, earlier) else Severity.WARNING
                yield case, (f"the alternative {_place(case, earlier)} holds whenever this does", severity)
            case _Never.COVERED:
                yield case, ("the alternatives before it cover it", Severity.WARNING)
            case _:
                assert_never(reason)


def _by_itself(case: Alternative, earlier: Alternative) -> bool:
    """Whether an earlier condition follows from that of the case, whatever ``valid`` and ``const`` are."""
    one = case.when.tree if case.when is not None else None
    other = earlier.when.tree if earlier.when is not None else None
    return one is not None and other is not None and conditions.implies(one, other)


def _place(case: Alternative, earlier: Alternative) -> str:
    return seen_from(case.at, earlier.at)


def variant_order(spec: Resolved) -> Iterator[Violation]:
    """Reports unreachable variants."""
    for message, scope in message_scopes(spec):
        for variant in (variant for variant in message.variants[:-1] if variant.when is None):
            hint = "give this one a when, or put it last"
            yield Violation(variant.where("name"), "the variants after this one are never chosen", hint)
        yield from _never_chosen(spec, scope, message.variants)


def _never_chosen(spec: Resolved, scope: Scope, variants: Sequence[model.Variant]) -> Iterator[Violation]:
    for variant, reason, earlier in _judged(variants, domains.assumed(spec, scope), domains.of(spec, scope)):
        at, hint = variant.where("when" if variant.when is not None else "name"), ""
        match reason:
            case None:
                continue
            case _Never.IMPOSSIBLE:
                what = "its condition is impossible"
                hint = "type, match, const, valid and when exclude such values of its fields"
            case _Never.REPEATED:
                what = f"{earlier.name} has the same condition, {seen_from(at, earlier.where('when'))}"
            case _Never.IMPLIED if variant.when is not None:
                what = f"{earlier.name} holds whenever this does, {seen_from(at, earlier.where('when'))}"
            case _Never.IMPLIED | _Never.COVERED:
                covers = "hold for every record" if variant.when is None else "cover it"
                what = f"the variants before it {covers}"
            case _:
                assert_never(reason)
        yield Violation(at, f"never chosen: {what}", hint)


def variant_overlap(spec: Resolved) -> Iterator[Violation]:
    """Reports pairs of variants whose conditions overlap."""
    for message, scope in message_scopes(spec):
        yield from _overlapping(spec, scope, message.variants)


def _overlapping(spec: Resolved, scope: Scope, variants: Sequence[model.Variant]) -> Iterator[Violation]:
    known, assumed = domains.of(spec, scope), domains.assumed(spec, scope)
    for *before, variant in tried(variants):
        tree = variant.when.tree if variant.when is not None else None
        if tree is None or not domains.known(tree, known):
            continue
        chosen = conditions.both(assumed, domains.first((*before, variant)))
        for other in before:
            earlier = other.when.tree if other.when is not None else None
            if other.when is None or earlier is None or not domains.known(earlier, known):
                continue
            together = conditions.both(earlier, tree)
            found = conditions.example(conditions.both(assumed, together), known)
            if found is not None and not conditions.impossible(chosen, known):
                at = variant.where("when")
                place = seen_from(at, other.where("when"))
                values = _in_words(together, found)
                what = f"{other.name} also holds, {place}, {f'as when {values}' if values else 'always'}"
                hint = f"exclude {other.name}, as in: … and not ({other.when.raw})"
                yield Violation(at, what, hint, Severity.WARNING)
                break


def variant_open(spec: Resolved) -> Iterator[Violation]:
    """Reports messages in which ``otherwise`` is missing or superfluous."""
    for message, scope in message_scopes(spec):
        if message.variants:
            yield from _left_open(spec, scope, message)
        elif message.otherwise is not None:
            what = "otherwise needs variants, and there are none"
            yield Violation(message.where("otherwise"), what, "write valid: for a condition on every record")


def _none_of(cases: Sequence[AnyCase], known: Domains) -> Expr | None:
    """The condition under which a record has none of the cases; None if nothing is known."""
    trees = [case.when.tree if case.when is not None else TRUE for case in cases]
    sound = tuple(tree for tree in trees if tree is not None and domains.known(tree, known))
    return Unary("not", Logical("or", sound)) if len(sound) == len(trees) else None


def _in_words(condition: Expr, found: Mapping[str, Result]) -> str:
    """The values of the names in a condition, for messages; empty if it has none."""
    names = dict.fromkeys(name.name for name in expressions.names(condition))
    return " and ".join(
        f"{name} is {str(found[name]).lower()}" if name in found else f"there is no {name}" for name in names
    )


def _left_open(spec: Resolved, scope: Scope, message: model.Message) -> Iterator[Violation]:
    known, assumed = domains.of(spec, scope), domains.assumed(spec, scope)
    none = _none_of(message.variants, known)
    if none is None:
        return
    left = conditions.both(assumed, none)
    covers = conditions.impossible(none, known) or conditions.impossible(left, known)
    if message.otherwise is None and not covers:
        found = conditions.example(left, known)
        values = _in_words(none, found) if found else ""
        what = f"a record may have none of the variants{f', as when {values}' if values else ''}"
        hint = "say whether it is valid: otherwise: true, false, or a condition"
        yield Violation(message.where("variants"), what, hint)
    if message.otherwise is None or (tree := message.otherwise.tree) is None:
        return
    at = message.where("otherwise")
    if covers:
        yield Violation(at, "every record has a variant, so otherwise never applies", "delete it")
    elif tree != Value(False) and conditions.impossible(conditions.both(left, tree), known):
        yield Violation(at, "it holds for no record without a variant", "write false if none of them is valid")


def variant_columns(spec: Resolved) -> Iterator[Violation]:
    """Reports fields of one name that do not fit one column."""
    for scope in every(spec):
        first: dict[str, Visit] = {}
        for visit in scope.visits:
            if visit.name is None or not isinstance(visit.item, Named) or isinstance(visit.item.type, Unknown):
                continue
            other = first.setdefault(visit.name, visit)
            if other is not visit and not other.meets(visit):
                yield from _differing(visit, other)


def _differing(visit: Visit, other: Visit) -> Iterator[Violation]:
    one, two = visit.item, other.item
    assert isinstance(one, Named) and isinstance(two, Named)
    place = seen_from(visit.at, other.at)
    found, known = one.holds, two.holds
    if found != known:
        hint = "alternatives that share a name share a column"
        yield Violation(one.where("type"), f"{visit.name!r} is {found} here and {known} {place}", hint)
        return
    found, known = _named_by(one), _named_by(two)
    if found != known:
        key = "flags" if found == "flags" else "enum"
        yield Violation(one.where(key), f"{visit.name!r} has {found} here and {known} {place}")
    elif _variant(visit) == _variant(other) and _derivation(one) != _derivation(two):
        hint = "alternatives of a choice derive a field by the same expression"
        yield Violation(one.where("derive"), f"{visit.name!r} has another derive {place}", hint)


def _variant(visit: Visit) -> Branch:
    return visit.branch[:1] if visit.in_variant else ()


def _named_by(field: Named) -> str:
    if field.enum is not None:
        return "an enum"
    return "flags" if isinstance(field, model.Field) and field.flags is not None else "no names"


def _derivation(field: Named) -> tuple[object, ...]:
    derive = None if isinstance(field, model.Computed) else field.derive
    return (derive and derive.raw, field.checksum if isinstance(field, model.Field) else None)
