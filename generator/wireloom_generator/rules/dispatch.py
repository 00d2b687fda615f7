"""A record is of one message: each message matches values that no other message matches with them.

``match`` names fields of the record's header, read before the first section that messages fill, or parameters, and for
each the values it may have: numbers, ranges of them as ``{from: 0x80}``, names of an enum's values, ``true`` or
``false``, text, or bytes in hex. A protocol of one message may match ``{}``, which is every record. A message can leave
out fields that others match on, if no record fits both. A record that fits no message belongs to the message
``unknown``.

Bad::

    match: {opcode: 0x156}    # opcode is a u8

Good::

    match: {opcode: 0x56}
"""

from collections.abc import Iterator, Mapping, Sequence

from wireloom_generator import model
from wireloom_generator.analysis import domains, offsets, rivals
from wireloom_generator.analysis.labels import unnamed
from wireloom_generator.analysis.scopes import Visit, head, inside, until_slot
from wireloom_generator.expressions import conditions
from wireloom_generator.expressions.domain import Domain
from wireloom_generator.expressions.kinds import Kind
from wireloom_generator.model import Named, Resolved, matching
from wireloom_generator.problems import Problem, closest, seen_from

_TOLD = 10
"""The most messages that are listed for one conflict."""
_KINDS = (Kind.NUMBER, Kind.CONDITION, Kind.TEXT, Kind.BYTES)
"""What messages can match on."""
_WRITTEN = {
    Kind.NUMBER: "numbers",
    Kind.CONDITION: "true or false",
    Kind.TEXT: "texts",
    Kind.BYTES: "bytes in hex, in quotes",
}
"""What is written for values of a kind."""


def check(spec: Resolved) -> Iterator[Problem]:
    """Matches that never fit, or that fit the same records as another."""
    header = _header(spec)
    sound = []
    for message in spec.messages:
        found = [
            problem
            for name, selectors in message.match.items()
            for problem in _matches(spec, header, message, name, selectors)
        ]
        yield from found
        if not found:
            sound.append(message)
            yield from _early(spec, message) if spec.record.end is None else ()
    yield from _between(spec, sound)


def _header(spec: Resolved) -> Mapping[str, Sequence[Visit]]:
    """The header fields read before messages differ."""
    visits: tuple[Visit, ...] = head(spec).visits
    if spec.record.slots:
        visits = until_slot(visits, spec.record.slots[0].name)
    found: dict[str, list[Visit]] = {}
    for visit in visits:
        if isinstance(visit.item, Named):
            found.setdefault(visit.item.name, []).append(visit)
    return found


def _found(spec: Resolved, header: Mapping[str, Sequence[Visit]], name: str) -> Sequence[Named]:
    """The fields that a name, maybe with dots, stands for."""
    first, *steps = name.split(".")
    found = header.get(first, ())
    for step in steps:
        found = [inner for visit in found for inner in inside(spec, visit.item).get(step, ())]
    return [visit.item for visit in found if isinstance(visit.item, Named)]


def _matches(
    spec: Resolved,
    header: Mapping[str, Sequence[Visit]],
    message: model.Message,
    name: str,
    selectors: Sequence[model.Selector],
) -> Iterator[Problem]:
    at = message.where(f"match.{name}")
    fields = _found(spec, header, name)
    if not fields and name not in spec.parameters:
        known = [*header, *spec.parameters]
        what = f"the record's header has no field {name!r}"
        yield Problem(at, "dispatch", what, closest(name, known))
        return
    if name == spec.byte_order:
        yield Problem(at, "dispatch", f"{name!r} is the byte order, which selects no message")
        return
    kinds = [field.kind for field in fields] or [domains.of(spec, head(spec))[name].kind]
    kind = next((kind for kind in kinds if kind in _KINDS), None)
    if kind is None:
        what = f"{name!r} is {kinds[0]}, and messages match on numbers, true or false, text and bytes"
        yield Problem(at, "dispatch", what)
        return
    if not selectors:
        yield Problem(at, "dispatch", f"no value of {name!r} is given, so the message never matches")
    ranges = [field.type.values for field in fields if field.kind is kind] or [domains.of(spec, head(spec))[name]]
    enum = next((spec.enums.get(field.enum) for field in fields if field.enum), None)
    repeated = matching.repeated(selectors)
    for number, selector in enumerate(selectors):
        for what, hint in _faults(name, selector, kind, ranges, enum):
            yield Problem(at, "dispatch", what, hint)
            break
        else:
            if number in repeated:
                yield Problem(at, "dispatch", f"{matching.shown(repeated[number])} is given twice")


