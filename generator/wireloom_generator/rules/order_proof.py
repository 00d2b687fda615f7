"""A proof that decides the byte order holds in only one order.

With the byte order ``auto``, a record has the order in which its proof holds. If it holds in both, the record has the
order of its neighbours; without neighbours it is malformed. A proof without a number of several bytes cannot decide at
all, which is an error. One that holds in both orders for some records is a warning, with such bytes as an example.
Compare a number of several bytes with a constant that is different backwards, or prove records by a checksum.

Bad::

    byte_order: order
    parameters: [{name: order, type: text, choices: [auto, big, little], default: auto}]
    record:
      length: length
      proof: {valid: magic == 0x4c}
      fields:
        - {name: magic, type: u8, const: 0x4c}
        - {name: length, type: u16}

Good::

    byte_order: order
    parameters: [{name: order, type: text, choices: [auto, big, little], default: auto}]
    record:
      length: length
      proof: {valid: magic == 0x574c}
      fields:
        - {name: magic, type: u16, const: 0x574c}
        - {name: length, type: u16}
"""

from collections.abc import Iterator, Sequence
from itertools import islice, product

from wireloom_generator import expressions, model
from wireloom_generator.analysis import offsets
from wireloom_generator.expressions import Expr, Value
from wireloom_generator.expressions.evaluation import Result, UnknowableError, holds
from wireloom_generator.model import Order, Resolved
from wireloom_generator.problems import Problem, Severity
from wireloom_generator.types import Integer

_MOST = 20_000
"""The most headers that are tried."""
_HINT = "compare a number of several bytes with a constant that reads otherwise backwards, or prove by a checksum"


def check(spec: Resolved) -> Iterator[Problem]:
    """Proofs that hold in both byte orders."""
    parameter = spec.parameters.get(spec.byte_order)
    if parameter is None or "auto" not in parameter.choices:
        return
    owners: tuple[model.Record | model.Message, ...] = (spec.record, *spec.messages)
    for owner in owners:
        if owner.proof is not None:
            yield from _proof(spec, owner.proof, offsets.of(spec, owner))


def _proof(spec: Resolved, proof: model.Proof, layout: offsets.Offsets) -> Iterator[Problem]:
    tree = proof.valid.tree if proof.valid is not None else None
    if proof.checksum is not None or tree is None:
        return  # a checksum is right in both orders by chance alone
    asked = {name.name: number for name in expressions.names(tree) if (number := layout.numbers.get(name.name))}
    words: dict[int, _Integer] = {}
    for name, number in asked.items():
        words.setdefault(number.offset, _Integer(number)).parts[name] = number.bits
    if not any(word.turns for word in words.values()):
        what = "the proof cannot tell byte orders apart: it asks for no number that has one"
        yield Problem(proof.where("valid"), "order-proof", what, _HINT)
        return
    shown = next(_both(spec, tree, list(words.values())), None)
    if shown is not None:
        what = f"the proof holds in both byte orders, as for {shown.hex(' ')}"
        yield Problem(proof.where("valid"), "order-proof", what, _HINT, Severity.WARNING)


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
        """The numbers that the bytes are."""
        little = (order if self.turns else self.order) is Order.LITTLE
        whole = int.from_bytes(data, "little" if little else "big", signed=self.signed)
        for name, bits in self.parts.items():
            value = whole if bits is None else whole >> bits.shift & (1 << bits.width) - 1
            yield name, bool(value) if bits is not None and bits.boolean else value

    def tried(self, tree: Expr) -> list[bytes]:
        """Bytes that could make a difference: constants, their neighbours, and palindromes."""
        constants = {part.value for part in expressions.walk(tree) if isinstance(part, Value)}
        near = {value + step for value in constants if isinstance(value, int) for step in (-1, 0, 1)} | {0, 1}
        if any(self.parts.values()):
            near = set(islice(self._put_together(sorted(near)), _MOST))
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


def _both(spec: Resolved, tree: Expr, words: Sequence[_Integer]) -> Iterator[bytes]:
    """Headers for which the condition holds in both byte orders."""
    parameters: dict[str, Result | None] = {name: parameter.default for name, parameter in spec.parameters.items()}
    for tried in islice(product(*(word.tried(tree) for word in words)), _MOST):
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
