"""Values of a kind, each as the only field of a record."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from construct import Int16ub

from support.lockstep import Pair, capture_alike
from wireloom.codec import Framing, Layout, Lengths, Message, Protocol, Record, Rest, Slot


def protocol_of(kind: Any) -> Protocol:
    """A protocol of records with a length and a value of that kind."""
    record = Record("length" / Int16ub, Slot("body", Rest()))
    message = Message("note", record, match={}, sections={"body": Layout("value" / kind)})
    lengths = Lengths(("length", 0, Int16ub), length="length + 2")
    return Protocol("alone", "alone", record=record, messages=(message,), framing=Framing((lengths,)))


def read_together(kind: Any, values: Sequence[bytes]) -> pa.Array:
    """The values that these bytes are, read together; see that they are what the codec reads."""
    pair = Pair(protocol_of(kind))
    capture = b"".join(len(data).to_bytes(2, "big") + data for data in values)
    table = capture_alike(pair, capture, in_pieces=False, mode="PERMISSIVE")
    return table["note"].combine_chunks().flatten()[0]
