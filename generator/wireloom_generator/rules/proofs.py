"""Rules about proofs: the conditions that must hold before the length of a record is trusted."""

from collections.abc import Iterator, Sequence
from itertools import islice, product

from wireloom_generator import expressions, model
from wireloom_generator.analysis import heads, obstacles, offsets
from wireloom_generator.analysis.scopes import Scope, fixed_number, head, message_scopes
from wireloom_generator.expressions import Expr, Value
from wireloom_generator.expressions.evaluation import Result, UnknowableError, holds
from wireloom_generator.model import Order, Resolved
from wireloom_generator.problems import Severity, Violation, closest
from wireloom_generator.reading.catalogue import ALGORITHMS
from wireloom_generator.types import Integer

_UNSHARED = tuple(ALGORITHMS[name].kind for name in ("internet", "fletcher32"))
"""Checksums that cannot be computed from those of overlapping ranges."""

_UNBOUNDED = "it is tried at every byte, so the fields up to the length need a largest size"


def proof(spec: Resolved) -> Iterator[Violation]:
    """Reports proofs that have no effect, and missing proofs."""
    record = spec.record
    yield from _own_proof(spec, record, head(spec))
    for message, scope in message_scopes(spec):
        yield from _own_proof(spec, message, scope)
    if isinstance(record.end, model.Terminator | model.BetweenFlags):
        yield from _terminated(record)
        return
    yield from _without_length(spec)
    yield from _varying_head(spec)
    own = [message for message in spec.messages if message.end is not None]
    proven = record.proof is not None or (bool(own) and all(message.proof is not None for message in own))
    if proven or not spec.is_whole:
        return
    if record.resync:
        yield Violation(record.where("resync"), "resync needs a proof", "without one, any byte could start a record")
    if spec.proves_order:
        what = "byte order auto needs a proof"
        hint = "give the record or each message a proof, which decides the byte order"
        yield Violation(spec.protocol.where("byte_order"), what, hint)


def _terminated(record: model.Record) -> Iterator[Violation]:
    """Reports keys that a record that ends at a terminator or a flag cannot have."""
    end = "terminator" if isinstance(record.end, model.Terminator) else "flag"
    if record.proof is not None:
        what, hint = f"a record that ends at a {end} needs no proof", "write conditions under valid of its fields"
        yield Violation(record.proof.at, what, hint)
    if record.resync:
        what, hint = "resync has nothing to search", f"after a malformed record the next one begins at the {end}"
        yield Violation(record.where("resync"), what, hint)


def _without_length(spec: Resolved) -> Iterator[Violation]:
    """Reports keys that a record without a length, which is the whole input, cannot have."""
    ends = [owner for owner in spec.framed if isinstance(owner.end, model.Rest | model.Fields)]
    if ends and spec.record.resync:
        what, hint = "resync has nothing to search", "nothing follows a record with length: rest"
        if isinstance(ends[0].end, model.Fields):
            what, hint = "resync could read on for ever", _UNBOUNDED
        yield Violation(spec.record.where("resync"), what, hint)
    for owner in ends:
        proof = owner.proof or spec.record.proof
        if proof is not None and proof.checksum is not None:
            hint = "delete checksum from the proof; it is checked when the record is read"
            what = f"{proof.checksum!r} cannot prove a length that the record does not give"
            yield Violation(owner.where("length"), what, hint)


