"""Mistakes in the names and labels of enum values and flags."""

from collections.abc import Iterable, Iterator

from wireloom_generator import naming
from wireloom_generator.model import Enum, EnumValue, Flag, Flags
from wireloom_generator.problems import Severity, Violation, closest, seen_from


def misread(named: Iterable[EnumValue | Flag]) -> Iterator[Violation]:
    """Invalid labels, duplicate labels, and names that are the same in Python."""
    first: dict[str, EnumValue | Flag] = {}
    members: dict[str, str] = {}
    for each in named:
        other = members.setdefault(naming.member(each.name), each.name)
        if other != each.name:
            yield Violation(each.where("name"), f"{each.name!r} and {other!r} are the same name in Python")
        fault = naming.label_fault(each.label) if each.gives("label") else None
        if fault is not None:
            yield Violation(each.where("label"), *fault)
        known = first.setdefault(each.label, each)
        if known.name != each.name:
            at, place = (one.where("label" if one.gives("label") else "name") for one in (each, known))
            what = f"{each.label!r} is already the label of {known.name}, {seen_from(at, place)}"
            yield Violation(at, what, "rows cannot be encoded from a label that several numbers have", Severity.WARNING)


def unnamed(numbers: Enum | Flags, word: str) -> tuple[str, str]:
    """The message for a name that no enum value or flag has, and a hint."""
    same = next((value.name for value in numbers.values if value.label == word), None)
    names = [value.name for value in numbers.values]
    names += numbers.groups if isinstance(numbers, Enum) else ()
    return f"{numbers.name} has no value {word!r}", f"write its name {same!r}" if same else closest(word, names)
