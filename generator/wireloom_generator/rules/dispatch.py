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
from wireloom_generator.analysis import domains, obstacles, offsets, rivals
from wireloom_generator.analysis.scopes import head
from wireloom_generator.analysis.selectors import faults, header_fields
from wireloom_generator.expressions import conditions
from wireloom_generator.model import Resolved, matching
from wireloom_generator.problems import Problem, seen_from

_TOLD = 10
"""The most messages that are listed for one conflict."""


def check(spec: Resolved) -> Iterator[Problem]:
    """Matches that never fit, or that fit the same records as another."""
    header = header_fields(spec)
    sound = []
    for message in spec.messages:
        found = [
            Problem(message.where(f"match.{name}"), "dispatch", what, hint)
            for name, selectors in message.match.items()
            for what, hint in faults(spec, header, name, selectors)
        ]
        yield from found
        if not found:
            sound.append(message)
            yield from _early(spec, message) if spec.record.end is None else ()
    yield from _between(spec, sound)


def _early(spec: Resolved, message: model.Message) -> Iterator[Problem]:
    """If each message has its own length, the fields it matches on are read before the record."""
    for name in (name for name in message.match if name not in offsets.of(spec, spec.record).numbers):
        why = obstacles.of_name(spec, spec.record, name)
        what = f"a match selects the length, so it asks for numbers at fixed offsets; {name!r} {why}"
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
            what = f"{message.name} in {at.path.name}:{at.line} and {other.name} {place} both match {words}"
            yield Problem(at, "dispatch", what)


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
