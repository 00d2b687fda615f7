"""Lengths that are sums of numbers, so that they can be followed from record to record."""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import lru_cache, partial
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
from wireloom.expressions import Expression
from wireloom.expressions.linear import linear, of_fields, specialized, terms
from wireloom.expressions.scalar import function
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


class SelectedSums(NamedTuple):
    """Lengths as one of several sums: the byte at ``offset`` selects one of ``chains``, by the number that ``select``
    has for each of its values.
    """

    offset: int
    select: Sequence[int]
    chains: Sequence[Chain]


_MOST_CHAINS = 16
"""Each is a branch of the loops that are compiled for records, so that more are left to the codec."""


def selected_sums(ends: Ends, holds: Holds) -> SelectedSums | None:
    """The length of records as one of several sums, if parameters choose as ``holds`` says; None if no single byte
    selects one of a few.
    """
    for name, term in _unsigned_bytes(ends):
        numbers = [byte >> term.shift & term.mask for byte in range(256)]
        chains: list[Chain] = []
        places: dict[int, int] = {}
        for number in dict.fromkeys(numbers):
            found = _chain(ends, partial(_chooses, holds, {name: number}), {name})
            if found is None or (found not in chains and len(chains) == _MOST_CHAINS):
                break
            if found not in chains:
                chains.append(found)
            places[number] = chains.index(found)
        else:
            return SelectedSums(term.offset, [places[number] for number in numbers], chains)
    return None


def _unsigned_bytes(ends: Ends) -> Iterator[tuple[str, Term]]:
    """The names of numbers that are in one byte at a fixed offset, or some bits of it."""
    terms = _Summing.of(ends).first_terms if isinstance(ends, Headed) else _terms(ends).items()
    yield from ((name, term) for name, term in terms if _is_byte(term.kind))


def _terms(ends: Ends) -> dict[str, Term]:
    """The numbers at fixed offsets, by their names."""
    return {name: _term(offset, construct) for name, offset, construct in ends.fields}


def _is_byte(kind: Construct) -> bool:
    """Whether it is an unsigned number of one byte, which expressions see as it is."""
    match kind:
        case Field():
            return kind.meaning is None and _is_byte(kind.subcon)
        case FormatField():
            return bool(kind.fmtstr[1] == "B")
    return False


_asking = lru_cache(maxsize=64)(function)


def _chooses(holds: Holds, values: Mapping[str, int], test: Expr) -> bool:
    """Whether a condition holds, on parameters or on the fields with these ``values``."""
    return bool(_asking(test)(values, values, None)) if of_fields(test, values) else holds(test)


def chain(ends: Ends, holds: Holds) -> Chain | None:
    """The length of records as a sum, if parameters choose as ``holds`` says; None if it is none."""
    return _chain(ends, holds, ())


def _chain(ends: Ends, holds: Holds, known: Container[str]) -> Chain | None:
    """As ``chain``; ``holds`` may also be asked about ``known`` fields."""
    if isinstance(ends, Headed):
        return _Summing.of(ends).chain(ends.length, holds, known)
    said = ends.length if isinstance(ends, Lengths) else None
    found = None if said is None else linear(specialized(said.tree, holds, known))
    numbers = _terms(ends)
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

    @classmethod
    def of(cls, ends: Headed) -> "_Summing":
        """What records begin with whose end is given there."""
        found = cls()
        for item in ends.items:
            if not found._goes_on(item.step if isinstance(item, HeadItem) and item.within is not False else item):
                break
        return found

    @property
    def first_terms(self) -> Iterator[tuple[str, Term]]:
        """The names of numbers in front of all numbers of variable length."""
        for name, known in self.known.items():
            for number in known:
                if isinstance(number, int) and not any(isinstance(e.kind, Varint) for e in self.terms[: number + 1]):
                    yield name, self.terms[number]

    def chain(self, length: Expression, holds: Holds, known: Container[str]) -> Chain | None:
        """A length as a sum; None if it is none. Others as in ``_chain``."""
        said = terms(specialized(length.tree, holds, known))
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
