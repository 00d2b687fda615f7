"""A proof is about something, stands beside a length, and is there where records are searched for.

The length of a damaged record would lead anywhere. A proof says what must hold before it is believed: a condition, a
checksum, or both. ``resync`` searches for the next record that is proven, and a byte order that may be found out
(``auto``) is the one in which the proof holds: both need one. With ``resync`` it is tried at every byte, so its
checksum is one that is quick for ranges that overlap: any but ``internet`` and ``fletcher32``. A record that ends at a
terminator needs no proof. A checksum proves a length that numbers at fixed offsets tell, bits of them included.

A ``doubt`` says of which records a proof is not enough: they are believed only if another or nothing follows. Else the
next one is searched for.

Bad::

    record:
      length: length
      resync: true
      fields:
        - {name: magic, type: u8, const: 0x4c}
        - {name: length, type: u16}

Good::

    record:
      length: length
      resync: true
      proof: {valid: magic == 0x4c}
      fields:
        - {name: magic, type: u8, const: 0x4c}
        - {name: length, type: u16}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.analysis import heads, obstacles, offsets
from wireloom_generator.analysis.scopes import Scope, fixed_number, head, messages
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem, closest
from wireloom_generator.reading.catalogue import ALGORITHMS

_UNSHARED = tuple(ALGORITHMS[name].kind for name in ("internet", "fletcher32"))
"""Checksums of a range that those of others do not help to find."""

_TRIED = "it is tried at every byte, so what tells the length must have a largest size"


def check(spec: Resolved) -> Iterator[Problem]:
    """Proofs that prove nothing, and missing proofs."""
    record = spec.record
    yield from _proof(spec, record, head(spec))
    for scope in messages(spec):
        if isinstance(scope.owner, model.Message):
            yield from _proof(spec, scope.owner, scope)
    if isinstance(record.end, model.Terminator):
        yield from _terminated(record)
        return
    yield from _untold(spec)
    yield from _headed(spec)
    own = [message for message in spec.messages if message.end is not None]
    proven = record.proof is not None or (bool(own) and all(message.proof is not None for message in own))
    if proven or not spec.is_whole:
        return
    if record.resync:
        hint = "without a proof any byte could begin a record"
        yield Problem(record.where("resync"), "proof", "resync needs a proof", hint)
    parameter = spec.parameters.get(spec.byte_order)
    if parameter is not None and "auto" in parameter.choices:
        what = "auto is the byte order in which the proof holds, and there is none"
        yield Problem(spec.protocol.where("byte_order"), "proof", what, "give the record, or each message, a proof")


def _terminated(record: model.Record) -> Iterator[Problem]:
    """What a record that ends at a terminator cannot have."""
    if record.proof is not None:
        what, hint = "a record that ends at a terminator needs no proof", "say what must hold under valid of its fields"
        yield Problem(record.proof.at, "proof", what, hint)
    if record.resync:
        what, hint = "resync has nothing to search", "behind a malformed record the next one begins at its terminator"
        yield Problem(record.where("resync"), "proof", what, hint)


def _untold(spec: Resolved) -> Iterator[Problem]:
    """What a record that is all there is cannot have."""
    owners: tuple[model.Framed, ...] = (spec.record, *spec.messages)
    ends = [owner for owner in owners if isinstance(owner.end, model.Rest | model.Fields)]
    if ends and spec.record.resync:
        what, hint = "resync has nothing to search", "behind a record of length: rest is nothing"
        if isinstance(ends[0].end, model.Fields):
            what, hint = "resync could read on for ever", _TRIED
        yield Problem(spec.record.where("resync"), "proof", what, hint)
    for owner in ends:
        proof = owner.proof or spec.record.proof
        if proof is not None and proof.checksum is not None:
            hint = "it is checked when the record is read"
            yield Problem(owner.where("length"), "proof", f"no length that {proof.checksum!r} could prove", hint)


def _headed(spec: Resolved) -> Iterator[Problem]:
    """What records cannot have whose length is not told by numbers at fixed offsets."""
    owners: tuple[model.Record | model.Message, ...] = (spec.record, *spec.messages)
    for owner in owners:
        proof = owner.proof or spec.record.proof
        asked = (owner.length, proof.valid if proof is not None else None)
        trees = [each.tree for each in asked if each is not None and each.tree is not None]
        layout, head = offsets.of(spec, owner), heads.of(spec, owner)
        if owner.length is None or all(map(layout.tells, trees)):
            continue
        if any(head.lacks(tree, spec.parameters) for tree in trees):
            continue  # told elsewhere
        if proof is not None and proof.checksum is not None:
            why = next(filter(None, (obstacles.obstacle(spec, owner, tree) for tree in trees)))
            hint = (
                "a checksum proves a length that numbers at fixed offsets tell; leave it out of the proof, and it is"
                " checked when the record is read"
            )
            yield Problem(owner.where("length"), "proof", f"{proof.checksum!r} cannot prove this length: {why}", hint)
        if spec.record.resync and head.most(trees, spec.parameters) is None:
            yield Problem(spec.record.where("resync"), "proof", "resync could read on for ever", _TRIED)


def _doubt(spec: Resolved, owner: model.Record | model.Message, proof: model.Proof) -> Iterator[Problem]:
    if proof.doubt is None or proof.doubt.tree is None:
        return
    if not spec.record.resync and spec.is_whole:
        hint = "say resync: true beside the proof, or what must hold under valid"
        yield Problem(proof.where("doubt"), "proof", "doubt is of no use where no next record is searched for", hint)
    asked = (owner.length, proof.valid, proof.doubt)
    trees = (each.tree for each in asked if each is not None and each.tree is not None)
    why = next(filter(None, (obstacles.obstacle(spec, owner, tree) for tree in trees)), None)
    if why is not None:
        hint = "it, valid and length are about numbers at fixed offsets then"
        what = f"doubt asks for what is not known before the record is read: {why}"
        yield Problem(proof.where("doubt"), "proof", what, hint)


def _proof(spec: Resolved, owner: model.Record | model.Message, scope: Scope) -> Iterator[Problem]:
    proof = owner.proof
    if proof is None:
        return
    if proof.valid is None and proof.checksum is None:
        yield Problem(proof.at, "proof", "a proof needs valid, checksum or both")
    yield from _doubt(spec, owner, proof)
    if isinstance(owner, model.Message) and owner.end is None:
        hint = "a proof stands where length stands, which is in the record"
        yield Problem(proof.at, "proof", "a message without a length has no proof", hint)
    if proof.checksum is None:
        return
    at = proof.where("checksum")
    fields = [visit.item for visit in (*scope.header, *scope.visits) if isinstance(visit.item, model.Field)]
    sums = {field.name: field.checksum for field in fields if field.checksum is not None}
    layout = offsets.of(spec, owner)
    if proof.checksum not in sums:
        yield Problem(at, "proof", f"no field {proof.checksum!r} has a checksum", closest(proof.checksum, sums))
    elif proof.checksum not in layout.places or fixed_number(layout.fields[proof.checksum]) is None:
        why = obstacles.of_name(spec, owner, proof.checksum, layout.sizes)
        hint = "it must be in every record, after nothing whose size numbers at fixed offsets do not tell"
        yield Problem(at, "proof", f"{proof.checksum!r} cannot be read before the record is: it {why}", hint)
    elif sums[proof.checksum].alone is None:
        hint = "it is checked when the record is read; prove by valid"
        yield Problem(at, "proof", f"{proof.checksum!r} is over several pieces, and only one range is a proof", hint)
    elif spec.record.resync and sums[proof.checksum].kind in _UNSHARED:
        hint = "it is tried at every byte, and a sum of numbers of two bytes tells nothing of the next one; a CRC does"
        what = f"resync with {sums[proof.checksum].algorithm} would read all bytes again and again"
        yield Problem(at, "proof", what, hint)
