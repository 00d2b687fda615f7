"""An answer has the requests that it had, found by the same fields.

Who brings answers and requests together gets others, or none. That a message becomes an answer is a note.

Bad::

    answers: {to: get, by: opaque}    # by: [opcode, opaque] before

Good::

    answers: {to: get, by: [opcode, opaque]}
"""

from collections.abc import Iterator

from wireloom_generator.compat import words
from wireloom_generator.compat.changes import BACKWARD, NEITHER, Category, Change
from wireloom_generator.compat.comparison import Comparison
from wireloom_generator.model import Answers

CATEGORY = Category.CODEC


def check(comparison: Comparison) -> Iterator[Change]:
    """Messages that answer others, by other fields, or nothing more."""
    for pair in comparison.messages:
        path, old, new = f"{comparison.new.name}.{pair.new.name}", pair.old.answers, pair.new.answers
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
                yield Change(path, f"answers {name} too", NEITHER)
        if old.by != new.by:
            yield Change(path, f"finds requests by {_listed(new.by)}, not by {_listed(old.by)}", BACKWARD)
        if old.quiet != new.quiet:
            yield Change(path, f"quiet requests are those with {_quiet(new)}, not those with {_quiet(old)}", BACKWARD)
        if old.more != new.more:
            what = f"more answers come behind {_listed(new.more)}, not behind {_listed(old.more)}"
            yield Change(path, what, BACKWARD)


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names) or "none"


def _quiet(answers: Answers) -> str:
    said = (f"{name} {', '.join(map(words.selector, values))}" for name, values in answers.quiet.items())
    return " and ".join(said) or "nothing"
