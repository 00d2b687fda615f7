"""Which of a protocol's messages a record is, according to its header."""

from collections.abc import Mapping
from itertools import product

from wireloom.codec.errors import DecodeError, EncodeError
from wireloom.codec.frames import Values
from wireloom.codec.givens import shown
from wireloom.codec.message import Message

UNKNOWN = "unknown"
"""The message of records that match no other; it keeps their bytes."""


class Dispatch:
    """The messages by the header fields that select them, and the values of these."""

    def __init__(self, messages: Mapping[str, Message]) -> None:
        self._tables: dict[tuple[str, ...], dict[tuple[int, ...], Message]] = {}
        self._unmatched = messages.get(UNKNOWN)
        for message in messages.values():
            if message is not self._unmatched:
                table = self._tables.setdefault(tuple(message.match), {})
                table.update(dict.fromkeys(product(*message.match.values()), message))

    def message_of(self, header: Values) -> Message:
        """The message that a header selects. Raises ``DecodeError`` if there is none."""
        for names, table in self._tables.items():
            message = table.get(tuple([header[name] for name in names]))
            if message is not None:
                return message
        if self._unmatched is None:
            found = ", ".join(f"{name} {header[name]}" for names in self._tables for name in names)
            raise DecodeError("unknown-layout", f"no message has {found}")
        return self._unmatched

    def check(self, message: Message, header: Values) -> None:
        """Raises ``EncodeError`` if the header to be written selects another message."""
        first = next((name for names in self._tables for name in names), "")
        try:
            selected = self.message_of(header)
        except DecodeError as error:
            raise EncodeError(error.detail, first) from None
        if selected is not message:
            name = next((name for name, values in message.match.items() if header[name] not in values), first)
            raise EncodeError(f"{shown(header[name])} selects {selected.name}, not {message.name}", name)
