"""Syntax → model for times that consist of several fields: how the time follows from them, and each of them from it."""

import re
from collections.abc import Iterator
from itertools import chain

from wireloom_generator import model
from wireloom_generator.expressions import Expr, Value, parse_qualified, spelled
from wireloom_generator.model.names import Names
from wireloom_generator.problems import Location
from wireloom_generator.reading import syntax
from wireloom_generator.resolve import conditions
from wireloom_generator.types import meanings

MEANING: meanings.Meaning = meanings.Timestamp("us", "1970-01-01")
"""What the number means that a time of several fields is computed as."""
TimeFields = syntax.Calendar | syntax.Ntp | syntax.Gps
Mistake = tuple[Location, str, str]
Defaults = Iterator[tuple[str, str]]
"""Fields, each with the expression of what is written to it."""

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_KINDS = ("calendar", "ntp", "gps")
_SECOND, _DAY, _WEEK = 1_000_000, 86_400_000_000, 604_800_000_000
_CLOCK = (("hour", 3600 * _SECOND), ("minute", 60 * _SECOND), ("second", _SECOND))
"""The fields of a clock, each with its microseconds."""
_FRACTIONS = {"millisecond": 1000, "microsecond": 1_000_000, "nanosecond": 1_000_000_000}
"""Parts of a second, and how many it has."""
_NAMES = ("year", "month", "day", "week", *(key for key, _ in _CLOCK), "fraction", *_FRACTIONS)
"""The keys whose values are names of fields."""
_YEARS = (1, 9999)
_ERA = 1 << 32
_SINCE_1900 = -meanings.Timestamp("s", "1900-01-01").first // _SECOND
_GPS_EPOCH = meanings.Timestamp("s", "1980-01-06").first


def instant(field: syntax.Field, written: syntax.Instant, names: Names) -> model.Instant:
    """The fields of a time, and the mistakes in what is said of them."""
    kind = _kind(written)
    found = {} if kind is None else _named(kind)
    fields = {
        key: conditions.of_text(spelled(name), kind.where(key), names)
        for key, name in found.items()
        if kind is not None
    }
    return model.Instant(fields, tuple(_faults(field, written, names)))


def time(written: syntax.Instant, names: Names) -> model.Condition:
    """The number of a time."""
    kind = _kind(written)
    if kind is None or not all(map(_NAME.fullmatch, _named(kind).values())):
        return model.Condition(Value(None), "null")
    given = ", ".join(f"{key}: {getattr(kind, key)}" for key in kind.places)
    return _condition(_of_fields(kind), f"{type(kind).__name__.lower()}: {{{given}}}", names)


def defaults(name: str, written: syntax.Instant) -> Defaults:
    """What is written to the fields of the time ``name`` if the time is given and they are not."""
    kind, time = _kind(written), f"microseconds({spelled(name)})"
    match kind:
        case syntax.Calendar():
            yield from _to_calendar(time, kind)
        case syntax.Ntp():
            yield from _to_ntp(time, kind)
        case syntax.Gps():
            yield from _to_gps(f"gps_count({time})", kind)
        case None:
            pass


def default(name: str, text: str, names: Names) -> model.Condition:
    """What is written to such a field."""
    return _condition(text, name, names)


def _condition(text: str, shown: str, names: Names) -> model.Condition:
    tree: Expr = names.resolved(parse_qualified(text))
    return model.Condition(tree, shown)


def _kind(written: syntax.Instant) -> TimeFields | None:
    """The only kind of time that is written; None if there is none, or several."""
    found = [kind for kind in (written.calendar, written.ntp, written.gps) if kind is not None]
    return found[0] if len(found) == 1 else None


def _named(kind: TimeFields) -> dict[str, str]:
    """The names of fields, by key."""
    return {key: name for key in _NAMES if (name := getattr(kind, key, None)) is not None}


def _of_fields(kind: TimeFields) -> str:
    """The expression of a time."""
    match kind:
        case syntax.Calendar():
            return _of_calendar(kind)
        case syntax.Ntp():
            fraction = spelled(kind.fraction) if kind.fraction is not None else "0"
            return f"ntp({spelled(kind.second)}, {fraction}, {_pivot(kind.pivot) // _SECOND})"
        case syntax.Gps():
            return _of_gps(kind)


