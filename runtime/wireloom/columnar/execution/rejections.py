"""Why records are malformed that programs reject, as far as their checks have reasons for it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from wireloom.backends.numpy.tile import memory
from wireloom.buffers import Array, ragged
from wireloom.codec import DecodeError
from wireloom.codec.encodings import decoded
from wireloom.columnar import memory_budget, rule_errors
from wireloom.columnar.arrays import Numbers
from wireloom.columnar.execution.executor import Located, Program, Stage
from wireloom.columnar.execution.explaining import Followed, Rejection
from wireloom.columnar.refusals import MessageName, Path, Refusal, Refusals, Unit, Words
from wireloom.programs import opcodes as op
from wireloom.programs.reasons import (
    BrokenRule,
    Counted,
    Distance,
    Hexadecimal,
    Missing,
    Reason,
    SectionName,
    ShownNumber,
    Undecodable,
    Word,
    WrongItem,
)
from wireloom.programs.values import WORD, Number


class Buffer(NamedTuple):
    """The bytes of records: their address, and the parameters of their capture."""

    base: int
    parameters: Mapping[str, Any]


class Explained(NamedTuple):
    """Which rows are ``rejected``, and why as far as that is known."""

    rejected: Array
    refusals: Refusals


def explained(
    program: Program,
    records: Located,
    limit: Array,
    buffer: Buffer,
    given: Mapping[int, Array] = {},
    depth: int = 0,
    size: int | None = None,
) -> Explained:
    """Why a program rejects records, or items of lists, whose paths begin with ``depth`` steps. Each record, or that
    around the item, ends at its ``limit``. All together have ``size`` bytes, as in ``Program.run``.
    """
    found = Explained(np.zeros(len(limit), bool), Refusals(len(limit)))
    lists = _ItemRejections(program, records.end, limit, buffer, depth, found)
    for part in program.explaining.follow(records.start, records.stop, records.end, given, size):
        check = np.where(part.sound, np.iinfo(np.int64).max, -1)
        """The number of the check that rejects each row: -1 if it is rejected by one without a reason, and more than
        all numbers if by none.
        """
        for rejection in part.rejections:
            check[rejection.rows] = rejection.check.number
        lists.reject(part, check)
        later = found.rejected[part.first :][: len(part.sound)].copy()  # which items have rejected already
        found.rejected[part.first :][: len(part.sound)] |= ~part.sound
        for rejection in part.rejections:
            first = ~later[rejection.rows]
            rows = rejection.rows[first]
            mine = rejection._replace(
                rows=rows + part.first, values={name: each[first] for name, each in rejection.values.items()}
            )
            message = rejection.check.message
            if isinstance(mine.check.reason, WrongItem):
                lists.refuse(mine, mine.check.reason)
                continue
            for refusal in _ReasonTexts(mine, depth).refusals(limit, *buffer):
                if len(refusal.records):
                    found.refusals.add(refusal._replace(path=_in_message(message, refusal.path, depth)))
    return found


def _in_message(message: str | None, path: Path, depth: int) -> Path:
    return path if message is None or depth else (MessageName(message), *path)


@dataclass(frozen=True, slots=True)
class _ItemRejections:
    """Why items of the lists are rejected that a ``program`` finds in records. All is as in ``explained``, which adds
    this to what it has ``found``; bytes end at ``end``.
    """

    program: Program
    end: int
    limit: Array
    buffer: Buffer
    depth: int
    found: Explained

    def reject(self, part: Followed, check: Array) -> None:
        """Reject rows for their first item that is rejected, unless a ``check`` before the list rejects them. Where a
        list is that was not written, as a check behind it rejects its row in the same block, only the codec knows.
        """
        for stage in self.program.stages:
            stored = self.program.explaining.stored[stage.place] if stage.limit is None else 0
            for rejection in part.rejections:
                if rejection.check.number >= stage.checks and rejection.at < stored:
                    self.found.rejected[rejection.rows + part.first] = True
            lists = stage.lists(None, part.written, np.ones(len(part.sound), bool))
            lists = lists.some(~self.found.rejected[lists.rows + part.first] & (check[lists.rows] >= stage.checks))
            counts, rows = lists.counts, lists.rows + part.first
            if stage.borrowed or int(counts.sum()) * stage.weight > memory_budget.LISTS:
                self.found.rejected[rows[counts > 0]] = True
                continue
            rows = rows[lists.owners]
            inner = self._items(stage, lists.items(self.end), rows, lists.numbers, lists.size)
            self.found.rejected[rows[inner.rejected]] = True
            self._refuse_first(stage, inner, rows, ragged(np.zeros_like(counts), counts))

    def refuse(self, rejection: Rejection, reason: WrongItem) -> None:
        """Say what the program of a list's items says of one item of each row; and of those before it, unless a walk
        through the list has read them.
        """
        stage = next(each for each in self.program.stages if each.place == reason.place)
        rows, values = rejection.rows, rejection.values
        number, stop = values[reason.number], values[reason.limit]
        before = number if stage.limit is None else np.zeros_like(number)
        if int(before.sum() + len(rows)) * stage.weight > memory_budget.LISTS:
            return
        owners = np.repeat(np.arange(len(rows)), before + 1)
        index = ragged(number - before, before + 1)
        start = values[reason.position] - stage.size * before
        items = Located(start[owners] + stage.size * (index - (number - before)[owners]), stop[owners], self.end)
        given = {place: values[register][owners] for place, register in reason.given.items()}
        if stage.number is not None:
            given[stage.number] = index
        rows = rows[owners]
        inner = self._items(stage, items, rows, given, int((stop - start).sum()))
        self._refuse_first(stage, inner, rows, index)

    def _items(self, stage: Stage, items: Located, rows: Array, given: Mapping[int, Array], size: int) -> Explained:
        """Why the program of a list's items rejects them. They are of these ``rows``."""
        return explained(stage.program, items, self.limit[rows], self.buffer, given, len(stage.field), size)

    def _refuse_first(self, stage: Stage, inner: Explained, rows: Array, index: Array) -> None:
        """Refuse rows for the first of their items that is rejected. The items are of these ``rows``, which ascend."""
        wrong = np.flatnonzero(inner.rejected)
        wrong = wrong[np.unique(rows[wrong], return_index=True)[1]]
        path = outside_of_sections(stage.field[self.depth :])
        for refusal, which in inner.refusals.of_records(wrong):
            mine = wrong[which]
            path_of_item = _in_message(stage.message, (*path, index[mine], *refusal.path), self.depth)
            self.found.refusals.add(refusal._replace(records=rows[mine], path=path_of_item))


