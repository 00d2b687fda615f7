"""What is filled in on encode stays the same.

Code that leaves the field out writes other bytes, or can no longer leave it out.

Bad::

    - {name: datatype, type: u8, default: 1}    # 0 before

Good::

    - {name: datatype, type: u8, default: 0}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.compat import walks, words
from wireloom_generator.compat.changes import BACKWARD, NEITHER, Category, Change
from wireloom_generator.compat.comparison import Comparison
from wireloom_generator.expressions import Conditional, Value

CATEGORY = Category.CODEC


def check(comparison: Comparison) -> Iterator[Change]:
    """Fields with another default."""
    for pair, kept, old, new in walks.values(comparison):
        follows = (_is_zeros(old) and _is_zeros(new)) or (_selects(old) and _selects(new))
        if not pair.same(old.default, new.default) and not follows:
            breaks = NEITHER if old.default is None else BACKWARD
            yield Change(kept.new.path, f"default {walks.was(old.default, new.default)}", breaks)
    yield from _selecting(comparison)


def _selects(field: walks.Valued) -> bool:
    """Whether its default is what alternatives match, which are compared."""
    default = field.default
    return default is not None and not default.is_written and isinstance(default.expression, Conditional)


def _is_zeros(field: walks.Valued) -> bool:
    """Whether it is bytes without a meaning, which are zeros unless they are given."""
    value = field.default.expression if field.default is not None else None
    return field.reserved and isinstance(value, Value) and isinstance(value.value, bytes)


def _selecting(comparison: Comparison) -> Iterator[Change]:
    """Messages that are written with another of their values."""
    for pair in comparison.messages:
        before = comparison.match_of(pair.old)
        for name, values in pair.new.match.items():
            earlier, now = _first(before.get(name, ())), _first(values)
            if name in before and earlier != now:
                what = f"default of {name} {walks.was(earlier, now)}"
                yield Change(f"{comparison.new.name}.{pair.new.name}", what, BACKWARD)


def _first(selectors: tuple[model.Selector, ...]) -> str:
    """What is written for a field that selects, unless it is given."""
    first = next(iter(selectors), None)
    return "none" if first is None or isinstance(first, model.Between) else words.selector(first)
