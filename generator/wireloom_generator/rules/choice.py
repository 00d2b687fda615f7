"""A choice has alternatives that can all be taken.

They are tried in order. Each says when it is taken, only the last may do without; one before it without a condition
would hide those behind it.

Bad::

    - choice:
        - fields: [{name: id, type: u32}]
        - {when: is_wide, fields: [{name: id, type: u64}]}

Good::

    - choice:
        - {when: is_wide, fields: [{name: id, type: u64}]}
        - fields: [{name: id, type: u32}]
"""

from collections.abc import Iterator

from wireloom_generator import syntax
from wireloom_generator.problems import Problem, seen_from
from wireloom_generator.scopes import written
from wireloom_generator.spec import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Alternatives that are never taken, and choices without any."""
    for entry in written(spec):
        if isinstance(entry, syntax.Choice):
            yield from _choice(entry)


def _choice(choice: syntax.Choice) -> Iterator[Problem]:
    if not choice.choice:
        yield Problem(choice.where("choice"), "choice", "a choice has an alternative or more")
    for alternative in choice.choice[:-1]:
        if alternative.when is None:
            hint = "only the last may do without when"
            yield Problem(alternative.at, "choice", "the alternatives behind this one are never taken", hint)
    first: dict[str, syntax.Alternative] = {}
    for alternative in choice.choice:
        if alternative.when is None:
            continue
        known = first.setdefault(alternative.when.strip(), alternative)
        if known is not alternative:
            at = alternative.where("when")
            place = seen_from(at, known.where("when"))
            yield Problem(at, "choice", f"never taken: the alternative {place} has the same condition")
