"""Only optional fields follow an optional one.

An optional field is there if bytes are left in its section. If another field followed it, that one's bytes would be
taken for the optional one's.

Bad::

    - {name: timeout, type: u16, optional: true}
    - {name: level, type: u8}

Good::

    - {name: level, type: u8}
    - {name: timeout, type: u16, optional: true}
"""

from collections.abc import Iterator

from wireloom_generator.analysis.sequences import Entries, at_end, is_optional, needs_bytes, place, sequences
from wireloom_generator.problems import Problem
from wireloom_generator.reading import syntax
from wireloom_generator.reading.spec import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Entries that must be there, behind one that need not."""
    for entries in sequences(spec):
        yield from _behind(spec, entries)


def _behind(spec: Spec, entries: Entries) -> Iterator[Problem]:
    first: syntax.Field | syntax.Section | None = None
    for entry in entries:
        optional = isinstance(entry, syntax.Field) and entry.tail
        if first is not None and needs_bytes(spec, entry) and not optional:
            key, name = place(entry)
            how = "is optional" if is_optional(first) else "ends with an optional field"
            what = f"{place(first)[1]} {how}, so {name} behind it must be too"
            yield Problem(entry.where(key), "optional-last", what, "optional fields end their section")
            return
        first = first or at_end(spec, entry, is_optional)
