"""A textual form keeps its keys, and what they hold.

Lines that were written before are read by their keys, and readers elsewhere look for these.

Bad::

    entries:
      - {key: sequence, field: sequence}    # scn before

Good::

    entries:
      - {key: scn, field: sequence}
"""

from collections.abc import Iterator, Mapping

from wireloom_generator import model
from wireloom_generator.compat.changes import BACKWARD, BOTH, NEITHER, Category, Change
from wireloom_generator.compat.comparison import Comparison, MessagePair

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Forms and keys that are gone, and keys that hold something else."""
    for message in comparison.messages:
        path = f"{comparison.new.name}.{message.new.name}"
        forms = {form.name: form for form in message.new.forms}
        for form in message.old.forms:
            if form.name in forms:
                if form.reads != forms[form.name].reads:
                    what, breaks = ("no longer read", BACKWARD) if form.reads else ("read", NEITHER)
                    yield Change(path, f"form {form.name}: lines are {what}", breaks)
                yield from _entries(message, path, form, forms[form.name])
            else:
                yield Change(path, f"form {form.name} removed", BOTH)


def _entries(message: MessagePair, path: str, old: model.Form, new: model.Form) -> Iterator[Change]:
    after = {entry.key: entry for entry in new.entries}
    for entry in old.entries:
        now = after.pop(entry.key, None)
        if now is None:
            yield Change(path, f"form {old.name}: key {entry.key} removed", BOTH)
        elif _held(entry, message.renamed) != _held(now, {}):
            yield Change(path, f"form {old.name}: key {entry.key} holds something else", BOTH)
    for entry in after.values():
        breaks = NEITHER if entry.omit != "never" else BACKWARD
        yield Change(path, f"form {old.name}: key {entry.key} added", breaks)


def _held(entry: model.FormEntry, renamed: Mapping[str, str]) -> tuple[str | None, str, str | None, str]:
    first, dot, inner = (entry.field or "").partition(".")
    field = renamed.get(first, first) + dot + inner if first else None
    return field, entry.notation, entry.const, entry.omit
