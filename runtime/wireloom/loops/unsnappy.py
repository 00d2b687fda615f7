"""Blocks of Snappy unpacked in memory, by compiled loops: a library takes longer to be called than to unpack.

Source: format_description.txt of Snappy. A block that is not unpacked here may still be sound.
"""

from wireloom.loops.memcpy import copy
from wireloom.loops.memory import i8, put1, put8, u1

SLACK = 64
"""How many bytes may be written after the last one that counts."""
_DENSEST = 32
"""No block that is unpacked has more bytes for each of its own."""


def unsnappy(at: int, stop: int, to: int, room: int, end: int) -> int:
    """Unpack the block from ``at`` to ``stop``; returns how many bytes are at ``to``, -1 if they are not what it says
    or more than there is ``room`` for. No bytes unpack to none, as elsewhere. No byte behind ``end`` is read, and up to
    ``SLACK`` are written behind ``room``.
    """
    if at == stop:
        return 0
    begin, size, shift = at, 0, 0
    while at < stop and shift < 35:
        size |= (u1(at) & 0x7F) << shift
        shift += 7
        at += 1
        if u1(at - 1) < 0x80:
            break
    if u1(at - 1) >= 0x80 or size > room or size > _DENSEST * (stop - begin):
        return -1
    done = 0
    while at < stop:
        tag = u1(at)
        more = _more(tag)
        if at + 1 + more > stop:
            return -1
        number = 0
        for byte in range(more):
            number |= u1(at + 1 + byte) << 8 * byte
        at += 1 + more
        if tag & 3 == 0:
            count = (number if more else tag >> 2) + 1
            if count > stop - at or count > size - done:
                return -1
            copy(to + done, at, count, end)
            at += count
        else:
            count = 4 + (tag >> 2 & 7) if tag & 3 == 1 else 1 + (tag >> 2)
            back = tag >> 5 << 8 | number if tag & 3 == 1 else number
            if not 0 < back <= done or count > size - done:
                return -1
            _again(to + done, back, count)
        done += count
    return done if done == size else -1


def _more(tag: int) -> int:
    """How many bytes of a number follow a tag."""
    if tag & 3 == 0:
        return max(0, (tag >> 2) - 59)
    return 4 if tag & 3 == 3 else tag & 3


def _again(to: int, back: int, count: int) -> None:
    """Copy so many bytes that end at a distance before ``to``, or continue after it."""
    if back >= 8:
        for done in range(0, count, 8):
            put8(to + done, i8(to - back + done))
    else:
        for done in range(count):
            put1(to + done, u1(to - back + done))
