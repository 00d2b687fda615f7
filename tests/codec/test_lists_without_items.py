"""Lists that end with an item, or where too little is left: they may be written without items, but only there."""

from typing import Any

import pytest
from support import compiled

from wireloom.codec import EncodeError

PROTOCOL = compiled.feature("repeat_until_left").codec


def built(parts: list[dict[str, int]], others: str) -> str:
    values: dict[str, Any] = {"parts": parts, "others": bytes.fromhex(others)}
    record: bytes = PROTOCOL.build({"message": "tagged", "kind": 2, "tagged": values})
    return record.hex()


def test_a_list_is_written_without_items_where_it_ends() -> None:
    assert built([], "") == "0200"
    assert built([], "07") == "020107"


def test_a_list_is_not_written_without_items_where_an_item_would_be_read() -> None:
    with pytest.raises(EncodeError, match="has no item that ends it"):
        built([], "0708")


def test_a_list_is_not_written_with_items_where_it_ends() -> None:
    with pytest.raises(EncodeError, match="ends in front of its first item"):
        built([{"number": 10}], "")
    assert built([{"number": 10}], "05") == "02020a05"


def test_an_item_that_ends_it_is_the_last_one() -> None:
    with pytest.raises(EncodeError, match="ends with item 0"):
        built([{"number": 10}, {"number": 11}], "")
