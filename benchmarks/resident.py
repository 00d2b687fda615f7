"""How much memory processes have, where the system tells."""

import resource
import sys
from pathlib import Path

_UNIT = 1024 if sys.platform != "darwin" else 1
"""In how many bytes ``ru_maxrss`` counts."""


def peak() -> int:
    """The bytes of resident memory that this process has had at most.

    On Linux ``ru_maxrss`` begins with what the process had that started this one.
    """
    return told("self", "VmHWM") or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT


def told(process: int | str, name: str) -> int:
    """One of the bytes in Linux' status of a process; 0 where there is none."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))
