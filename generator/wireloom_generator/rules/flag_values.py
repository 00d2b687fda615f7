"""A flag is one bit, and each bit is one flag.

A number is shown as the list of the flags that are set in it, which only has one meaning if no two share a bit. The
values of flags are powers of two. Several bits that mean something together are a bit field (``bits``), or a number
with an enum. The names are Python names; ``label`` has the document's words where they are not. A label that several
flags have is a warning: a row cannot be encoded by it alone.

Bad::

    values:
      - {name: Json, value: 1}
      - {name: Compressed, value: 3}

Good::

    values:
      - {name: Json, value: 0x01}
      - {name: Compressed, value: 0x02}
"""

from collections.abc import Iterator

from wireloom_generator import naming
from wireloom_generator.analysis.labels import misread
from wireloom_generator.model import Flag, Resolved
from wireloom_generator.problems import Problem, seen_from


def check(spec: Resolved) -> Iterator[Problem]:
    """Flags that are not one bit, or whose bit already has a name."""
    for shared in spec.shared:
        for flags in shared.flags:
            seen: dict[int, Flag] = {}
            for flag in flags.values:
                fault = naming.word_fault(flag.name)
                if fault is not None:
                    yield Problem(flag.where("name"), "flag-values", *fault)
                yield from _bit(flag, seen)
            yield from misread("flag-values", flags.values)


def _bit(flag: Flag, seen: dict[int, Flag]) -> Iterator[Problem]:
    at = flag.where("value")
    if flag.value <= 0 or flag.value & (flag.value - 1) or flag.value >> 64:
        hint = "a flag is 1, 2, 4, 8 …; several bits together are a bit field"
        yield Problem(at, "flag-values", f"{flag.value} is not one bit", hint)
        return
    known = seen.setdefault(flag.value, flag)
    if known is not flag:
        place = seen_from(at, known.where("value"))
        yield Problem(at, "flag-values", f"{flag.value} is already {known.name}, {place}")
