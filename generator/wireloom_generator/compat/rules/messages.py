"""Changes of messages: their records, conditions, requests and textual forms."""

from collections.abc import Iterator, Mapping

from wireloom_generator import model
from wireloom_generator.compat import walks, words
from wireloom_generator.compat.changes import BACKWARD, BOTH, FORWARD, NEITHER, Change
from wireloom_generator.compat.comparison import Comparison, MessagePair
from wireloom_generator.expressions import Logical, Value
from wireloom_generator.model import Answers, matching


def message_added(comparison: Comparison) -> Iterator[Change]:
    name = comparison.new.name
    for message in comparison.paired_messages.added:
        if comparison.lengths_by_message:
            what = "message added; old decoders cannot find the length of its records"
            yield Change(f"{name}.{message.name}", what, FORWARD)
        else:
            yield Change(f"{name}.{message.name}", "message added; its records are unknown to old decoders", NEITHER)


def message_removed(comparison: Comparison) -> Iterator[Change]:
    name = comparison.old.name
    for message in comparison.paired_messages.removed:
        yield Change(f"{name}.{message.name}", "message removed; its records become unknown", BACKWARD)


def message_renamed(comparison: Comparison) -> Iterator[Change]:
    for path, pair in walks.messages(comparison):
        if pair.old.name != pair.new.name:
            yield Change(path, f"was {pair.old.name}", BOTH)


def match_changed(comparison: Comparison) -> Iterator[Change]:
    for path, pair in walks.messages(comparison):
        before, after = comparison.match_of(pair.old), pair.new.match
        if before.keys() != after.keys():
            yield Change(path, f"was selected by {_selectors(before)}, is selected by {_selectors(after)}", BOTH)
            continue
        for name, values in after.items():
            for value in matching.without(before[name], values):
                yield Change(path, f"no longer selected by {name} {words.selector(value)}", BACKWARD)
            for value in matching.without(values, before[name]):
                lost = value == values[0] or comparison.lengths_by_message
                told = "; such records are unknown to old decoders" if lost else ""
                yield Change(
                    path, f"also selected by {name} {words.selector(value)}{told}", FORWARD if lost else NEITHER
                )


def _selectors(match: Mapping[str, object]) -> str:
    return " and ".join(match) or "nothing"


def dispatch_reused(comparison: Comparison) -> Iterator[Change]:
    old = comparison.paired_messages.removed + tuple(pair.old for pair in comparison.messages)
    new = comparison.paired_messages.added + tuple(pair.new for pair in comparison.messages)
    same = {(pair.old.name, pair.new.name) for pair in comparison.messages}
    for earlier in old:
        for message in new:
            both = _common(comparison.match_of(earlier), message.match)
            if both and (earlier.name, message.name) not in same:
                path = f"{comparison.new.name}.{message.name}"
                yield Change(path, f"takes records of {earlier.name}: {both}", BOTH)


def _common(old: model.Match, new: model.Match) -> str:
    """The records that both select, in words; empty if there are none."""
    common = {name: matching.common(values, old[name]) for name, values in new.items() if name in old}
    told = (f"{name} {', '.join(map(words.selector, values))}" for name, values in common.items())
    return (" and ".join(told) or "every one") if all(common.values()) else ""


def answers_changed(comparison: Comparison) -> Iterator[Change]:
    for path, pair in walks.messages(comparison):
        old, new = pair.old.answers, pair.new.answers
        if old is None or new is None:
            if new is not None:
                yield Change(path, f"answers {_listed(new.to)}", NEITHER)
            elif old is not None:
                yield Change(path, f"no longer answers {_listed(old.to)}", BACKWARD)
            continue
        names = {each.old.name: each.new.name for each in comparison.messages}
        for name in old.to:
            if names.get(name, name) not in new.to:
                yield Change(path, f"no longer answers {name}", BACKWARD)
        before = {names.get(name, name) for name in old.to}
        for name in new.to:
            if name not in before:
                yield Change(path, f"also answers {name}", NEITHER)
        if old.by != new.by:
            yield Change(path, f"finds requests by {_listed(new.by)}, not by {_listed(old.by)}", BACKWARD)
        if old.quiet != new.quiet:
            yield Change(path, f"quiet requests are those with {_quiet(new)}, not those with {_quiet(old)}", BACKWARD)
        if old.more != new.more:
            what = f"more answers follow {_listed(new.more)}, not {_listed(old.more)}"
            yield Change(path, what, BACKWARD)


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names) or "none"


def _quiet(answers: Answers) -> str:
    said = (f"{name} {', '.join(map(words.selector, values))}" for name, values in answers.quiet.items())
    return " and ".join(said) or "nothing"


_ALWAYS = model.Condition(Value(True), "true")


def validity_changed(comparison: Comparison) -> Iterator[Change]:
    for path, pair in walks.messages(comparison):
        yield from _validity(pair, path, pair.old.valid, pair.new.valid)
        for old, new in pair.variants.kept:
            yield from _validity(pair, f"{path}.{new.name}", old.valid, new.valid)
        if not pair.same(pair.old.otherwise, pair.new.otherwise):
            what = f"otherwise {walks.was(pair.old.otherwise, pair.new.otherwise)}"
            breaks = walks.narrowed(_accepted(pair.old), _accepted(pair.new))
            if breaks or not (pair.variants.added or pair.variants.removed):  # these say it already
                yield Change(path, what, breaks)


def _validity(
    pair: MessagePair, path: str, old: model.Condition | None, new: model.Condition | None
) -> Iterator[Change]:
    if not pair.same(old, new):
        yield Change(path, f"valid {walks.was(old, new)}", walks.narrowed(old, new))


def _accepted(message: model.Message) -> model.Condition:
    """The condition under which a record has a variant or is well-formed without one."""
    cases = [message.otherwise, *(variant.when for variant in message.variants)]
    conditions = [case.expression for case in cases if case is not None]
    return model.Condition(Logical("or", tuple(conditions)), "") if len(conditions) == len(cases) else _ALWAYS


def form_changed(comparison: Comparison) -> Iterator[Change]:
    for path, message in walks.messages(comparison):
        forms = {form.name: form for form in message.new.forms}
        for form in message.old.forms:
            if form.name in forms:
                if form.reads != forms[form.name].reads:
                    what, breaks = ("no longer read", BACKWARD) if form.reads else ("read", NEITHER)
                    yield Change(path, f"form {form.name}: lines are {what}", breaks)
                yield from _form_entries(message, path, form, forms[form.name])
            else:
                yield Change(path, f"form {form.name} removed", BOTH)


def _form_entries(message: MessagePair, path: str, old: model.Form, new: model.Form) -> Iterator[Change]:
    after = {entry.key: entry for entry in new.entries}
    for entry in old.entries:
        now = after.pop(entry.key, None)
        if now is None:
            yield Change(path, f"form {old.name}: key {entry.key} removed", BOTH)
        elif _content(entry, message.renamed) != _content(now, {}):
            yield Change(path, f"form {old.name}: key {entry.key} holds something else", BOTH)
    for entry in after.values():
        breaks = NEITHER if entry.omit != "never" else BACKWARD
        yield Change(path, f"form {old.name}: key {entry.key} added", breaks)


def _content(entry: model.FormEntry, renamed: Mapping[str, str]) -> tuple[str | None, str, str | None, str]:
    first, dot, inner = (entry.field or "").partition(".")
    field = renamed.get(first, first) + dot + inner if first else None
    return field, entry.notation, entry.const, entry.omit
