"""The tables of ``docs/interop.md``: what each reader makes of each Arrow type."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from itertools import product

from support.interop.cases import Case
from support.interop.findings import Finding, Findings
from support.interop.places import PLACES, Place
from support.interop.words import of_type, word
from support.paths import ROOT

PAGE = ROOT / "docs" / "interop.md"
PACKAGES = ("dask", "deltalake", "duckdb", "pandas", "polars", "pyarrow", "pyiceberg", "pyspark")
_PART = re.compile(r"(<!-- interop: (.+) -->\n\n)(?:(?:\|.*\n)+\n)*")
_MOST = 4
"""Questions that are named in a row."""
_VERSIONS = re.compile(r"(<!-- interop versions -->\n\n).*\n")


def versions() -> str:
    """The line of the page with the versions that are installed."""
    return ", ".join(f"{name} {version(name)}" for name in PACKAGES) + "."


def with_versions(page: str) -> str:
    """The text of the page, with the versions that are installed."""
    return _VERSIONS.sub(lambda found: f"{found[1]}{versions()}\n", page)


def titles(page: str) -> list[str]:
    """The places that a page has tables of."""
    return [title for _, title in _PART.findall(page)]


def filled(page: str, title: str, tables: str) -> str:
    """The text of the page, with the tables of a place as they should be."""
    return _PART.sub(lambda found: f"{found[1]}{tables}\n" if found[2] == title else found[0], page)


def part(page: str, title: str) -> str:
    """The tables of a place on a page."""
    (found,) = (each for each in _PART.finditer(page) if each[2] == title)
    return found[0].removeprefix(found[1]).removesuffix("\n")


def tables(place: Place, cases: Mapping[str, Case], found: Findings) -> str:
    """All types and what they become, and below it what is not as it should be."""
    overview = _table(["Arrow type", *found], (_row(place, case, found) for case in cases.values()))
    details = _table(["reader", "Arrow type", "what happens"], _details(cases, found))
    return f"{overview}\n{details}"


def claims(title: str, text: str) -> set[tuple[str, str, str]]:
    """What tables of a place say, each with its reader and type: the type that it becomes, and all that happens."""
    overview, details = (
        [line.strip("|").split(" | ") for line in each.splitlines()[2:]] for each in text.strip("\n").split("\n\n")
    )
    readers = list(PLACES[title].readers)
    found = set()
    for kind, *cells in ([cell.strip(" *") for cell in line] for line in overview):
        found |= {(reader, kind, cell) for reader, cell in zip(readers, cells, strict=True)}
    for those, kinds, what in ([cell.strip() for cell in line] for line in details):
        named = readers if those == "all" else those.split(", ")
        parts = product(named, re.findall(r"`.*?`", kinds), what.split("; "))
        found |= set(parts)
    return found


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(line)} |\n" for line in (head, *rows)]
    return "".join([lines[0], f"|{'---|' * len(head)}\n", *lines[1:]])


def _row(place: Place, case: Case, found: Findings) -> list[str]:
    name = f"`{case.name}`"
    own = place.types in case.dialects
    return [f"**{name}**" if own else name, *(_cell(known[case.name]) for known in found.values())]


def _cell(finding: Finding) -> str:
    """The type, and signs of what happens."""
    if not finding.own:
        return "✗"
    signs = (
        (any(finding.refused.values()), "✗"),
        (any(finding.changed.values()), "≠"),
        (bool(finding.answers), "?"),
    )
    shown = re.sub(
        r"dictionary<.*?>|\b\w+=(?=[\d'])",
        lambda found: found[0].partition("<")[0] if "<" in found[0] else "",
        finding.own,
    )
    return " ".join([f"`{shown}`", *(sign for holds, sign in signs if holds)])


def _details(cases: Mapping[str, Case], found: Findings) -> Iterator[list[str]]:
    """What is to be said, once for all readers and types that it is true of."""
    readers: dict[tuple[str, str], list[str]] = {}
    for name, case in cases.items():
        for reader, known in found.items():
            for what in _said(case, known[name]):
                readers.setdefault((name, what), []).append(reader)
    types: dict[tuple[tuple[str, ...], str], list[str]] = {}
    for (name, what), those in readers.items():
        types.setdefault((tuple(those), what), []).append(name)
    said: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for (those, what), names in types.items():
        said.setdefault((those, tuple(names)), []).append(what)
    order = {reader: at for at, reader in enumerate(found)}
    for (those, names), what in sorted(said.items(), key=lambda each: order[each[0][0][0]]):
        everyone = "all" if len(those) == len(found) > 1 else ", ".join(those)
        yield [everyone, ", ".join(f"`{name}`" for name in names), "; ".join(what)]


def _said(case: Case, finding: Finding) -> Iterator[str]:
    yield from _refused(case, finding)
    yield from _changed(case, finding)
    by_answer: dict[str, list[str]] = {}
    for question, answer in finding.answers.items():
        by_answer.setdefault(answer, []).append(question)
    for answer, questions in by_answer.items():
        verb, _, rest = answer.partition(" ")
        yield f"{_few(questions)} {verb}{'s' if len(questions) == 1 else ''} {rest}"


def _few(questions: Sequence[str]) -> str:
    """All of some questions, or how many there are beside the first ones."""
    shown = questions if len(questions) <= _MOST else [*questions[: _MOST - 1], f"{len(questions) - _MOST + 1} more"]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def _refused(case: Case, finding: Finding) -> Iterator[str]:
    by_values: dict[str, list[str]] = {}
    for shape, refused in finding.refused.items():
        if refused:
            errors = " or ".join(f"`{error}`" for error in dict.fromkeys(refused.values()))
            which = "" if len(refused) == len(case.values) else _words(case, refused) + ": "
            by_values.setdefault(f"refused: {which}{errors}", []).append(shape)
    yield from map(_with_shapes, by_values.items())


def _changed(case: Case, finding: Finding) -> Iterator[str]:
    by_change: dict[str, list[str]] = {}
    for shape, changed in finding.changed.items():
        if changed:
            at, back = next(iter(changed.items()))
            others = f", and {len(changed) - 1} more" if len(changed) > 1 else ""
            text = f"{word(of_type(case.values[at], case.kind), case.kind)} becomes {word(back, case.kind)}{others}"
            by_change.setdefault(text, []).append(shape)
    yield from map(_with_shapes, by_change.items())


def _words(case: Case, positions: Iterable[int]) -> str:
    return ", ".join(word(of_type(case.values[at], case.kind), case.kind) for at in positions)


def _with_shapes(said: tuple[str, list[str]]) -> str:
    """What is said, and of what if it is not of all."""
    text, shapes = said
    return text if len(shapes) == 3 else f"{text} (in a {' and a '.join(shapes)})"
