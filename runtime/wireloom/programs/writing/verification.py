"""Records that a program has laid out are read again by it: those are sound that say just what was given."""

from collections.abc import Callable, Set
from typing import Any, NamedTuple

from wireloom import codec
from wireloom.options import MAX_RECORD_BYTES
from wireloom.programs import opcodes as op
from wireloom.programs.expressions import both
from wireloom.programs.number_format import NumberFormat
from wireloom.programs.reading.checks import Proven
from wireloom.programs.reading.framing import prove
from wireloom.programs.reading.lowering import Lowering
from wireloom.programs.reading.messages import message
from wireloom.programs.reading.parts import layout
from wireloom.programs.values import (
    Datum,
    Level,
    Listed,
    NoItems,
    NoProgramError,
    Number,
    Octets,
    Spelled,
    Struct,
    is_label,
)
from wireloom.programs.writing.inputs import Items, Path
from wireloom.programs.writing.layout import Arranging
from wireloom.programs.writing.scope import Copied, Laid


class ListRead(NamedTuple):
    """A list that was read again in the rows ``where`` it is given, of a type in the table."""

    type: Any
    found: Listed
    where: int


def reread(
    said: codec.Message,
    arranging: Arranging,
    fields: Laid,
    variant: int,
    framing: codec.Framing,
    proven: Proven,
    is_of: Callable[[Level], int],
) -> tuple[Lowering, dict[Path, ListRead]]:
    """Read a record again, and compare all of its values but for items of lists: returns what has read it, and lists
    to be compared. ``variant`` is the register with the number of its variant, and ``is_of`` gives the mask of
    the records whose header selects the message. Raises ``NoProgramError``.
    """
    asm = arranging.asm
    prove(framing, _Rereading(arranging), doubting=True)
    at = _Rereading(arranging, limit=-len(said.record.until))
    at.decoding = True
    at.variant = variant
    layout(said.record.head, at)
    at.must(is_of(at.record))
    level = message(said, at, proven)
    size = asm.value(op.SUBTRACT, (op.STOP, op.START))
    at.must(asm.value(op.NOT, (asm.value(op.MORE_NUMBER, (size,), (MAX_RECORD_BYTES,)),)))
    level.columns.pop("variant", None)
    comparing = _Comparing(at)
    comparing.all(at.record, arranging.header, {column.name for column in said.record.columns if column.label})
    with asm.field(said.name):
        comparing.all(level, fields, {column.name for column in said.columns if column.label} | {"variant"})
    return at, comparing.lists


class _Rereading(Lowering):
    """Reads what was laid out. Numbers are not loaded that were written to the same place and fit there. Checksums are
    those that were written, if they are over the very same bytes.
    """

    def __init__(self, laid: Arranging, *, limit: int = 0) -> None:
        super().__init__(laid.parameters, little=laid.little, limit=limit, asm=laid.asm)
        self.summed = laid.summed
        self.numbers = laid.numbers

    def need(self, *sizes: tuple[str | None, int]) -> None:
        offset, count = self.offset_of(self.position, self.where), sum(size for _, size in sizes)
        if offset is None or self.limit != op.STOP or offset + self.shift + count > self._least:
            super().need(*sizes)

    @property
    def _least(self) -> int:
        """How many bytes all records have at least, as numbers were written to them."""
        ends = (place + size for (place, where), (_, size, _) in self.numbers.items() if where == op.ONES)
        return max(ends, default=0)

    def written(self, kind: NumberFormat) -> int | None:
        offset, little = self.offset_of(self.position, self.where), kind.is_little(little=self.little)
        if offset is None:
            return None
        place = offset + self.shift
        found = self.numbers.get((place, op.ONES)) or self.numbers.get((place, self.where))
        if found is None or found[1:] != (kind.size, little):
            return None
        register, bits = found[0], 8 * kind.size
        if bits < 64:
            fits = (op.SIGN, bits) if kind.kind == "i" and not kind.swapped else (op.AND_NUMBER, (1 << bits) - 1)
            self.must(self.asm.value(op.EQUAL, (self.asm.value(fits[0], (register,), fits[1:]), register)))
        return register

    def crc(self, algorithm: codec.Crc, start: int, stop: int, where: int) -> int:
        known = [each for each in self.summed if each.algorithm == algorithm]
        if not known:
            return super().crc(algorithm, start, stop, where)
        asm = self.asm
        found = some = asm.number(0)
        for each in known:
            same = both(asm, asm.value(op.EQUAL, (start, each.start)), asm.value(op.EQUAL, (stop, each.stop)))
            same = both(asm, same, each.valid)
            found, some = asm.value(op.CHOOSE, (same, each.register, found)), asm.value(op.OR, (some, same))
        self.must(some, where)
        return found


