"""What both ends say in sessions of DCP and in streams of Databus."""

from collections.abc import Sequence
from itertools import pairwise
from random import Random
from typing import Any

from protocols.made_up_sessions import dcp_session
from support.tapped import Said

from wireloom_protocols import couchbase_dcp, databus

CONSUMERS = {0x1F, 0x20, 0x21, 0x22, 0x50, 0x52, 0x53, 0x54, 0x5D, 0x5E, 0x89, 0xFE}
"""The opcodes of what a consumer asks for."""


def dcp(data: bytes) -> list[Said]:
    """The frames of a session, with who sends each."""
    ends, said = [0], []
    while ends[-1] < len(data):
        ends.append(ends[-1] + 24 + int.from_bytes(data[ends[-1] + 8 : ends[-1] + 12], "big"))
    for start, end in pairwise(ends):
        asks = data[start] in (0x80, 0x08)
        said.append(Said((data[start + 1] in CONSUMERS) == asks, data[start:end]))
    return said


def events(count: int, random: Random) -> list[Said]:
    """Events of Databus, and few in the other direction."""
    fields: dict[str, Any] = {"physical_partition_id": 1, "logical_partition_id": 1, "nano_timestamp": 1, "src_id": 1}
    fields |= {"variant": "long_key", "schema_id": bytes(16)}
    rows = (
        {**fields, "sequence": n, "key": n, "value": random.randbytes(random.randint(1, 400))} for n in range(count)
    )
    built = (databus.build({"message": "dbus_event", "version": 0, "dbus_event": row}) for row in rows)
    return [Said(number % 20 == 3, event) for number, event in enumerate(built)]


SESSIONS = {
    couchbase_dcp: [dcp(data) for data in dcp_session.make(60, 8).captures.values()],
    databus: [events(100, Random(seed)) for seed in range(2)],
}


def joined(said: Sequence[Said]) -> list[Said]:
    """What the same end says one after the other, at once."""
    found: list[Said] = []
    for each in said:
        if found and found[-1].from_client == each.from_client:
            found[-1] = Said(each.from_client, found[-1].data + each.data)
        else:
            found.append(each)
    return found
