"""Rules about what messages are selected by, which requests they answer, and on which ports they are sent."""

from collections.abc import Iterator, Mapping, Sequence

from wireloom_generator import model
from wireloom_generator.analysis import domains, obstacles, offsets, rivals
from wireloom_generator.analysis.scopes import head
from wireloom_generator.analysis.selectors import faults, header_fields
from wireloom_generator.expressions import conditions
from wireloom_generator.model import Resolved, matching
from wireloom_generator.problems import Severity, Violation, closest, seen_from
from wireloom_generator.types import Boolean, whole
from wireloom_generator.types.columns import Primitive

_MOST_LISTED = 10
"""The most messages that are listed for one conflict."""


def dispatch(spec: Resolved) -> Iterator[Violation]:
    """Reports ``match`` entries that no record fits, or that fit the same records as another."""
    header = header_fields(spec)
    sound = []
    for message in spec.messages:
        found = [
            Violation(message.where(f"match.{name}"), what, hint)
            for name, selectors in message.match.items()
            for what, hint in faults(spec, header, name, selectors)
        ]
        yield from found
        if not found:
            sound.append(message)
            yield from _not_fixed(spec, message) if spec.record.end is None else ()
    yield from _both_match(spec, sound)


def no_message(spec: Resolved) -> Iterator[Violation]:
    """Reports protocols without a message."""
    if spec.is_whole and not spec.messages:
        what = "there is no message, so every record will be unknown, with its fields as bytes"
        hint = "add a file for each kind of record, as in first.yaml: message: first, match: {}"
        yield Violation(spec.protocol.where("protocol"), what, hint, Severity.WARNING)


def _not_fixed(spec: Resolved, message: model.Message) -> Iterator[Violation]:
    """Reports fields of ``match`` that cannot be read before the record, if each message has its own length."""
    for name in (name for name in message.match if name not in offsets.of(spec, spec.record).numbers):
        why = obstacles.of_name(spec, spec.record, name)
        what = f"each message has its own length, so match needs numbers at fixed offsets; {name!r} {why}"
        hint = "put it before fields that vary, or give the record a length"
        yield Violation(message.where(f"match.{name}"), what, hint)


_OTHER_SOURCES = ("const", "derive", "checksum", "compute", "default", "reserved")


def header_derive(spec: Resolved) -> Iterator[Violation]:
    """Reports fields that messages derive although they are not in the header, or have another value."""
    header: dict[str, list[model.Named]] = {}
    for visit in head(spec).visits:
        if isinstance(visit.item, model.Named):
            header.setdefault(visit.item.name, []).append(visit.item)
    selecting = {name for message in spec.messages for name in message.match}
    for message in spec.messages:
        for name in message.derive:
            at = message.where(f"derive.{name}")
            if name not in header:
                yield Violation(at, f"the record has no field {name!r}", closest(name, header))
            elif name in selecting:
                yield Violation(at, f"{name!r} selects messages, so it cannot be derived")
            else:
                yield from (Violation(at, *fault) for field in header[name] for fault in _underivable(field))


def _underivable(field: model.Named) -> Iterator[tuple[str, str]]:
    """Why messages cannot derive a field, with a hint."""
    given = next((key for key in _OTHER_SOURCES if field.gives(key)), None)
    is_number = isinstance(field.type, Boolean) or whole(field.type) is not None
    if given is not None:
        yield f"{field.name!r} has {given} in the record", "keep one of them"
    elif isinstance(field, model.Field) and field.repeat is not None:
        yield f"{field.name!r} is a list, which messages cannot derive", ""
    elif not is_number or field.meaning is not None:
        yield f"{field.name!r} is not an integer or bool, so it cannot be derived", ""


def _both_match(spec: Resolved, messages: Sequence[model.Message]) -> Iterator[Violation]:
    """Reports pairs of messages that the same record could match."""
    bound: list[rivals.Bound] = [_listed_values(message.match) for message in messages]
    known = domains.of(spec, head(spec))
    for message, others in zip(messages, rivals.rivals(bound), strict=True):
        both = ((messages[index], _common_record(message.match, messages[index].match, known)) for index in others)
        fitting = ((other, found) for other, found in both if found is not None)
        for (other, found), _ in zip(fitting, range(_MOST_LISTED), strict=False):
            at = message.where("match")
            words = ", ".join(f"{name} {matching.shown(value)}" for name, value in found.items()) or "every record"
            place = seen_from(at, other.where("match"))
            what = f"{message.name} in {at.path.name}:{at.line} and {other.name} {place} both match {words}"
            yield Violation(at, what)


def _common_record(
    one: model.Match, other: model.Match, known: conditions.Domains
) -> Mapping[str, model.Selector] | None:
    """Values of a record that both match; None if there is none.

    If they match on different fields, one message's field may have another value, or be absent, when the other matches.
    """
    found = _common_values(one, other)
    if found is None or one.keys() == other.keys() or any(name not in known for name in found):
        return found
    holds = conditions.both(matching.condition(one), matching.condition(other))
    if conditions.impossible(holds, known):
        return None
    shown = conditions.example(holds, known) or {}
    told = {name: value for name, value in shown.items() if isinstance(value, int | str | bytes)}
    return {name: told.get(name, value) for name, value in found.items()}


