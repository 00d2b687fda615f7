"""No type contains itself, as a field or by an include, directly or through others.

Such a type would have no end: its columns could not be listed. Keep the inner part as bytes instead.

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

from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem
from wireloom_generator.reading import syntax


def check(spec: Resolved) -> Iterator[Problem]:
    """Types that contain themselves."""
    for name in sorted(spec.recursive):
        for entry in syntax.walk(spec.structs[name].written.fields):
            match entry:
                case syntax.Include(include=used):
                    at = entry.where("include")
                case syntax.Field(type=used):
                    at = entry.where("type")
                case _:
                    continue
            if used not in spec.structs or name not in spec.reach[used] | {used}:
                continue
            through = "" if used == name else f" through {used}"
            hint = "it would have no end; keep the inner part as bytes"
            yield Problem(at, "recursive-type", f"type {name!r} contains itself{through}", hint)
