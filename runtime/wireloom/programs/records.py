"""The programs of a protocol: what all its records begin with, which message a record is of, and the messages."""

from collections.abc import Callable, Mapping
from typing import Any

from wireloom.codec import Headed, Joined, Layout, Protocol
from wireloom.codec.checksums import Algorithm
from wireloom.codec.dispatch import UNKNOWN
from wireloom.codec.matching import Match, Selection
from wireloom.programs.assembler import Assembler
from wireloom.programs.reading.checks import Proven
from wireloom.programs.reading.framing import HeadLowering, head_length, prove
from wireloom.programs.reading.lowering import Lowering
from wireloom.programs.reading.messages import message, read_tail
from wireloom.programs.reading.parts import layout
from wireloom.programs.selection import first
from wireloom.programs.values import Datum, Level, NoProgramError, Number, Octets


class RecordLowering:
    """Lowers the records of a protocol, in one byte order and with the same ``parameters``."""

    def __init__(self, protocol: Protocol, parameters: Mapping[str, Any], *, little: bool) -> None:
        self.protocol = protocol
        self.parameters = parameters
        self.little = little
        self.messages = list(protocol.records.values())
        self.unknown = next((number for number, name in enumerate(protocol.records) if name == UNKNOWN), -1)

    def head(self, asm: Assembler | None = None, settled: Mapping[str, int] = {}) -> Lowering:
        """A program that has read what all records begin with, and accepts those whose numbers of these names are as
        they are ``settled``. Raises ``NoProgramError``, as all of these do.
        """
        limit = -len(self.protocol.record.until)
        found = Lowering(self.parameters, little=self.little, limit=limit, asm=asm, decoding=True)
        found.settled = settled
        layout(self.protocol.record.head, found)
        return found

    def proof(self, *, exact: bool = True) -> Lowering:
        """A program that accepts records that are exactly as long as their framing says, which holds of them; unless
        ``exact``, also bytes that only begin with one.
        """
        found = Lowering(self.parameters, little=self.little, limit=0)
        prove(self.protocol.framing, found, exact=exact)
        return found

    def head_length(self, ends: Headed) -> tuple[Lowering, int, int]:
        """A program that reads as much of a record as its length depends on, and the registers with the length and with
        the mask of where it breaks a condition.
        """
        found = HeadLowering(self.parameters, little=self.little, limit=0)
        return found, *head_length(ends, found)

    def message(self, number: int, at: Lowering, proven: Proven | None = None) -> Level:
        """Read the rest of a record of the message with that number; returns its fields. The checksums that the framing
        has verified are not verified again, unless ``proven`` says otherwise.
        """
        said = self.messages[number]
        return message(said, at, is_proven(self.protocol, said.match) if proven is None else proven)

    def rest_of_header(self, at: Lowering) -> None:
        """Read the columns of the header that are after the sections of the message, if there are any."""
        if any(isinstance(part, Layout) and list(part.columns()) for part in self.protocol.record.tail):
            read_tail(self.protocol.record, at, lambda _: None)

    def message_number(self, asm: Assembler, header: Mapping[str, Datum]) -> int:
        """The register with the number of the message that a record with this header is of; -1 if it is of none."""
        return first(asm, *self.selectors(header), self.unknown)

    def selectors(self, header: Mapping[str, Datum]) -> tuple[dict[str, Number | Octets], list[Match | None]]:
        """The values by which messages are told apart, and what each message asks of them; None for a message that no
        record is of, or all are that are of no other.
        """
        columns = {column.name for column in self.protocol.record.columns}
        values: dict[str, Number | Octets] = {}
        matches: list[Match | None] = []
        for number, each in enumerate(self.messages):
            asked: dict[str, Selection] = {}
            never = number == self.unknown
            for name, selection in each.match.items():
                known = header.get(name)
                if name in self.parameters and name not in columns:
                    never |= self.parameters[name] not in selection
                elif known is None and name in columns:
                    never = True
                elif isinstance(known, Number | Octets):
                    asked[name], values[name] = selection, known
                else:
                    raise NoProgramError("messages that neither numbers nor texts tell apart")
            matches.append(None if never else asked)
        return values, matches


def is_proven(protocol: Protocol, match: Match) -> Callable[[str, Joined], bool]:
    """Whether the framing of records with these header values verifies a field's checksum."""
    lengths = (each for each in protocol.framing.lengths if not each.match or each.match == match)
    proof = next((each.checksum for each in lengths), None)

    def proven(name: str, checksum: Joined) -> bool:
        return proof is not None and (name, *_written(checksum)) == (proof[0], *_written(proof[1]))

    return proven


def _written(checksum: Joined) -> tuple[Algorithm, list[bytes | tuple[str, ...]]]:
    return checksum.algorithm, [
        each if isinstance(each, bytes) else tuple(bound.written for bound in each) for each in checksum.over
    ]
