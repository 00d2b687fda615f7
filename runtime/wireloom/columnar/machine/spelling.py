"""Bytes of one size as text: addresses and identifiers."""

from wireloom.columnar.memory import put1, u1


def spelled(to: int, at: int, way: int) -> int:
    """Write bytes as text. Returns its size."""
    if way == 0:
        return _ipv4(to, at)
    if way == 1:
        return _ipv6(to, at)
    return _digits(to, at, 6, 0b11111, 58) if way == 2 else _digits(to, at, 16, 0b1010101000, 45)


def _digits(to: int, at: int, count: int, punctuated: int, sign: int) -> int:
    """All digits of bytes, with a sign behind those whose bit is set in ``punctuated``, the lowest of the first."""
    size = 0
    for i in range(count):
        byte = u1(at + i)
        put1(to + size, _digit(byte >> 4))
        put1(to + size + 1, _digit(byte & 15))
        size += 2
        if punctuated >> i & 1:
            put1(to + size, sign)
            size += 1
    return size


def _digit(value: int) -> int:
    return value + (48 if value < 10 else 87)


def _ipv4(to: int, at: int) -> int:
    size = 0
    for i in range(4):
        byte = u1(at + i)
        if i > 0:
            put1(to + size, 46)
            size += 1
        if byte >= 100:
            put1(to + size, 48 + byte // 100)
            size += 1
        if byte >= 10:
            put1(to + size, 48 + byte // 10 % 10)
            size += 1
        put1(to + size, 48 + byte % 10)
        size += 1
    return size


def _ipv6(to: int, at: int) -> int:
    """As RFC 5952 says: the first of the longest rows of zeros is left out, if it has more than one."""
    first, most, run = 8, 1, 0
    for i in range(8):
        run = run + 1 if u1(at + 2 * i) == 0 and u1(at + 2 * i + 1) == 0 else 0
        if run > most:
            first, most = i + 1 - run, run
    size, i = 0, 0
    while i < 8:
        if i == first:
            put1(to + size, 58)
            size += 1
            i += most
            if i == 8:
                put1(to + size, 58)
                size += 1
        else:
            if i > 0:
                put1(to + size, 58)
                size += 1
            size += _group(to + size, u1(at + 2 * i) << 8 | u1(at + 2 * i + 1))
            i += 1
    return size


def _group(to: int, value: int) -> int:
    """Its digits, without zeros in front."""
    count = 4 if value >= 4096 else 3 if value >= 256 else 2 if value >= 16 else 1
    for i in range(count):
        put1(to + i, _digit(value >> 4 * (count - 1 - i) & 15))
    return count
