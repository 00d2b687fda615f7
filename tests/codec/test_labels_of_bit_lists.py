"""Lists of bits whose numbers have names: labels can be given in place of numbers."""

from typing import Any

import pytest
from support import compiled

from wireloom.codec import EncodeError


@pytest.fixture
def codec() -> Any:
    return compiled.feature("bits_list_enum").codec


def row(**fields: Any) -> dict[str, Any]:
    return {"packets": {"is_long": False, "quiet": [0, 0, 0, 0], **fields}}


def test_labels_tell_the_numbers(codec: Any) -> None:
    labels = ["Lost", "small delta", "Large", "Lost", "Lost", "Lost", "small delta"]
    assert codec.build(row(symbols_name=labels)).hex() == "060100"  # 0 0 00 01 10 00 00 00 01


@pytest.mark.parametrize(
    ("labels", "why"),
    [
        (["Lost"], r"packets\.symbols: 7 items expected, 1 given"),
        (["Gone"] * 7, "packets.symbols_name: 'Gone'"),
        ("Lost", "packets.symbols_name: a list expected, not str"),
    ],
)
def test_labels_that_tell_none_are_refused(codec: Any, labels: Any, why: str) -> None:
    with pytest.raises(EncodeError, match=why):
        codec.build(row(symbols_name=labels))
