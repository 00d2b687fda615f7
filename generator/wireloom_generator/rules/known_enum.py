"""The enum or the flags that a field names are declared, and are what the key says.

An enum gives each number one name; flags give each bit one. Both are declared in the protocol or in a library that it
imports, under ``enums`` and under ``flags``. Without it the column of names would stay empty.

Bad::

    - {name: status, type: u16, enum: Statuz}

Good::

    - {name: status, type: u16, enum: Status}
"""

from collections.abc import Collection, Iterator

from wireloom_generator.analysis.scopes import written
from wireloom_generator.problems import Problem, closest
from wireloom_generator.reading import syntax
from wireloom_generator.reading.spec import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Enums and flags that nothing declares."""
    for entry in written(spec):
        fields = entry.fields if isinstance(entry, syntax.Bits) else (entry,)
        for field in fields:
            if isinstance(field, syntax.Field | syntax.BitField):
                yield from _known(field, "enum", field.enum, spec.enums, "flags", spec.flags)
            if isinstance(field, syntax.Field):
                yield from _known(field, "flags", field.flags, spec.flags, "enum", spec.enums)


def _known(
    field: syntax.Field | syntax.BitField,
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
    hint = f"write {other}: {name}" if isinstance(field, syntax.Field) else "a bit field can have an enum only"
    yield Problem(field.where(key), "known-enum", f"{name!r} is declared as {declared}", hint)
