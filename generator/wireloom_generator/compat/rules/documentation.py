"""Changes of descriptions, errata and examples."""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.compat import docs, walks
from wireloom_generator.compat.changes import BOTH, NEITHER, Change
from wireloom_generator.compat.comparison import Comparison


def doc_changed(comparison: Comparison) -> Iterator[Change]:
    for path, old, new in docs.pairs(comparison):
        for what, before, after in (
            ("title", old.title, new.title),
            ("doc", old.text, new.text),
            ("unit", old.unit, new.unit),
            ("since", old.since, new.since),
            ("deprecated", old.deprecated, new.deprecated),
            ("source", old.source, new.source),
        ):
            if before != after:
                yield Change(path, f"{what} {_how(before, after)}", BOTH)


def _how(old: object, new: object) -> str:
    return "added" if not old else "removed" if not new else "changed"


def erratum_changed(comparison: Comparison) -> Iterator[Change]:
    for path, old, new in docs.pairs(comparison):
        gone = sum(erratum not in new.errata for erratum in old.errata)
        come = sum(erratum not in old.errata for erratum in new.errata)
        if gone:
            yield Change(path, f"{gone} of {len(old.errata)} errata {'changed' if come else 'removed'}", BOTH)
        elif come:
            yield Change(path, "erratum added", NEITHER)


def example_changed(comparison: Comparison) -> Iterator[Change]:
    for path, pair in walks.messages(comparison):
        after = {example.name: example for example in pair.new.examples}
        for example in pair.old.examples:
            now = after.pop(example.name, None)
            if now is None:
                yield Change(path, f"example {example.name!r} removed", BOTH)
            elif _facts(example) != _facts(now):
                yield Change(path, f"example {example.name!r} changed", BOTH)
        for name in after:
            yield Change(path, f"example {name!r} added", NEITHER)


def _facts(example: model.Example) -> tuple[object, ...]:
    return example.data, dict(example.parameters), dict(example.decoded), example.malformed
