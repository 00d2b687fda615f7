"""Times in programs: their fields → microseconds since 1970, and back, as ``wireloom.expressions.times`` says.

Years begin with March here, so that a leap day is the last day of a year.
"""

from collections.abc import Callable, Mapping, Sequence

from wireloom.expressions.times import (
    DAY,
    ERA,
    GPS_EPOCH,
    KNOWN_UNTIL,
    LEAPS,
    SECOND,
    SINCE_1900,
    WEEK,
    YEARS,
)
from wireloom.expressions.times import (
    gps_count as counted,
)
from wireloom.expressions.tree import Function
from wireloom.programs import opcodes as op
from wireloom.programs.assembler import Assembler

_TO_1970 = 719_468
"""The days from March 1 of the year 0 to 1970."""
_ERA = 146_097
"""The days of 400 years."""


def calendar(asm: Assembler, fields: Sequence[int]) -> tuple[int, int]:
    """The registers of times with these fields, and of the mask of rows in which there are such times.

    ``fields`` are the registers of year, month, day, hour, minute, second and microsecond.
    """
    year, month, day, hour, minute, second, microsecond = fields
    length = _days_of_month(asm, year, month)
    bounds = (YEARS, (1, 12), (1, 31), (0, 23), (0, 59), (0, 59), (-SECOND, SECOND - 1))
    valid = asm.value(op.LESS_EQUAL, (day, length))
    for field, (least, most) in zip(fields, bounds, strict=True):
        valid = asm.value(op.AND, (valid, _between(asm, field, least, most)))
    clock = _sum(asm, _times(asm, hour, 3600), _times(asm, minute, 60), second)
    days = _times(asm, _days(asm, year, month, day), DAY)
    return _sum(asm, days, _times(asm, clock, SECOND), microsecond), valid


def ntp(asm: Assembler, fields: Sequence[int]) -> tuple[int, int]:
    """The same for NTP timestamps: of their seconds, their fractions and the pivot."""
    second, fraction, pivot = fields
    since = asm.value(op.SUBTRACT, (asm.value(op.ADD_NUMBER, (second,), (-SINCE_1900,)), pivot))
    seconds = asm.value(op.ADD, (_under(asm, since, ERA), pivot))
    part = _over(asm, _times(asm, fraction, SECOND), ERA)
    either = asm.value(op.OR, (second, fraction))
    valid = asm.value(op.NOT, (asm.value(op.EQUAL_NUMBER, (either,), (0,)),))
    for field in (second, fraction):
        valid = asm.value(op.AND, (valid, _between(asm, field, 0, ERA - 1)))
    return _sum(asm, _times(asm, seconds, SECOND), part), valid


