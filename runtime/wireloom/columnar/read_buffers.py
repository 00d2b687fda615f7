"""Fresh memory to read into, which costs about as much as reading."""

import mmap
import sys
from contextlib import suppress
from typing import Any

SMALL = 256 * 1024
"""Up to so many bytes are cleared, or copied, sooner than there are pages for them."""
_LARGE = 2 * 1024 * 1024
"""The size of a large page, and where one can begin."""


def fresh(size: int, *, small: bool) -> Any:
    """Memory for so many bytes.

    Where nothing is written to it, it costs nothing. A byte costs less in large pages, but only if they are filled. So
    the first bytes have small pages where they may be all that is written: if it is ``small``.
    """
    if sys.platform == "linux" and size > SMALL:
        with suppress(OSError):  # the system has no large pages, or no memory, which is said below
            memory = mmap.mmap(-1, size + -size % _LARGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
            memory.resize(size)  # only multiples of it begin where a large page can
            memory.madvise(mmap.MADV_HUGEPAGE, SMALL if small else 0)
            return memory
    return bytearray(size)


def shrunk(memory: Any, size: int) -> Any:
    """The first ``size`` bytes of memory; the rest is returned to the system."""
    if size > SMALL and not isinstance(memory, bytearray):
        with suppress(BufferError):  # an error while reading refers to it
            memory.resize(size)
            return memory
    return bytes(memoryview(memory)[:size])
