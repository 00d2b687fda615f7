"""A section has something in it, or stands where messages can fill it.

At the top of the record a section without fields is a slot for messages. Anywhere else a section is a region with
fields of its own; bytes that are kept as they are need no section but a field.

Bad::

    fields:
      - section: outer
        size: 4
        fields:
          - {section: inner, size: rest}

Good::

    fields:
      - section: outer
        size: 4
        fields:
          - {name: inner, type: bytes, size: rest}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.analysis.scopes import every
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem


def check(spec: Resolved) -> Iterator[Problem]:
    """Sections that are empty where no message can fill them."""
    for scope in every(spec):
        for visit in scope.visits:
            section = visit.item
            if not isinstance(section, model.Section) or not section.bare:
                continue
            if isinstance(scope.owner, model.Record):
                what = f"messages cannot fill section {section.name!r} here"
                hint = "a section for them stands at the top of the record; bytes that are just kept are a field"
                yield Problem(visit.at, "section-nesting", what, hint)
            elif section.trailing is None:
                what, hint = f"section {section.name!r} has no fields", "bytes that are just kept are a field"
                yield Problem(visit.at, "section-nesting", what, hint)
