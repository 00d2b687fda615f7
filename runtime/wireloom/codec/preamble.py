"""The header of a capture: a record of a protocol of its own, whose message is ``capture``, once at the start.

Its values are parameters of the records after it: facts that are not in their bytes.
"""

from collections.abc import Callable, Mapping
from typing import Any

from wireloom.codec.errors import DecodeError
from wireloom.codec.frames import Values
from wireloom.codec.lengths import Buffer
from wireloom.options import MAX_RECORD_BYTES, OptionError

CAPTURE = "capture"
"""The message of a row of it. Among the parameters of a capture, that it was read."""


class Preamble:
    """The header of captures: the single record of a ``protocol`` of its own. Records use its ``exported`` values."""

    def __init__(self, protocol: Any, exported: tuple[str, ...]) -> None:
        self.protocol = protocol
        self.exported = exported

    def awaited(self, parameters: Values) -> bool:
        """Whether it is still to be read. It is not there if its values are given beforehand."""
        return CAPTURE not in parameters and not (self.exported and self.exported[0] in parameters)

    def must_be_told(self, parameters: Values) -> None:
        """Raises ``OptionError`` if the values that records use are unknown."""
        if self.exported and self.awaited(parameters):
            name, needed = self.protocol.name, ", ".join(self.exported)
            what = f"a single record of {name} needs values of its capture's header; give the parameters {needed}"
            raise OptionError(what)

    def read(
        self, buffer: Buffer, start: int, end: int, parameters: Values, *, final: bool, bound: int
    ) -> tuple[int, Values]:
        """Its size, and the parameters of the capture with its values. Raises ``DecodeError``, offset from ``start``.

        The arguments are those of ``Framing.believed``.
        """
        framing = self.protocol.framing
        size, little = framing.believed(buffer, start, end, parameters, final=final, bound=bound, order=None)
        row = self.protocol.decode(bytes(buffer[start : start + size]), parameters, little=little)
        return size, self.known(row, parameters)

    def known(self, row: Mapping[str, Any], parameters: Values) -> Values:
        """The parameters of a capture that begins with this row."""
        values = row[CAPTURE]
        return {**parameters, **{name: values[name] for name in self.exported}, CAPTURE: True}

    def opened(
        self, read: Callable[[int], bytes], parameters: Values, *, bound: int = MAX_RECORD_BYTES
    ) -> tuple[int, Values, bytes]:
        """As ``read``, for a stream at its start; with what else was read of it. Raises ``DecodeError``.

        Where it ends is asked again only when twice as many bytes are there.
        """
        data, final = b"", False
        while True:
            try:
                size, found = self.read(data, 0, len(data), parameters, final=final, bound=bound)
                return size, found, data[size:]
            except DecodeError as error:
                missing = error.needed - len(data)
                more = read(max(missing, len(data))) if missing > 0 else b""
                if not more and final:
                    raise
                data, final = data + more, final or not more
