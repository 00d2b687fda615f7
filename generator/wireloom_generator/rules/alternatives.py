"""Alternatives, of which a record has one: those of a choice, and the variants of a message."""

from collections.abc import Iterator, Sequence
from typing import assert_never

from wireloom_generator import model
from wireloom_generator.analysis import coverage, domains
from wireloom_generator.analysis.coverage import Covered, Implied, Impossible, Repeated, judged
from wireloom_generator.analysis.labels import unnamed
from wireloom_generator.analysis.rivals import tried
from wireloom_generator.analysis.scopes import Branch, Scope, Visit, every, message_scopes, nodes
from wireloom_generator.expressions import Value, conditions
from wireloom_generator.model import Alternative, Named, Resolved
from wireloom_generator.problems import Location, Severity, Violation, seen_from
from wireloom_generator.types import Unknown


def choice(spec: Resolved) -> Iterator[Violation]:
    """Alternatives that are never taken, and choices without any."""
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
    spec: Resolved, scope: Scope, visit: Visit, cases: Sequence[Alternative], known: conditions.Domains
) -> Iterator[tuple[Alternative, tuple[str, Severity] | None]]:
    """Each alternative with the reason why it is never taken here, and its severity; None if it may be taken."""
    assumed = conditions.both(domains.assumed(spec, scope), domains.taken(visit.branch))
    for case, reason in judged(cases, assumed, known):
        match reason:
            case None:
                yield case, None
            case Impossible():
                tree = None if case.when is None else case.when.tree
                by_itself = tree is not None and conditions.impossible(tree)
                yield case, ("its condition is impossible here", Severity.ERROR if by_itself else Severity.WARNING)
            case Repeated(earlier):
                yield case, (f"the alternative {_place(case, earlier)} has the same condition", Severity.ERROR)
            case Implied(earlier):
                severity = Severity.ERROR if _by_itself(case, earlier) else Severity.WARNING
                yield case, (f"the alternative {_place(case, earlier)} holds whenever this does", severity)
            case Covered():
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
    """Variants that are never chosen."""
    for message, scope in message_scopes(spec):
        for variant in (variant for variant in message.variants[:-1] if variant.when is None):
            hint = "give this one a when, or put it last"
            yield Violation(variant.where("name"), "the variants after this one are never chosen", hint)
        yield from _never_chosen(spec, scope, message.variants)


def _never_chosen(spec: Resolved, scope: Scope, variants: Sequence[model.Variant]) -> Iterator[Violation]:
    for variant, reason in judged(variants, domains.assumed(spec, scope), domains.of(spec, scope)):
        at, hint = variant.where("when" if variant.when is not None else "name"), ""
        match reason:
            case None:
                continue
            case Impossible():
                what = "its condition is impossible"
                hint = "type, match, const, valid and when exclude such values of its fields"
            case Repeated(earlier):
                what = f"{earlier.name} has the same condition, {seen_from(at, earlier.where('when'))}"
            case Implied(earlier) if variant.when is not None:
                what = f"{earlier.name} holds whenever this does, {seen_from(at, earlier.where('when'))}"
            case Implied() | Covered():
                covers = "hold for every record" if variant.when is None else "cover it"
                what = f"the variants before it {covers}"
            case _:
                assert_never(reason)
        yield Violation(at, f"never chosen: {what}", hint)


def variant_overlap(spec: Resolved) -> Iterator[Violation]:
    """Pairs of variants that can hold for one record."""
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
                values = coverage.in_words(together, found)
                what = f"{other.name} also holds, {place}, {f'as when {values}' if values else 'always'}"
                hint = f"exclude {other.name}, as in: … and not ({other.when.raw})"
                yield Violation(at, what, hint, Severity.WARNING)
                break


def variant_open(spec: Resolved) -> Iterator[Violation]:
    """Messages that need ``otherwise`` and lack it, or have it without a need."""
    for message, scope in message_scopes(spec):
        if message.variants:
            yield from _left_open(spec, scope, message)
        elif message.otherwise is not None:
            what = "otherwise needs variants, and there are none"
            yield Violation(message.where("otherwise"), what, "write valid: for a condition on every record")


def _left_open(spec: Resolved, scope: Scope, message: model.Message) -> Iterator[Violation]:
    known, assumed = domains.of(spec, scope), domains.assumed(spec, scope)
    none = coverage.none_of(message.variants, known)
    if none is None:
        return
    left = conditions.both(assumed, none)
    covers = conditions.impossible(none, known) or conditions.impossible(left, known)
    if message.otherwise is None and not covers:
        found = conditions.example(left, known)
        values = coverage.in_words(none, found) if found else ""
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
    """Columns that differ between alternatives."""
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