def _listed_values(match: model.Match) -> rivals.Bound:
    """The fields for which only values, and no ranges, are listed."""
    exact = {name: tuple(matching.listed(selectors)) for name, selectors in match.items()}
    return {
        name: frozenset(value for value in values if isinstance(value, int | str | bytes))
        for name, values in exact.items()
        if len(values) == len(match[name])
    }


def _common_values(one: model.Match, other: model.Match) -> Mapping[str, model.Selector] | None:
    """Values of a record that both match; None if there is none."""
    found: dict[str, model.Selector] = {}
    for name in {**one, **other}:
        is_asked_by_both = name in one and name in other
        selectors = matching.common(one[name], other[name]) if is_asked_by_both else one.get(name) or other.get(name)
        if not selectors:
            return None
        found[name] = selectors[0].least if isinstance(selectors[0], model.Between) else selectors[0]
    return found


_COMPARABLE = {
    *(Primitive.BYTE, Primitive.SHORT, Primitive.INT, Primitive.LONG, model.U64),
    *(Primitive.BOOLEAN, Primitive.STRING, Primitive.BINARY),
}
"""The columns by which rows can be found."""


def answers(spec: Resolved) -> Iterator[Violation]:
    """Reports answers to unknown messages, by unknown fields, or by different fields for one request."""
    messages = {message.name: message for message in spec.messages}
    visits = (visit.item for visit in head(spec).visits)
    header = {item.name: item.columns[0].type for item in visits if isinstance(item, model.Named) and item.columns}
    answered: dict[str, model.Answers] = {}
    for message in spec.messages:
        answers = message.answers
        if answers is None:
            continue
        yield from _requests(message, answers, messages)
        yield from _fields(message, answers, messages, header)
        yield from _quiet(spec, answers)
        known = [variant.name for variant in message.variants]
        for name in answers.more:
            if name not in known:
                yield Violation(answers.where("more"), f"there is no variant {name!r}", closest(name, known))
        for name in answers.to:
            other = answered.setdefault(name, answers)
            if other.by != answers.by:
                place = seen_from(answers.where("by"), other.where("by"))
                what = f"{name!r} is answered by {_listed(answers.by)} here, and by {_listed(other.by)} {place}"
                yield Violation(answers.where("by"), what)


def _requests(
    message: model.Message, answers: model.Answers, messages: Mapping[str, model.Message]
) -> Iterator[Violation]:
    at = answers.where("to")
    if not answers.to:
        what = "no message is left for this one to answer: the others are responses or have one"
        yield Violation(at, what, "list the messages: to: [...]")
    for name in dict.fromkeys(answers.to):
        if name not in messages:
            yield Violation(at, f"there is no message {name!r}", closest(name, messages))
        elif name == message.name:
            yield Violation(at, "a message cannot answer itself")
        elif answers.to.count(name) > 1:
            yield Violation(at, f"{name!r} is given twice")


def _fields(
    message: model.Message,
    answers: model.Answers,
    messages: Mapping[str, model.Message],
    header: Mapping[str, model.ColumnType],
) -> Iterator[Violation]:
    """Reports fields that the answer or the request lacks, or that cannot be compared."""
    at = answers.where("by")
    if not answers.by:
        yield Violation(at, "by needs at least one field")
    both = [message, *(messages[name] for name in answers.to if name in messages)]
    for name in answers.by:
        if name in header:
            found = {header[name]}
        else:
            own = [{column.name: column.type for column in each.columns} for each in both]
            lacking = next((each.name for each, known in zip(both, own, strict=True) if name not in known), None)
            if lacking is not None:
                what = f"{name!r} is neither a header field nor a field of {lacking!r}"
                yield Violation(at, what, closest(name, [*header, *own[0]]))
                continue
            found = {known[name] for known in own}
        if len(found) > 1:
            yield Violation(at, f"{name!r} has different types in these messages")
        elif not found <= _COMPARABLE:
            yield Violation(at, f"requests cannot be matched by {name!r}", "use a number, text, bytes or a boolean")


def _quiet(spec: Resolved, answers: model.Answers) -> Iterator[Violation]:
    header = header_fields(spec)
    for name, selectors in answers.quiet.items():
        at = answers.where(f"quiet.{name}")
        if name not in answers.by:
            yield Violation(at, f"{name!r} is not listed under by", f"add it: by: [{', '.join([*answers.by, name])}]")
        else:
            yield from (Violation(at, *fault) for fault in faults(spec, header, name, selectors))


def _listed(names: tuple[str, ...]) -> str:
    return " and ".join(names) or "nothing"


_LAST_PORT = 0xFFFF


def ports(spec: Resolved) -> Iterator[Violation]:
    """Reports invalid ports, and ports that are listed twice."""
    at = spec.protocol.where("ports")
    for number, port in enumerate(spec.ports):
        if not 1 <= port <= _LAST_PORT:
            yield Violation(at, f"{port} is not a port", f"ports are 1 to {_LAST_PORT}")
        elif port in spec.ports[:number]:
            yield Violation(at, f"port {port} is given twice")
