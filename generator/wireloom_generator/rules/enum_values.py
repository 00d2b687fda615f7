"""An enum gives each number one name; a range of numbers has a first and a last.

The names become a Python enum, so they are Python names: spelled as in the document, where Python lets them. Where it
does not, as for ``None`` or ``Not ready``, ``label`` has the document's words. A range only labels, and a number with a
name of its own keeps that. A label that several numbers have is a warning: a row cannot be encoded by it alone. A group
has a name that no value has, and names of values, each once.

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

from collections.abc import Iterator, Sequence

from wireloom_generator import naming
from wireloom_generator.analysis.labels import misread, unnamed
from wireloom_generator.model import Enum, EnumValue, Resolved
from wireloom_generator.problems import Location, Problem, seen_from


def check(spec: Resolved) -> Iterator[Problem]:
    """Values without a number, ranges the wrong way round, numbers with two names, groups of what there is not."""
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
            for group, names in enum.groups.items():
                for what, hint in _in_group(enum, group, names):
                    yield Problem(enum.where(f"groups.{group}"), "enum-values", what, hint)


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


def _in_group(enum: Enum, group: str, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What is wrong with a group, and hints."""
    known = frozenset(value.name for value in enum.values)
    if naming.word_fault(group) is not None:
        yield f"{group!r} cannot name a group", "a name has letters, digits and underscores, and begins with a letter"
    if group in known:
        yield f"{group!r} is already a value of {enum.name}", ""
    if not names:
        yield f"the group {group!r} has no values", "list their names"
    for number, name in enumerate(names):
        if name in names[:number]:
            yield f"{name!r} is in the group {group!r} twice", ""
        elif name not in known:
            yield (f"{name!r} is a group", "list its values") if name in enum.groups else unnamed(enum, name)


def _place(value: EnumValue) -> Location:
    return value.where("from" if value.range else "value")
