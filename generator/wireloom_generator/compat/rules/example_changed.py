"""A worked example stays as it is.

It was true of the old version, and it is what a reader compares captures with. One that goes, or whose bytes or values
are others, hides that they decode otherwise now.

Bad::

    examples:
      - {name: V1, hex: 80 56 00 00, decoded: {version: 2}}    # version: 1 before

Good::

    examples:
      - {name: V1, hex: 80 56 00 00, decoded: {version: 1}}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.compat.changes import BOTH, NEITHER, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.DOCS


def check(comparison: Comparison) -> Iterator[Change]:
    """Examples that are gone or different; new ones are a note."""
    for pair in comparison.messages:
        path = f"{comparison.new.name}.{pair.new.name}"
        after = {example.name: example for example in pair.new.examples}
        for example in pair.old.examples:
            now = after.pop(example.name, None)
            if now is None:
                yield Change(path, f"example {example.name!r} removed", BOTH)
            elif _facts(example) != _facts(now):
                yield Change(path, f"example {example.name!r} is another", BOTH)
        for name in after:
            yield Change(path, f"example {name!r} added", NEITHER)


def _facts(example: model.Example) -> tuple[object, ...]:
    return example.data, dict(example.parameters), dict(example.decoded), example.malformed
