"""Events of Databus, and what a relay answers with them."""

from typing import Any

from wireloom_protocols import databus


def _event(number: int) -> dict[str, Any]:
    fields = {"sequence": number, "physical_partition_id": 1, "logical_partition_id": 1, "nano_timestamp": 1}
    return {"variant": "long_key", **fields, "src_id": 1, "schema_id": bytes(16), "key": number, "value": b"value"}


EVENTS = [databus.build({"message": "dbus_event", "version": 0, "dbus_event": _event(n)}) for n in range(60)]


def chunked(data: bytes, size: int) -> bytes:
    """A response of HTTP in chunks."""
    chunks = [data[at : at + size] for at in range(0, len(data), size)]
    body = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks)
    return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body + b"0\r\n\r\n"
