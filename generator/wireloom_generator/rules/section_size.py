"""What stands in a section fits its size, and the sections fit the record's length.

A section with more fields than bytes, or with bytes that no field takes and no ``trailing`` keeps, makes every record
malformed, and so does a length that says otherwise than the fields and sections it is the length of. The sizes are
those that a variant's and an alternative's condition leaves: with ``when: extras_length == 4`` the extras have 4 bytes.

Bad::

    sections:
      extras:          # size: 8 in the record
        - {name: seqno, type: u64}
        - {name: flags, type: u32}

Good::

    sections:
      extras:          # size: 8 in the record
        - {name: seqno, type: u32}
        - {name: flags, type: u32}
"""

from collections.abc import Iterator, Mapping

from wireloom_generator.analysis import domains, extents
from wireloom_generator.analysis.domains import TRUE
from wireloom_generator.analysis.rivals import tried
from wireloom_generator.analysis.scopes import Scope, every, expand, slots
from wireloom_generator.analysis.sites import constant
from wireloom_generator.expressions import Compare, Expr, Value, conditions, parsed
from wireloom_generator.expressions.evaluation import terms
from wireloom_generator.problems import Location, Problem, counted, seen_from
from wireloom_generator.reading import syntax
from wireloom_generator.reading.spec import Spec
from wireloom_generator.types.sizes import SizeRange


def check(spec: Spec) -> Iterator[Problem]:
    """Sections and records that no bytes can fill, or that some always overfill."""
    for scope in every(spec):
        known, assumed = domains.of(spec, scope), domains.assumed(spec, scope)
        for visit in scope.visits:
            if isinstance(visit.item, syntax.Section) and visit.item.fields:
                holds = conditions.both(assumed, domains.taken(visit.branch))
                content = extents.of(spec, visit.item.fields)
                yield from _fits(visit.item, visit.item.where("size"), content, holds, known)
        if isinstance(scope.owner, syntax.Message):
            yield from _slots(spec, scope, scope.owner, known)
            yield from _shortest(spec, scope.owner, known)
        if not isinstance(scope.owner, syntax.Type) and scope.owner.length is not None:
            yield from _length(spec, scope.owner, known)


def _fits(
    section: syntax.Section, at: Location, content: SizeRange, holds: Expr, known: conditions.Domains
) -> Iterator[Problem]:
    """Whether some record that ``holds`` is true of has in the section the bytes of ``content``."""
    size = parsed(section.size) if section.size != "rest" else None
    if size is None or not domains.known(conditions.both(holds, size), known) or (constant(section.size) or 0) < 0:
        return
    name = f"section {section.section!r}" + ("" if at.path == section.at.path else f" (size: {section.size})")
    if conditions.excludes(holds, Compare(">=", size, Value(content.least)), known):
        what = f"{name} has fewer bytes than its fields need, {content.least}"
        yield Problem(at, "section-size", what, "make it larger, or a field optional")
        return
    left_over = content.most is not None and section.trailing is None
    if left_over and conditions.excludes(holds, Compare("<=", size, Value(content.most)), known):
        what = f"{name} has more bytes than its fields take, {content.most}"
        yield Problem(at, "section-size", what, "trailing: keeps what is left over")


def _slots(spec: Spec, scope: Scope, message: syntax.Message, known: conditions.Domains) -> Iterator[Problem]:
    """The sections that the message fills, with its variants one by one; what is not filled must be empty."""
    if not {slot.section for slot in slots(spec)}.issuperset(_filled(message)):
        return  # what is meant for a section is under another's name
    assumed = domains.assumed(spec, scope)
    for slot in slots(spec):
        shared = extents.of(spec, message.sections.get(slot.section, ()))
        at = message.where(f"sections.{slot.section}" if slot.section in message.sections else "message")
        if not message.variants:
            yield from _fits(slot, at, shared, assumed, known)
        for variant, cases in zip(message.variants, tried(message.variants), strict=True):
            if slot.section in variant.sections:
                at = variant.where(f"sections.{slot.section}")
            elif slot.section not in message.sections:
                at = variant.where("name")
            content = shared + extents.of(spec, variant.sections.get(slot.section, ()))
            holds = conditions.both(assumed, domains.first(cases))
            yield from _fits(slot, at, content, holds, known)


