"""The values that select a message: those of header fields and parameters, and ranges of numbers."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from wireloom_generator.expressions import Among, Compare, Expr, Logical, Name, Value


@dataclass(frozen=True, slots=True)
class Between:
    """The whole numbers from ``least`` to ``most``."""

    least: int
    most: int

    def __str__(self) -> str:
        return f"{self.least} to {self.most}"


Selector = int | float | bool | str | bytes | Between
"""A value that selects, or a range of them."""
Match = Mapping[str, tuple[Selector, ...]]
"""The selectors by the name of the field, the path to it, or the parameter."""


def shown(selector: Selector) -> str:
    match selector:
        case bool():
            return str(selector).lower()
        case bytes():
            return f"hex('{selector.hex()}')"
        case str():
            return repr(selector)
        case int() | float() | Between():
            return str(selector)


def listed(selectors: Iterable[Selector]) -> Iterator[int | float | bool | str | bytes]:
    """The values without the ranges."""
    return (selector for selector in selectors if not isinstance(selector, Between))


def common(one: Iterable[Selector], other: Iterable[Selector]) -> tuple[Selector, ...]:
    """The values that both select, in the order of ``one``."""
    others = tuple(other)
    exact = frozenset(listed(others))
    ranges = tuple(each for each in others if isinstance(each, Between))
    found: dict[Selector, None] = {}
    for each in one:
        if each in exact:
            found[each] = None
        else:
            found |= dict.fromkeys(_shared(each, others if isinstance(each, Between) else ranges))
    return tuple(found)


def _shared(one: Selector, others: tuple[Selector, ...]) -> Iterator[Selector]:
    mine = _span(one)
    for theirs in map(_span, others):
        if mine is not None and theirs is not None:
            yield from _between(max(mine.least, theirs.least), min(mine.most, theirs.most))


def repeated(selectors: Iterable[Selector]) -> Mapping[int, Selector]:
    """The values that selectors, by number, share with earlier ones."""
    found: dict[int, Selector] = {}
    seen: set[Selector] = set()
    spans: list[tuple[int, int, int]] = []
    for number, selector in enumerate(selectors):
        span = _span(selector)
        if span is not None:
            spans.append((span.least, span.most, number))
        elif selector in seen:
            found[number] = selector
        seen.add(selector)
    furthest, reached_by = -1, -1
    for least, most, number in sorted(spans):
        if reached_by >= 0 and least <= furthest:
            found[max(number, reached_by)] = next(_between(least, min(most, furthest)), least)
        if reached_by < 0 or most > furthest:
            furthest, reached_by = most, number
    return found


def without(one: Iterable[Selector], other: Iterable[Selector]) -> tuple[Selector, ...]:
    """The values that ``one`` selects and ``other`` does not."""
    left = tuple(one)
    exact = frozenset(listed(other := tuple(other)))
    left = tuple(each for each in left if isinstance(each, Between) or each not in exact)
    for each in other:
        gone = _span(each)
        if gone is not None:
            left = tuple(part for known in left for part in _cut(known, gone))
    return left


def _cut(known: Selector, gone: Between) -> Iterator[Selector]:
    span = _span(known)
    if span is None or span.most < gone.least or gone.most < span.least:
        yield known
        return
    yield from _between(span.least, min(span.most, gone.least - 1))
    yield from _between(max(span.least, gone.most + 1), span.most)


def _span(selector: Selector) -> Between | None:
    """A number as a range of one."""
    if isinstance(selector, Between):
        return selector
    is_number = isinstance(selector, int) and not isinstance(selector, bool)
    return Between(selector, selector) if is_number and isinstance(selector, int) else None


def _between(least: int, most: int) -> Iterator[Selector]:
    if least <= most:
        yield least if least == most else Between(least, most)


def condition(match: Match) -> Expr:
    """The condition that a record is selected."""
    found = [_one(Name(name), selectors) for name, selectors in match.items()]
    return found[0] if len(found) == 1 else Logical("and", tuple(found)) if found else Value(True)


def _one(name: Name, selectors: tuple[Selector, ...]) -> Expr:
    values = tuple(map(Value, listed(selectors)))
    ranges = (each for each in selectors if isinstance(each, Between))
    spans = [
        Logical("and", (Compare(">=", name, Value(each.least)), Compare("<=", name, Value(each.most))))
        for each in ranges
    ]
    cases: list[Expr] = [Compare("==", name, values[0])] if len(values) == 1 else []
    cases = [Among(name, values, negated=False)] if len(values) > 1 else cases
    every = (*cases, *spans)
    return every[0] if len(every) == 1 else Logical("or", every) if every else Value(False)
