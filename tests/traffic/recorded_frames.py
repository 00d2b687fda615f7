"""Frames of DCP that tests send in packets, and the tables of what was recorded."""

from itertools import accumulate
from pathlib import Path
from typing import Any

import pyarrow as pa
from scapy.packet import Packet
from support.dcp_sessions import mutation
from support.traffic import written

from wireloom_protocols import couchbase_dcp


def frames(count: int) -> list[bytes]:
    """Mutations of several lengths, whose seqnos count from 1."""
    return [
        couchbase_dcp.build(mutation(1, number + 1, f"key{number}", "x" * (7 * number % 90))) for number in range(count)
    ]


FRAMES = frames(300)
SENT = b"".join(FRAMES)
PLAIN = couchbase_dcp.decode_columnar(SENT)
ENDS = list(accumulate(map(len, FRAMES)))


def record(tmp_path: Path, packets: list[Packet], name: str = "trace.pcap", **options: Any) -> pa.Table:
    """The table of packets, malformed rows in it."""
    path = written(tmp_path / name, packets)
    return couchbase_dcp.decode_columnar(path, mode="PERMISSIVE", positions=True, connections=True, **options)


def seqnos(table: pa.Table) -> list[int]:
    """The seqnos of the sound frames."""
    sound = table.filter(table["_corrupt_reason"].is_null())
    return [each["by_seqno"] for each in sound["mutation"].to_pylist()]


def reasons(table: pa.Table) -> list[str]:
    """Why others are malformed."""
    return table["_corrupt_reason"].drop_null().to_pylist()


ALL = list(range(1, len(FRAMES) + 1))
