"""An enum gives each number one name; a range of numbers has a first and a last.

The names become a Python enum, so they are Python names: spelled as in the document, where Python lets them. Where it
does not, as for ``None`` or ``Not ready``, ``label`` has the document's words. A range only labels, and a number with a
name of its own keeps that. A label that several numbers have is a warning: a row cannot be encoded by it alone.

Bad::

    values:
      - {name: Ok, value: 0}
      - {name: Fine, value: 0}
      - {name: Not ready, value: 1}
      - {name: Error, from: 9, to: 2}

Good::

    values:
      - {name: Ok, value: 0}
      - {name: NotReady, value: 1, label: Not ready}
      - {name: Error, from: 2, to: 9}
"""

from collections.abc import Iterator

from wireloom_generator import naming
from wireloom_generator.analysis.labels import misread
from wireloom_generator.model import EnumValue, Resolved
from wireloom_generator.problems import Location, Problem, seen_from


def check(spec: Resolved) -> Iterator[Problem]:
    """Values without a number, ranges the wrong way round, numbers with two names."""
    for shared in spec.shared:
        for enum in shared.enums:
            seen: dict[tuple[int, int], EnumValue] = {}
            for value in enum.values:
                fault = naming.word_fault(value.name)
                if fault is not None:
                    yield Problem(value.where("name"), "enum-values", *fault)
                yield from _shape(value)
                yield from _again(value, seen)
            yield from misread("enum-values", enum.values)


def _shape(value: EnumValue) -> Iterator[Problem]:
    ends = [key for key in ("from", "to") if value.gives(key)]
    if value.gives("value") and ends:
        what, hint = (
            f"{value.name} has value, and from or to as well",
            "value: is for one number, from: and to: are for a range",
        )
        yield Problem(value.where(ends[0]), "enum-values", what, hint)
    elif not value.gives("value") and not ends:
        yield Problem(value.at, "enum-values", f"{value.name} has no value", "give value, or from and to")
    elif len(ends) == 1:
        missing = "from" if ends == ["to"] else "to"
        yield Problem(value.at, "enum-values", f"the range {value.name} has no {missing}")
    elif value.first > value.last:
        what = f"the range {value.name} ends before it begins"
        yield Problem(value.where("to"), "enum-values", what, f"from: {value.last}, to: {value.first}?")


def _again(value: EnumValue, seen: dict[tuple[int, int], EnumValue]) -> Iterator[Problem]:
    if value.range and value.first >= value.last:
        return
    known = seen.setdefault((value.first, value.last), value)
    if known is not value:
        at, numbers = _place(value), f"{value.first} to {value.last}" if value.range else f"{value.first}"
        yield Problem(at, "enum-values", f"{numbers} is already {known.name}, {seen_from(at, _place(known))}")


def _place(value: EnumValue) -> Location:
    return value.where("from" if value.range else "value")
