"""What must hold of a whole message does not change: ``valid`` of it and of its variants, and ``otherwise``.

A record for which it does not hold is malformed. A condition that asks for more refuses records that were good; one
that asks for less lets through what old decoders refuse.

Bad::

    valid: extras_length == 20    # extras_length in [1, 20] before

Good::

    valid: extras_length in [1, 20]
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.compat import walks
from wireloom_generator.compat.changes import Category, Change
from wireloom_generator.compat.comparison import Comparison, MessagePair
from wireloom_generator.expressions import Logical, Value

CATEGORY = Category.WIRE
_ALWAYS = model.Condition(Value(True), "true")


def check(comparison: Comparison) -> Iterator[Change]:
    """Messages and variants with other conditions on their records than before."""
    for pair in comparison.messages:
        path = f"{comparison.new.name}.{pair.new.name}"
        yield from _valid(pair, path, pair.old.valid, pair.new.valid)
        for old, new in pair.variants.kept:
            yield from _valid(pair, f"{path}.{new.name}", old.valid, new.valid)
        if not pair.same(pair.old.otherwise, pair.new.otherwise):
            what = f"otherwise {walks.was(pair.old.otherwise, pair.new.otherwise)}"
            breaks = walks.narrowed(_taken(pair.old), _taken(pair.new))
            if breaks or not (pair.variants.added or pair.variants.removed):  # these say it already
                yield Change(path, what, breaks)


def _valid(pair: MessagePair, path: str, old: model.Condition | None, new: model.Condition | None) -> Iterator[Change]:
    if not pair.same(old, new):
        yield Change(path, f"valid {walks.was(old, new)}", walks.narrowed(old, new))


def _taken(message: model.Message) -> model.Condition:
    """The condition under which a record has a variant or is well-formed without one."""
    cases = [message.otherwise, *(variant.when for variant in message.variants)]
    conditions = [case.expression for case in cases if case is not None]
    return model.Condition(Logical("or", tuple(conditions)), "") if len(conditions) == len(cases) else _ALWAYS
