"""Packet counters: how many packets of a file were read, and why others were not."""

import logging
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from wireloom.codec.errors import DecodeError, counted
from wireloom.columnar.counters import Tally

LOG = logging.getLogger("wireloom")


_NAMED = 10
"""So many kinds of other packets are named, those of which there are most."""


class Fate(StrEnum):
    """What became of a packet, as the log has it. Each packet has one fate."""

    READ = "read"
    WITHOUT_DATA = "without data"
    OTHER_DIRECTION = "of the other direction"
    OF_OTHERS = "of others"
    NO_DATAGRAM = "of TCP, where a record is a datagram"
    NOT_TCP_OR_UDP = "not TCP or UDP"
    FRAGMENTS = "fragments"
    DAMAGED = "damaged or cut"
    NO_INTERFACE = "of no interface"

    @property
    def column(self) -> str:
        """The column that counts such packets."""
        return self.name.lower()


@dataclass(slots=True)
class PacketStats:
    """The fates of a file's packets: how many have each, and what is missing between them."""

    packets: Counter[Fate] = field(default_factory=Counter)
    others: Counter[str] = field(default_factory=Counter)
    """What those hold that are not TCP or UDP: protocols of IP, EtherTypes and link types."""
    cut: int = 0
    """How many of those that were read, or are without data, are cut short."""
    gaps: int = 0
    missing: int = 0
    """How many gaps there are in streams, and how many bytes were in them."""
    differing: int = 0
    """How many bytes came again with other values."""
    damage: list[str] = field(default_factory=list)
    """The damage of files themselves."""

    def unread(self, seen: Tally, damage: DecodeError | None) -> None:
        """Note bytes that are not a packet, and that the file itself is damaged."""
        if seen.malformed_bytes:
            self.damage.append(f"{counted(seen.malformed_bytes, 'byte')} are no packets: {seen.first}")
        if damage is not None and (not seen.malformed_bytes or damage.reason != seen.first):
            self.damage.append(damage.reason)

    def damaged_options(self, seen: Tally) -> None:
        """Note blocks that were read without some of their options."""
        if seen.malformed:
            blocks = counted(seen.malformed, "block")
            self.damage.append(f"{blocks} with damaged options, which were read without these: {seen.first}")

    def odd_times(self, count: int) -> None:
        """Note packets whose time has a fraction of a second that is a second or more."""
        if count:
            packets = counted(count, "packet")
            self.damage.append(f"{packets} with a fraction of a second that is a second or more, and counts as such")

    def lost(self, size: int) -> None:
        """Note a gap of so many bytes."""
        self.gaps += 1
        self.missing += size

    def tell(self, file: str) -> None:
        """Log it: as a warning if nothing was read, something is missing, or the file is damaged."""
        nothing = not any(self.packets[fate] for fate in (Fate.READ, Fate.WITHOUT_DATA))
        level = logging.WARNING if nothing or self.cut or self.gaps or self.damage else logging.INFO
        LOG.log(level, "wireloom: %s: %s", file, self.summary)

    @property
    def summary(self) -> str:
        """All of it in one line."""
        return ", ".join(self._said())

    def _said(self) -> Iterator[str]:
        yield counted(self.packets.total(), "packet")
        for fate, count in self.packets.most_common():
            if count:
                yield f"{count} {fate}{self._named() if fate is Fate.NOT_TCP_OR_UDP else ''}"
        if self.cut:
            yield f"{self.cut} of these cut short"
        if self.gaps:
            yield f"{counted(self.missing, 'byte')} not captured in {counted(self.gaps, 'gap')}"
        if self.differing:
            yield f"{counted(self.differing, 'byte')} sent again with other values"
        yield from self.damage

    def _named(self) -> str:
        """What packets are that are not TCP or UDP."""
        named = [f"{count} {name}" for name, count in self.others.most_common(_NAMED)]
        more = len(self.others) - len(named)
        named += [f"others of {counted(more, 'kind')}"] if more else []
        return f" ({', '.join(named)})" if named else ""