def _faults(
    name: str,
    selector: model.Selector,
    kind: Kind,
    ranges: Sequence[Domain],
    enum: model.Enum | None,
) -> Iterator[tuple[str, str]]:
    """What is wrong with a selector, and a hint."""
    shown = matching.shown(selector)
    if isinstance(selector, str) and kind is Kind.NUMBER and enum is not None:
        yield unnamed(enum, selector)
    elif not _is_of(selector, kind):
        names = f", or names of values of {enum.name}" if enum is not None else ""
        yield f"{name!r} is {kind}, not {shown}", f"write {_WRITTEN[kind]}{names}"
    elif isinstance(selector, model.Between) and selector.least > selector.most:
        yield f"{shown} is no range", "it goes from the least to the greatest"
    elif kind is Kind.NUMBER and not any(_is_within(selector, each) for each in ranges):
        yield f"{name!r} is never {shown}", f"it has {ranges[0].least} to {ranges[0].most}"
    elif ranges[0].listed and kind is Kind.TEXT and selector not in ranges[0].listed:
        yield f"{name!r} is never {shown}", f"it has {', '.join(map(str, ranges[0].listed))}"


def _is_of(selector: model.Selector, kind: Kind) -> bool:
    match selector:
        case bool():
            return kind is Kind.CONDITION
        case int() | model.Between():
            return kind is Kind.NUMBER
        case str():
            return kind is Kind.TEXT
        case bytes():
            return kind is Kind.BYTES
    return False


def _is_within(selector: model.Selector, numbers: Domain) -> bool:
    if isinstance(selector, model.Between):
        return numbers.least <= selector.least and selector.most <= numbers.most
    return isinstance(selector, int) and numbers.least <= selector <= numbers.most


def _early(spec: Resolved, message: model.Message) -> Iterator[Problem]:
    """If each message has its own length, the fields it matches on are read before the record."""
    for name in (name for name in message.match if name not in offsets.of(spec, spec.record).numbers):
        what = f"{name!r} must be read before the length of the record is known, and is at no fixed offset"
        hint = "put it before what varies, or give the record a length"
        yield Problem(message.where(f"match.{name}"), "dispatch", what, hint)


def _between(spec: Resolved, messages: Sequence[model.Message]) -> Iterator[Problem]:
    """Pairs of messages that one record could fit."""
    bound: list[rivals.Bound] = [_bound(message.match) for message in messages]
    known = domains.of(spec, head(spec))
    for message, others in zip(messages, rivals.rivals(bound), strict=True):
        both = ((messages[index], _fitting(message.match, messages[index].match, known)) for index in others)
        fitting = ((other, found) for other, found in both if found is not None)
        for (other, found), _ in zip(fitting, range(_TOLD), strict=False):
            at = message.where("match")
            words = ", ".join(f"{name} {matching.shown(value)}" for name, value in found.items()) or "every record"
            place = seen_from(at, other.where("match"))
            yield Problem(at, "dispatch", f"{message.name} and {other.name} both match {words}, {place}")


def _fitting(one: model.Match, other: model.Match, known: conditions.Domains) -> Mapping[str, model.Selector] | None:
    """Values of a record that both match; None if there is none.

    If they ask for other fields, one of these may not be so, or not be there, if the other matches.
    """
    found = _common(one, other)
    if found is None or one.keys() == other.keys() or any(name not in known for name in found):
        return found
    holds = conditions.both(matching.condition(one), matching.condition(other))
    if conditions.impossible(holds, known):
        return None
    shown = conditions.example(holds, known) or {}
    told = {name: value for name, value in shown.items() if isinstance(value, int | str | bytes)}
    return {name: told.get(name, value) for name, value in found.items()}


def _bound(match: model.Match) -> rivals.Bound:
    """The fields for which values alone are listed."""
    exact = {name: tuple(matching.listed(selectors)) for name, selectors in match.items()}
    return {
        name: frozenset(value for value in values if isinstance(value, int | str | bytes))
        for name, values in exact.items()
        if len(values) == len(match[name])
    }


def _common(one: model.Match, other: model.Match) -> Mapping[str, model.Selector] | None:
    """Values of a record that both match; None if there is none."""
    found: dict[str, model.Selector] = {}
    for name in {**one, **other}:
        is_asked_by_both = name in one and name in other
        selectors = matching.common(one[name], other[name]) if is_asked_by_both else one.get(name) or other.get(name)
        if not selectors:
            return None
        found[name] = selectors[0].least if isinstance(selectors[0], model.Between) else selectors[0]
    return found
