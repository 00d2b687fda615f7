"""Lists of numbers with names are written from their labels."""

import pytest
from support import compiled

from wireloom.codec import EncodeError

PROTOCOL = compiled.feature("enums_of_items").codec


def built(**values: object) -> str:
    record: bytes = PROTOCOL.build({"message": "log", "log": values})
    return record.hex()


def test_labels_are_written_as_their_numbers() -> None:
    assert built(events_name=["very busy", "Ok"]) == "820400"


def test_numbers_have_precedence() -> None:
    assert built(events=[1], events_name=["Ok"]) == "8101"


@pytest.mark.parametrize("labels", [["Ok", None], ["Private"], "Ok", ["Busy"]])
def test_labels_of_no_single_number_are_refused(labels: object) -> None:
    with pytest.raises(EncodeError, match="events_name"):
        built(events_name=labels)
