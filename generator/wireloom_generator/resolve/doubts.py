"""What puts a record's length in doubt: the spec's ``doubt``, and what no record of its message should have."""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.analysis import offsets
from wireloom_generator.expressions import Expr, Logical, Unary, printed
from wireloom_generator.expressions.comparisons import conjuncts
from wireloom_generator.model import matching


def doubts(
    spec: model.Resolved, owner: model.Record | model.Message, layout: offsets.Offsets
) -> Iterator[model.Condition]:
    """What is unusual of the owner's records, as numbers at fixed offsets tell it; nothing without a ``doubt``.

    After the ``doubt`` comes what breaks the ``valid`` of messages, piece by piece. Such a record is malformed anyway,
    so that no sound one is in doubt by it. Messages that say the same are asked together.
    """
    proof = owner.proof or spec.record.proof
    if proof is None or proof.doubt is None:
        return
    yield proof.doubt
    pieces: dict[str, tuple[Expr, list[model.Match]]] = {}
    for message in spec.messages if isinstance(owner, model.Record) else (owner,):
        if message.match.keys() <= layout.numbers.keys() | layout.parameters:
            for piece in filter(layout.tells, _pieces(message)):
                _, matches = pieces.setdefault(printed(piece), (piece, []))
                matches.append(message.match)
    for piece, matches in pieces.values():
        broken = Unary("not", piece)
        for match in _together(matches):
            tree = Logical("and", (*conjuncts(matching.condition(match)), broken)) if match else broken
            yield model.Condition(tree, printed(tree), raw=printed(tree))


def _pieces(message: model.Message) -> Iterator[Expr]:
    """What must hold of all records of a message, each by itself."""
    tree = message.valid.tree if message.valid is not None else None
    return iter(()) if tree is None else conjuncts(tree)


def _together(matches: list[model.Match]) -> Iterator[model.Match]:
    """What selects the same records; matches that differ in the last field alone are one."""
    joined: dict[tuple[tuple[str, tuple[model.Selector, ...]], ...], model.Match] = {}
    for match in matches:
        *others, (last, selectors) = match.items() if match else [("", ())]
        before = joined.get(key := (*others, (last, ())), {})
        joined[key] = {**match, last: (*before.get(last, ()), *selectors)} if match else {}
    yield from joined.values()
