"""The writing half of a protocol: the bytes of a record of one of its messages, proved as whoever reads it would."""

from collections.abc import Mapping
from contextlib import suppress

from wireloom.codec.accepted_values import fill, fillable, shown
from wireloom.codec.dispatch import Dispatch
from wireloom.codec.errors import DecodeError, EncodeError, counted
from wireloom.codec.frames import Values
from wireloom.codec.framing import Framing
from wireloom.codec.message import Message, Record
from wireloom.codec.tracing import Trace
from wireloom.codec.writer import Writer
from wireloom.expressions.tree import Origin
from wireloom.options import unknown


class Building:
    """Builds records that the framing and the dispatch of a protocol find again."""

    def __init__(self, record: Record, framing: Framing, dispatch: Dispatch) -> None:
        self.record = record
        self.framing = framing
        self.dispatch = dispatch
        self._fields = tuple(column.name for column in record.columns)
        self._fillable = fillable(record.columns)

    def build(self, row: Values, message: Message, parameters: Values) -> bytes:
        """The bytes of a row of that message. Raises ``EncodeError``."""
        writer = Writer(parameters, little=True in self.framing.orders(parameters)[:1])
        writer.record = {name: row[name] for name in self._fields}
        for name, selection in message.match.items():
            fill(writer.record, self._fillable, name, selection.first)
        message.write(writer, row[message.name] if row[message.name] is not None else {})
        self.dispatch.check(message, writer.record, parameters)
        return self._checked(writer, message)

    def _checked(self, writer: Writer, message: Message) -> bytes:
        """The written bytes. Raises ``EncodeError`` if a reader would not find the record: its length, proof or order
        is wrong.
        """
        data, envelope = bytes(writer.buffer), self.record.envelope
        if envelope is not None:
            data = envelope.close(data, writer.record)
        try:
            length, little = self.framing.first(data, 0, len(data), writer.frame.parameters)
        except DecodeError as error:
            name = error.field or self._telling(writer, message, proof=True)
            first = next((f".{column.name}" for column in message.columns), "") if name == message.name else ""
            raise EncodeError(f"cannot be read back: {error.detail}", name + first) from None
        ended = (end for end in self.framing.longest_first if data[:length].endswith(end))
        if length < len(data) and (until := next(ended, b"")):
            what = f"contains the {'flag' if self.framing.flagged else 'terminator'} {until.hex()}"
            raise EncodeError(what, self._field_at(length - len(until), data, writer, message))
        if length != len(data):
            what = f"the record has {counted(len(data), 'byte')}, but its length says {length}"
            raise EncodeError(what, self._telling(writer, message))
        if little != writer.little:
            raise EncodeError("the record can be read in the other byte order too", self.framing.byte_order or "")
        return data

    @staticmethod
    def _field_at(place: int, data: bytes, writer: Writer, message: Message) -> str:
        """The name of the field that the byte of a written record belongs to; the record's if it belongs to none."""
        trace = Trace()
        with suppress(DecodeError):
            message.protocol.decode(data, writer.frame.parameters, little=writer.little, trace=trace)
        return next((span.path for _, span in trace.flat() if span.start <= place < (span.end or 0)), "record")

    def _telling(self, writer: Writer, message: Message, *, proof: bool = False) -> str:
        """The name of the field that gives a record's length or proves it; the message's name if there is none."""
        header = writer.record
        for lengths in self.framing.lengths:
            if all(header[name] in values for name, values in lengths.match.items()):
                told = lengths.valid if proof and lengths.valid else lengths.length
                fields = (each.name for each in (told.names if told else ()) if each.origin is not Origin.PARAMETER)
                for name in fields:
                    return name if name.split(".")[0] in self._fields else f"{message.name}.{name}"
        return message.name


def message_to_write(row: Values, messages: Mapping[str, Message]) -> Message:
    """The message that a row is of: the one it names, whose struct it alone has, or the only one that there is.

    Raises ``EncodeError``.
    """
    name = row["message"]
    present = [name for name in messages if row[name] is not None]
    if name is None:
        possible = present or list(messages)
        if len(possible) != 1:
            raise EncodeError(f"needed: one of {', '.join(messages)}", "message")
        name = possible[0]
    if not isinstance(name, str):
        raise EncodeError(f"text expected, not {shown(name)}", "message")
    if name not in messages:
        raise EncodeError(unknown("message", shown(name).strip("'"), messages), "message")
    if present not in ([], [name]):
        other = next(other for other in present if other != name)
        raise EncodeError(f"given, but the row is a {name}", other)
    return messages[name]
