"""Rules about the operands of expressions: they must have the right kind, be already read, and be present."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import assert_never

from wireloom_generator import expressions, model
from wireloom_generator.analysis import domains
from wireloom_generator.analysis.domains import TRUE
from wireloom_generator.analysis.scopes import Scope, Seen, Visit, fields
from wireloom_generator.analysis.sites import Moment, Site, sites
from wireloom_generator.expressions import (
    NO_TEXT,
    Binary,
    Call,
    Conditional,
    Expr,
    Function,
    InList,
    Logical,
    Name,
    Unary,
    Value,
    conditions,
    key,
)
from wireloom_generator.expressions.conditions import Domains, both
from wireloom_generator.expressions.domain import Domain
from wireloom_generator.expressions.kinds import WIDE, Fault, Kind, Misfit, misfits
from wireloom_generator.expressions.spans import Ends, Span, span
from wireloom_generator.model import Named, Region, Resolved
from wireloom_generator.problems import Violation
from wireloom_generator.types import Integer


def expression_type(spec: Resolved) -> Iterator[Violation]:
    """Reports expressions of the wrong kind, and operands of the wrong kind."""
    for site in sites(spec):
        if (tree := site.tree) is None:
            continue
        if (whole := _whole_list_or_struct(site, tree)) is None:
            for misfit in _causes(misfits(tree, site.kind, site.wants)):
                what, hint = _explained(misfit, is_all=misfit.part is tree)
                yield _wrong_type(site, misfit.part, what, NO_TEXT if _joins_text(tree, misfit) else hint)
        elif site.wants is not whole:
            yield _wrong_type(site, tree, f"{site.wants} expected, found {whole}", "")
        for part in expressions.walk(tree):
            if isinstance(part, Binary):
                yield from _operand_range(site, part.operator, part.right)


def _joins_text(tree: Expr, misfit: Misfit) -> bool:
    """Whether a text is added to something."""
    sums = (part for part in expressions.walk(tree) if isinstance(part, Binary) and part.operator == "+")
    is_operand = any(misfit.part in (each.left, each.right) for each in sums)
    return misfit.fault is Fault.UNWANTED and misfit.found is Kind.TEXT and is_operand


def _causes(found: Iterable[Misfit]) -> Iterator[Misfit]:
    """The misfits that do not follow from another one."""
    found = tuple(found)
    computes = any(misfit.found is Kind.FLOAT and misfit.other is Kind.NUMBER for misfit in found)
    return (misfit for misfit in found if not (computes and misfit.other is Kind.FLOAT))


def _whole_list_or_struct(site: Site, tree: Expr) -> Kind | None:
    """The kind of list or struct that is passed to a type; None for anything else."""
    found = site.kind(tree) if site.key == "with" and isinstance(tree, Name) else None
    return found if found in WIDE else None


_MOST_WRITTEN = 63
"""The largest shift by a literal number."""
_MOST_OF_RECORD = 255
"""The largest shift by a value of a record: a field of 8 bits."""
_MEANT = (Kind.TIME, Kind.SPAN, Kind.SCALED)
"""Meanings of numbers that expressions cannot use."""


def _wrong_type(site: Site, part: Expr, what: str, hint: str) -> Violation:
    names = expressions.names(part)
    return Violation(site.where(names[0].column if names else 0), what, hint)


def _explained(misfit: Misfit, *, is_all: bool) -> tuple[str, str]:
    """The mistake in a part, which may be the whole expression, and a hint."""
    found, other = misfit.found, misfit.other
    match misfit.fault:
        case Fault.UNWANTED:
            return _unwanted(found, other, is_all=is_all)
        case Fault.UNLIKE:
            return f"{found} cannot equal {other}", _comparison_hint({found, other})
        case Fault.UNORDERED:
            return f"{found} has no order", "use == or !="
        case Fault.MIXED:
            return f"this is {other} or {found}, depending on the condition", "both need the same kind"
        case Fault.OPAQUE:
            (name,) = (name.name for name in expressions.names(misfit.part))
            if found in _MEANT:
                hint = f"give the number a field of its own, and compute {name} from it with as:"
                return f"{name!r} is {found}, which expressions cannot work with", hint
            asks = f"count({name})" if found is Kind.LIST else f"size({name})"
            return (
                f"{name!r} is {found}, which expressions cannot work with",
                f"use {asks} or present({name})",
            )


def _unwanted(found: Kind, wanted: Kind, *, is_all: bool) -> tuple[str, str]:
    hint, named = "", str(wanted)
    if wanted is Kind.NUMBER and found is Kind.FLOAT:
        named = "a whole number"
        hint = "floats can only be compared; write as: {decimal: {scale: 0.1}} to scale a whole number"
        hint = "there is no rounding" if is_all else hint
    elif wanted is Kind.FLOAT and found is Kind.NUMBER:
        hint = "write a literal with a fraction, as in 1.0"
    elif wanted is Kind.CONDITION and found is Kind.NUMBER:
        hint = "compare it, as in … != 0"
    elif wanted is Kind.NUMBER and found is Kind.CONDITION:
        hint = "write 1 if … else 0"
    return f"{named} expected, found {found}", hint


def _comparison_hint(kinds: set[Kind]) -> str:
    if kinds == {Kind.CONDITION, Kind.NUMBER}:
        return "write true or false"
    if kinds == {Kind.BYTES, Kind.TEXT}:
        return "bytes are written hex('0d0a')"
    return "write numbers without quotes" if kinds == {Kind.TEXT, Kind.NUMBER} else ""


def _operand_range(site: Site, operator: str, right: Expr) -> Iterator[Violation]:
    found = span(right, _ranges(site, right))
    if operator in ("//", "%") and not (isinstance(right, Value) and right.value) and not found.is_positive:
        hint = "write, for instance, max(…, 1)"
        yield _wrong_type(site, right, "the divisor could be 0 or negative", hint)
    elif operator in ("<<", ">>"):
        most = _MOST_OF_RECORD if expressions.names(right) else _MOST_WRITTEN
        if not found.is_natural or found.most is None or found.most > most:
            hint = "use a field of at most 8 bits, or min(…, 63)"
            yield _wrong_type(site, right, "the shift could be negative or too far", hint)


def _ranges(site: Site, tree: Expr) -> Ends:
    """The ranges of the names of an expression that are integers; another rule reports unknown names."""
    names = {key(name): name for name in expressions.names(tree)}

    def ends(asked: str) -> Span:
        name = names.get(asked)
        if name is None or site.is_left(name) or site.is_index(name):
            return Span(0)  # sizes, offsets and counts are not names
        found = [_range_of(seen) for seen in site.values.get(asked, ())]
        known = [domain for domain in found if domain is not None]
        if len(known) < len(found):
            return Span()
        return Span(min((each.least for each in known), default=0), max((each.most for each in known), default=0))

    return ends


def _range_of(seen: Seen) -> Domain | None:
    type_ = seen.item.type if isinstance(seen, Visit) and isinstance(seen.item, Named) else None
    return type_.values if isinstance(type_, Integer) else None


_Needed = Iterator[tuple[Name, Expr]]
"""The names that must have a value, each with the condition that holds where it is used."""


def absent_value(spec: Resolved) -> Iterator[Violation]:
    """Reports values that may be absent where a number is needed."""
    known: dict[Scope, tuple[Domains, Domains]] = {}
    for site in sites(spec):
        tree = site.tree
        if tree is None or site.moment is Moment.FILLING:
            continue
        holds = _condition_here(site)
        needed = _needed_inside(tree, holds) if site.key == "compute" else _needed(tree, holds)
        for name, here in needed if site.wants is Kind.NUMBER else _needed_inside(tree, holds):
            if not all(isinstance(seen, Visit) for seen in site.values.get(name.name, (None,))):
                continue
            if site.scope not in known:
                all_known = domains.of(spec, site.scope)
                known[site.scope] = all_known, {other: replace(one, valid=None) for other, one in all_known.items()}
            if not _is_present(spec, site, name, here, *known[site.scope]):
                written = expressions.spelled(name.name)
                hint = f"write a value for that case, as in {written} if present({written}) else 0"
                yield Violation(site.where(name.column), f"{name.name!r} may be absent here", hint)


def _needed(tree: Expr, holds: Expr) -> _Needed:
    """The names without which the number ``tree`` has no value."""
    if isinstance(tree, Name):
        yield tree, holds
    elif isinstance(tree, Conditional):
        yield from _needed_inside(tree.test, holds)
        yield from _needed(tree.then, both(holds, tree.test))
        yield from _needed(tree.other, both(holds, Unary("not", tree.test)))
    else:
        yield from _needed_inside(tree, holds)


def _needed_inside(tree: Expr, holds: Expr) -> _Needed:
    """The same for a tree that may itself have no value."""
    match tree:
        case Unary("-" | "~", operand):
            yield from _needed(operand, holds)
        case Unary(_, operand):
            yield from _needed_inside(operand, holds)
        case Binary(_, left, right):
            yield from _needed(left, holds)
            yield from _needed(right, holds)
        case Call(Function.MIN | Function.MAX, arguments):
            for argument in arguments:
                yield from _needed(argument, holds)
        case Logical(operator, operands):
            for operand in operands:
                yield from _needed_inside(operand, holds)
                holds = both(holds, operand if operator == "and" else Unary("not", operand))
        case Conditional(test, then, other):
            yield from _needed_inside(test, holds)
            yield from _needed_inside(then, both(holds, test))
            yield from _needed_inside(other, both(holds, Unary("not", test)))
        case Name() | Call() | expressions.Value() | expressions.Compare() | expressions.Among():
            pass  # a comparison is false without its values
        case _:
            assert_never(tree)


def _condition_here(site: Site) -> Expr:
    """The condition that holds whenever the expression is evaluated: that its node is present."""
    visit = site.visit
    if visit is None:
        return TRUE
    taken = domains.taken(visit.branch)
    item = visit.item
    if not isinstance(item, model.Named | model.Bits) or item.when is None or site.key == "when":
        return taken
    own = item.when.tree
    return both(taken, domains.there(item.when, own, visit)) if own is not None else taken


def _is_present(spec: Resolved, site: Site, name: Name, holds: Expr, known: Domains, present_when: Domains) -> bool:
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
    """Whether the site's field is also optional, and so present only if earlier fields of that name are."""
    item = site.visit.item if site.visit else None
    if site.visit is None or not isinstance(item, model.Field) or not item.optional:
        return False
    return all(isinstance(seen, Visit) and seen.sections == site.visit.sections for seen in site.values[name])


