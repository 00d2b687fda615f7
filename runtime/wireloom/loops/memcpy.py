"""Bytes copied in memory, by loops that are compiled."""

from wireloom.loops.memory import fetch, i8, move, move32, put1, put4, put8, u1, u4


def copy(to: int, at: int, size: int, end: int) -> None:
    """Copy some bytes, and up to 31 more, if nobody may miss these: those behind ``to`` are written later."""
    if at + size + 32 <= end:
        done = 0
        while done < size:
            move32(to + done, at + done)
            done += 32
    else:
        move(to, at, size)


_AHEAD = 1024
"""The bytes at this distance after those that are copied will probably be copied soon."""


def copy_all(to: int, at: int, size: int) -> None:
    """Copy just these bytes, some of them perhaps twice."""
    if size >= 32:
        for done in range(0, size - 31, 32):
            fetch(to + done + _AHEAD, at + done + _AHEAD)
            move32(to + done, at + done)
        move32(to + size - 32, at + size - 32)
    elif size >= 8:
        put8(to, i8(at))
        if size > 16:
            put8(to + 8, i8(at + 8))
            put8(to + size - 16, i8(at + size - 16))
        put8(to + size - 8, i8(at + size - 8))
    elif size >= 4:
        put4(to, u4(at))
        put4(to + size - 4, u4(at + size - 4))
    else:
        for done in range(size):
            put1(to + done, u1(at + done))


def fill(at: int, end: int, byte: int) -> None:
    """Write a byte to all places up to an end."""
    while at < end:
        put1(at, byte)
        at += 1
