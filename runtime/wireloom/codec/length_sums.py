"""Lengths that are sums of numbers, so that they can be followed from record to record."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from construct import BytesInteger, Construct, FormatField

from wireloom.codec.bit_slice import BitSlice
from wireloom.codec.bits import Bits
from wireloom.codec.fields import EitherOrder, Field
from wireloom.codec.headed import Headed, HeadItem, Reached
from wireloom.codec.layout import Lone
from wireloom.codec.lengths import Ends, Lengths
from wireloom.codec.message import Slot
from wireloom.codec.runs import Run
from wireloom.codec.values import Blob, Constant, Size, Text
from wireloom.codec.varints import Leb128, Quic, Varint, Vlq
from wireloom.expressions.linear import linear, specialized, terms
from wireloom.expressions.tree import Expr, Origin

Holds = Callable[[Expr], bool]
"""Whether a condition on parameters holds."""


class Term(NamedTuple):
    """A number's contribution to a length: its bits under ``mask``, shifted right by ``shift``, times ``factor``.

    An integer of variable length also adds ``of_size`` times its size. The number is at ``offset`` from the end of the
    integer of variable length before it, or from the record's start.
    """

    offset: int
    kind: Construct
    factor: int = 0
    of_size: int = 0
    shift: int = 0
    mask: int = -1


class Chain(NamedTuple):
    """A length as a sum."""

    constant: int
    terms: Sequence[Term]


def chain(ends: Ends, holds: Holds) -> Chain | None:
    """The length of records as a sum, if parameters choose as ``holds`` says; None if it is none."""
    if isinstance(ends, Headed):
        return _Summing().chain(ends, holds)
    said = ends.length if isinstance(ends, Lengths) else None
    found = None if said is None else linear(specialized(said.tree, holds))
    numbers = {name: _term(offset, construct) for name, offset, construct in ends.fields}
    if found is None or not all(_can_be_followed(numbers[name].kind) for name in found[1]):
        return None
    return Chain(found[0], [numbers[name]._replace(factor=factor) for name, factor in found[1].items()])


def _term(offset: int, kind: Construct) -> Term:
    """A number at a fixed offset, or some bits of one."""
    said = kind.subcon if isinstance(kind, Field) else kind
    if isinstance(said, BitSlice):
        return Term(offset, said.integer, shift=said.shift, mask=said.mask)
    return Term(offset, kind)


def _can_be_followed(kind: Construct) -> bool:
    """Whether it is a whole number of a kind that can determine lengths."""
    match kind:
        case Field():
            return kind.meaning is None and _can_be_followed(kind.subcon)
        case EitherOrder():
            return _can_be_followed(kind.big)
        case FormatField():
            return kind.fmtstr[1] not in "efd"
    return isinstance(kind, BytesInteger) or type(kind) in (Leb128, Vlq, Quic)


Sum = dict[int | str, int]
"""Numbers with their factors: the constant under ``""``, values by the number of their term, sizes by its text."""


class _Summing:
    """The numbers that a record begins with: ``terms``, and those that are ``known`` from expressions."""

    def __init__(self) -> None:
        self.terms: list[Term] = []
        self.known: dict[str, Sum] = {"": {"": 1}}
        self.start: Sum = {"": 0}
        """Where the last number of variable length ends."""
        self.offset = 0

    def chain(self, ends: Headed, holds: Holds) -> Chain | None:
        """Their length as a sum; None if it is none."""
        for item in ends.items:
            if not self._goes_on(item.step if isinstance(item, HeadItem) and item.within is not False else item):
                break
        said = terms(specialized(ends.length.tree, holds))
        if said is None:
            return None
        found = {_bare(name): factor for name, factor in said.items()}
        if not self.known.keys() >= found.keys():
            return None
        total: Sum = {}
        for name, factor in found.items():
            for atom, amount in self.known[name].items():
                total[atom] = total.get(atom, 0) + factor * amount
        filled = (
            term._replace(factor=total.get(number, 0), of_size=total.get(str(number), 0))
            for number, term in enumerate(self.terms)
        )
        return Chain(total.get("", 0), [term for term in filled if term.factor or isinstance(term.kind, Varint)])

    def _goes_on(self, step: object) -> bool:
        """Remember what a step determines; returns whether it also ends at a known place."""
        match step:
            case Run():
                for name, field in step.fields:
                    first, last = step.spans[name]
                    self._put(name, Term(self.offset + first, field), {"": last - first}, first)
                self.offset += step.size
            case Bits():
                whole = [] if step.whole is None else [(step.name, 0, -1)]
                for name, shift, mask in (*whole, *((name, shift, mask) for name, _, shift, mask in step.fields)):
                    term = Term(self.offset, step.integer, shift=shift, mask=mask)
                    self._put(name, term, {"": step.size})
                self.offset += step.size
            case Lone(subcon=Varint() as kind) if _can_be_followed(kind):
                number = str(len(self.terms))
                self._put(step.name, Term(self.offset, kind), {number: 1})
                self.start = {**self.start, "": self.start[""] + self.offset, number: 1}
                self.offset = 0
            case Lone(subcon=Constant(value=bytes() as value)):
                self._skip(step.name, len(value))
            case Lone(subcon=Blob(extent=Size(size=int() as size)) | Text(extent=Size(size=int() as size))):
                self._skip(step.name, size)
            case Lone() | Slot() | Reached():
                self._place(step.name)
                return isinstance(step, Slot)
            case _:
                return False
        return True

    def _place(self, name: str, first: int = 0) -> None:
        self.known[f"offset({name})"] = {**self.start, "": self.start[""] + self.offset + first}

    def _skip(self, name: str, size: int) -> None:
        self._place(name)
        self.known[f"size({name})"] = {"": size}
        self.offset += size

    def _put(self, name: str, term: Term, size: Sum, first: int = 0) -> None:
        self._place(name, first)
        self.known[f"size({name})"] = size
        if _can_be_followed(term.kind):
            self.known[name] = {len(self.terms): 1}
        self.terms.append(term)


def _bare(name: str) -> str:
    """A name in a sum without the place of its value, which is always the same at the start of a record."""
    return name.removeprefix(f"{Origin.RECORD}.").removeprefix(f"{Origin.THIS}.")