_OF_ITEMS = ("size", "at", "with", "derive")
"""The keys of an item of a list."""
_OF_LISTS = ("derive", "valid")
"""The keys that are evaluated once the whole list is read."""


def item(spec: Resolved) -> Iterator[Violation]:
    """Reports items of fields that are not lists, ``index`` outside of lists, and lists without a length."""
    for site in sites(spec):
        tree = site.tree
        for part in () if tree is None else expressions.walk(tree):
            if isinstance(part, Name):
                yield from _name(site, part)
        if site.key == "derive" and tree is not None and _is_about_list(site):
            yield from _derived_list(site, tree)
    for field in fields(spec):
        if isinstance(field, model.Field) and field.repeat is not None:
            yield from _list(field)


def _name(site: Site, name: Name) -> Iterator[Violation]:
    at = site.where(name.column)
    if site.is_index(name):
        if site.key not in _OF_ITEMS or not _is_about_list(site):
            hint = "use it in size, at, with or derive of a list; in a type, as an input: with: {number: index}"
            yield Violation(at, "'index' is the number of an item, and there are no items here", hint)
    elif name.item is not None:
        yield from _item_of(site, name, name.item)


def _item_of(site: Site, name: Name, item: InList) -> Iterator[Violation]:
    at, around = site.where(name.column), site.around.get(item.list, ())
    found = next((seen.item for seen in around if isinstance(seen, Visit)), None)
    told = site.kind(Name(item.list)) if found is None else None
    if site.moment is Moment.FRAMING:
        yield Violation(at, "the length of a record cannot depend on items of lists")
    elif told is not None and told is not Kind.LIST:
        yield Violation(at, f"{item.list!r} is {told}, and has no items")
    elif found is not None and not (isinstance(found, Named) and found.kind is Kind.LIST):
        what = f"{item.list!r} is {found.kind if isinstance(found, Named) else 'a section'}, and has no items"
        yield Violation(at, what)
    elif site.visit is not None and found is site.visit.item and not (_is_before(site, item) or site.key in _OF_LISTS):
        what = f"{name.name!r} has not been read yet"
        yield Violation(at, what, f"write {item.list}[index - 1] for the previous item")