# Calendars


def _fraction(calendar: syntax.Calendar) -> str | None:
    """The key of the part of a second that is given."""
    return next((key for key in _FRACTIONS if getattr(calendar, key) is not None), None)


def _of_calendar(calendar: syntax.Calendar) -> str:
    given = {key: spelled(name) for key, name in _named(calendar).items()}
    hour, minute, second = (given.get(key, "") for key, _ in _CLOCK)
    microsecond = "0"
    if (key := _fraction(calendar)) is not None:
        fraction, parts = given[key], _FRACTIONS[key]
        rest = fraction if second else f"{fraction} % {parts}"
        microsecond = f"({rest}) * {_SECOND // parts}" if parts < _SECOND else f"({rest}) // {parts // _SECOND}"
        second = second or f"{fraction} // {parts}"
    minute, second = (minute, second) if minute else (_over(second), _under(second))
    hour, minute = (hour, minute) if hour else (_over(minute), _under(minute))
    clock = f"{hour or 0}, {minute or 0}, {second or 0}, {microsecond}"
    return f"calendar({_year(calendar)}, {given['month']}, {given['day']}, {clock})"


def _over(number: str) -> str:
    """The next larger unit in a number of minutes or seconds."""
    return f"({number}) // 60" if number else ""


def _under(number: str) -> str:
    """What is left of it."""
    return f"({number}) % 60" if number else ""


def _year(calendar: syntax.Calendar) -> str:
    year = spelled(calendar.year)
    if calendar.pivot is not None:
        return _wrapped(year, calendar.pivot, 100)
    return f"{year} + {calendar.offset}" if calendar.offset else year


def _wrapped(number: str, first: int, count: int) -> str:
    """The number from ``first`` on of which another is the remainder; absent if that is not below ``count``."""
    after = f"({number} - {first % count}) % {count}" if first % count else number
    return f"{first} + {after} if 0 <= {number} < {count} else None"


def _to_calendar(time: str, calendar: syntax.Calendar) -> Defaults:
    year = f"year({time})"
    if calendar.pivot is not None:
        year = f"{year} % 100"
    yield calendar.year, f"{year} - {calendar.offset}" if calendar.offset else year
    yield calendar.month, f"month({time})"
    yield calendar.day, f"day({time})"
    larger = _DAY
    for key, unit in _CLOCK:
        if (name := getattr(calendar, key)) is not None:
            yield name, f"{time} // {unit} % {larger // unit}"
            larger = unit
    if (fraction := _fraction(calendar)) is not None:
        parts, name = _FRACTIONS[fraction], _named(calendar)[fraction]
        if parts <= _SECOND:
            yield name, f"{time} // {_SECOND // parts} % {larger * parts // _SECOND}"
        else:
            yield name, f"{time} % {larger} * {parts // _SECOND}"


# NTP and GPS


def _pivot(text: str) -> int:
    """A date, in microseconds since 1970; 0 if it is none."""
    return meanings.Timestamp("s", text).first


def _to_ntp(time: str, ntp: syntax.Ntp) -> Defaults:
    yield ntp.second, f"({time} // {_SECOND} + {_SINCE_1900}) % {_ERA}"
    if ntp.fraction is not None:
        yield ntp.fraction, f"({time} % {_SECOND} * {_ERA} + {_SECOND - 1}) // {_SECOND}"


