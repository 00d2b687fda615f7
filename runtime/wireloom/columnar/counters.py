"""What a decoder counts in each capture."""

from dataclasses import dataclass


@dataclass(slots=True)
class Tally:
    """Counts of a capture: wanted records and malformed ranges, and how many are malformed, with their bytes.

    ``redone`` counts the sound records that were left to the codec.
    """

    records: int = 0
    redone: int = 0
    malformed: int = 0
    malformed_bytes: int = 0
    first: str = ""

    def add(self, reason: str, size: int, count: int = 1) -> None:
        """Count malformed records with this many bytes together."""
        self.first = self.first or reason
        self.malformed += count
        self.malformed_bytes += size


@dataclass(frozen=True, slots=True)
class Counted:
    """Malformed records of one capture: the row of the first, their bytes, their number, and the first's reason."""

    row: int
    source: int
    size: int
    count: int
    reason: str

    def tell(self, tallies: list[Tally]) -> None:
        """Count them in the tally of their capture."""
        tallies[self.source].add(self.reason, self.size, self.count)