def outside_of_sections(path: tuple[str, ...]) -> tuple[str, ...]:
    """A path without sections, unless it is of one."""
    return (*(step for step in path[:-1] if not isinstance(step, SectionName)), *path[-1:])


def _damage(octets: bytes, encoding: str) -> str:
    """Why bytes are no text in an encoding."""
    try:
        decoded(octets, encoding, 0)
    except DecodeError as error:
        return error.detail
    raise AssertionError("a text is rejected that is one")


class _ReasonTexts:
    """What the codec says of records that a check rejects. Paths of their fields have the first ``depth`` steps of a
    list around them, and are what is behind these.
    """

    def __init__(self, rejection: Rejection, depth: int) -> None:
        self.rows = rejection.rows
        self.values = rejection.values
        self.reason = rejection.check.reason
        self.path = rejection.path[depth:]

    def refusals(self, limit: Array, base: int, parameters: Mapping[str, Any]) -> Iterator[Refusal]:
        """Of captures with some ``parameters``; each record ends at its ``limit``, in a buffer at the address ``base``.
        Nothing if it is not known.
        """
        match self.reason:
            case Reason(code, position, words):
                told = [each for word in words for each in self._words(word)]
                yield self._refusal(slice(None), code, self.values[position] - base, *told)
            case Missing() as missing:
                yield from self._missing(missing, limit, base)
            case BrokenRule() as rule:
                yield from self._broken(rule, parameters, base)

    def _refusal(
        self, which: Array | slice, code: str, place: Array, *words: Words, name: str | None = None
    ) -> Refusal:
        """Some of them; words are of these, and places of all."""
        path = self.path if name is None else (*self.path, name)
        return Refusal(self.rows[which], code, outside_of_sections(path), place[which], words)

    def _words(self, word: Word) -> Iterator[Words]:
        match word:
            case ShownNumber(register, field, unsigned):
                numbers = self.values[register]
                numbers = numbers.view(np.uint64) if unsigned else numbers
                shown = None if field is None or not field.digits else map(field.shown, numbers.tolist())
                yield numbers if shown is None else list(shown)
            case Counted(register, noun):
                yield from (self.values[register], Unit(noun))
            case Distance(start, stop):
                yield from (self.values[stop] - self.values[start], Unit("byte"))
            case Undecodable(start, stop, encoding):
                spans = zip(self.values[start].tolist(), self.values[stop].tolist(), strict=True)
                yield [_damage(memory(begin, end - begin, "u1").tobytes(), encoding) for begin, end in spans]
            case Hexadecimal(position, size):
                yield [memory(at, size, "u1").tobytes().hex() for at in self.values[position].tolist()]
            case _:
                yield word

    def _missing(self, missing: Missing, limit: Array, base: int) -> Iterator[Refusal]:
        place, last = self.values[missing.position] + missing.shift, self.values[missing.limit]
        if missing.register is not None:
            counts = self.values[missing.register]
            if (negative := counts < 0).any():
                words = "a size of ", counts[negative], Unit("byte")
                yield self._refusal(negative, "invalid-size", place - base, *words)
            yield from self._short(~negative, place, counts, last, limit, base)
            return
        sizes = np.array([size for _, size in missing.sizes])
        which = np.searchsorted(sizes.cumsum(), last - place, "right")
        for number in np.unique(which).tolist():
            (name, size), before = missing.sizes[number], int(sizes[:number].sum())
            counts = np.full(len(place), size)
            yield from self._short(which == number, place + before, counts, last, limit, base, name)

    def _short(
        self, which: Array, place: Array, counts: Array, last: Array, limit: Array, base: int, name: str | None = None
    ) -> Iterator[Refusal]:
        whole = last == limit[self.rows]
        for code, mine, behind in (("truncated", which & whole, ""), ("overrun", which & ~whole, " in its section")):
            if mine.any():
                words = "needs ", counts[mine], Unit("byte"), ", ", (last - place)[mine], f" left{behind}"
                yield self._refusal(mine, code, place - base, *words, name=name)

    def _broken(self, rule: BrokenRule, parameters: Mapping[str, Any], base: int) -> Iterator[Refusal]:
        """The codec is asked once for all records that are alike in what the conditions mention."""
        start = self.values[op.START]
        spans = {name: np.stack([self.values[each] for each in span]) - start for name, span in rule.spans.items()}
        numbers = {name: self._numbers(number) for name, number in rule.numbers.items()}
        told = rule_errors.rule_errors(rule.message, parameters, numbers, spans, self.values[rule.variant])
        for region, rows, errors in told:
            place = start[rows] - base + np.array([error.offset for error in errors])
            details = [error.detail for error in errors]
            yield Refusal(self.rows[rows], "invalid", (region,) if region else (), place, (details,))

    def _numbers(self, number: Number) -> Numbers:
        data, valid = self.values[number.register], self.values[number.valid].astype(bool)
        if number.truth:
            data = data.astype(bool)
        elif number.most >= WORD:
            data = data.view(np.uint64)
        return Numbers(data, None if valid.all() else valid)