def _are_alike(found: Number, wanted: Number) -> bool:
    """Whether the registers of two numbers have the same value in the same form."""
    is_form_same = (found.floating, found.parts, found.double) == (wanted.floating, wanted.parts, wanted.double)
    return is_form_same and (found.truth or not wanted.truth)


class _Comparing:
    """Compares what was read with what was given."""

    def __init__(self, at: Lowering) -> None:
        self.at = at
        self.asm = at.asm
        self.lists: dict[Path, ListRead] = {}

    def all(
        self, found: Level | Struct, given: Laid, labels: Set[str], where: int = op.ONES, *, inner: bool = False
    ) -> None:
        """All values of a struct in the rows ``where`` it is. Labels do not count; inside others, none is filled in."""
        columns = found.columns if isinstance(found, Level) else found.fields
        for name in dict.fromkeys((*given.columns, *columns)):
            if name in labels or is_label(columns.get(name)):
                continue
            filled = None if inner else given.filled.get(name)
            with self.asm.field(name):
                self._one(name, columns.get(name), given, where, filled)

    def _one(self, name: str, found: Datum | None, given: Laid, where: int, filled: int | None) -> None:
        """One value, which may be there without being given in the rows where it is ``filled`` in."""
        wanted, asm = given.told.get(name), self.asm
        if found is None:
            if wanted is not None:
                self._must_not(wanted.valid, where)
            return
        if wanted is None:
            if filled is None:
                self._must_not(found.valid, where)
            elif filled != op.ONES:
                self.at.must(asm.value(op.OR, (asm.value(op.NOT, (found.valid,)), filled)), where)
            return
        if wanted.valid != found.valid and not (filled == found.valid == op.ONES):
            same = asm.value(op.EQUAL, (wanted.valid, found.valid))
            more = None if filled is None else both(asm, filled, found.valid)
            self.at.must(same if more is None else asm.value(op.OR, (same, more)), where)
        self._equal(name, found, wanted, given, both(asm, where, both(asm, wanted.valid, found.valid)))

    def _must_not(self, valid: int, where: int) -> None:
        """There must be no value."""
        if valid == op.ONES:
            raise NoProgramError("a value that all rows have, or none")
        self.at.must(self.asm.value(op.NOT, (valid,)), where)

    def _equal(self, name: str, found: Datum, wanted: Datum, given: Laid, where: int) -> None:
        match found, wanted:
            case Number(), Number() if _are_alike(found, wanted):
                self.at.must_equal(found, wanted, where)
            case Octets(), Octets():
                self._bytes(found, wanted, given.octets.get(name), where)
            case Spelled(start), Octets() if (copied := given.octets.get(name)) is not None:
                place = self.asm.value(op.ADD, (op.START, copied.start))
                self.at.must(both(self.asm, copied.where, self.asm.value(op.EQUAL, (start, place))), where)
            case NoItems(), Items(count=Number(register=count)):
                self.at.must(self.asm.value(op.EQUAL_NUMBER, (count,), (0,)), where)
            case Listed(listings), Items() if wanted.outline.items is None:
                for each in listings:
                    self.at.must(self.asm.value(op.EQUAL, (each.start, each.stop)), both(self.asm, where, each.where))
                    self.at.lists.remove(each)
            case Listed(), Items():
                self.lists[wanted.path] = ListRead(wanted.outline.type, found, where)
            case Struct(), Struct():
                inner = given.inner[name] if name in given.inner else Laid(dict(wanted.fields))
                self.all(found, inner, set(), where, inner=True)
            case _ if where == op.ONES:
                raise NoProgramError("a value that is not given as it is read")
            case _:
                self.at.must(False, where)

    def _bytes(self, found: Octets, wanted: Octets, copied: Copied | None, where: int) -> None:
        """Bytes need not be compared where they are those that were ``copied`` from the given ones."""
        asm = self.asm
        if copied is not None:
            start, stop = (asm.value(op.ADD, (op.START, place)) for place in copied[:2])
            there = both(asm, asm.value(op.EQUAL, (found.start, start)), asm.value(op.EQUAL, (found.stop, stop)))
            where = both(asm, where, asm.value(op.NOT, (both(asm, copied.where, there),)))
        asm.check_same(found.start, found.stop, wanted.start, wanted.stop, where)
