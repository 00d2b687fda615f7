"""A parameter can still be given, with the values it could have.

Code and options that give it fail.

Bad::

    parameters:
      - {name: byte_order, type: text, choices: [big, little], default: big}    # auto, big, little before

Good::

    parameters:
      - {name: byte_order, type: text, choices: [auto, big, little], default: big}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.compat import walks
from wireloom_generator.compat.changes import BACKWARD, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.CODEC


def check(comparison: Comparison) -> Iterator[Change]:
    """Parameters, and values of them, that are gone."""
    name = comparison.old.name
    yield from (Change(f"{name}.{gone.name}", "parameter removed", BACKWARD) for gone in comparison.parameters.removed)
    for old, new in comparison.parameters.kept:
        path = f"{name}.{new.name}"
        if old.column and not new.column:
            yield Change(path, "no longer a column of rows", BACKWARD)
        if _kind(old) != _kind(new):
            yield Change(path, f"parameter {walks.was(_kind(old), _kind(new))}", BACKWARD)
            continue
        for choice in old.choices:
            if choice not in new.choices:
                yield Change(path, f"can no longer be {choice}", BACKWARD)


def _kind(parameter: model.Parameter) -> str:
    return "text" if parameter.choices else parameter.type
