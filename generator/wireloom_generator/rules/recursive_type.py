"""A type that contains itself says how deep it goes.

Without a ``depth`` such a type would have no end, and its columns could not be listed. With it, so many are inside each
other, and what is deeper is bytes. So each field with the type must tell where it ends: by ``size``, ``prefix`` or
``until``, or by ``repeat: rest``. One that is ``shared`` is left out instead, since its bytes belong to others. In a
circle of several types one of them has the ``depth``.

Bad::

    types:
      - name: Node
        fields:
          - {name: child, type: Node}

Good::

    types:
      - name: Node
        depth: 4
        fields:
          - {name: child, type: Node, prefix: u16}
"""

from collections.abc import Iterator

from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem
from wireloom_generator.reading.unrolling import DEEPEST


def check(spec: Resolved) -> Iterator[Problem]:
    """Types that contain themselves and have no end, and depths that mean nothing."""
    deep = {name: struct.depth for name, struct in spec.structs.items() if struct.depth is not None}
    for name, depth in deep.items():
        at = spec.structs[name].where("depth")
        if not 1 <= depth <= DEEPEST:
            yield Problem(at, "recursive-type", f"a depth is from 1 to {DEEPEST}, not {depth}")
        elif name not in spec.recursive:
            yield Problem(at, "recursive-type", f"type {name!r} does not contain itself, so it has no depth")
    for loop in spec.loops:
        through = "" if loop.used == loop.name else f" through {loop.used}"
        what = f"type {loop.name!r} contains itself{through}"
        if not deep.keys() & {loop.name, loop.used}:
            hint = "give it a depth, as in depth: 4; what is deeper is bytes"
        elif loop.name != loop.used and loop.name in deep and loop.used in deep:
            hint = "one type of a circle has the depth, and no other"
        elif loop.used in deep and 1 <= deep[loop.used] <= DEEPEST:
            hint = "what is deeper is bytes, so say where a field of it ends: size, prefix, until or repeat: rest"
        else:
            continue  # told where the depth is
        yield Problem(loop.at, "recursive-type", what, hint)
