"""An answer and its requests are equal in fields that both have, and a request has one way to be answered.

``answers`` says ``to`` which messages a message is an answer, and ``by`` which fields a request is found: those of the
header, or fields that all these messages have themselves. Without ``to`` it answers each message that answers nothing
and that no other message names. Several messages can be answers to one, by the same fields. ``quiet`` has values of
these fields, as a ``match`` does: such requests mostly stay without an answer. ``more`` names the variants of the
answer behind which another one to the same request comes.

Bad::

    answers: {to: request, by: cookie}    # no field of the header, and none of the request

Good::

    answers: {to: request, by: opaque}
"""

from collections.abc import Iterator, Mapping

from wireloom_generator import model
from wireloom_generator.analysis.scopes import head
from wireloom_generator.analysis.selectors import faults, header_fields
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem, closest, seen_from
from wireloom_generator.types.columns import Primitive

_EQUAL = {
    *(Primitive.BYTE, Primitive.SHORT, Primitive.INT, Primitive.LONG, model.U64),
    *(Primitive.BOOLEAN, Primitive.STRING, Primitive.BINARY),
}
"""The columns by which rows can be found."""


def check(spec: Resolved) -> Iterator[Problem]:
    """Answers to messages that are not there, by fields that are not there, or in two ways."""
    messages = {message.name: message for message in spec.messages}
    visits = (visit.item for visit in head(spec).visits)
    header = {item.name: item.columns[0].type for item in visits if isinstance(item, model.Named) and item.columns}
    answered: dict[str, model.Answers] = {}
    for message in spec.messages:
        answers = message.answers
        if answers is None:
            continue
        yield from _requests(message, answers, messages)
        yield from _equal(message, answers, messages, header)
        yield from _quiet(spec, answers)
        known = [variant.name for variant in message.variants]
        for name in answers.more:
            if name not in known:
                yield Problem(answers.where("more"), "answers", f"there is no variant {name!r}", closest(name, known))
        for name in answers.to:
            other = answered.setdefault(name, answers)
            if other.by != answers.by:
                place = seen_from(answers.where("by"), other.where("by"))
                what = f"{name!r} is answered by {_listed(answers.by)} here, and by {_listed(other.by)} {place}"
                yield Problem(answers.where("by"), "answers", what)


def _requests(
    message: model.Message, answers: model.Answers, messages: Mapping[str, model.Message]
) -> Iterator[Problem]:
    at = answers.where("to")
    if not answers.to:
        what = "every message answers another one or is named by one, so this one answers none"
        yield Problem(at, "answers", what, "say which ones: to: [...]")
    for name in dict.fromkeys(answers.to):
        if name not in messages:
            yield Problem(at, "answers", f"there is no message {name!r}", closest(name, messages))
        elif name == message.name:
            yield Problem(at, "answers", "a message is no answer to itself")
        elif answers.to.count(name) > 1:
            yield Problem(at, "answers", f"{name!r} is given twice")


def _equal(
    message: model.Message,
    answers: model.Answers,
    messages: Mapping[str, model.Message],
    header: Mapping[str, model.ColumnType],
) -> Iterator[Problem]:
    """Fields that an answer and a request do not both have, or that are not comparable."""
    at = answers.where("by")
    if not answers.by:
        yield Problem(at, "answers", "no field is given by which a request is found")
    both = [message, *(messages[name] for name in answers.to if name in messages)]
    for name in answers.by:
        if name in header:
            found = {header[name]}
        else:
            own = [{column.name: column.type for column in each.columns} for each in both]
            lacking = next((each.name for each, known in zip(both, own, strict=True) if name not in known), None)
            if lacking is not None:
                what = f"{name!r} is no field of the header, and none of {lacking!r}"
                yield Problem(at, "answers", what, closest(name, [*header, *own[0]]))
                continue
            found = {known[name] for known in own}
        if len(found) > 1:
            yield Problem(at, "answers", f"{name!r} is not of one type in these messages")
        elif not found <= _EQUAL:
            hint = "numbers, texts, bytes, and true or false are compared"
            yield Problem(at, "answers", f"no request is found by {name!r}", hint)


def _quiet(spec: Resolved, answers: model.Answers) -> Iterator[Problem]:
    header = header_fields(spec)
    for name, selectors in answers.quiet.items():
        at = answers.where(f"quiet.{name}")
        if name not in answers.by:
            what = f"{name!r} is not among the fields by which requests are found"
            yield Problem(at, "answers", what, f"add it: by: [{', '.join([*answers.by, name])}]")
        else:
            yield from (Problem(at, "answers", *fault) for fault in faults(spec, header, name, selectors))


def _listed(names: tuple[str, ...]) -> str:
    return " and ".join(names) or "nothing"
