"""Changes of parameters."""

from collections.abc import Iterator, Mapping

from wireloom_generator import model
from wireloom_generator.compat import walks
from wireloom_generator.compat.changes import BACKWARD, BOTH, NEITHER, Change
from wireloom_generator.compat.comparison import Comparison
from wireloom_generator.model import FoundInCapture


def parameter_added(comparison: Comparison) -> Iterator[Change]:
    name = comparison.new.name
    for added in comparison.parameters.added:
        path = f"{name}.{added.name}"
        if added.default is None:
            yield Change(
                path, "parameter added, from the header of captures; it must be given for records without one", BACKWARD
            )
        else:
            yield Change(path, f"parameter added, by default {str(added.default).lower()}", NEITHER)
    for old, new in comparison.parameters.kept:
        for choice in new.choices:
            if old.choices and choice not in old.choices:
                yield Change(f"{name}.{new.name}", f"can now be {choice}", NEITHER)


def parameter_removed(comparison: Comparison) -> Iterator[Change]:
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


def parameter_default_changed(comparison: Comparison) -> Iterator[Change]:
    names = {each.old.name: each.new.name for each in comparison.messages}
    for old, new in comparison.parameters.kept:
        path = f"{comparison.new.name}.{new.name}"
        if old.default != new.default:
            yield Change(path, f"default {walks.was(old.default, new.default)}", BOTH)
        before, now = _source(old.found, names), _source(new.found, {})
        if before != now:
            told = "now found in captures" if before is None else "no longer found in captures"
            yield Change(path, "found in captures by other records" if before and now else told, BOTH)


def _source(found: FoundInCapture | None, names: Mapping[str, str]) -> object:
    """How captures give a parameter, and to which messages; ``names`` are the new names of messages."""
    if found is None:
        return None
    asked = {names.get(name, name) for name in found.asked}
    return names.get(found.message, found.message), found.field, found.values, asked
