"""An include names a declared type, and no type contains itself.

An include puts a type's fields where it stands. A type that has itself as a field, directly or through others, would
have no end: its columns could not be listed. Keep the inner part as bytes instead.

Bad::

    types:
      - name: Node
        fields:
          - {name: child, type: Node}

Good::

    types:
      - name: Node
        fields:
          - {name: child, type: bytes, prefix: u16}
"""

from collections.abc import Iterator

from wireloom_generator import syntax
from wireloom_generator.problems import Problem, closest
from wireloom_generator.scopes import nested, reach, recursive, written
from wireloom_generator.spec import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Includes of unknown types, and types within themselves."""
    for entry in written(spec):
        if isinstance(entry, syntax.Include) and entry.include not in spec.types:
            at, what = entry.where("include"), f"unknown type {entry.include!r}"
            yield Problem(at, "known-include", what, closest(entry.include, spec.types))
    for name in sorted(recursive(spec)):
        for entry in nested(spec.types[name].fields):
            match entry:
                case syntax.Include(include=used):
                    at = entry.where("include")
                case syntax.Field(type=used):
                    at = entry.where("type")
                case _:
                    continue
            if used not in spec.types or name not in reach(spec, used) | {used}:
                continue
            through = "" if used == name else f" through {used}"
            hint = "types cannot be recursive; keep the inner part as bytes"
            yield Problem(at, "known-include", f"type {name!r} contains itself{through}", hint)
