"""The recipes write records from values alone, without lengths, signs and other bits that follow from them."""

import re
from typing import Any

import pytest
from support import compiled

from language.reference_blocks import PAGES, documents

BLOCKS = {
    f"{title} {number}": block
    for title, text in re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGES["recipes"], re.MULTILINE | re.DOTALL)
    for number, block in enumerate(re.findall(r"^```yaml\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
}


@pytest.mark.parametrize(
    ("recipe", "values", "body"),
    [
        ("TLV whose length counts its header 0", {"attributes": [{"kind": 1, "value": b"ab"}]}, "0104 6162"),
        (
            "TLV whose length counts its header 1",
            {"attributes": [{"user_name": "a"}, {"port": 7}]},
            "010361 050600000007",
        ),
        ("Length-prefixed string 0", {"client": "ab", "topic": "t"}, "01 00026162 74"),
        ("Length-prefixed string 1", {"client": "ab"}, "0004 6162"),
        ("Negative zero 0", {"change": -5}, "8005"),
        ("Negative zero 0", {"change": 5}, "0005"),
        ("Negative zero 0", {"is_negative": True, "magnitude": 0}, "8000"),
        (
            "Sum, minimum and maximum of a list 0",
            {"segment_table": [{"size": 1}, {"size": 2}], "data": b"abc"},
            "02 01 02 616263",
        ),
        (
            "Structs that may grow 0",
            {
                "endpoint": {"address": 0x81, "attributes": 5, "max_packet_size": 192, "interval": 1},
                "unknown": b"\0\2",
            },
            "09 05 81 05 c000 01 0002",
        ),
        ("BER length 0", {"elements": [{"tag": 4, "value": b"ab"}]}, "0402 6162"),
        ("BER length 0", {"elements": [{"tag": 4, "value": bytes(128)}]}, f"048180 {'00' * 128}"),
        ("BER length 0", {"elements": [{"tag": 4, "value": bytes(256)}]}, f"04820100 {'00' * 256}"),
    ],
)
def test_recipes_write_what_follows_from_values(recipe: str, values: dict[str, Any], body: str) -> None:
    record = compiled.of(documents(BLOCKS[recipe])).codec.build({"message": "example", "example": values})
    assert record[2:].hex() == body.replace(" ", "")


def test_two_ids_are_written_as_they_were_read() -> None:
    codec = compiled.of(documents(BLOCKS["Two ids for one layout 0"])).codec
    for record in (bytes.fromhex("03020005"), bytes.fromhex("07020005")):
        assert codec.build(codec.parse(record)) == record
    assert codec.build({"message": "example", "example": {"number": 5}})[0] == 3
