"""The columns of a protocol's table that a reader asked for, and rows cut to them.

The whole table has ``message``, the header, one struct a message and the corrupt columns. A view may leave out labels,
put one message's fields in place of the structs, and add where each record stood.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from wireloom.codec import Column, ListOf, Protocol, StructOf
from wireloom.codec.columns import ColumnType
from wireloom.codec.protocol import CORRUPT, POSITIONS
from wireloom.options import ReadOptions

Row = dict[str, Any]

FILE = Column("_file", "string")


def without_labels(columns: Iterable[Column]) -> tuple[Column, ...]:
    """The columns less those that only say in words what a number beside them says."""
    return tuple(replace(column, type=_unlabelled(column.type)) for column in columns if not column.label)


def _unlabelled(kind: ColumnType) -> ColumnType:
    match kind:
        case StructOf(columns):
            return StructOf(without_labels(columns))
        case ListOf(element):
            return ListOf(_unlabelled(element))
    return kind


def flat(protocol: Protocol, message: str) -> tuple[Column, ...]:
    """The columns of rows of one message, its fields beside the header's."""
    return (Column("message", "string"), *protocol.header, *protocol.messages[message].columns, *CORRUPT)


def nested(protocol: Protocol, row: Row) -> Row:
    """The row with its message's fields in the message's struct, where they belong; they may be there already."""
    message = protocol.messages.get(row.get("message") or "")
    if message is None or row.get(message.name) is not None:
        return row
    fields = {column.name for column in message.columns}
    whole = {name: value for name, value in row.items() if name not in fields}
    return whole | {message.name: {name: value for name, value in row.items() if name in fields}}


class View:
    """What ``options`` leave of a protocol's table."""

    def __init__(self, protocol: Protocol, options: ReadOptions) -> None:
        self.protocol = protocol
        self.options = options
        columns = protocol.columns if options.message is None else flat(protocol, options.message)
        if not options.labels:
            columns = without_labels(columns)
        self.columns = (*columns, FILE, *POSITIONS) if options.positions else columns

    def rows(self, buffer: Any, file: str) -> Iterator[Row]:
        """The rows of the capture ``buffer``, read from ``file``. Their keys are not the columns alone."""
        options = self.options
        return self.of(
            self.protocol.iter_records(
                buffer,
                options.mode,
                message=options.message,
                positions=True,
                max_record_bytes=options.max_record_bytes,
                **options.parameters,
            ),
            file,
        )

    def of(self, rows: Iterable[Row], file: str) -> Iterator[Row]:
        """Whole rows as this view has them: of one message only if it is of one, malformed records always."""
        message = self.options.message
        for row in rows:
            row["_file"] = file
            if message is None:
                yield row
            elif row["message"] == message:
                row.update(row[message])
                yield row
            elif row["message"] is None:
                yield row
