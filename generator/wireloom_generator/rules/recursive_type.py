"""A type that contains itself says how deep it goes.

Without a ``depth`` such a type would have no end, and its columns could not be listed. With it, so many are inside each
other. What is deeper is bytes if its field says where they end, whatever is in them (``size``, ``prefix``, ``until``,
``repeat: rest``); it is left out if it is ``shared``, since its bytes belong to others; else a record that has it is
malformed.

Types that contain each other make a circle. One of them has the ``depth``, or several have the same, which is then how
many of those are inside each other. Each way back to a type leads through one of them, and that is a field: what is put
into another type by ``include`` could not be missing.

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
          - {name: has_child, type: bool}
          - {name: child, type: Node, when: has_child}
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from wireloom_generator.model import Resolved
from wireloom_generator.model.resolved import Loop
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
    for circle in _circles(spec.loops):
        yield from _circle(circle, {loop.name: deep[loop.name] for loop in circle if loop.name in deep})


def _circles(loops: Iterable[Loop]) -> list[list[Loop]]:
    """The loops of types that contain each other, together."""
    found: list[list[Loop]] = []
    for loop in loops:
        met = [circle for circle in found if any({loop.name, loop.used} & {other.name, other.used} for other in circle)]
        found = [circle for circle in found if circle not in met] + [[*chain(*met), loop]]
    return found


def _circle(loops: Sequence[Loop], deep: Mapping[str, int]) -> Iterator[Problem]:
    """Why types that contain each other, of which some are ``deep``, could not be unrolled."""
    if not deep:
        hint = "give it a depth, as in depth: 4: how many are inside each other"
        yield from (_problem(loop, hint) for loop in loops)
        return
    if not all(1 <= depth <= DEEPEST for depth in deep.values()):
        return  # told where the depth is
    first, depth = next(iter(deep.items()))
    past = [loop for loop in loops if not {loop.name, loop.used} & deep.keys()]
    for loop in loops:
        if deep.get(loop.name, depth) != depth:
            hint = (
                f"{first} is in the same circle and has depth: {depth}; they are counted together, so write that here"
            )
        elif loop in past and loop.name in _reached(past, loop.used):
            hint = f"this leads past {first}; give {loop.name} the same depth: {depth}"
        elif loop.included and loop.used in deep:
            hint = "what is included cannot be missing where it is too deep, so let it be a field of that type"
        else:
            continue
        yield _problem(loop, hint)


def _problem(loop: Loop, hint: str) -> Problem:
    through = "" if loop.used == loop.name else f" through {loop.used}"
    return Problem(loop.at, "recursive-type", f"type {loop.name!r} contains itself{through}", hint)


def _reached(loops: Iterable[Loop], name: str) -> set[str]:
    """The types to which a type leads, itself among them."""
    found, pending = set(), {name}
    while pending:
        found |= pending
        pending = {loop.used for loop in loops if loop.name in pending} - found
    return found
