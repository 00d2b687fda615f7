"""Shows how long each request waited for its answer, in recorded packets of Couchbase DCP.

    python examples/latency.py [FILE…]

Without files it shows those of the session that ``recorded_session.py`` makes up.
"""

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import recorded_session
from rich.console import Console
from rich.table import Table

from wireloom.pairing import pair
from wireloom_protocols import couchbase_dcp

COLUMNS = ["message", "opcode", "opaque", "_time", "_connection", "_from_client"]


def answers(paths: Sequence[str | Path]) -> pa.Table:
    """The answers with their requests, and with ``latency``: from the packet with which the request begins to the one
    with which the answer begins.
    """
    frames = couchbase_dcp.scan(paths, COLUMNS, mode="DROPMALFORMED", connections=True).read_all()
    ordered = frames.sort_by("_time")  # what waited for a missing packet came late
    paired = pa.Table.from_batches(pair(ordered, "couchbase_dcp", connection=["_connection"]))
    found = paired.filter(paired["request"].is_valid())
    latency = pc.subtract(found["_time"], pc.struct_field(found["request"], "_time"))
    return found.append_column("latency", latency)


def shown(found: pa.Table) -> Table:
    """The table that people read."""
    table = Table("asked", "request", "opaque", "asked by", "answer", "latency")
    for row in found.to_pylist():
        request, milliseconds = row["request"], row["latency"].total_seconds() * 1000
        table.add_row(
            f"{request['_time']:%H:%M:%S.%f}",
            request["message"],
            str(row["opaque"]),
            "server" if row["_from_client"] else "client",
            row["message"],
            f"{milliseconds:.2f} ms",
        )
    return table


def main(paths: Sequence[str]) -> None:
    """Show the answers in some files, or in those of the session that is made up."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, "session.pcap")
        if not paths:
            made.write_bytes(recorded_session.make().data)
        Console().print(shown(answers(paths or [made])))


if __name__ == "__main__":
    main(sys.argv[1:])
