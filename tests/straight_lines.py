"""Straight lines beside the parts that they were written from: the same bytes through both, and the same row or error.

Without this, a straight line that is wrong could hide behind the parts, which read all that it doubts.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from sys import maxsize
from typing import Any

from construct import Container
from lockstep import exact

from wireloom.codec import DecodeError, EncodeError, Protocol
from wireloom.options import resolve

Outcome = tuple[Any, ...]


@contextmanager
def from_the_first(protocol: Protocol, many: int = 0) -> Iterator[None]:
    """Meanwhile, straight lines are written for a kind of records when ``many`` of it were met."""
    before, protocol.straight.many = protocol.straight.many, many
    try:
        yield
    finally:
        protocol.straight.many = before


def both(protocol: Protocol, call: Callable[[], Any]) -> tuple[Outcome, Outcome]:
    """What a call comes to with straight lines, and by the parts alone."""
    with from_the_first(protocol):
        found = outcome(call)
    with from_the_first(protocol, maxsize):
        return found, outcome(call)


def outcome(call: Callable[[], Any]) -> Outcome:
    """What a call returns, in every detail, or all of the error that it raises."""
    try:
        return "returns", detailed(call())
    except DecodeError as error:
        return "refuses", error.code, error.detail, error.offset, error.field, error.needed, error.whole
    except EncodeError as error:
        return "refuses", error.detail, error.field


def detailed(value: Any) -> Any:
    """A value with its types, those of what is in it, and the order of keys."""
    match value:
        case dict():
            return type(value), [(name, detailed(each)) for name, each in value.items()]
        case list():
            return [detailed(each) for each in value]
    return type(value), exact(value)


def parse_alike(protocol: Protocol, data: bytes, orders: Iterable[bool] = (False,), **parameters: Any) -> None:
    """See that bytes are the same row, or the same error, found as a record or cut as one."""
    found, expected = both(protocol, lambda: protocol.parse(data, **parameters))
    assert found == expected, data.hex()
    resolved = resolve(protocol.parameters, parameters)
    for little in orders:
        found, expected = both(protocol, lambda little=little: protocol.decode(data, resolved, little=little))  # type: ignore[misc]
        assert found == expected, data.hex()


def reads(protocol: Protocol, data: bytes, **parameters: Any) -> bool:
    """Whether a straight line reads the record."""
    with from_the_first(protocol):
        row: Container | None = protocol.straight.parse(data, resolve(protocol.parameters, parameters))
    return row is not None
