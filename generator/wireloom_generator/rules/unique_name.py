"""A name stands for one thing.

The fields of a record's header and of a message are columns side by side, and expressions call them by name alone, as
they do parameters and sections. Two fields may share a name where only one of them can be there: in the alternatives of
a choice and in the variants of a message, where they are one column. A field may have its section's name if it is all
that the section holds. Enums, flags, types and tables are the names of one Python module.

Bad::

    - {name: length, type: u16}
    - {name: length, type: u32}

Good::

    - {name: header_length, type: u16}
    - {name: body_length, type: u32}
"""

from collections.abc import Iterable, Iterator
from typing import Protocol

from wireloom_generator import model
from wireloom_generator.analysis.scopes import Scope, Visit, every
from wireloom_generator.model import Resolved, takes_rest
from wireloom_generator.problems import Location, Problem, seen_from


def check(spec: Resolved) -> Iterator[Problem]:
    """Names given twice."""
    for scope in every(spec):
        yield from _in_struct(scope)
    yield from _parameters(spec)
    yield from _declarations(spec)
    yield from _twice("message", spec.messages, "message")
    for message in spec.messages:
        yield from _twice("form", message.forms)
        yield from _twice("variant", message.variants)
        yield from _twice("example", message.examples)


def _in_struct(scope: Scope) -> Iterator[Problem]:
    is_message = isinstance(scope.owner, model.Message)
    earlier: dict[str, list[Visit]] = {}
    for visit in scope.header if is_message else ():
        if visit.name is not None:
            earlier.setdefault(visit.name, []).append(visit)
    for visit in scope.visits:
        if visit.name is None:
            continue
        known = earlier.setdefault(visit.name, [])
        first = next((other for other in known if _clash(scope, visit, other)), None)
        known.append(visit)
        if first is not None:
            yield _clashing(scope, visit, first)


def _clash(scope: Scope, visit: Visit, other: Visit) -> bool:
    if other in scope.header:
        return not (isinstance(other.item, model.Slot) and _fills(scope, visit))
    inside = isinstance(other.item, model.Region) and other.name in visit.sections
    return visit.meets(other) and not (inside and _fills(scope, visit))


def _fills(scope: Scope, visit: Visit) -> bool:
    """Whether a field is all that the section it is named after holds, so that both have one size."""
    item = visit.item
    if visit.name != visit.sections[-1] or not isinstance(item, model.Field) or item.when or item.optional:
        return False
    beside = [other for other in scope.visits if other.sections == visit.sections and other.meets(visit)]
    in_bytes = [other for other in beside if not isinstance(other.item, model.Computed)]
    return in_bytes == [visit] and takes_rest(item)


def _clashing(scope: Scope, visit: Visit, first: Visit) -> Problem:
    shared = visit.item.via is not None and visit.item.via != first.item.via
    at = visit.item.via if shared and visit.item.via else visit.at
    place = first.item.via if first.item.via and first.item.via != visit.item.via else first.at
    kind = "section" if isinstance(first.item, model.Region) else "field"
    owner = f"a {kind} of the record" if first in scope.header else f"a {kind}"
    hint = ""
    if isinstance(first.item, model.Region) and not isinstance(visit.item, model.Region):
        hint = f"size({visit.name}) could be either's; only a field that is all the section holds may have its name"
    return Problem(at, "unique-name", f"{visit.name!r} is already {owner}, {seen_from(at, place)}", hint)


def _parameters(spec: Resolved) -> Iterator[Problem]:
    yield from _twice("parameter", spec.protocol.parameters)
    seen: set[Location] = set()
    for scope in every(spec):
        for visit in scope.visits:
            fact = spec.parameters.get(visit.name or "")
            if fact is not None and fact.default is not None and visit.at not in seen:
                seen.add(visit.at)
                place = seen_from(visit.at, fact.where("name"))
                yield Problem(visit.at, "unique-name", f"{visit.name!r} is already a parameter, {place}")


def _declarations(spec: Resolved) -> Iterator[Problem]:
    yield from _twice("", (each for shared in (*spec.libraries, spec.protocol) for each in shared.named))
    yield from _twice("shared variant", (variant for shared in spec.shared for variant in shared.variants))
    for shared in spec.shared:
        for numbers in shared.numbers:
            yield from _twice("value", numbers.values)
        for table in shared.tables:
            yield from _twice("field", table.fields)


class _Thing(Protocol):
    """What has a name."""

    @property
    def name(self) -> str: ...

    def where(self, key: str) -> Location: ...


def _twice(kind: str, things: Iterable[_Thing], key: str = "name") -> Iterator[Problem]:
    """Names that occur twice among things of one kind; all declarations are one kind."""
    first: dict[str, Location] = {}
    for thing in things:
        name, at = thing.name, thing.where(key)
        known = first.setdefault(name, at)
        if known is not at:
            what = f"{'an' if kind[0] == 'e' else 'a'} {kind}" if kind else "declared"
            yield Problem(at, "unique-name", f"{name!r} is already {what}, {seen_from(at, known)}")