def gps(asm: Assembler, fields: Sequence[int]) -> tuple[int, int]:
    """The same for GPS: of weeks, microseconds of the week, and more microseconds."""
    week, microsecond, part = fields
    count = _sum(asm, _times(asm, week, WEEK), microsecond, part)
    time, last = asm.value(op.ADD_NUMBER, (count,), (GPS_EPOCH,)), counted(KNOWN_UNTIL)
    valid = asm.value(op.AND, (_between(asm, microsecond, 0, WEEK - 1), _between(asm, count, 0, last - 1)))
    valid = asm.value(op.AND, (valid, _between(asm, week, 0, last // WEEK)))
    for leap in map(counted, LEAPS):
        is_leap_second = _between(asm, count, leap - SECOND, leap - 1)
        valid = asm.value(op.AND, (valid, asm.value(op.NOT, (is_leap_second,))))
        time = asm.value(op.ADD, (time, _second_from(asm, count, leap, -SECOND)))
    return time, valid


def gps_count(asm: Assembler, time: int) -> int:
    """The microseconds that GPS has counted at times."""
    count = asm.value(op.ADD_NUMBER, (time,), (-GPS_EPOCH,))
    for leap in LEAPS:
        count = asm.value(op.ADD, (count, _second_from(asm, time, leap, SECOND)))
    return count


def _second_from(asm: Assembler, number: int, start: int, second: int) -> int:
    """``second`` where a number is at least ``start``, else 0."""
    later = asm.value(op.MORE_NUMBER, (number,), (start - 1,))
    return asm.value(op.CHOOSE, (later, asm.number(second), asm.number(0)))


TIMES_OF: Mapping[Function, Callable[[Assembler, Sequence[int]], tuple[int, int]]] = {
    Function.CALENDAR: calendar,
    Function.NTP: ntp,
    Function.GPS: gps,
}
"""What has the times of fields, by function."""


def _days_of_month(asm: Assembler, year: int, month: int) -> int:
    """How many days a month has."""
    odd = asm.value(op.AND_NUMBER, (asm.value(op.ADD, (month, _over(asm, month, 8))),), (1,))
    usual = asm.value(op.ADD_NUMBER, (odd,), (30,))
    fourth, hundredth, last = (asm.value(op.EQUAL_NUMBER, (_under(asm, year, each),), (0,)) for each in (4, 100, 400))
    leap = asm.value(op.AND, (fourth, asm.value(op.OR, (asm.value(op.NOT, (hundredth,)), last))))
    february = asm.value(op.CHOOSE, (leap, asm.number(29), asm.number(28)))
    return asm.value(op.CHOOSE, (asm.value(op.EQUAL_NUMBER, (month,), (2,)), february, usual))


def _days(asm: Assembler, year: int, month: int, day: int) -> int:
    """The days since 1970 of a date."""
    early = asm.value(op.LESS_NUMBER, (month,), (3,))
    year = asm.value(op.CHOOSE, (early, asm.value(op.ADD_NUMBER, (year,), (-1,)), year))
    month = asm.value(op.ADD_NUMBER, (month,), (-3,))
    month = asm.value(op.CHOOSE, (early, asm.value(op.ADD_NUMBER, (month,), (12,)), month))
    before = _sum(asm, day, _before_month(asm, month), _before_year(asm, year), _over(asm, year, 400))
    return asm.value(op.ADD_NUMBER, (before,), (-_TO_1970 - 1,))


def _before_month(asm: Assembler, month: int) -> int:
    """The days of a year before the month with this number, 0 for March."""
    return _over(asm, asm.value(op.ADD_NUMBER, (_times(asm, month, 153),), (2,)), 5)


def _before_year(asm: Assembler, year: int) -> int:
    """The days before a year, counted from the year 0, without the leap days of years that 400 divides."""
    without = asm.value(op.SUBTRACT, (_times(asm, year, 365), _over(asm, year, 100)))
    return asm.value(op.ADD, (without, _over(asm, year, 4)))


def date(asm: Assembler, function: Function, time: int) -> int:
    """The register of the year, the month or the day of times."""
    days = asm.value(op.ADD_NUMBER, (_over(asm, time, DAY),), (_TO_1970,))
    of_era = _under(asm, days, _ERA)
    leap_days = asm.value(op.SUBTRACT, (_over(asm, of_era, 1_460), _over(asm, of_era, 36_524)))
    leap_days = asm.value(op.ADD, (leap_days, _over(asm, of_era, _ERA - 1)))
    year = _over(asm, asm.value(op.SUBTRACT, (of_era, leap_days)), 365)
    of_year = asm.value(op.SUBTRACT, (of_era, _before_year(asm, year)))
    month = _over(asm, asm.value(op.ADD_NUMBER, (_times(asm, of_year, 5),), (2,)), 153)
    if function is Function.DAY:
        return asm.value(op.ADD_NUMBER, (asm.value(op.SUBTRACT, (of_year, _before_month(asm, month))),), (1,))
    late = asm.value(op.MORE_NUMBER, (month,), (9,))
    if function is Function.MONTH:
        shift = asm.value(op.CHOOSE, (late, asm.number(-9), asm.number(3)))
        return asm.value(op.ADD, (month, shift))
    year = _sum(asm, year, _times(asm, _over(asm, days, _ERA), 400))
    return asm.value(op.CHOOSE, (late, asm.value(op.ADD_NUMBER, (year,), (1,)), year))


def _between(asm: Assembler, number: int, least: int, most: int) -> int:
    """The mask where a number is between two others, both included."""
    below, above = asm.value(op.LESS_NUMBER, (number,), (least,)), asm.value(op.MORE_NUMBER, (number,), (most,))
    return asm.value(op.NOT, (asm.value(op.OR, (below, above)),))


def _over(asm: Assembler, number: int, by: int) -> int:
    return asm.value(op.DIVIDE, (number, asm.number(by)))


def _under(asm: Assembler, number: int, by: int) -> int:
    return asm.value(op.MODULO, (number, asm.number(by)))


def _times(asm: Assembler, number: int, by: int) -> int:
    return asm.value(op.MULTIPLY_NUMBER, (number,), (by,))


def _sum(asm: Assembler, first: int, *others: int) -> int:
    for other in others:
        first = asm.value(op.ADD, (first, other))
    return first
