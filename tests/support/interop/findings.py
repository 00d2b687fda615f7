"""What a reader makes of each type: its own, values that change or are refused, and questions answered wrongly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa

from support.interop.cases import Case, column_of, shapes
from support.interop.places import Place
from support.interop.plain import plain, same
from support.interop.questions import answers

SHAPES = ("column", "struct", "list")


@dataclass
class Finding:
    """What one reader makes of a type.

    ``own`` is the type of its column, empty if no value gets there. ``changed`` has what values come back as, and
    ``refused`` the errors of those that do not, by shape and position among the values of the case. ``answers`` says
    what is wrong with the answers to questions.
    """

    own: str = ""
    changed: dict[str, dict[int, Any]] = field(default_factory=lambda: {shape: {} for shape in SHAPES})
    refused: dict[str, dict[int, str]] = field(default_factory=lambda: {shape: {} for shape in SHAPES})
    answers: dict[str, str] = field(default_factory=dict)

    def kept(self, values: Sequence[Any]) -> tuple[Any, ...]:
        """Those of the values that a column keeps."""
        lost = self.changed["column"].keys() | self.refused["column"].keys()
        return tuple(value for at, value in enumerate(values) if at not in lost)


Findings = dict[str, dict[str, Finding]]
"""By reader, and by name of the case."""


def findings(place: Place, cases: Sequence[Case]) -> Findings:
    """What each reader at a place makes of each case."""
    found = {reader: {case.name: Finding() for case in cases} for reader in place.readers}
    for case in cases:
        for shape in SHAPES:
            _arrive(place, case, shape, {reader: known[case.name] for reader, known in found.items()})
    for reader, known in found.items():
        asked = {case.name: (case, known[case.name].kept(case.values)) for case in cases}
        for name, wrong in answers(place, reader, [each for each in asked.values() if len(each[1]) > 1]).items():
            known[name].answers = wrong
    return found


def _arrive(place: Place, case: Case, shape: str, found: Mapping[str, Finding]) -> None:
    """Put all values there, and one by one those that a reader does not get so."""
    alone: set[str] = set()
    for reader, arrived in _arrivals(place, case, shape, case.values):
        if isinstance(arrived, Exception):
            alone.add(reader)
        else:
            _note(found[reader], shape, arrived)
    for at, value in enumerate(case.values if alone else ()):
        for reader, arrived in _arrivals(place, case, shape, (value,)):
            if reader not in alone:
                continue
            if isinstance(arrived, Exception):
                found[reader].refused[shape][at] = type(arrived).__name__
            else:
                _note(found[reader], shape, arrived, at)


def _note(found: Finding, shape: str, arrived: tuple[str, dict[int, Any]], first: int = 0) -> None:
    kind, changed = arrived
    if shape == "column":
        found.own = kind
    found.changed[shape] |= {first + at: value for at, value in changed.items()}


def _arrivals(
    place: Place, case: Case, shape: str, values: tuple[Any, ...]
) -> Iterator[tuple[str, tuple[str, dict[int, Any]] | Exception]]:
    """The type at each reader, and the values that come back as others, by position; or why nothing does."""
    column = shapes(column_of(case, values))[shape]
    with TemporaryDirectory() as folder:
        try:
            there = place.put([pa.table({"it": column})], Path(folder))
        except Exception as error:
            yield from ((reader, error) for reader in place.readers)
            return
        for reader, opened in place.readers.items():
            try:
                has = opened(there)
                pairs = zip(plain(column), plain(has.rows()["it"]), strict=True)
                changed = {at: back for at, (value, back) in enumerate(pairs) if not same(value, back)}
                yield reader, (has.types()["it"], changed)
            except Exception as error:
                yield reader, error
