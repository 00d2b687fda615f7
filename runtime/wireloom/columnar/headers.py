"""The headers of captures, and the parameters in their first records: read first if reading begins later."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wireloom.codec import DecodeError
from wireloom.codec.cutting import discover
from wireloom.columnar.decoder import Decoder
from wireloom.files import opened
from wireloom.options import SOUGHT


@dataclass(frozen=True, slots=True)
class Header:
    """The parameters of a capture, and how many bytes are before its first record."""

    parameters: Mapping[str, Any]
    size: int = 0


def header_of(decoder: Decoder, path: str) -> Header | None:
    """The header of the capture at ``path``; None if it is malformed, and so all of the capture."""
    framing, bound = decoder.protocol.framing, decoder.options.max_record_bytes
    known, size, ahead = dict(decoder.options.parameters), 0, b""
    awaited = framing.preamble is not None and framing.preamble.awaited(known)
    if not awaited and SOUGHT not in known:
        return Header(known)
    try:
        with opened(path, ahead=0) as stream:
            if framing.preamble is not None and awaited:
                size, known, ahead = framing.preamble.opened(stream.read, known, bound=bound)
            known, _ = discover(decoder.cutter(known), stream.read, ahead=ahead, base=size)
    except DecodeError:
        return None
    return Header(known, size)
