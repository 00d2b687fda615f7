"""The columns of a protocol's table that a reader selects, and rows reduced to them.

The whole table has ``message``, the header, one struct a message and the corrupt columns. A view may leave out labels,
replace the structs by the fields of one message, and add the position of each record.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from wireloom.codec import Column, ListOf, Protocol, StructOf
from wireloom.codec.columns import U64, ColumnType
from wireloom.codec.protocol import CORRUPT, POSITIONS, PROVENANCE
from wireloom.files import shown
from wireloom.options import OptionError, ReadOptions, U64Type, unknown

Row = dict[str, Any]

FILE = Column("_file", "string")
RECORD, REASON = CORRUPT
"""The bytes of a malformed record, which a reader may rename, and what is wrong with it."""

NO_MESSAGE = "no-message"
"""The name of the table of malformed records whose message is unknown; messages cannot have this name."""


def without_labels(columns: Iterable[Column]) -> tuple[Column, ...]:
    """The columns without labels, which only name the number beside them."""
    return tuple(replace(column, type=_unlabelled(column.type)) for column in columns if not column.label)


def _unlabelled(kind: ColumnType) -> ColumnType:
    match kind:
        case StructOf(columns):
            return StructOf(without_labels(columns))
        case ListOf(element):
            return ListOf(_unlabelled(element))
    return kind


def with_u64(columns: Sequence[Column], u64: str) -> tuple[Column, ...]:
    """The columns, with unsigned 64-bit numbers of this type, if readers can choose it."""
    return tuple(
        replace(column, type=u64, unsigned=64 if u64 == U64 else 0)
        if column.u64
        else replace(column, type=_with_u64(column.type, u64))
        for column in columns
    )


def _with_u64(kind: ColumnType, u64: str) -> ColumnType:
    match kind:
        case StructOf(columns):
            return StructOf(with_u64(columns, u64))
        case ListOf(element):
            return ListOf(_with_u64(element, u64))
    return kind


def selected(columns: Iterable[Column], paths: Sequence[str], within: str = "") -> tuple[Column, ...]:
    """The columns that ``paths`` name, in that order; ``struct.field`` is a struct with that field.

    ``within`` is the path of the struct that they are in. Raises ``OptionError`` for a path that does not exist.
    """
    known = {column.name: column for column in columns}
    if not paths:
        raise OptionError("columns is empty; name at least one column")
    inner: dict[str, list[str] | None] = {}
    for path in paths:
        name, _, rest = path.partition(".")
        if name not in known:
            names = (f"{within}{each}" for each in known)
            raise OptionError(_inside(name, known.values(), within) or unknown("column", f"{within}{name}", names))
        fields = inner.setdefault(name, [])
        if not rest:
            inner[name] = None
        elif fields is not None:
            fields.append(rest)
    return tuple(
        known[name] if fields is None else _part(known[name], fields, within) for name, fields in inner.items()
    )


def _inside(name: str, columns: Iterable[Column], within: str) -> str:
    """The hint for a name that is not a column but a field of some; empty for any other."""
    found = [
        f"{within}{column.name}.{name}"
        for column in columns
        if isinstance(column.type, StructOf) and any(field.name == name for field in column.type.columns)
    ]
    return f"unknown column {f'{within}{name}'!r}; it is a field of a column: {', '.join(found)}" if found else ""


def _part(column: Column, fields: list[str], within: str) -> Column:
    path = f"{within}{column.name}."
    match column.type:
        case StructOf(columns):
            return replace(column, type=StructOf(selected(columns, fields, path)))
        case ListOf(StructOf(columns)):
            return replace(column, type=ListOf(StructOf(selected(columns, fields, path))))
    raise OptionError(f"column {within}{column.name} is not a struct, so it has no field {fields[0]}")


def _renamed(columns: tuple[Column, ...], name: str) -> tuple[Column, ...]:
    """The columns, with that of malformed records called ``name``. Raises ``OptionError`` if another has that name."""
    if any(column.name.lower() == name.lower() for column in columns):
        raise OptionError(f"columnNameOfCorruptRecord: a column {name} already exists; choose another name")
    return tuple(replace(column, name=name) if column.name == RECORD.name else column for column in columns)


def flat(protocol: Protocol, message: str) -> tuple[Column, ...]:
    """The columns of rows of one message: the header's fields and the message's."""
    return (protocol.columns[0], *protocol.header, *protocol.messages[message].columns, *CORRUPT)


def narrow(options: ReadOptions, name: str) -> ReadOptions:
    """The options of the view of one message, or of ``NO_MESSAGE``, which has the header alone."""
    only: tuple[str | None, tuple[str, ...] | None] = (None, ()) if name == NO_MESSAGE else (name, None)
    return options._replace(message=only[0], messages=only[1])


def must_be_of_all_columns(options: ReadOptions, what: str) -> None:
    """Raises ``OptionError`` for options that ``what`` does not accept, because it gives all columns of each
    message.
    """
    if options.message is not None or options.columns is not None:
        given = "columns" if options.message is None else "message"
        raise OptionError(
            f"{what} gives all columns of each message and does not accept {given}; messages selects some messages"
        )


def nested(protocol: Protocol, row: Row) -> Row:
    """The row with its message's fields in the message's struct; they may be there already."""
    message = protocol.messages.get(row.get("message") or "")
    if message is None or row.get(message.name) is not None:
        return row
    fields = {column.name for column in message.columns}
    whole = {name: value for name, value in row.items() if name not in fields}
    return whole | {message.name: {name: value for name, value in row.items() if name in fields}}


def _named(paths: tuple[str, ...], options: ReadOptions) -> tuple[str, ...]:
    """The paths of columns. Raises ``OptionError`` for one that is only there with another option."""
    given = {"positions": options.positions, "connections": options.connections}
    for path in paths:
        if (option := option_of(path)) is not None and not given[option]:
            raise OptionError(beside(path, option))
    return paths


def option_of(column: str) -> str | None:
    """The option that adds a column; None if it is always there."""
    added = {"positions": (FILE, *POSITIONS), "connections": PROVENANCE}
    return next((option for option, columns in added.items() if column in {each.name for each in columns}), None)


def beside(column: str, option: str) -> str:
    """The message for a column that an option adds."""
    return f"column {column!r} requires {option}=true"


def _columns(protocol: Protocol, options: ReadOptions) -> tuple[Column, ...]:
    """The columns of rows of the wanted messages."""
    if options.message is not None:
        return flat(protocol, options.message)
    if options.messages is None:
        return protocol.columns
    others = protocol.messages.keys() - set(options.messages)
    return tuple(column for column in protocol.columns if column.name not in others)


def flattened(row: Row) -> Row:
    """The row with the fields of its message also at the top level."""
    return {**row, **(row.get(row["message"]) or {})}


class View:
    """The part of a protocol's table that ``options`` select."""

    def __init__(self, protocol: Protocol, options: ReadOptions) -> None:
        self.protocol = protocol
        self.options = options
        columns = _columns(protocol, options)
        if not options.labels:
            columns = without_labels(columns)
        if (u64 := U64Type.of(options.parameters)) is not U64Type.DECLARED:
            columns = with_u64(columns, {U64Type.DECIMAL: U64, U64Type.LONG: "long"}[u64])
        if options.positions:
            columns = (*columns, FILE, *POSITIONS)
        if options.connections:
            columns = (*columns, *PROVENANCE)
        if options.corrupt_column != RECORD.name:
            columns = _renamed(columns, options.corrupt_column)
        self.columns = columns if options.columns is None else selected(columns, _named(options.columns, options))

    def rows(self, buffer: Any, file: str) -> Iterator[Row]:
        """The rows of the capture ``buffer``, read from ``file``. They may have keys that are not columns."""
        options = self.options
        return self.of(
            self.protocol.iter_records(
                buffer,
                options.mode,
                message=options.message,
                messages=options.messages,
                positions=True,
                max_record_bytes=options.max_record_bytes,
                resync=options.resync,
                **options.parameters,
            ),
            file,
        )

    def of(self, rows: Iterable[Row], file: str) -> Iterator[Row]:
        """Whole rows reduced to this view. A view of some messages has rows of these only, and of malformed records
        whose message is not known.
        """
        message, only, corrupt = self.options.message, self.options.only, self.options.corrupt_column
        name = shown(file)
        for row in rows:
            row["_file"] = row.get("_file") or name
            row[corrupt] = row[RECORD.name]
            if only is None or row["message"] is None:
                yield row
            elif row["message"] in only:
                if message is not None:
                    row.update(row[message] or {})
                yield row
