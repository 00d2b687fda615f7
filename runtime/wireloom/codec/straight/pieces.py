"""What a function that writes puts together: numbers packed side by side, bytes, and what depends on a case."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields
from itertools import groupby
from typing import NamedTuple

from wireloom.codec.fields import Field
from wireloom.codec.straight.flow import Nest
from wireloom.codec.straight.source import Script
from wireloom.codec.straight.state import ColumnKey
from wireloom.codec.straight.terms import Byte, UnsaidError
from wireloom.expressions import Expression
from wireloom.expressions.tree import Name, Origin, walk


class PackedNumber(NamedTuple):
    """A number with its ``struct`` code, the order that this has, and the source of what is packed."""

    order: str | None
    code: str
    text: str


class CasePieces(NamedTuple):
    """Pieces that are there if the variable ``guard`` is true; ``hint`` is what they are called."""

    guard: str
    hint: str
    pieces: "list[AnyPiece]"


AnyPiece = PackedNumber | CasePieces | str
"""One of these, or the variable of bytes."""


class Deferred(NamedTuple):
    """Lines that are written when all values are known, for records in which the ``guard`` is true."""

    guard: str | None
    write: Callable[[], None]


class LateValue(NamedTuple):
    """A value that follows from others. It is None where no ``guard`` is true, if there are any; with ``unless``, it is
    the given one where that variable is true.
    """

    nest: Nest
    name: str
    value: Expression
    guards: tuple[str, ...]
    unless: str | None


class LateSum(NamedTuple):
    """A checksum that is put in when all bytes are there: where, and with what ``struct`` code."""

    nest: Nest
    field: Field
    at: Byte
    size: int
    code: str


@dataclass
class Body:
    """The struct or record that is being written."""

    nest: Nest
    pieces: list[AnyPiece] = field(default_factory=list)
    late: dict[ColumnKey, LateValue] = field(default_factory=dict)
    deferred: list[Deferred] = field(default_factory=list)
    sums: list[LateSum] = field(default_factory=list)
    computed: set[ColumnKey] = field(default_factory=set)
    """The computed values, which must be given where others use them."""
    used: set[ColumnKey] = field(default_factory=set)
    guards: list[str] = field(default_factory=list)
    """The variables that say which branches were taken."""

    def copy(self) -> "Body":
        """The same, to be gone back to."""
        known = {each.name: getattr(self, each.name) for each in fields(self)}
        return Body(**{name: value if name == "nest" else value.copy() for name, value in known.items()})

    def sorted(self) -> Iterator[LateValue]:
        """The late values, each behind those that it follows from. Raises ``UnsaidError`` if there is no such order."""
        left = dict(self.late)
        while left:
            ready = [key for key, late in left.items() if not any(used in left for used in self._uses(late))]
            if not ready:
                raise UnsaidError("values that follow from each other")
            for key in ready:
                yield left.pop(key)

    def _uses(self, late: LateValue) -> Iterator[ColumnKey]:
        for part in walk(late.value.tree):
            if isinstance(part, Name):
                yield (0 if part.origin is Origin.RECORD else late.nest.number), part.steps[0]


def assembled(source: Script, pieces: Iterable[AnyPiece]) -> str:
    """The source of the bytes that pieces make; what depends on a case is put into variables first."""
    texts: list[str] = []
    waiting: list[PackedNumber] = []

    def pack() -> None:
        if waiting:
            texts.append(_packed(source, waiting))
            waiting.clear()

    for piece in pieces:
        if isinstance(piece, PackedNumber):
            if len({each.order for each in (*waiting, piece)} - {None}) > 1:
                pack()
            waiting.append(piece)
            continue
        pack()
        texts.append(piece if isinstance(piece, str) else _cased(source, piece))
    pack()
    if len(texts) == 1:
        return texts[0]
    return f"b''.join(({', '.join(texts)}))" if texts else "b''"


def _packed(source: Script, numbers: list[PackedNumber]) -> str:
    order = next((each.order for each in numbers if each.order), ">")
    pack = source.packing(order + "".join(each.code for each in numbers))
    return f"{pack}({', '.join(each.text for each in numbers)})"


def _cased(source: Script, case: CasePieces) -> str:
    name = source.fresh(case.hint)
    source.add(f"{name} = b''")
    with source.block(f"if {case.guard}:"):
        source.add(f"{name} = {assembled(source, case.pieces)}")
    return name


def written_later(source: Script, deferred: list[Deferred], doubt: str) -> None:
    """Write what was deferred. What cannot be said of a case is in doubt there."""
    for guard, group in groupby(deferred, key=lambda each: each.guard):
        if guard is None:
            for each in group:
                each.write()
            continue
        with source.aside() as lines:
            try:
                for each in group:
                    each.write()
            except UnsaidError:
                source.add(doubt)
        if lines:
            source.insert(f"if {guard}:", lines)
