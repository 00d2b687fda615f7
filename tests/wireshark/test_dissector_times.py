"""Times of several fields in dissectors, beside those of the codec."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from support import tshark

from wireloom.expressions import times
from wireloom_generator.emitters.wireshark import lua
from wireshark.dissectors import library

pytestmark = pytest.mark.wireshark

HUGE = (-1, 1 << 32, (1 << 53) + 1, (1 << 64) - 1)
"""Numbers that no field of a time has."""


def asked() -> Iterator[tuple[str, tuple[int | None, ...]]]:
    """Calls of the functions of times: of all years, around leap seconds, and of what is no time."""
    random = Random(5)
    for year in (0, 1, 4, 100, 400, 1900, 1970, 2000, 2024, 2100, 9999, 10_000):
        for month in range(14):
            yield "calendar", (year, month, random.randint(1, 28), random.randrange(24), 59, 59, -1_000_000)
            yield from (("calendar", (year, month, day, 0, 0, 0, 999_999)) for day in (0, 29, 30, 31, 32))
    yield from (("calendar", (2024, 1, 1, *clock)) for clock in ((24, 0, 0, 0), (0, 60, 0, 0), (0, 0, 60, 0)))
    for pivot in (-times.SINCE_1900, 0, 1_000_000_000):
        for second in (0, 1, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, random.getrandbits(32)):
            yield from (("ntp", (second, part, pivot)) for part in (0, 1, (1 << 32) - 1, random.getrandbits(32)))
    for time in (times.GPS_EPOCH, *times.LEAPS, times.KNOWN_UNTIL):
        for part in (-2 * times.SECOND, -times.SECOND - 1, -times.SECOND, -1, 0, times.SECOND):
            yield "gps", (*divmod(times.gps_count(time), times.WEEK), part)
    for wrong in (*HUGE, None):
        yield from (("calendar", (*(wrong if place == other else 1 for other in range(7)),)) for place in range(7))
        yield from (("ntp", pair) for pair in ((wrong, 0, 0), (0, wrong, 0)))
        yield from (("gps", pair) for pair in ((wrong, 0, 0), (2000, wrong, 0)))
    yield "gps", (2000, times.WEEK, 0)


def test_times_are_those_of_the_codec(tmp_path: Path) -> None:
    cases = list(asked())
    lines = [library(), "local function say(value) print('= ' .. (value == nil and 'None' or shown(value))) end"]
    lines += [f"say(times.{name}({', '.join(map(lua.literal, given))}))" for name, given in cases]
    script = tmp_path / "asked.lua"
    script.write_text("\n".join(lines), encoding="utf-8")
    found = [line[2:] for line in tshark.printed(script, tmp_path).splitlines() if line.startswith("= ")]
    wanted = [str(None if None in given else times.FUNCTIONS[name](*given)) for name, given in cases]
    assert [(case, *both) for case, *both in zip(cases, found, wanted, strict=True) if both[0] != both[1]] == []
