"""Which of a protocol's messages a record is, according to its header."""

from collections.abc import Callable, Mapping
from itertools import product
from math import prod
from typing import Any

from wireloom.codec.accepted_values import shown
from wireloom.codec.errors import DecodeError, EncodeError
from wireloom.codec.frames import Values
from wireloom.codec.message import Message

UNKNOWN = "unknown"
"""The message of records that match no other; it keeps their bytes."""
_MOST = 1024
"""How many combinations of values a message has at most in a table; more are compared."""

Find = Callable[[Values, Values], Any]
"""A value that selects messages, found in the header and the parameters."""


class Dispatch:
    """The messages by what selects them: header fields, fields of structs in them, and parameters."""

    def __init__(self, messages: Mapping[str, Message]) -> None:
        self.messages = messages
        self._tables: dict[tuple[str, ...], dict[tuple[Any, ...], Message]] = {}
        self._compared: list[Message] = []
        self._unmatched = messages.get(UNKNOWN)
        self._find: dict[str, Find] = {}
        for message in messages.values():
            if message is not self._unmatched:
                self._add(message)
        self.fields = tuple(self._find)
        """The names of what messages are selected by."""
        self._plain = all(_is_plain(name, message) for message in messages.values() for name in message.match)

    def _add(self, message: Message) -> None:
        listed = [selection.listed for selection in message.match.values()]
        if any(selection.spans for selection in message.match.values()) or prod(map(len, listed)) > _MOST:
            self._compared.append(message)
        else:
            self._tables.setdefault(tuple(message.match), {}).update(dict.fromkeys(product(*listed), message))
        self._find |= {name: _finder(name, message) for name in message.match}

    def message_of(self, header: Values, parameters: Values) -> Message:
        """The message that a header selects. Raises ``DecodeError`` if there is none."""
        for names, table in self._tables.items():
            if self._plain:
                values = tuple([header[name] for name in names])
            else:
                values = tuple([self._find[name](header, parameters) for name in names])
            message = table.get(values)
            if message is not None:
                return message
        for message in self._compared:
            if all(self._find[name](header, parameters) in values for name, values in message.match.items()):
                return message
        if self._unmatched is None:
            found = ", ".join(f"{name} {shown(find(header, parameters))}" for name, find in self._find.items())
            raise DecodeError("unknown-layout", f"no message has {found}")
        return self._unmatched

    def check(self, message: Message, header: Values, parameters: Values) -> None:
        """Raises ``EncodeError`` if the header to be written selects another message."""
        first = next(iter(self._find), "")
        try:
            selected = self.message_of(header, parameters)
        except DecodeError as error:
            raise EncodeError(error.detail, first) from None
        if selected is not message:
            found = {name: self._find[name](header, parameters) for name in message.match}
            name = next((name for name, values in message.match.items() if found[name] not in values), first)
            value = self._find[name](header, parameters)
            raise EncodeError(f"{shown(value)} selects {selected.name}, not {message.name}", name)


def _is_plain(name: str, message: Message) -> bool:
    """Whether it is a field of the header, and not of a struct in it."""
    return any(column.name == name for column in message.record.columns)


def _finder(name: str, message: Message) -> Find:
    if _is_plain(name, message):
        return lambda header, parameters: header[name]
    if "." not in name:
        return lambda header, parameters: parameters[name]
    steps = name.split(".")

    def within(header: Values, parameters: Values) -> Any:
        found: Any = header
        for step in steps:
            found = None if found is None else found[step]
        return found

    return within
