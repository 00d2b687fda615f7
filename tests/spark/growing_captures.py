"""Captures that grow: frames of DCP that are told apart, bytes that are none, and files that are written bit by bit."""

from __future__ import annotations

import os
import time
from pathlib import Path

from support.paths import DATA

from wireloom_protocols import couchbase_dcp

EVENTS = (DATA / "databus" / "stream_scn_regress.bin").read_bytes()


def dcp(cas: int) -> bytes:
    """A frame of 44 bytes that is known by its CAS."""
    snapshot = {"variant": "v1", "start_seqno": 1, "end_seqno": 2, "snapshot_type": 1}
    return couchbase_dcp.build({"message": "snapshot_marker", "cas": cas, "snapshot_marker": snapshot})


FRAMES = [dcp(number) for number in range(100)]
FRAME = len(FRAMES[0])
JUNK = b"\x01 is no magic of a DCP frame"


def append(path: Path, data: bytes) -> None:
    """Put bytes behind those that a file has."""
    with path.open("ab") as file:
        file.write(data)


def named(folder: Path, name: str, data: bytes, age: int = 0) -> Path:
    """A file that changed so many seconds ago."""
    path = folder / name
    path.write_bytes(data)
    then = time.time() - age
    os.utime(path, (then, then))
    return path