def _filled(message: syntax.Message) -> set[str]:
    return {*message.sections, *(name for variant in message.variants for name in variant.sections)}


def _shortest(spec: Spec, message: syntax.Message, known: conditions.Domains) -> Iterator[Problem]:
    """Whether the length can be that of the message's shortest variant."""
    record = spec.protocol.record
    length = parsed(message.length or record.length or "")
    if length is None or not domains.known(length, known):
        return
    cases: list[Mapping[str, tuple[syntax.Entry, ...]]] = [variant.sections for variant in message.variants]
    if not message.variants or message.variants[-1].when is not None:
        cases.append({})
    own = min(
        sum(_least(spec, slot, message, case) for slot in slots(spec) if constant(slot.size) is None) for case in cases
    )
    least = extents.of(spec, record.fields).least + own
    if conditions.excludes(TRUE, Compare(">=", length, Value(least)), known):
        at = message.where("length" if message.length is not None else "message")
        if message.length is None and extents.of(spec, record.fields).least == least:
            return  # told of the record
        what = f"a record is shorter than its fields and sections, which have {counted(least, 'byte')}"
        yield Problem(at, "section-size", what, "count all of them")


def _least(
    spec: Spec, slot: syntax.Section, message: syntax.Message, case: Mapping[str, tuple[syntax.Entry, ...]]
) -> int:
    content = (*message.sections.get(slot.section, ()), *case.get(slot.section, ()))
    return extents.of(spec, content).least


def _length(spec: Spec, owner: syntax.Record | syntax.Message, known: conditions.Domains) -> Iterator[Problem]:
    """Whether the length can be that of the record's fields and sections together."""
    length, at = parsed(owner.length or ""), owner.where("length")
    if length is None or not domains.known(length, known):
        return
    least = extents.of(spec, spec.protocol.record.fields).least
    if isinstance(owner, syntax.Record) and conditions.excludes(TRUE, Compare(">=", length, Value(least)), known):
        what = f"a record is shorter than its fields and sections, which have {counted(least, 'byte')}"
        yield Problem(at, "section-size", what, "count all of them")
        return
    given, difference = _sum(spec), terms(length)
    if given is None or difference is None:
        return
    parts, is_open = given
    for name, factor in parts.items():
        difference[name] = difference.get(name, 0) - factor
    rest = difference.pop("", 0)
    if not any(difference.values()) and (rest < 0 or (rest > 0 and not is_open)):
        amount = f"{abs(rest)} byte{'s' if abs(rest) > 1 else ''} {'less' if rest < 0 else 'more'}"
        what = f"the length is {amount} than the fields and sections have"
        first = spec.protocol.record.where("fields")
        yield Problem(at, "section-size", f"{what} that begin {seen_from(at, first)}", "count each of them once")


def _sum(spec: Spec) -> tuple[dict[str, int], bool] | None:
    """The bytes of the record as a sum over names, and whether there may be more; None if it is no such sum."""
    total: dict[str, int] = {}
    is_open = False
    for entry, _ in expand(spec, spec.protocol.record.fields):
        if isinstance(entry, syntax.Section):
            is_open |= entry.size == "rest"
            size = {"": extents.of(spec, entry.fields).least} if entry.size == "rest" else _terms(entry.size)
        else:
            extent = extents.of(spec, (entry,))
            size = {"": extent.least} if extent.least == extent.most else None
        if size is None:
            return None
        for name, factor in size.items():
            total[name] = total.get(name, 0) + factor
    return total, is_open


def _terms(text: str) -> dict[str, int] | None:
    tree = parsed(text)
    return terms(tree) if tree is not None else None
