"""An include names a type that the protocol or a library declares.

An include puts the fields of the type where it stands, as if they were written there.

Bad::

    types:
      - {name: Header, fields: [{name: version, type: u8}]}
      - {name: Item, fields: [{include: Haeder}]}

Good::

    types:
      - {name: Header, fields: [{name: version, type: u8}]}
      - {name: Item, fields: [{include: Header}]}
"""

from collections.abc import Iterator

from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem, closest


def check(spec: Resolved) -> Iterator[Problem]:
    """Includes of unknown types."""
    for each in spec.included:
        if each.name not in spec.structs:
            hint = closest(each.name, spec.structs)
            yield Problem(each.where("include"), "known-include", f"unknown type {each.name!r}", hint)
