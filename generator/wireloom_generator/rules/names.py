"""Rules about names: their spelling and uniqueness."""

from collections.abc import Iterable, Iterator
from typing import Protocol

from wireloom_generator import blocks, model, naming
from wireloom_generator.analysis.scopes import Scope, Visit, every, nodes
from wireloom_generator.model import Resolved, takes_rest
from wireloom_generator.problems import Location, Severity, Violation, seen_from


def name_style(spec: Resolved) -> Iterator[Violation]:
    """Reports names that are not allowed."""
    for name, at in _column_names(spec):
        fault = naming.column_fault(name)
        if fault is not None:
            yield Violation(at, *fault)
    for shared in spec.shared:
        for item in shared.named:
            fault = blocks.class_fault(item.name)
            if fault is not None:
                yield Violation(item.where("name"), *fault)
    protocol = spec.protocol
    if protocol.name in naming.IMPORTED:
        what, hint = f"{protocol.name!r} is a package that generated modules import", "add whose protocol it is"
        yield Violation(protocol.where("protocol"), what, hint)
    for message in spec.messages:
        yield from _message_name(message)
    for fault_of, names in (
        (naming.asked_fault, (*_field_names(spec), *_argument_names(spec))),
        (naming.option_fault, (*_argument_names(spec), *((each.name, each.where(each.kind)) for each in spec.shared))),
    ):
        for name, at in names:
            fault = fault_of(name)
            if fault is not None:
                yield Violation(at, *fault)


def _message_name(message: model.Message) -> Iterator[Violation]:
    name, at = message.name, message.where("message")
    if name == "unknown":
        yield Violation(at, "'unknown' is the message of records that match no other", "choose another name")
    elif name == "index":
        yield Violation(at, "'index' is taken: the protocol's front page in the docs is index.md")
    elif name in naming.ROW:
        yield Violation(at, f"{name!r} is taken: it is a column of every row")


def _argument_names(spec: Resolved) -> Iterator[tuple[str, Location]]:
    """The names that are given as arguments."""
    for shared in spec.shared:
        yield from ((parameter.name, parameter.where("name")) for parameter in shared.parameters)


def _column_names(spec: Resolved) -> Iterator[tuple[str, Location]]:
    """The names that are columns, or could be."""
    for shared in spec.shared:
        yield shared.name, shared.where(shared.kind)
        yield from ((parameter.name, parameter.where("name")) for parameter in shared.parameters)
        yield from ((name, struct.where("given")) for struct in shared.structs for name in struct.given)
        yield from ((variant.name, variant.where("name")) for variant in shared.variants)
    for message in spec.messages:
        yield message.name, message.where("message")
        yield from ((variant.name, variant.where("name")) for variant in message.variants)
        yield from ((form.name, form.where("name")) for form in message.forms)
    yield from _field_names(spec)


def _field_names(spec: Resolved) -> Iterator[tuple[str, Location]]:
    match spec.record.end:
        case model.BetweenFlags() as between:
            yield between.raw, between.where("raw")
        case model.Terminator(raw=str() as of_terminators):
            yield of_terminators, spec.record.where("raw")
    for node in nodes(spec):
        if isinstance(node, model.Named):
            yield node.name, node.where("name")
            raw = node.raw if isinstance(node, model.Field) else node.stray.get("raw")
            if raw is not None:
                yield raw, node.where("raw")
        elif isinstance(node, model.Region):
            yield node.name, node.where("section")
            if node.trailing is not None:
                yield node.trailing, node.where("trailing")
            if isinstance(node, model.Section) and node.through is not None and node.through.raw is not None:
                yield node.through.raw, node.where("raw")


def unique_name(spec: Resolved) -> Iterator[Violation]:
    """Reports names that are declared twice."""
    for scope in every(spec):
        yield from _in_struct(scope)
    yield from _twice_as_parameter(spec)
    yield from _declared_twice(spec)
    yield from _twice("message", spec.messages, "message")
    for message in spec.messages:
        yield from _twice("form", message.forms)
        yield from _twice("variant", message.variants)
        yield from _twice("example", message.examples)


