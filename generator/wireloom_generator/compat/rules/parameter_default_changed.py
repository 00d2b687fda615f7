"""A parameter keeps its default, and captures tell it as they did.

Whoever does not give it reads the same bytes differently, and writes different ones, without having changed anything.

Bad::

    parameters:
      - {name: byte_order, type: text, choices: [big, little], default: little}    # big before

Good::

    parameters:
      - {name: byte_order, type: text, choices: [big, little], default: big}
"""

from collections.abc import Iterator, Mapping

from wireloom_generator.compat import walks
from wireloom_generator.compat.changes import BOTH, Category, Change
from wireloom_generator.compat.comparison import Comparison
from wireloom_generator.model import Told

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Parameters with another default, and those that captures tell otherwise."""
    names = {each.old.name: each.new.name for each in comparison.messages}
    for old, new in comparison.parameters.kept:
        path = f"{comparison.new.name}.{new.name}"
        if old.default != new.default:
            yield Change(path, f"default {walks.was(old.default, new.default)}", BOTH)
        before, now = _told(old.found, names), _told(new.found, {})
        if before != now:
            told = "is told by captures" if before is None else "is no longer told by captures"
            yield Change(path, "is told by captures otherwise" if before and now else told, BOTH)


def _told(found: Told | None, names: Mapping[str, str]) -> object:
    """By what captures tell a parameter, and in front of which messages; ``names`` are what messages are called now."""
    if found is None:
        return None
    asked = {names.get(name, name) for name in found.asked}
    return names.get(found.message, found.message), found.field, found.values, asked