def _of_gps(gps: syntax.Gps) -> str:
    week, part, unit = spelled(gps.week), "0", _unit(gps)
    if gps.rollover is not None and gps.rollover > 0:
        week = _wrapped(week, max((_pivot(gps.pivot or "") - _GPS_EPOCH) // _WEEK, 0), gps.rollover)
    counted = f"{spelled(gps.second or gps.millisecond or '0')} * {unit}"
    if gps.nanosecond is not None:
        name = spelled(gps.nanosecond)
        part = f"{name} // 1000 if {-1000 * unit} <= {name} < {1000 * unit} else None"
    return f"gps({week}, {counted}, {part})"


def _unit(gps: syntax.Gps) -> int:
    """The microseconds of what is counted in a week."""
    return _SECOND if gps.second is not None else 1000


def _to_gps(count: str, gps: syntax.Gps) -> Defaults:
    week = f"{count} // {_WEEK}"
    yield gps.week, f"{week} % {gps.rollover}" if gps.rollover else week
    if (name := gps.second or gps.millisecond) is not None:
        yield name, f"{count} % {_WEEK} // {_unit(gps)}"
    if gps.nanosecond is not None:
        yield gps.nanosecond, f"{count} % {_unit(gps)} * 1000"


# Mistakes


def _faults(field: syntax.Field, written: syntax.Instant, names: Names) -> Iterator[Mistake]:
    """The mistakes in a time: the place, the problem, a hint."""
    word = meanings.Timestamp.word
    if field.type != word:
        yield field.where("type"), f"a time of several fields is not {field.type}", f"write type: {word}"
    for key in ("as", "enum"):
        if field.gives(key):
            yield field.where(key), f"a time of several fields cannot have {key}", ""
    kind = _kind(written)
    match kind:
        case syntax.Calendar():
            yield from chain(_of_names(kind, names), _in_calendar(kind))
        case syntax.Ntp():
            yield from chain(_of_names(kind, names), _in_pivot(kind, kind.pivot))
        case syntax.Gps():
            yield from chain(_of_names(kind, names), _in_gps(kind))
        case None:
            hint = "as in {calendar: {year: …, month: …, day: …}}"
            yield written.at, f"a time of several fields needs exactly one of {', '.join(_KINDS)}", hint


def _in_calendar(calendar: syntax.Calendar) -> Iterator[Mistake]:
    fractions = [key for key in _FRACTIONS if calendar.gives(key)]
    for key in fractions[1:]:
        yield calendar.where(key), f"the time has both {fractions[0]} and {key}", "keep the finer one"
    if calendar.offset is not None and calendar.pivot is not None:
        yield calendar.where("pivot"), "the year has both offset and pivot", "a pivot is for years with two digits"
    last = _YEARS[1] - 99
    if calendar.pivot is not None and not _YEARS[0] <= calendar.pivot <= last:
        yield calendar.where("pivot"), f"{calendar.pivot} is not a year from {_YEARS[0]} to {last}", "as in 1970"
    if calendar.offset is not None and not -_YEARS[1] <= calendar.offset <= _YEARS[1]:
        yield calendar.where("offset"), f"{calendar.offset} makes no year of 1 to 9999", "as in 1900"


def _in_gps(gps: syntax.Gps) -> Iterator[Mistake]:
    if (gps.second is None) is (gps.millisecond is None):
        yield gps.at, "the time of week needs either second or millisecond", ""
    if gps.pivot is not None:
        yield from _in_pivot(gps, gps.pivot)
        if _pivot(gps.pivot) < _GPS_EPOCH:
            yield gps.where("pivot"), f"{gps.pivot} is before the first week of GPS", "as in 2019-04-07"
    if (gps.pivot is None) is not (gps.rollover is None):
        yield gps.at, "a pivot belongs to a rollover", "as in rollover: 1024, pivot: 2019-04-07"
    if gps.rollover is not None and not 1 < gps.rollover <= _ERA:
        yield gps.where("rollover"), f"{gps.rollover} is not a number of weeks", "as in 1024"


def _in_pivot(kind: TimeFields, pivot: str) -> Iterator[Mistake]:
    for _, what, hint in meanings.Timestamp("s", pivot).faults():
        yield kind.where("pivot"), what, hint


def _of_names(kind: TimeFields, names: Names) -> Iterator[Mistake]:
    """The mistakes in the names of fields."""
    seen: dict[str, str] = {}
    for key, name in _named(kind).items():
        at = kind.where(key)
        if not _NAME.fullmatch(name):
            hint = "write offset: or pivot:" if key == "year" else "give the number a name, with compute"
            yield at, f"{name!r} is not the name of a field", hint
        elif name in seen:
            yield at, f"{name!r} is already the {seen[name]}", ""
        elif name not in names.own and (name in names.header or name in names.given or name in names.parameters):
            yield at, f"{name!r} is not a field beside the time, so it cannot be written from it", ""
        seen.setdefault(name, key)
