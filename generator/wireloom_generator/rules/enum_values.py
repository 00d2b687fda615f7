"""An enum gives each number one name; a range of numbers has a first and a last.

The names become a Python enum, so they are Python names: spelled as in the document, where Python lets them. A range
only labels, and a number with a name of its own keeps that; a name that Python keeps for itself, as ``None``, can be
that of a range from a number to itself.

Bad::

    values:
      - {name: Ok, value: 0}
      - {name: Fine, value: 0}
      - {name: Error, from: 9, to: 1}

Good::

    values:
      - {name: Ok, value: 0}
      - {name: Error, from: 1, to: 9}
"""

from collections.abc import Iterator

from wireloom_generator import naming
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem, seen_from
from wireloom_generator.reading import syntax


def check(spec: Resolved) -> Iterator[Problem]:
    """Values without a number, ranges the wrong way round, numbers with two names."""
    for shared in spec.written.shared:
        for enum in shared.enums:
            seen: dict[tuple[int, int], syntax.EnumValue] = {}
            for value in enum.values:
                fault = (naming.label_fault if value.value is None else naming.member_fault)(value.name)
                if fault is not None:
                    yield Problem(value.where("name"), "enum-values", *fault)
                yield from _shape(value)
                yield from _again(value, seen)


def _shape(value: syntax.EnumValue) -> Iterator[Problem]:
    in_range = value.first is not None or value.last is not None
    if value.value is not None and in_range:
        at = value.where("from" if value.first is not None else "to")
        yield Problem(
            at,
            "enum-values",
            f"{value.name} has value, and from or to as well",
            "value: is for one number, from: and to: are for a range",
        )
    elif value.value is None and not in_range:
        yield Problem(value.at, "enum-values", f"{value.name} has no value", "give value, or from and to")
    elif value.value is None and (value.first is None or value.last is None):
        missing = "from" if value.first is None else "to"
        yield Problem(value.at, "enum-values", f"the range {value.name} has no {missing}")
    elif value.first is not None and value.last is not None and value.first > value.last:
        what = f"the range {value.name} ends before it begins"
        yield Problem(value.where("to"), "enum-values", what, f"from: {value.last}, to: {value.first}?")


def _again(value: syntax.EnumValue, seen: dict[tuple[int, int], syntax.EnumValue]) -> Iterator[Problem]:
    if value.value is not None:
        key, at, numbers = (value.value, value.value), value.where("value"), str(value.value)
    elif value.first is not None and value.last is not None and value.first < value.last:
        key, at, numbers = (value.first, value.last), value.where("from"), f"{value.first} to {value.last}"
    else:
        return
    known = seen.setdefault(key, value)
    if known is not value:
        place = seen_from(at, known.where("value" if known.value is not None else "from"))
        yield Problem(at, "enum-values", f"{numbers} is already {known.name}, {place}")
