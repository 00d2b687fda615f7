"""The names that expressions can use at a place of a file, as the protocol was when it was last checked."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from wireloom_generator import model
from wireloom_generator.analysis.scopes import Scope, Seen, Visit, every, head, inside
from wireloom_generator.analysis.visible import Sight
from wireloom_generator.language_server.workspace import Checked

EnumOrFlags = model.Enum | model.Flags


def scope_at(checked: Checked, path: Path, line: int) -> Scope:
    """The struct, message or record that a line, counted from 0, is in; else the record."""
    own = (scope for scope in every(checked.model) if scope.owner.at.path == path)
    owners = (scope for scope in own if scope.owner.at.line <= line + 1)
    return max(owners, key=lambda scope: scope.owner.at.line, default=head(checked.model))


def names_at(checked: Checked, path: Path, line: int) -> Mapping[str, tuple[Seen, ...]]:
    """The names that can be used there, each with what it can mean."""
    return Sight(checked.model, scope_at(checked, path, line), {}).named


def header_names(checked: Checked) -> Mapping[str, tuple[Seen, ...]]:
    """The names of the record, which select messages."""
    return Sight(checked.model, head(checked.model), {}).named


def names_in(checked: Checked, seen: Iterable[Seen]) -> dict[str, tuple[Visit, ...]]:
    """The names inside structs, or inside the items of lists."""
    found: dict[str, tuple[Visit, ...]] = {}
    for each in seen:
        if isinstance(each, Visit):
            for is_item in (False, True):
                found |= inside(checked.model, each.item, is_item=is_item)
    return found


def meant(checked: Checked, names: Mapping[str, tuple[Seen, ...]], path: str) -> tuple[Seen, ...]:
    """What a name can mean; with dots, what it leads to inside of structs."""
    first, *steps = path.split(".")
    seen: tuple[Seen, ...] = names.get(first, ())
    for step in steps:
        seen = names_in(checked, seen).get(step, ())
    return seen


def numbers_of(checked: Checked, seen: Iterable[Seen]) -> list[EnumOrFlags]:
    """The enums and flags of what a name can mean."""
    items = (each.item for each in seen if isinstance(each, Visit))
    names = (str(getattr(item, "enum", None) or getattr(item, "flags", None)) for item in items)
    known = numbered(checked)
    return [known[name] for name in dict.fromkeys(names) if name in known]


def numbered(checked: Checked) -> Mapping[str, EnumOrFlags]:
    """The enums and flags that fields can use."""
    return {**checked.model.enums, **checked.model.flags}
