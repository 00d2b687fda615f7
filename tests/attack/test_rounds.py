"""A part of what ``make fuzz`` does at length: a few rounds on every protocol, the same ones each time.

A round alters and builds rows too, so that this is the quick part of the contract of ``build`` as well.
"""

import pytest
from support import accelerator

from attack import fuzz
from attack.targets import INVENTED, NAMES, SHIPPED

AS_ALWAYS = [pytest.param(name, marks=accelerator.on) for name in SHIPPED]
"""They are read with the accelerator half the time."""

UNLIKE = (
    "checksums_over_each_other",
    "flatbuffers_sized",
    "proof_resync",
    "repeat_until_derived",
    "sections_trailing",
    "variants_sharing_a_column",
)
"""Features that have little in common; a sweep attacks all of them."""


@pytest.mark.parametrize("name", [*AS_ALWAYS, *UNLIKE, INVENTED])
def test_made_up_input_is_read_alike_and_comes_back(name: str) -> None:
    for number in range(3 if name == INVENTED else 1):
        fuzz.attack(name, f"test {number}")


@pytest.mark.long
@pytest.mark.parametrize("name", [*AS_ALWAYS, *(name for name in NAMES if name not in SHIPPED)])
def test_more_made_up_input_is_read_alike_and_comes_back(name: str) -> None:
    for number in range(60 if name in (*SHIPPED, INVENTED) else 6):
        fuzz.attack(name, f"sweep {number}")
