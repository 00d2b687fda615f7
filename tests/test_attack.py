"""A part of what ``make fuzz`` does at length: a few rounds on every protocol, the same ones each time."""

import pytest
from attack import fuzz
from attack.targets import NAMES, SHIPPED


@pytest.mark.parametrize("name", NAMES)
def test_made_up_input_is_read_alike_and_comes_back(name: str) -> None:
    for number in range(2 if name in SHIPPED else 1):
        fuzz.attack(name, f"test {number}")


@pytest.mark.sweep
@pytest.mark.parametrize("name", NAMES)
def test_more_made_up_input_is_read_alike_and_comes_back(name: str) -> None:
    for number in range(60 if name in SHIPPED else 6):
        fuzz.attack(name, f"sweep {number}")
