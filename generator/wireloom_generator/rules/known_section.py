"""A message fills sections that the record leaves to it.

The record lists its sections in order. One without fields is a slot: messages fill it by its name. One with fields is
the record's own. Fields under a name that the record does not have would stand nowhere in the bytes.

Bad::

    sections:
      extra:
        - {name: seqno, type: u64}

Good::

    sections:
      extras:
        - {name: seqno, type: u64}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.analysis.scopes import head
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem, closest


def check(spec: Resolved) -> Iterator[Problem]:
    """Sections that the record does not leave to messages."""
    known = [slot.name for slot in spec.record.slots]
    if not known:
        what, hint = "the record has no section for messages to fill", "add one, as {section: body, size: rest}"
        yield Problem(spec.record.where("fields"), "known-section", what, hint)
    own = {visit.name for visit in head(spec).visits if isinstance(visit.item, model.Region)} - set(known)
    for message in spec.messages:
        parts: tuple[model.Message | model.Variant, ...] = (message, *message.variants)
        for part in parts:
            for name in part.filled:
                if name in known:
                    continue
                at = part.where(f"sections.{name}")
                if name in own:
                    hint = "messages fill sections that stand at the top of the record and have no fields there"
                    yield Problem(at, "known-section", f"section {name!r} is the record's own", hint)
                else:
                    yield Problem(at, "known-section", f"the record has no section {name!r}", closest(name, known))
