"""The accelerator in tests: off but where a test asks for it, as each process loads its loops."""

import ast
import os
from collections.abc import Callable
from typing import Any

import pytest

from support.cases import often
from wireloom.backends.llvm import backend as llvm_backend
from wireloom.columnar import encoding
from wireloom.loops import accel

THERE = accel.ENABLED
accel.WORTH.after = 0
encoding.MANY = 1

on = pytest.mark.accelerated
"""A test with it. All of them are run by one process."""

with_llvm = pytest.mark.skipif(not THERE, reason="LLVM is not there")
"""A test that needs what compiles loops."""

of_all_and_own = pytest.mark.parametrize("pays", [llvm_backend.PAYS, 0], ids=["of all", "own"])
"""A test with the loop for all programs, and with one for each; it is to hand that to ``pay``."""

off_and_on = pytest.mark.parametrize(
    "accelerated",
    [
        pytest.param(False, id="numpy"),
        pytest.param(True, id="llvm", marks=[on, with_llvm]),
    ],
)
"""A test without it, with numpy alone, and with it."""


def switched(item: pytest.Item) -> None:
    """Turn it on, for whatever is read, or off, as a test wants it, for the processes that the test starts as well."""
    accel.ENABLED = THERE and item.get_closest_marker(on.name) is not None
    accel.WORTH.after = 0
    os.environ["WIRELOOM_ACCEL"] = str(int(accel.ENABLED))


def pay(monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    """Make a loop for each program that was followed for so many rows."""
    monkeypatch.setattr(llvm_backend, "PAYS", rows)
    monkeypatch.setattr(llvm_backend, "KEPT_PAYS", rows)


def stride(name: str, rows: int) -> int:
    """Of the examples of a protocol, every which one is read by loops that are plain Python, made behind so many rows.

    Where each of many messages has one of its own it takes long to make them all.
    """
    return often(5, 1) if name == "couchbase_dcp" and not rows else 1


def as_python(name: str, source: Callable[[], ast.FunctionDef]) -> Any:
    """A loop as plain Python, as a debugger would see it."""
    function, names = source(), {**llvm_backend.NAMES, "Amounts": Any, "Array": Any}
    exec(compile(ast.unparse(ast.fix_missing_locations(function)), name, "exec"), names)
    return names[function.name]
