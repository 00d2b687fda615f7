"""A protocol's records as Arrow data: what its generated module ``columnar`` is made of.

What a table of bytes does not need, such as files and encoding, is imported by what needs it.
"""

import os
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from wireloom.codec import DecodeError, Protocol
from wireloom.columnar import arrow_schema, batches
from wireloom.columnar.buffers import Allocate, Growing, own_room
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.filters import Condition, filters_of
from wireloom.columnar.traffic.opening import captured, recordings
from wireloom.files import listed, opened
from wireloom.kinds import written_kind
from wireloom.options import CaptureKind, Mode, OptionError, ReadOptions
from wireloom.views import NO_MESSAGE, RECORD, Row, View, must_be_of_all_columns


class Table:
    """The table of a protocol. ``comments`` are those of columns, by path: ``header.field``, as ``columns`` has it."""

    def __init__(self, protocol: Protocol, comments: Mapping[str, str]) -> None:
        self.protocol = protocol
        self.comments = dict(comments)
        self.comments_of: dict[str, dict[str, str]] = {}
        """Those of the fields of each struct, by their paths in it."""
        for path, text in comments.items():
            struct, _, inside = path.partition(".")
            self.comments_of.setdefault(struct, {})[inside] = text
        self.schema = commented(arrow_schema(protocol.columns), comments)

    def view(self, options: ReadOptions) -> pa.Schema:
        """The schema of what ``options`` leave of the table. Raises ``OptionError`` for a column that is not there."""
        columns = View(self.protocol, options).columns
        if columns is self.protocol.columns:
            return self.schema
        fields = self.comments_of.get(options.message or "", {})
        record = {options.corrupt_column: self.comments.get(RECORD.name, "")}
        return commented(arrow_schema(columns), ChainMap(record, fields, self.comments))

    def decode_columnar(
        self, buffer: Any, columns: Iterable[str] | None = None, mode: str = Mode.FAILFAST, **options: Any
    ) -> pa.Table:
        """The records of ``buffer`` as a table, or those ``columns`` of it.

        ``buffer`` is bytes or a memory map, or the path of what ``scan`` reads. ``options`` are the protocol's
        parameters and reader options: ``message``, ``messages``, ``labels``, ``positions``, ``maxRecordBytes``,
        ``resync``, ``columnNameOfCorruptRecord``. Columns left out are read only as far as it takes to find malformed
        records, which do not depend on the columns. Raises ``OptionError`` for a column that is not there, and in mode
        ``FAILFAST`` ``DecodeError``, its offset counted from the start of ``buffer``.
        """
        if isinstance(buffer, str | os.PathLike):
            return self.scan(os.fspath(buffer), columns, mode=mode, **options).read_all()
        chosen = self._options(columns, mode, options)
        schema = self.view(chosen)
        try:
            found = captured(Decoder(self.protocol, chosen, schema), buffer)
            return pa.Table.from_batches(map(_from_zero, found), schema)
        except DecodeError as error:
            raise error.with_traceback(None) from None  # whose frames would keep a memory map from being closed

    def decode_by_message(self, buffer: Any, mode: str = Mode.FAILFAST, **options: Any) -> dict[str, pa.Table]:
        """The records of ``buffer`` as a table a message, decoded once: what the option ``message`` gives for each.

        ``buffer`` is bytes or a memory map, or the paths of what ``scan`` reads. ``options`` are as in
        ``decode_columnar``, without ``message``. There is a table for each message that occurs, ``unknown`` and
        ``capture`` among them, and for each of ``messages``, in the order of the protocol. A malformed record is in the
        table of its message; if that cannot be told, it is in the table ``no-message``, which is the last and has the
        header's columns alone. Raises as ``decode_columnar``.
        """
        from wireloom.columnar.narrow import NarrowDecoder, message_of

        chosen = self._options(None, mode, options)
        must_be_of_all_columns(chosen, "decode_by_message")
        decoder = NarrowDecoder(self.protocol, chosen, self.view)
        found: dict[str, list[pa.RecordBatch]] = {name: [] for name in chosen.messages or ()}
        try:
            for batch in self._read(decoder, buffer):
                found.setdefault(message_of(batch), []).append(_from_zero(batch))
        except DecodeError as error:
            raise error.with_traceback(None) from None
        return {
            name: pa.Table.from_batches(found[name], decoder.view_of(name).schema)
            for name in (*self.protocol.messages, NO_MESSAGE)
            if name in found
        }

    def _read(self, decoder: Decoder, buffer: Any) -> Iterator[pa.RecordBatch]:
        """The batches of bytes or a memory map, or of files."""
        if not isinstance(buffer, str | os.PathLike | list | tuple):
            return captured(decoder, buffer)
        return _scanned(decoder, _paths(buffer))

    def scan(
        self,
        paths: str | Path | Iterable[str | Path],
        columns: Iterable[str] | None = None,
        message: str | None = None,
        filters: Iterable[Condition] = (),
        mode: str = Mode.FAILFAST,
        **options: Any,
    ) -> pa.RecordBatchReader:
        """The records of files, batch by batch: it needs memory for a few batches, however large the files are.

        ``paths`` are files, directories with everything below them, and patterns, on any filesystem, compressed
        files among them. ``filters`` such as ``("opcode", "=", 0x56)`` are on ``message`` and integers of the
        header, with ``=``, ``<``, ``<=``, ``>``, ``>=`` or ``in``; records for which one does not hold are left out,
        malformed ones too, but not those whose header cannot be read. The other arguments are as in
        ``decode_columnar``; with ``positions``, each row has its ``_file``. Malformed records are also told in the log.

        Raises ``OptionError`` for a path without files. Reading raises ``OSError``, and in mode ``FAILFAST``
        ``DecodeError``; both name the file.
        """
        told = options if message is None else {**options, "message": message}
        chosen = self._options(columns, mode, told)
        schema, conditions = self.view(chosen), filters_of(filters, self.protocol)
        files = _paths(paths)
        found = _scanned(Decoder(self.protocol, chosen, schema, conditions), files)
        return pa.RecordBatchReader.from_batches(schema, map(_from_zero, found))

    def summary(
        self,
        paths: str | Path | Iterable[str | Path],
        message: str | None = None,
        filters: Iterable[Condition] = (),
        **options: Any,
    ) -> pa.Table:
        """What files hold, a row each; one for all of them if they are ``rotated``.

        It tells how many records there are and how many are malformed, and what became of recorded packets. Arguments
        are those of ``scan``; what they say of columns and of malformed records changes nothing. Raises as ``scan``.
        """
        from wireloom.columnar import overviews

        told = options if message is None else {**options, "message": message}
        chosen, conditions = self._options(None, Mode.PERMISSIVE, told), filters_of(filters, self.protocol)

        def rows() -> Iterator[Row]:
            files = _paths(paths)
            if chosen.rotated:
                decoder = overviews.counting(self.protocol, chosen, conditions)
                yield overviews.of_packets(decoder, recordings(files, self.protocol.name, chosen))
                return
            for file in files:
                with opened(file, ahead=0) as stream:
                    yield overviews.of(overviews.counting(self.protocol, chosen, conditions), stream.readinto, file)

        return pa.Table.from_pylist(list(rows()), overviews.SCHEMA)

    def encode_columnar(
        self, table: pa.Table | pa.RecordBatchReader, capture: str = CaptureKind.RAW, **parameters: Any
    ) -> pa.Buffer:
        """The bytes of all rows, one behind the other: what ``encode_records`` gives for each.

        With the ``capture`` ``pcap`` or ``pcapng``, they are what a file of packets holds that carry these bytes: sent
        as the columns say that ``decode_columnar`` adds with ``connections``, as far as there are such.
        """
        if (kind := written_kind(capture)) is not CaptureKind.RAW:
            return pa.py_buffer(b"".join(self._recorded(table, kind, parameters)))
        found = Growing(table.num_rows if isinstance(table, pa.Table) else 0)
        for part in self._encoded(table, parameters, found.room):
            found.add(part)
        return found.whole()

    def encode_records(self, table: pa.Table | pa.RecordBatchReader, **parameters: Any) -> pa.ChunkedArray:
        """The bytes of each row of a table, as ``build`` gives them.

        Its columns are those that ``decode_columnar`` gives with all messages, or some of them; columns with labels and
        positions do not count. Rows are those of one capture, in order. Raises ``EncodeError`` for the first row that
        cannot be written; its ``row`` says which that is.
        """
        return pa.chunked_array(self._encoded(table, parameters), pa.binary())

    def _encoded(
        self, table: pa.Table | pa.RecordBatchReader, parameters: Mapping[str, Any], room: Allocate = own_room
    ) -> Iterator[pa.Array]:
        from wireloom.columnar.encoding import Encoder

        encoder = Encoder(self.protocol, parameters, room=room)
        return (part for batch in self._batches(table) for part in encoder.parts(batch))

    def _batches(self, table: pa.Table | pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
        from wireloom.columnar.encoding import gathered

        return gathered(self.protocol, table.to_batches() if isinstance(table, pa.Table) else table)

    def _recorded(
        self, table: pa.Table | pa.RecordBatchReader, kind: CaptureKind, parameters: Mapping[str, Any]
    ) -> Iterator[bytes]:
        from wireloom.columnar.recorded import TrafficEncoder

        encoder = TrafficEncoder(self.protocol, parameters, kind)
        yield encoder.recorder.begin
        for batch in self._batches(table):
            yield from encoder.parts(batch)
        yield from encoder.recorder.end()

    def to_batches(self, rows: Iterable[Mapping[str, Any]]) -> pa.RecordBatchReader:
        """Rows as ``parse`` and ``iter_records`` give them, batch by batch."""
        return pa.RecordBatchReader.from_batches(self.schema, batches(rows, self.schema))

    def _options(self, columns: Iterable[str] | None, mode: str, options: Mapping[str, Any]) -> ReadOptions:
        if isinstance(columns, str):
            raise OptionError(f"columns is a list of names, not {columns!r}")
        read = ReadOptions.of({"mode": mode, **options}, self.protocol.parameters, self.protocol.messages)
        return read if columns is None else read._replace(columns=tuple(columns))


def _paths(given: Any) -> list[str]:
    """The files that a path, or several, mean."""
    paths = [given] if isinstance(given, str | os.PathLike) else given
    return [file.path for file in listed(map(str, paths))]


def _scanned(decoder: Decoder, files: list[str]) -> Iterator[pa.RecordBatch]:
    """The batches of files."""
    from wireloom.columnar import scans

    return scans.batches(decoder, scans.parts_of(files, are_rotated=decoder.options.rotated))


def _from_zero(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The batch, copied if it begins inside its buffers: DuckDB refuses structs that do."""
    if not any(column.offset for column in batch.columns):
        return batch
    return pa.RecordBatch.from_arrays([pa.concat_arrays([column]) for column in batch.columns], schema=batch.schema)


def commented(schema: pa.Schema, comments: Mapping[str, str]) -> pa.Schema:
    """The schema with ``comments`` as metadata of its fields, under the key that Spark has for them, too."""
    return pa.schema([_commented(field, field.name, comments) for field in schema])


def _commented(field: pa.Field, path: str, comments: Mapping[str, str]) -> pa.Field:
    told = comments.get(path)
    return pa.field(field.name, _inside(field.type, path, comments), metadata={"comment": told} if told else None)


def _inside(kind: pa.DataType, path: str, comments: Mapping[str, str]) -> pa.DataType:
    """The type with comments of the fields in it; items of a list have the path of the list."""
    if pa.types.is_struct(kind):
        return pa.struct([_commented(field, f"{path}.{field.name}", comments) for field in kind])
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_inside(kind.value_type, path, comments)))
    return kind
