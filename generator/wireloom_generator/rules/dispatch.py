"""A record is of one message: each message matches header fields, with values that no other message matches.

``match`` names fields of the record's header, read before the first section that messages fill, and for each the values
it may have; a protocol of one message may match ``{}``, which is every record. All messages match on the same fields,
so that at most one of them fits. A record that fits no message belongs to the message ``unknown``.

Bad::

    match: {opcode: 0x156}    # opcode is a u8

Good::

    match: {opcode: 0x56}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.analysis import offsets, rivals
from wireloom_generator.analysis.scopes import Visit, head, until_slot
from wireloom_generator.expressions.kinds import Kind
from wireloom_generator.model import Named, Resolved
from wireloom_generator.problems import Problem, closest, seen_from

_TOLD = 10
"""The most messages that are listed for one conflict."""


def check(spec: Resolved) -> Iterator[Problem]:
    """Matches that never fit, or that fit the same records as another."""
    header = _header(spec)
    for message in spec.messages:
        for name, values in message.match.items():
            yield from _matches(header, message, name, values)
            if spec.record.end is None:
                yield from _early(spec, message, name, name in header)
    yield from _between(spec)


def _header(spec: Resolved) -> dict[str, list[Named]]:
    """The header fields read before messages differ."""
    visits: tuple[Visit, ...] = head(spec).visits
    if spec.record.slots:
        visits = until_slot(visits, spec.record.slots[0].name)
    found: dict[str, list[Named]] = {}
    for visit in visits:
        if isinstance(visit.item, Named):
            found.setdefault(visit.item.name, []).append(visit.item)
    return found


def _matches(
    header: dict[str, list[Named]],
    message: model.Message,
    name: str,
    values: tuple[int, ...],
) -> Iterator[Problem]:
    at = message.where(f"match.{name}")
    fields = header.get(name)
    if fields is None:
        yield Problem(at, "dispatch", f"the record's header has no field {name!r}", closest(name, header))
        return
    wanted = [field for field in fields if field.kind is Kind.NUMBER]
    if not wanted:
        yield Problem(at, "dispatch", f"{name!r} is {fields[0].kind}, and messages match on numbers")
        return
    ranges = [field.type.values for field in wanted]
    if not values:
        yield Problem(at, "dispatch", f"no value of {name!r} is given, so the message never matches")
    seen: set[int] = set()
    for value in values:
        if value in seen:
            yield Problem(at, "dispatch", f"{value} is given twice")
        elif not any(wire.least <= value <= wire.most for wire in ranges):
            hint = f"it has {ranges[0].least} to {ranges[0].most}"
            yield Problem(at, "dispatch", f"{name!r} is never {value}", hint)
        seen.add(value)


def _early(spec: Resolved, message: model.Message, name: str, is_header: bool) -> Iterator[Problem]:
    """If each message has its own length, the fields it matches on are read before the record."""
    if is_header and name not in offsets.of(spec, spec.record).numbers:
        what = f"{name!r} must be read before the length of the record is known, and is at no fixed offset"
        hint = "put it before what varies, or give the record a length"
        yield Problem(message.where(f"match.{name}"), "dispatch", what, hint)


def _between(spec: Resolved) -> Iterator[Problem]:
    """Messages that match on other fields than the first, and pairs that one record could fit."""
    alike = []
    for message in spec.messages:
        at, first = message.where("match"), spec.messages[0]
        if set(message.match) == set(first.match):
            alike.append(message)
            continue
        place, fields = seen_from(at, first.where("match")), ", ".join(first.match) or "nothing"
        hint = "all messages match on the same fields"
        yield Problem(at, "dispatch", f"{first.name} matches on {fields}, {place}", hint)
    bound: list[rivals.Bound] = [
        {name: frozenset(values) for name, values in message.match.items()} for message in alike
    ]
    for message, others in zip(alike, rivals.rivals(bound), strict=True):
        for other in (alike[index] for index in others[:_TOLD]):
            at = message.where("match")
            both = ", ".join(f"{name} {value}" for name, value in _common(message, other)) or "every record"
            place = seen_from(at, other.where("match"))
            yield Problem(at, "dispatch", f"{message.name} and {other.name} both match {both}, {place}")


def _common(message: model.Message, other: model.Message) -> Iterator[tuple[str, int]]:
    for name, values in message.match.items():
        others = set(other.match[name])
        yield name, next(value for value in values if value in others)