def _in_struct(scope: Scope) -> Iterator[Violation]:
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
    """Whether a field is the only content of the section of the same name, so that both have the same size."""
    item = visit.item
    if visit.name != visit.sections[-1] or not isinstance(item, model.Field) or item.when or item.optional:
        return False
    beside = [other for other in scope.visits if other.sections == visit.sections and other.meets(visit)]
    in_bytes = [other for other in beside if not isinstance(other.item, model.Computed)]
    return in_bytes == [visit] and takes_rest(item)


def _clashing(scope: Scope, visit: Visit, first: Visit) -> Violation:
    shared = visit.item.via is not None and visit.item.via != first.item.via
    at = visit.item.via if shared and visit.item.via else visit.at
    place = first.item.via if first.item.via and first.item.via != visit.item.via else first.at
    kind = "section" if isinstance(first.item, model.Region) else "field"
    owner = f"a {kind} of the record" if first in scope.header else f"a {kind}"
    hint = ""
    if isinstance(first.item, model.Region) and not isinstance(visit.item, model.Region):
        hint = f"size({visit.name}) would be ambiguous; only a field that fills its section may have the section's name"
    return Violation(at, f"{visit.name!r} is already {owner}, {seen_from(at, place)}", hint)


def _twice_as_parameter(spec: Resolved) -> Iterator[Violation]:
    yield from _twice("parameter", spec.protocol.parameters)
    seen: set[Location] = set()
    for scope in every(spec):
        for visit in scope.visits:
            fact = spec.parameters.get(visit.name or "")
            if fact is not None and fact.default is not None and visit.at not in seen:
                seen.add(visit.at)
                place = seen_from(visit.at, fact.where("name"))
                yield Violation(visit.at, f"{visit.name!r} is already a parameter, {place}")


def _declared_twice(spec: Resolved) -> Iterator[Violation]:
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


def _twice(kind: str, things: Iterable[_Thing], key: str = "name") -> Iterator[Violation]:
    """Names that occur twice among things of one kind; all declarations are one kind."""
    first: dict[str, Location] = {}
    for thing in things:
        name, at = thing.name, thing.where(key)
        known = first.setdefault(name, at)
        if known is not at:
            what = f"{'an' if kind[0] == 'e' else 'a'} {kind}" if kind else "declared"
            yield Violation(at, f"{name!r} is already {what}, {seen_from(at, known)}")


def file_name(spec: Resolved) -> Iterator[Violation]:
    """Reports files and folders that are not named after their contents."""
    for shared in spec.shared:
        at = shared.where(shared.kind)
        yield from _file(at, shared.kind, f"a {shared.kind}")
        yield from _folder(at, shared.name, shared.kind)
    for message in spec.messages:
        yield from _file(message.where("message"), message.name, f"message {message.name!r}")


def _file(at: Location, name: str, what: str) -> Iterator[Violation]:
    if at.path.stem != name:
        yield Violation(at, f"{what} belongs in {name}.yaml, not in {at.path.name}", "rename the file")


def _folder(at: Location, name: str, kind: str) -> Iterator[Violation]:
    folder = at.path.absolute().parent.name
    if folder != name:
        yield Violation(at, f"{kind} {name!r} belongs in a folder of that name, not in {folder!r}")


def spark_format(spec: Resolved) -> Iterator[Violation]:
    """Reports the protocol's name if Spark has a format of that name."""
    name = spec.protocol.name
    if name in naming.SPARK_FORMATS:
        what = f"{name!r} is a format of Spark"
        hint = f'add whose protocol it is, or accept this and call register(spark, "{name}", name="…")'
        yield Violation(spec.protocol.where("protocol"), what, hint, Severity.WARNING)