def _varying_head(spec: Resolved) -> Iterator[Violation]:
    """Reports proofs and ``resync`` that a record cannot have because its length does not follow from numbers at fixed
    offsets.
    """
    for owner in spec.framed:
        proof = owner.proof or spec.record.proof
        asked = (owner.length, proof.valid if proof is not None else None)
        trees = [each.tree for each in asked if each is not None and each.tree is not None]
        layout, head = offsets.of(spec, owner), heads.of(spec, owner)
        if owner.length is None or all(map(layout.determines, trees)):
            continue
        if any(head.lacks(tree, spec.parameters) for tree in trees):
            continue  # reported by record-length
        if proof is not None and proof.checksum is not None:
            why = next(filter(None, (obstacles.obstacle(spec, owner, tree) for tree in trees)))
            hint = (
                "such a proof needs a length from numbers at fixed offsets; delete checksum from the proof, and it is"
                " checked when the record is read"
            )
            yield Violation(owner.where("length"), f"{proof.checksum!r} cannot prove this length: {why}", hint)
        if spec.record.resync and head.most(trees, spec.parameters) is None:
            yield Violation(spec.record.where("resync"), "resync could read on for ever", _UNBOUNDED)


def _doubt(spec: Resolved, owner: model.Record | model.Message, proof: model.Proof) -> Iterator[Violation]:
    if proof.doubt is None or proof.doubt.tree is None:
        return
    if not spec.record.resync and spec.is_whole:
        hint = "write resync: true beside the proof, or a condition under valid"
        yield Violation(proof.where("doubt"), "doubt needs resync", hint)
    asked = (owner.length, proof.valid, proof.doubt)
    trees = (each.tree for each in asked if each is not None and each.tree is not None)
    why = next(filter(None, (obstacles.obstacle(spec, owner, tree) for tree in trees)), None)
    if why is not None:
        hint = "with doubt, length and valid also need numbers at fixed offsets"
        what = f"doubt depends on values that are not known before the record is read: {why}"
        yield Violation(proof.where("doubt"), what, hint)


def _own_proof(spec: Resolved, owner: model.Record | model.Message, scope: Scope) -> Iterator[Violation]:
    proof = owner.proof
    if proof is None:
        return
    if proof.valid is None and proof.checksum is None:
        yield Violation(proof.at, "a proof needs valid, checksum or both")
    yield from _doubt(spec, owner, proof)
    if isinstance(owner, model.Message) and owner.end is None:
        hint = "put the proof where the length is, in the record"
        yield Violation(proof.at, "a message without a length cannot have a proof", hint)
    if proof.checksum is None:
        return
    at = proof.where("checksum")
    fields = [visit.item for visit in (*scope.header, *scope.visits) if isinstance(visit.item, model.Field)]
    sums = {field.name: field.checksum for field in fields if field.checksum is not None}
    layout = offsets.of(spec, owner)
    if proof.checksum not in sums:
        yield Violation(at, f"no field {proof.checksum!r} has a checksum", closest(proof.checksum, sums))
    elif proof.checksum not in layout.places or fixed_number(layout.fields[proof.checksum]) is None:
        why = obstacles.of_name(spec, owner, proof.checksum, layout.sizes)
        hint = "it must be in every record, after fields whose sizes come from numbers at fixed offsets"
        yield Violation(at, f"{proof.checksum!r} cannot be read before the record is: it {why}", hint)
    elif sums[proof.checksum].alone is None:
        hint = "use valid in the proof; the checksum is checked when the record is read"
        yield Violation(at, f"{proof.checksum!r} covers several pieces, and a proof needs a single range", hint)
    elif spec.record.resync and sums[proof.checksum].kind in _UNSHARED:
        hint = "it is tried at every byte, and only CRCs and sums of bytes are fast for overlapping ranges"
        yield Violation(at, f"resync with {sums[proof.checksum].algorithm} would read all bytes again and again", hint)


_MOST_TRIED = 20_000
"""The most headers that are tried."""
_COMPARE = "compare a number of several bytes with a constant that differs in reverse, or use a checksum"


def order_proof(spec: Resolved) -> Iterator[Violation]:
    """Reports proofs that hold in both byte orders."""
    for owner in spec.framed if spec.proves_order else ():
        if owner.proof is not None:
            yield from _ambiguous(spec, owner.proof, offsets.of(spec, owner))


