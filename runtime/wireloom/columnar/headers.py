"""What captures begin with, read first where records are read from a place behind it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wireloom.codec import DecodeError
from wireloom.columnar.decoder import Decoder
from wireloom.files import opened


@dataclass(frozen=True, slots=True)
class Header:
    """The parameters of a capture, and how many bytes are in front of its first record."""

    parameters: Mapping[str, Any]
    size: int = 0


def header_of(decoder: Decoder, path: str) -> Header | None:
    """The header of the capture at ``path``; None if it is malformed, and so all of the capture."""
    preamble, options = decoder.protocol.preamble, decoder.options
    known = dict(options.parameters)
    if preamble is None or not preamble.awaited(known):
        return Header(known)
    try:
        with opened(path, ahead=0) as stream:
            size, found, _ = preamble.opened(stream.read, known, bound=options.max_record_bytes)
    except DecodeError:
        return None
    return Header(found, size)
