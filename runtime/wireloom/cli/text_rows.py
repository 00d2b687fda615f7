"""Rows from a protocol's textual form. A line is read, written as bytes and decoded again, so that all columns are
there.
"""

from collections.abc import Iterable, Iterator

from wireloom.codec import DecodeError, EncodeError, Forms, Protocol
from wireloom.codec.errors import broken_off, counted
from wireloom.compressed import DamagedFileError
from wireloom.options import ReadOptions
from wireloom.views import Row


def rows_of_lines(
    lines: Iterable[tuple[int, int, bytes]], protocol: Protocol, form: Forms, options: ReadOptions
) -> Iterator[Row]:
    """The rows of (number, offset, text) lines. A line that cannot be read gives a malformed row in every mode, and so
    does the place where a compressed file is damaged.
    """
    try:
        for _, offset, line in lines:
            try:
                row = _row(line, protocol, form, options)
            except DecodeError as error:
                row = _malformed(line, offset, error, protocol)
            yield row | {"_offset": offset, "_length": len(line)}
    except DamagedFileError as error:
        offset, line = error.rest
        row = _malformed(line, offset, broken_off(error.reason, offset), protocol)
        yield row | {"_offset": offset, "_length": len(line)}


def _malformed(line: bytes, offset: int, error: DecodeError, protocol: Protocol) -> Row:
    error.offset = offset
    nothing = dict.fromkeys(column.name for column in protocol.columns)
    return nothing | {"_corrupt_record": line, "_corrupt_reason": error.reason}


def _row(line: bytes, protocol: Protocol, form: Forms, options: ReadOptions) -> Row:
    if len(line) > options.max_record_bytes:
        raise DecodeError(
            "too-long", f"a line of {counted(len(line), 'byte')}, more than the {options.max_record_bytes} allowed"
        )
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        raise DecodeError("text", f"not utf-8 at byte {error.start} of the line") from None
    values = form.read(text)
    try:
        record = protocol.build(values, **options.parameters)
    except EncodeError as error:
        raise DecodeError(form.name, error.detail, path=error.field) from None
    row: Row = protocol.parse(record, **options.parameters)
    return row


def line_of_row(row: Row, protocol: Protocol, form: Forms, parameters: dict[str, str]) -> bytes:
    """The row as a line. Derived fields may be missing; a malformed row is written as its bytes.

    Raises ``EncodeError`` if the row cannot be written, ``ValueError`` if the form cannot hold it.
    """
    record = protocol.build(row, **parameters)
    if row.get("_corrupt_record") is not None:
        return record
    told = {
        parameter.name: row[parameter.name]
        for parameter in protocol.parameters
        if parameter.column and row.get(parameter.name) is not None
    }
    return form.write(protocol.parse(record, **parameters | told)).encode()
