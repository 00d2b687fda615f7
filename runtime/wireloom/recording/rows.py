"""Rows → the packets of their records."""

from collections.abc import Mapping
from typing import Any

from wireloom.codec import EncodeError, Protocol
from wireloom.codec.captures import CaptureBuilder
from wireloom.codec.protocol import PROVENANCE
from wireloom.options import CaptureKind
from wireloom.recording.recorder import Recorder, Sending

_NAMES = tuple(column.name for column in PROVENANCE)


class TrafficBuilder:
    """Builds rows as packets, with these ``parameters``. What one end of a connection says is a capture of its own, and
    so is each datagram.
    """

    def __init__(self, protocol: Protocol, parameters: Mapping[str, Any], kind: CaptureKind) -> None:
        self.protocol = protocol
        self.parameters = parameters
        self.recorder = Recorder(protocol, kind)
        self.first = self._capture()
        """What builds rows of no known connection."""
        self.builders: dict[tuple[str | None, bool], CaptureBuilder] = {(None, True): self.first}

    def build(self, row: Mapping[str, Any]) -> bytes:
        """The packets of the next row. Raises ``EncodeError``."""
        sent = _sending(row)
        builder = self.first
        if tells(self.protocol):
            key = sent.connection, sent.from_client is not False
            builder = self.builders.get(key) or self.builders.setdefault(key, self._capture())
            if builder.begins(row) and builder.begun and not builder.alone:
                raise EncodeError(f"what one end says in {self.protocol.name} has one header, and this is another")
        return self.recorder.record(builder.build(_unsent(row)), sent)

    def _capture(self) -> CaptureBuilder:
        return CaptureBuilder(self.protocol, self.parameters, alone=self.protocol.framing.to_the_end)


def tells(protocol: Protocol) -> bool:
    """Whether a message of a capture determines how its other records are written."""
    return bool(protocol.found) or protocol.preamble is not None


def _unsent(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """The row without how its record was sent, as the codec takes its own columns sooner."""
    return {name: value for name, value in row.items() if name not in _NAMES}


def _sending(row: Mapping[str, Any]) -> Sending:
    """How the record of a row was sent. Raises ``EncodeError``."""
    told = [row.get(name) for name in _NAMES]
    for name, value, kind in zip(_NAMES, told, (int, str, bool, int), strict=True):
        if value is not None and not isinstance(value, kind):
            raise EncodeError(f"{kind.__name__} expected, not {type(value).__name__}", name)
    return Sending(*told)
