"""What goes wrong between bytes and values: one error for each direction, with code, field path and byte offset."""

from collections.abc import Sequence
from typing import Any

from construct import ConstructError


def counted(count: int, what: str) -> str:
    """``1 byte``, ``2 bytes``. Numbers that nobody could read are ``more than 2^256 bytes``."""
    if count.bit_length() > _LEGIBLE:
        return f"{'less than -' if count < 0 else 'more than '}2^{_LEGIBLE} {what}s"
    return f"{count} {what}{'' if count == 1 else 's'}"


_LEGIBLE = 256
"""Python refuses to print whole numbers of some 14,000 bits."""


def join(outer: str, inner: str) -> str:
    """A field path from its two parts: ``entries`` and ``[2].seqno`` give ``entries[2].seqno``."""
    return f"{outer}.{inner}" if inner and not inner.startswith("[") else outer + inner


def broken_off(reason: str, offset: int) -> "DecodeError":
    """The error at the place from which a damaged compressed file cannot be read."""
    return DecodeError("damaged", f"the file cannot be read from here on: {reason}", offset)


def surplus(left: Sequence[tuple[int, int]], path: str = "") -> "DecodeError":
    """The error for ranges of bytes that are left over."""
    size = sum(end - start for start, end in left)
    return DecodeError("trailing-bytes", f"{counted(size, 'byte')} left over", left[0][0], path)


class DecodeError(ConstructError, ValueError):
    """A record is malformed. ``str()`` gives ``code: field at byte offset: detail``, after the file if there is one.

    Attributes
    ----------
    code : str
        The kind of damage in one word: ``truncated``, ``overrun``, ``checksum``, ``invalid``, ...
    field : str
        The path of the field, such as ``entries[2].seqno``; empty for the record as a whole.
    offset : int
        Where the field is, in bytes. ``parse`` counts from the start of the record, readers of captures from the start
        of the capture.
    detail : str
        What was expected and what was found.
    reason : str
        The same as in ``_corrupt_reason``: ``code: field at byte offset: detail``.
    file : str
        The file, if one was read; else empty.
    needed : int
        How many bytes it takes to find the record's length, if there were too few; else 0.
    whole : int
        The length that a record claims, if it was recognised but is not as long; else 0.

    Examples
    --------
    >>> from wireloom.codec import DecodeError
    >>> from wireloom_protocols import couchbase_dcp
    >>> frame = couchbase_dcp.build({"message": "dcp_noop"})
    >>> try:
    ...     couchbase_dcp.parse(frame + b"!")
    ... except DecodeError as error:
    ...     error.code, error.offset, error.detail
    ('trailing-bytes', 24, '1 byte behind the record')
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


class NoRecordError(DecodeError):
    """At the end of a capture are flags without a record, which are skipped."""

    def __init__(self, detail: str) -> None:
        super().__init__("invalid-size", detail)


class EncodeError(ConstructError, ValueError):
    """A row cannot be encoded: a field is missing, unknown, out of range, or contradicts another.

    Attributes
    ----------
    field : str
        The path of the field, such as ``entries[2].seqno``; empty for the row as a whole.
    detail : str
        What was expected and what was given.
    row : int or None
        The number of the row in its table, from 0; None if it is not from a table.
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
