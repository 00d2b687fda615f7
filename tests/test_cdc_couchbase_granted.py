"""Whether keys have a collection in front is found in what connections agreed on."""

import dcp_sessions as dcp
import pytest
from dcp_sessions import Frame

from wireloom.cdc import couchbase

COLLECTIONS, SNAPPY = 0x12, 0x0A


def agreed(*features: int, status: int = 0) -> Frame:
    said = {"variant": "success", "features": [{"feature": feature} for feature in features]}
    return dcp.frame("hello_response", {"variant": "error", "error": ""} if status else said, status=status)


NO_ANSWER = dcp.frame("hello", {"agent": "client", "features": [{"feature": COLLECTIONS}]})


@pytest.mark.parametrize(
    ("frames", "expected"),
    [
        ([], None),
        ([NO_ANSWER, dcp.mutation(1, 1, "a")], None),
        ([agreed(SNAPPY, COLLECTIONS), dcp.mutation(1, 1, "a")], True),
        ([agreed(SNAPPY)], False),
        ([agreed()], False),
        ([agreed(status=4)], None),
        ([agreed(COLLECTIONS), agreed(COLLECTIONS, SNAPPY)], True),
        ([agreed(COLLECTIONS), agreed(SNAPPY)], None),
    ],
)
def test_a_hello_that_was_answered_tells(frames: list[Frame], expected: bool | None) -> None:
    assert couchbase.collections(dcp.decoded([*frames, dcp.frame("dcp_noop")])) is expected
    assert couchbase.collections(dcp.decoded([*frames, dcp.frame("dcp_noop")], messages=["hello_response"])) is expected


def test_a_column_that_is_missing_is_named() -> None:
    with pytest.raises(ValueError, match="the frames have no column hello_response"):
        couchbase.collections(dcp.decoded([dcp.frame("dcp_noop")]).select(["message"]))
