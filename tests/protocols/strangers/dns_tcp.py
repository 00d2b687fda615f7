"""DNS messages in a stream, as dnspython writes and reads them."""

from collections.abc import Iterator
from random import Random

from protocols.strangers import Capture, dns


def captures() -> Iterator[Capture]:
    """All messages in one stream."""
    messages = [message for _, message in dns.messages()]
    stream = b"".join(message.to_wire(prepend_length=True) for message in messages)
    rows = tuple({"length": len(message.to_wire()), "frame": dns.read(message.to_wire())} for message in messages)
    yield Capture("stream", stream, rows, told=dns.with_names)


def varied(random: Random) -> Iterator[Capture]:
    """The same in streams."""
    for capture in dns.varied(random):
        row = {"length": len(capture.data), "frame": capture.rows[0]["datagram"]}
        yield Capture(capture.name, len(capture.data).to_bytes(2, "big") + capture.data, (row,), told=dns.with_names)
