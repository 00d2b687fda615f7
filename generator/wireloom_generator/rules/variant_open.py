"""Where variants leave a record open, ``otherwise`` says whether such a record is well-formed.

A record that none of a message's variants describes may be a version to come, whose bytes are best kept, or one that no
version can be, which is malformed. Nobody but the spec can tell. ``otherwise: true`` keeps all such records, with
``variant`` null and their bytes in the trailing columns; ``otherwise: false`` keeps none; a condition keeps those for
which it holds. Where one of the variants always holds there is nothing to say.

Bad::

    variants:
      - {name: v1, when: version == 1}
      - {name: v2, when: version == 2}

Good::

    variants:
      - {name: v1, when: version == 1}
      - {name: v2, when: version == 2}
    otherwise: version > 2
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.analysis import coverage, domains
from wireloom_generator.analysis.scopes import Scope, messages
from wireloom_generator.expressions import Value, conditions
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem


def check(spec: Resolved) -> Iterator[Problem]:
    """Messages that leave records open, or have ``otherwise`` although no record needs it."""
    for scope in messages(spec):
        message = scope.owner
        assert isinstance(message, model.Message)
        if message.variants:
            yield from _judged(spec, scope, message)
        elif message.otherwise is not None:
            what = "there are no variants that could leave a record open"
            yield Problem(message.where("otherwise"), "variant-open", what, "what must hold of every record is valid")


def _judged(spec: Resolved, scope: Scope, message: model.Message) -> Iterator[Problem]:
    known, assumed = domains.of(spec, scope), domains.assumed(spec, scope)
    none = coverage.none_of(message.variants, known)
    if none is None:
        return
    left = conditions.both(assumed, none)
    covers = conditions.impossible(none, known) or conditions.impossible(left, known)
    if message.otherwise is None and not covers:
        found = conditions.example(left, known)
        values = coverage.in_words(none, found) if found else ""
        what = f"a record may have none of the variants{f', as when {values}' if values else ''}"
        hint = "say whether it is well-formed: otherwise: true, false, or a condition"
        yield Problem(message.where("variants"), "variant-open", what, hint)
    if message.otherwise is None or (tree := message.otherwise.tree) is None:
        return
    at = message.where("otherwise")
    if covers:
        yield Problem(at, "variant-open", "every record has a variant", "leave it out")
    elif tree != Value(False) and conditions.impossible(conditions.both(left, tree), known):
        yield Problem(
            at, "variant-open", "it holds of no record without a variant", "write false if none is well-formed"
        )
