"""The optional accelerator: functions compiled by LLVM (the extra ``accel``).

Each has a counterpart without it that gives the same results. A process loads LLVM when it has read so much
without it that loading pays. Where ``WIRELOOM_ACCEL`` is 0, it never does; where that is 1, at once.
"""

import ast
import ctypes
import os
from collections.abc import Callable, Mapping
from functools import cache, partial
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import pyarrow as pa

from wireloom.buffers import Array
from wireloom.loops import code_cache, llvm_codegen

ENABLED = os.environ.get("WIRELOOM_ACCEL", "1") != "0" and find_spec("llvmlite") is not None
"""Whether LLVM is installed and not turned off."""


class Worth:
    """Whether loading LLVM is worth it: after so many bytes were ``read`` by functions that have a compiled loop."""

    def __init__(self, after: int) -> None:
        self.after = after
        self.read = 0

    @property
    def reached(self) -> bool:
        """Whether so much was read, with LLVM or without it."""
        return self.read >= self.after

    def __bool__(self) -> bool:
        return ENABLED and self.reached and _usable()

    def add(self, size: int) -> None:
        """That so many bytes more were read without a loop."""
        self.read += size


WORTH = Worth(0 if os.environ.get("WIRELOOM_ACCEL") == "1" else 8 * 1024 * 1024)
"""Loading takes about as long as it saves in reading so many bytes."""


@cache
def _usable() -> bool:
    """Whether it is a version that is known here, as another package may have brought it, and there is source to
    compile: some programs are shipped as bytecode alone.
    """
    from llvmlite import binding

    return hasattr(binding, "create_pass_builder") and llvm_codegen.has_source()


_LOADING = Lock()


def compiled(function: Any) -> Callable[..., int]:
    """A function of numbers, and of arrays of 64-bit integers, as machine code."""
    name = f"{function.__module__}.{function.__qualname__}"
    return loaded(name, lambda: llvm_codegen.parsed(function), function.__globals__, vectorized=True)


def loaded(
    name: str, source: Callable[[], ast.FunctionDef], names: Mapping[str, Any], *, vectorized: bool
) -> Callable[..., int]:
    """The function that is kept as machine code under that ``name``, or else compiled from its ``source``.

    ``names`` are those that the source does not say itself. Calls release Python's lock.
    """
    from wireloom.loops import llvm

    def make() -> bytes:
        return llvm.code(name, source(), names, vectorized=vectorized)

    key = keeping(name) if names["__name__"].startswith(__name__.rpartition(".")[0]) else None
    code = make() if key is None else code_cache.found(key, make)
    with _LOADING:
        address = llvm.address(name, code)
    return MachineCode(ctypes.CFUNCTYPE(ctypes.c_int64)(address))


class MachineCode:
    """A function as machine code, of numbers and of arrays of 64-bit integers, with its ``first`` arguments, which it
    keeps. Calls release Python's lock.
    """

    def __init__(self, function: Callable[..., int], *first: Any) -> None:
        self.function = function
        self.first = first
        self._numbers = [*map(_number, first)]

    def __call__(self, *arguments: Any) -> int:
        return self.function(*self._numbers, *map(_number, arguments))


def bound(function: Callable[..., int], *first: Any) -> Callable[..., int]:
    """A function with its first arguments. Those of machine code are converted here, and not by each call."""
    return MachineCode(function.function, *first) if isinstance(function, MachineCode) else partial(function, *first)


def _number(argument: Any) -> ctypes.c_int64:
    return ctypes.c_int64(_address(argument) if isinstance(argument, np.ndarray) else argument)


def _address(numbers: Array) -> int:
    if numbers.dtype != np.int64 or not numbers.flags.c_contiguous:
        raise TypeError(f"not an array of 64-bit integers: {numbers.dtype}")
    found: int = pa.py_buffer(numbers).address  # numpy takes six times as long to find it
    return found


def is_kept(name: str) -> bool:
    """Whether the code of that name is kept."""
    key = keeping(name)
    return key is not None and code_cache.has(key)


def keeping(name: str) -> str | None:
    """The key under which code is kept: other sources, another LLVM and another processor make other code. None if the
    sources are not files, or not those that this process has imported.
    """
    digest = _digest()
    return None if digest is None else f"{digest}-{name}"


SOURCES = (
    "loops/accel.py",
    "loops/compiled.py",
    "loops/crc_loops.py",
    "loops/llvm.py",
    "loops/llvm_codegen.py",
    "backends/llvm/address_texts.py",
    "backends/llvm/kernel.py",
    "backends/llvm/backend.py",
    "backends/llvm/specialization.py",
    "backends/llvm/tiles.py",
    "backends/llvm/write_kernel.py",
    "loops/memcpy.py",
    "loops/memory.py",
    "loops/unsnappy.py",
    "programs/escapes.py",
    "programs/opcodes.py",
    "programs/write_opcodes.py",
)
"""What loops are made of: their own sources, those of what they call and of the constants in them, and of what
translates them. The name of a loop for one program has a digest of that program.
"""


def _files() -> dict[str, int]:
    """These sources, and when they were written."""
    paths = (Path(__file__).parent.parent / each for each in SOURCES)
    return {str(path): path.stat().st_mtime_ns for path in paths if path.exists()}


_FILES = _files() if ENABLED else {}


@cache
def _digest() -> str | None:
    if not _FILES or _files() != _FILES:
        return None
    import llvmlite

    from wireloom.loops import llvm

    found = sha256(repr((llvmlite.__version__, llvm.processor())).encode())
    for path in _FILES:
        found.update(Path(path).read_bytes())
    return found.hexdigest()[:16]
