"""What became of the packets of a file."""

import logging
from collections import Counter
from dataclasses import dataclass, field

from wireloom.codec.errors import counted
from wireloom.columnar.tallies import Tally

LOG = logging.getLogger("wireloom")
READ, SILENT = "read", "without data"
"""Packets that carry what is decoded, and those between the same ends that carry nothing."""


@dataclass(slots=True)
class Ledger:
    """What became of the packets of a file: how many of each kind, and what is missing between them."""

    packets: Counter[str] = field(default_factory=Counter)
    gaps: int = 0
    missing: int = 0
    """How many gaps there are in streams, and how many bytes were in them."""
    differing: int = 0
    """How many bytes came again with other values."""
    damage: str = ""
    """What is wrong with the file itself."""

    def unread(self, seen: Tally) -> None:
        """Note what is no packet."""
        if seen.malformed:
            self.damage = f"{counted(seen.malformed_bytes, 'byte')} are no packets: {seen.first}"

    def lost(self, size: int) -> None:
        """Note a gap of so many bytes."""
        self.gaps += 1
        self.missing += size

    def tell(self, file: str) -> None:
        """Tell it in the log: as a warning if nothing was read, something is missing, or the file is damaged."""
        nothing = not any(self.packets[read] for read in (READ, SILENT))
        level = logging.WARNING if nothing or self.gaps or self.damage else logging.INFO
        LOG.log(level, "wireloom: %s: %s", file, self)

    def __str__(self) -> str:
        told = [f"{counted(sum(self.packets.values()), 'packet')}"]
        told += [f"{count} {what}" for what, count in self.packets.most_common() if count]
        if self.gaps:
            told.append(f"{counted(self.missing, 'byte')} not captured in {counted(self.gaps, 'gap')}")
        if self.differing:
            told.append(f"{counted(self.differing, 'byte')} sent again with other values")
        return ", ".join(told + [self.damage] * bool(self.damage))