def _ambiguous(spec: Resolved, proof: model.Proof, layout: offsets.Offsets) -> Iterator[Violation]:
    tree = proof.valid.tree if proof.valid is not None else None
    if proof.checksum is not None or tree is None:
        return  # a checksum matches in both byte orders only by chance
    asked = {name.name: number for name in expressions.names(tree) if (number := layout.numbers.get(name.name))}
    words: dict[int, _Integer] = {}
    for name, number in asked.items():
        words.setdefault(number.offset, _Integer(number)).parts[name] = number.bits
    if not any(word.turns for word in words.values()):
        what = "the proof uses no number of several bytes, so it cannot decide the byte order"
        yield Violation(proof.where("valid"), what, _COMPARE)
        return
    shown = next(_headers_in_both_orders(spec, tree, list(words.values())), None)
    if shown is not None:
        what = f"the proof holds in both byte orders, for example for {shown.hex(' ')}"
        yield Violation(proof.where("valid"), what, _COMPARE, Severity.WARNING)


class _Integer:
    """A number of the header: its bytes, whether they are read in the other byte order, and its ``parts``.

    Those are the bits of it that have names; None for all of them.
    """

    def __init__(self, number: offsets.FixedNumber) -> None:
        wire = number.wire
        self.offset = number.offset
        self.size = wire.type.bits // 8 if isinstance(wire.type, Integer) else 1
        self.signed = isinstance(wire.type, Integer) and wire.type.signed
        self.turns = self.size > 1 and wire.order is Order.PARAMETER
        self.order = wire.order or Order.BIG
        self.parts: dict[str, model.BitSlice | None] = {}

    def read(self, data: bytes, order: Order) -> Iterator[tuple[str, Result]]:
        """The numbers that the bytes represent."""
        whole = (order if self.turns else self.order).number(data, signed=self.signed)
        for name, bits in self.parts.items():
            value = whole if bits is None else whole >> bits.shift & (1 << bits.width) - 1
            yield name, bool(value) if bits is not None and bits.boolean else value

    def tried(self, tree: Expr) -> list[bytes]:
        """Bytes that could make a difference: constants, their neighbours, and palindromes."""
        constants = {part.value for part in expressions.walk(tree) if isinstance(part, Value)}
        near = {value + step for value in constants if isinstance(value, int) for step in (-1, 0, 1)} | {0, 1}
        if any(self.parts.values()):
            near = set(islice(self._put_together(sorted(near)), _MOST_TRIED))
        whole = [(value % (1 << 8 * self.size)).to_bytes(self.size, "big") for value in sorted(near)]
        alike = [bytes([byte]) * self.size for data in whole for byte in data] if self.turns else []
        found = [*whole, *alike, b"\1" * self.size, *(data[::-1] for data in whole)]
        return list(dict.fromkeys(found))

    def _put_together(self, values: Sequence[int]) -> Iterator[int]:
        """Numbers whose parts have such values."""
        parts = [bits for bits in self.parts.values() if bits is not None]
        for each in product(values, repeat=len(parts)):
            pairs = zip(each, parts, strict=True)
            yield sum((value & (1 << bits.width) - 1) << bits.shift for value, bits in pairs)


def _headers_in_both_orders(spec: Resolved, tree: Expr, words: Sequence[_Integer]) -> Iterator[bytes]:
    """Headers for which the condition holds in both byte orders."""
    parameters: dict[str, Result | None] = {name: parameter.default for name, parameter in spec.parameters.items()}
    for tried in islice(product(*(word.tried(tree) for word in words)), _MOST_TRIED):
        read = [
            dict(value for word, data in zip(words, tried, strict=True) for value in word.read(data, order))
            for order in (Order.BIG, Order.LITTLE)
        ]
        try:
            if all(holds(tree, {**parameters, **values}) for values in read):
                header = bytearray(max(word.offset + word.size for word in words))
                for word, data in zip(words, tried, strict=True):
                    header[word.offset : word.offset + word.size] = data
                yield bytes(header)
        except (UnknowableError, KeyError):
            return
