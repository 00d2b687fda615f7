"""A thread that writes tables while the next ones are decoded."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from concurrent.futures import Future

Write = Callable[..., None]
"""Calls a function with what it is to write; returns when what was written before is done."""


@contextmanager
def writer_thread() -> Iterator[Write]:
    """Gives what writes in a thread of its own, one thing after the other. At most two are held at a time: one that is
    written, and one that comes next.

    What goes wrong while something is written is raised by the call that follows, or at the end of the context.
    """
    from concurrent.futures import ThreadPoolExecutor  # slow to import

    with ThreadPoolExecutor(1, "wireloom-writer") as thread:
        pending: Future[Any] | None = None

        def write(function: Callable[..., Any], *given: Any) -> None:
            nonlocal pending
            if pending is not None:
                pending.result()
            pending = thread.submit(function, *given)

        yield write
        if pending is not None:
            pending.result()
