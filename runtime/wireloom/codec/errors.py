"""What goes wrong between bytes and values: one error for each direction, with code, field path and byte offset."""

from collections.abc import Sequence
from typing import Any

from construct import ConstructError


def counted(count: int, what: str) -> str:
    """``1 byte``, ``2 bytes``."""
    return f"{count} {what}{'' if count == 1 else 's'}"


def join(outer: str, inner: str) -> str:
    """A field path from its two parts: ``entries`` and ``[2].seqno`` give ``entries[2].seqno``."""
    return f"{outer}.{inner}" if inner and not inner.startswith("[") else outer + inner


def broken_off(reason: str, offset: int) -> "DecodeError":
    """The error for what stands where a compressed file is damaged."""
    return DecodeError("damaged", f"the file cannot be read from here on: {reason}", offset)


def surplus(left: Sequence[tuple[int, int]], path: str = "") -> "DecodeError":
    """The error for ranges of bytes that are left over."""
    size = sum(end - start for start, end in left)
    return DecodeError("trailing-bytes", f"{counted(size, 'byte')} left over", left[0][0], path)


class DecodeError(ConstructError, ValueError):
    """A record is malformed.

    ``code`` is one word for the kind of damage (``truncated``, ``overrun``, ``checksum``, ``invalid`` …), ``path`` the
    dotted field, ``offset`` the byte where it stands (counted from the start of the record until a reader of whole
    captures makes it count from the start of the capture) and ``detail`` what was expected and what was found. If there
    were too few bytes to find the record's length, ``needed`` says how many that takes. If a proven record is not as
    long as it says, ``whole`` is the length it says. ``file`` is what was read, if a reader of files says so.
    """

    def __init__(self, code: str, detail: str, offset: int = 0, path: str = "") -> None:
        self.code = code
        self.detail = detail
        self.offset = offset
        self.field = path
        self.needed = 0
        self.whole = 0
        self.file = ""
        super().__init__(detail)

    def __reduce__(self) -> tuple[Any, ...]:
        return DecodeError, (self.code, self.detail, self.offset, self.field), {"file": self.file}

    def within(self, name: str) -> "DecodeError":
        """The same error, its path extended outwards by ``name``."""
        self.field = join(name, self.field)
        return self

    @property
    def reason(self) -> str:
        """The text of ``_corrupt_reason``: ``code: path at byte N: detail``."""
        return f"{self.code}: {self.field or 'record'} at byte {self.offset}: {self.detail}"

    def __str__(self) -> str:
        return f"{self.file}: {self.reason}" if self.file else self.reason


class EncodeError(ConstructError, ValueError):
    """Values cannot be written: a field is missing, out of range, unknown or contradicts another.

    Of rows of a table, ``row`` is the number of the one that it is about.
    """

    def __init__(self, detail: str, path: str = "") -> None:
        self.detail = detail
        self.field = path
        self.row: int | None = None
        super().__init__(detail)

    def __reduce__(self) -> tuple[Any, ...]:
        return EncodeError, (self.detail, self.field), {"row": self.row}

    def within(self, name: str) -> "EncodeError":
        """The same error, its path extended outwards by ``name``."""
        self.field = join(name, self.field)
        return self

    def __str__(self) -> str:
        return f"{self.field}: {self.detail}" if self.field else self.detail