def _is_before(site: Site, item: InList) -> bool:
    """Whether it is always an item before the current one."""
    match item:
        case InList(number=Binary("-", Name() as name, Value(value=int() as back)), word=""):
            return site.is_index(name) and back > 0
    return False


def _is_about_list(site: Site) -> bool:
    """Whether the expression is about a list."""
    item = site.visit.item if site.visit is not None else None
    return isinstance(item, model.Field) and item.repeat is not None


def _derived_list(site: Site, tree: Expr) -> Iterator[Violation]:
    """Reports derived lists whose number of items is ambiguous."""
    names = [part for part in expressions.walk(tree) if isinstance(part, Name) and part.item is not None]
    about = {part.item.list for part in names if part.item is not None and not part.item.word}
    if len(about) != 1 or not any(isinstance(part, Name) and site.is_index(part) for part in expressions.walk(tree)):
        hint = "write it with index, as in derive: size(bodies[index])"
        yield Violation(site.at, "each item of a derived list must depend on the item of one other list", hint)


def _list(field: model.Field) -> Iterator[Violation]:
    if not model.numbered(field) or field.repeat is None:
        return
    if model.numbered(field, "at") and field.repeat.count is None:
        hint = "write repeat: {count: …}, as in count(offsets)"
        yield Violation(field.where("repeat"), "a list of items at places of their own needs a count", hint)
    if field.gives("raw"):
        hint = "declare a type for the items, with raw: on its field"
        what = f"the items of {field.name!r} depend on index, so they cannot have raw"
        yield Violation(field.where("raw"), what, hint)


