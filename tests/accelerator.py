"""The accelerator in tests: off but where a test asks for it, as each process compiles its loops for seconds."""

import os

import pytest

from wireloom.columnar import accel, encoding

THERE = accel.ENABLED
accel.WORTH.after = 0
encoding.MANY = 1

on = pytest.mark.accelerated
"""A test with it. All of them are run by one process."""

off_and_on = pytest.mark.parametrize(
    "accelerated",
    [False, pytest.param(True, marks=[on, pytest.mark.skipif(not THERE, reason="numba is not there")])],
)
"""A test without it and with it."""


def switched(item: pytest.Item) -> None:
    """Turn it on, for whatever is read, or off, as a test wants it, for the processes that the test starts as well."""
    accel.ENABLED = THERE and item.get_closest_marker(on.name) is not None
    accel.WORTH.after = 0
    os.environ["WIRELOOM_ACCEL"] = str(int(accel.ENABLED))
