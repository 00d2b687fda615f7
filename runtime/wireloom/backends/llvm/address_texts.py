"""Bytes of one size as text, and back: addresses and identifiers."""

from wireloom.loops.memory import put1, u1


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
    first, most = _longest_zeros(at)
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


def _longest_zeros(at: int) -> tuple[int, int]:
    """The first of the longest rows of groups that are 0, and how many these are; 8 and 1 if none has more than one."""
    first, most, run = 8, 1, 0
    for i in range(8):
        run = run + 1 if u1(at + 2 * i) == 0 and u1(at + 2 * i + 1) == 0 else 0
        if run > most:
            first, most = i + 1 - run, run
    return first, most


def _group(to: int, value: int) -> int:
    """Its digits, without zeros in front."""
    count = 4 if value >= 4096 else 3 if value >= 256 else 2 if value >= 16 else 1
    for i in range(count):
        put1(to + i, _digit(value >> 4 * (count - 1 - i) & 15))
    return count


def unspelled(to: int, at: int, stop: int, way: int) -> bool:
    """Write the bytes that a text is written for. Returns whether there are any."""
    if way == 0:
        return _from_ipv4(to, at, stop)
    if way == 1:
        return _from_ipv6(to, at, stop)
    return _from_digits(to, at, stop, 6, 0b11111, 58) if way == 2 else _from_digits(to, at, stop, 16, 0b1010101000, 45)


def _from_digits(to: int, at: int, stop: int, count: int, punctuated: int, sign: int) -> bool:
    for i in range(count):
        if at + 2 > stop:
            return False
        high, low = _value(u1(at)), _value(u1(at + 1))
        if high < 0 or low < 0:
            return False
        put1(to + i, high << 4 | low)
        at += 2
        if punctuated >> i & 1:
            if at >= stop or u1(at) != sign:
                return False
            at += 1
    return at == stop


def _value(digit: int) -> int:
    """The number that a hexadecimal digit is; -1 if it is none, or a capital one."""
    return digit - 48 if 48 <= digit < 58 else digit - 87 if 97 <= digit < 103 else -1


def _from_ipv4(to: int, at: int, stop: int) -> bool:
    for i in range(4):
        if i > 0:
            if at >= stop or u1(at) != 46:
                return False
            at += 1
        first, value = at, 0
        while at < stop and at < first + 3 and 48 <= u1(at) < 58:
            value = 10 * value + u1(at) - 48
            at += 1
        if at == first or value > 255 or (u1(first) == 48 and at > first + 1):
            return False
        put1(to + i, value)
    return at == stop


def _from_ipv6(to: int, at: int, stop: int) -> bool:
    """The groups in front of two colons are counted from the first, those behind them from the last."""
    before, count = 8, 0
    if stop - at >= 2 and u1(at) == 58 and u1(at + 1) == 58:
        before, at = 0, at + 2
    while at < stop and count < 8:
        first, value = at, 0
        while at < stop and at < first + 4 and _value(u1(at)) >= 0:
            value = value << 4 | _value(u1(at))
            at += 1
        if at == first or (u1(first) == 48 and at > first + 1):
            return False
        put1(to + 2 * count, value >> 8)
        put1(to + 2 * count + 1, value)
        count += 1
        if at < stop:
            if count == 8 or u1(at) != 58 or at + 1 == stop:
                return False
            at += 1
            if u1(at) == 58:
                if before < 8:
                    return False
                before, at = count, at + 1
    if at < stop or (count < 8) != (before < 8):
        return False
    if before < 8:
        left = 8 - count
        for i in range(2 * (count - before)):
            source = to + 2 * count - 1 - i
            put1(source + 2 * left, u1(source))
        for i in range(2 * left):
            put1(to + 2 * before + i, 0)
    first, most = _longest_zeros(to)
    return first == before and (before == 8 or most == 8 - count)
