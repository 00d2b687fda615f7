"""Tables are written in order, in a thread of their own, and what goes wrong there is not lost."""

import threading
from collections.abc import Callable

import pytest

from wireloom.cli.writer_thread import writer_thread


def test_the_next_is_made_while_one_is_written() -> None:
    going_on, written = threading.Event(), list[int]()

    def slow(number: int) -> None:
        assert going_on.wait(60)
        written.append(number)

    with writer_thread() as write:
        write(slow, 1)
        assert written == []
        going_on.set()
        for number in range(2, 6):
            write(slow, number)
            assert written == list(range(1, number))  # no more than one waits
    assert written == [1, 2, 3, 4, 5]


def _fail() -> None:
    raise OSError("no space")


def _write(*functions: Callable[[], object]) -> None:
    with writer_thread() as write:
        for function in functions:
            write(function)


def test_what_goes_wrong_is_raised_by_the_call_that_follows() -> None:
    written: list[int] = []
    with pytest.raises(OSError, match="no space"):
        _write(_fail, lambda: written.append(1))
    assert written == []


def test_what_goes_wrong_with_the_last_is_raised_at_the_end() -> None:
    with pytest.raises(OSError, match="no space"):
        _write(_fail)


def test_what_goes_wrong_elsewhere_is_raised_once_the_writing_has_ended() -> None:
    written: list[int] = []

    def torn() -> None:
        with writer_thread() as write:
            write(written.append, 1)
            raise ValueError("torn")

    with pytest.raises(ValueError, match="torn"):
        torn()
    assert written == [1]
