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

from collections.abc import Iterator, Mapping
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
    numbers = {name.name: layout.numbers[name.name] for name in expressions.names(tree) if name.name in layout.numbers}
    kinds = {name: _Number.of(at, field) for name, (at, field) in numbers.items()}
    if not any(number.turns for number in kinds.values()):
        what = "the proof cannot tell byte orders apart: it asks for no number that has one"
        yield Problem(proof.where("valid"), "order-proof", what, _HINT)
        return
    shown = next(_both(spec, tree, kinds), None)
    if shown is not None:
        what = f"the proof holds in both byte orders, as for {shown.hex(' ')}"
        yield Problem(proof.where("valid"), "order-proof", what, _HINT, Severity.WARNING)


class _Number:
    """A number of the header: its bytes, and whether they are read in the other byte order."""

    def __init__(self, offset: int, size: int, *, signed: bool, turns: bool, order: Order) -> None:
        self.offset = offset
        self.size = size
        self.signed = signed
        self.turns = turns
        self.order = order

    @classmethod
    def of(cls, offset: int, field: model.Field) -> "_Number":
        size = field.type.bits // 8 if isinstance(field.type, Integer) else 1
        turns = size > 1 and field.wire.order is Order.PARAMETER
        signed = isinstance(field.type, Integer) and field.type.signed
        return cls(offset, size, signed=signed, turns=turns, order=field.wire.order or Order.BIG)

    def read(self, data: bytes, order: Order) -> int:
        """The number that the bytes are."""
        little = (order if self.turns else self.order) is Order.LITTLE
        return int.from_bytes(data, "little" if little else "big", signed=self.signed)

    def tried(self, tree: Expr) -> list[bytes]:
        """Bytes that could make a difference: constants, their neighbours, and palindromes."""
        constants = {part.value for part in expressions.walk(tree) if isinstance(part, Value)}
        near = {value + step for value in constants if isinstance(value, int) for step in (-1, 0, 1)}
        whole = [(value % (1 << 8 * self.size)).to_bytes(self.size, "big") for value in sorted(near | {0, 1})]
        alike = [bytes([byte]) * self.size for data in whole for byte in data] if self.turns else []
        found = [*whole, *alike, b"\1" * self.size, *(data[::-1] for data in whole)]
        return list(dict.fromkeys(found))


def _both(spec: Resolved, tree: Expr, kinds: Mapping[str, _Number]) -> Iterator[bytes]:
    """Headers for which the condition holds in both byte orders."""
    parameters: dict[str, Result | None] = {name: parameter.default for name, parameter in spec.parameters.items()}
    for tried in islice(product(*(number.tried(tree) for number in kinds.values())), _MOST):
        read = [
            {name: number.read(data, order) for (name, number), data in zip(kinds.items(), tried, strict=True)}
            for order in (Order.BIG, Order.LITTLE)
        ]
        try:
            if all(holds(tree, {**parameters, **values}) for values in read):
                header = bytearray(max(number.offset + number.size for number in kinds.values()))
                for number, data in zip(kinds.values(), tried, strict=True):
                    header[number.offset : number.offset + number.size] = data
                yield bytes(header)
        except (UnknowableError, KeyError):
            return
