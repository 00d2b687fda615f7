"""Lists without items at offsets that lead nowhere: what is written, and what is shown of them."""

from typing import Any

import pytest
from support.compiled import feature

from wireloom.codec import DecodeError, EncodeError
from wireloom.inspection.record import inspect_record

CODEC = feature("elsewhere_empty").codec


def _row(**values: Any) -> dict[str, Any]:
    nothing = {"entries": [], "numbers_offset": 0, "numbers_count": 0, "table": {"words_offset": 0, "words_count": 0}}
    return {"message": "lists", "lists": nothing | values}


@pytest.mark.parametrize(("place", "data"), [(-1, "ffff"), (0, "0000"), (5, "0005"), (8, "0008"), (0x7FFF, "7fff")])
def test_a_place_of_nothing_is_written_as_it_is_given(place: int, data: str) -> None:
    record = bytes.fromhex(f"08 {data} 00 00 00 00 00")
    assert CODEC.build(_row(entries_offset=place)) == record
    assert CODEC.parse(record).lists.entries == []


def test_items_need_a_place_in_their_section() -> None:
    with pytest.raises(EncodeError, match=r"stands at byte 8, but entries_offset says 200"):
        CODEC.build(_row(entries_offset=200, entries=[{"key": 7, "name": "a"}]))
    with pytest.raises(DecodeError, match=r"place: lists\.entries at byte 4: would stand at byte 240"):
        CODEC.parse(bytes.fromhex("08 00f0 01 00 00 f0 00"))


@pytest.mark.parametrize(
    ("place", "data"), [(None, "04"), (0, "00"), (200, "c8"), (256, "04"), (-1, "04"), (10**30, "04"), ("here", "04")]
)
def test_a_derived_place_of_nothing_is_kept_if_it_fits(place: Any, data: str) -> None:
    codec = feature("elsewhere").codec
    record = codec.build({"message": "table", "table": {"entries": [], "entries_offset": place}})
    assert record == bytes.fromhex(f"04 {data} 00 00")
    assert codec.build(codec.parse(record)) == record


@pytest.mark.parametrize("place", ["ffff", "00f0"])
def test_an_inspection_shows_it_where_it_is_declared(place: str) -> None:
    found = inspect_record(CODEC, bytes.fromhex(f"08 {place} 00 00 00 f0 00"))
    (entries,) = [leaf for leaf in found.leaves() if leaf.path == "lists.entries"]
    assert (entries.start, entries.end, entries.text, entries.note) == (4, 4, "0 items", "")