def read_order(spec: Resolved) -> Iterator[Violation]:
    """Reports names that are used before they are read."""
    for site in sites(spec):
        tree = site.tree
        if tree is None or site.moment is Moment.FRAMING:
            continue
        asked = list(expressions.names(tree))
        for function, name in expressions.measured(tree):
            if function not in expressions.OF_PLACES:
                asked.append(name)
            elif (
                name.name in site.around
                and name.name not in site.regions
                and not _is_header_of_type(site, name.steps[0])
            ):
                what = f"{function}({name.name}) has not been read yet"
                yield Violation(site.where(name.column), what, _order_hint(site))
        for name in asked:
            if name.name not in site.values and _is_field(site, name.name):
                yield Violation(site.where(name.column), f"{name.name!r} has not been read yet", _order_hint(site))


def _is_field(site: Site, name: str) -> bool:
    return any(isinstance(seen, Visit) and not isinstance(seen.item, Region) for seen in site.around.get(name, ()))


def _is_header_of_type(site: Site, name: str) -> bool:
    """Whether the name is that of a header field, in a type; that it cannot be measured at all is another rule's
    concern.
    """
    in_header = all(seen in site.scope.header for seen in site.around[name])
    return in_header and isinstance(site.scope.owner, model.Struct)


def _order_hint(site: Site) -> str:
    if site.key == "with":
        return (
            "with can pass a later value if only derive and default in the type use it; to items of a list, if only"
            " default does"
        )
    if site.visit is not None:
        return "only derive, checksum and default can use later values"
    decisive = site.scope.owner.decisive if isinstance(site.scope.owner, model.Message) else ""
    return f"a variant is chosen after the fields that all variants share, up to section {decisive!r}"
