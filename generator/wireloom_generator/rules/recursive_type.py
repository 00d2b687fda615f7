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


def check(spec: Resolved) -> Iterator[Problem]:
    """Types that contain themselves."""
    for loop in spec.loops:
        through = "" if loop.used == loop.name else f" through {loop.used}"
        hint = "it would have no end; keep the inner part as bytes"
        yield Problem(loop.at, "recursive-type", f"type {loop.name!r} contains itself{through}", hint)
