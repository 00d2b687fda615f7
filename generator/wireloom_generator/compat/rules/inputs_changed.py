"""A type is given the same values as before.

What a type is given decides which of its fields are there and how large they are. Where the old and the new values
differ, the bytes of the type are read otherwise.

Bad::

    - {name: entry, type: Entry, with: {version: minor}}    # version: major before

Good::

    - {name: entry, type: Entry, with: {version: major}}
"""

from collections.abc import Iterator, Mapping

from wireloom_generator import model
from wireloom_generator.compat import walks
from wireloom_generator.compat.changes import BOTH, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Types that are given other values."""
    for pair, kept, old, new in walks.fields(comparison):
        names = dict.fromkeys((*old.inputs, *new.inputs))
        if not all(pair.same(old.inputs.get(name), new.inputs.get(name)) for name in names):
            yield Change(kept.new.path, walks.was(_in_words(old.inputs), _in_words(new.inputs)), BOTH)


def _in_words(inputs: Mapping[str, model.Condition]) -> str:
    return f"given {', '.join(f'{name}: {value.text}' for name, value in inputs.items()) or 'nothing'}"
