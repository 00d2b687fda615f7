"""The enum or the flags that a field names are declared, and are what the key says.

An enum gives each number one name; flags give each bit one. Both are declared in the protocol or in a library that it
imports, under ``enums`` and under ``flags``. Without it the column of names would stay empty.

Bad::

    - {name: status, type: u16, enum: Statuz}

Good::

    - {name: status, type: u16, enum: Status}
"""

from collections.abc import Collection, Iterator

from wireloom_generator import model
from wireloom_generator.analysis.scopes import nodes
from wireloom_generator.model import Named, Resolved
from wireloom_generator.problems import Problem, closest


def check(spec: Resolved) -> Iterator[Problem]:
    """Undeclared enums and flags."""
    for node in nodes(spec):
        if isinstance(node, Named):
            yield from _known(node, "enum", node.enum, spec.enums, "flags", spec.flags)
        if isinstance(node, model.Field | model.Computed):
            flags = node.flags if isinstance(node, model.Field) else node.stray.get("flags")
            yield from _known(node, "flags", flags, spec.flags, "enum", spec.enums)


def _known(
    field: Named,
    key: str,
    name: str | None,
    known: Collection[str],
    other: str,
    others: Collection[str],
) -> Iterator[Problem]:
    if name is None or name in known:
        return
    kind = {"enum": "enum", "flags": "set of flags"}[key]
    if name not in others:
        yield Problem(field.where(key), "known-enum", f"unknown {kind} {name!r}", closest(name, known))
        return
    declared = "an enum" if other == "enum" else "flags"
    hint = f"write {other}: {name}" if not isinstance(field, model.BitField) else "a bit field can have an enum only"
    yield Problem(field.where(key), "known-enum", f"{name!r} is declared as {declared}", hint)
