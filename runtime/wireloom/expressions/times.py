"""Points in time as whole numbers: microseconds since 1970, in UTC, without leap seconds.

The compiler puts these functions into the expressions of times that consist of several fields. They raise ``TypeError``
for an absent value, so that the expression has none.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
SECOND = 1_000_000
DAY = 86_400 * SECOND
WEEK = 7 * DAY
YEARS = (1, 9999)
"""The first and the last year that tables hold."""


def _midnight(year: int, month: int, day: int) -> int:
    """When a day begins."""
    return (date(year, month, day).toordinal() - _EPOCH.toordinal()) * DAY


TIMES = (_midnight(1, 1, 1) - SECOND, _midnight(9999, 12, 31) + DAY - 1)
"""The first and the last time that ``calendar`` has."""
SINCE_1900 = -_midnight(1900, 1, 1) // SECOND
"""The seconds from 1900 to 1970, which NTP counts."""
ERA = 1 << 32
"""How many seconds NTP counts before it begins again with 0."""
GPS_EPOCH = _midnight(1980, 1, 6)
"""When GPS began to count weeks."""
LEAPS = tuple(
    _midnight(year, month, 1)
    for year, month in (
        (1981, 7), (1982, 7), (1983, 7), (1985, 7), (1988, 1), (1990, 1), (1991, 1), (1992, 7), (1993, 7), (1994, 7),
        (1996, 1), (1997, 7), (1999, 1), (2006, 1), (2009, 1), (2012, 7), (2015, 7), (2017, 1),
    )
)  # fmt: skip
"""The times right after the leap seconds since 1980, as in IERS Bulletin C 72."""
KNOWN_UNTIL = _midnight(2027, 6, 28)
"""Up to this time no other leap second can be inserted; nobody knows of those after it."""


def calendar(year: int, month: int, day: int, hour: int, minute: int, second: int, microsecond: int) -> int | None:
    """The time with these fields; None if the calendar or the clock has no such time, as in February 30 or 23:59:60.

    The ``microsecond`` can be negative, down to a second.
    """
    if not (0 <= hour < 24 and 0 <= minute < 60 and 0 <= second < 60 and -SECOND <= microsecond < SECOND):
        return None
    try:
        midnight = _midnight(year, month, day)
    except (ValueError, OverflowError):
        return None
    return midnight + (hour * 3600 + minute * 60 + second) * SECOND + microsecond


def ntp(second: int, fraction: int, pivot: int) -> int | None:
    """The time of an NTP timestamp, rounded down: ``second`` since 1900, of which only 32 bits are given, and
    ``fraction`` of 2**-32 s. It lies in the 2**32 seconds from ``pivot`` on, in seconds since 1970.

    None if both are 0, which stands for an unknown time, or one has more than 32 bits.
    """
    if not (0 <= second < ERA and 0 <= fraction < ERA) or second == fraction == 0:
        return None
    return (pivot + (second - SINCE_1900 - pivot) % ERA) * SECOND + (fraction * SECOND >> 32)


def gps(week: int, microsecond: int, part: int) -> int | None:
    """The time of a GPS week, counted from ``GPS_EPOCH``, in UTC: ``microsecond`` of the week, and ``part``, more
    microseconds.

    None before ``GPS_EPOCH``, from ``KNOWN_UNTIL`` on, and in a leap second, which this count cannot say.
    """
    if not (week >= 0 and 0 <= microsecond < WEEK):
        return None
    counted = week * WEEK + microsecond + part
    number = bisect_right(_COUNTED, counted)
    time = GPS_EPOCH + counted - number * SECOND
    in_leap_second = number < len(LEAPS) and time >= LEAPS[number]
    return None if counted < 0 or in_leap_second or time >= KNOWN_UNTIL else time


_COUNTED = tuple(leap - GPS_EPOCH + number * SECOND for number, leap in enumerate(LEAPS, 1))
"""The microseconds that GPS has counted right after each leap second."""


def gps_count(time: int) -> int:
    """The microseconds that GPS has counted at a time."""
    return time - GPS_EPOCH + bisect_right(LEAPS, time) * SECOND


def microseconds(time: datetime) -> int:
    """A time as a number."""
    return (time - _EPOCH) // _MICROSECOND


def year(time: int) -> int:
    """The year of a time. Raises ``OverflowError`` outside of ``YEARS``, as do ``month`` and ``day``."""
    return _date(time).year


def month(time: int) -> int:
    """The month of a time, 1 to 12."""
    return _date(time).month


def day(time: int) -> int:
    """The day of the month of a time, from 1."""
    return _date(time).day


def _date(time: int) -> datetime:
    return _EPOCH + timedelta(microseconds=time)


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    each.__name__: each for each in (calendar, ntp, gps, gps_count, microseconds, year, month, day)
}
