"""A protocol's records as Arrow data: the functions of its generated module ``columnar``.

Modules that tables of bytes do not need, such as those for files and encoding, are imported when they are used.
"""

import os
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from wireloom.buffers import Allocate, Growing, own_room
from wireloom.codec import DecodeError, Protocol
from wireloom.columnar import arrow_schema, batches
from wireloom.columnar.consumers import Consumer
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.filters import Condition, filters_of
from wireloom.columnar.traffic.opening import captured, recordings
from wireloom.consumer_types import warn_of_losses
from wireloom.files import listed, opened
from wireloom.kinds import written_kind
from wireloom.options import CaptureKind, Mode, OptionError, ReadOptions, TableTypes
from wireloom.views import NO_MESSAGE, RECORD, Row, View, must_be_of_all_columns, narrow

if TYPE_CHECKING:
    from wireloom.columnar.dataset import CaptureDataset


class Table:
    """The Arrow side of a protocol: its methods are the functions of a generated module.

    ``protocol`` is what is decoded and encoded. ``comments`` are those of its columns, by path: ``header.field``.
    """

    def __init__(self, protocol: Protocol, comments: Mapping[str, str]) -> None:
        self.protocol = protocol
        self.comments = dict(comments)
        self.comments_of: dict[str, dict[str, str]] = {}
        """Those of the fields of each struct, by their paths in it."""
        for path, text in comments.items():
            struct, _, inside = path.partition(".")
            self.comments_of.setdefault(struct, {})[inside] = text
        self.schema = commented(arrow_schema(protocol.columns), comments)
        self._consumers: dict[TableTypes, Consumer] = {}
        """Those that get all columns."""

    def view(self, options: ReadOptions, types: TableTypes = TableTypes.SPARK) -> pa.Schema:
        """The schema that ``options`` leave of the table. Raises ``OptionError`` for a column that does not exist."""
        columns = View(self.protocol, options).columns
        if columns is self.protocol.columns and types is TableTypes.SPARK:
            return self.schema
        fields = self.comments_of.get(options.message or "", {})
        record = {options.corrupt_column: self.comments.get(RECORD.name, "")}
        return commented(arrow_schema(columns, types), ChainMap(record, fields, self.comments))

    def decode_columnar(
        self,
        buffer: Any,
        columns: Iterable[str] | None = None,
        mode: str = Mode.FAILFAST,
        types: str = TableTypes.SPARK,
        **options: Any,
    ) -> pa.Table:
        """Decode a capture into one table, a row per record.

        Parameters
        ----------
        buffer : bytes, memory map, str or path-like
            The capture: its bytes (anything with the buffer interface), or the path of what ``scan`` reads.
        columns : iterable of str, optional
            The columns to decode, in this order; ``struct.field`` selects a field. Default: all columns. Malformed
            records are the same whatever is selected.
        mode : {'FAILFAST', 'PERMISSIVE', 'DROPMALFORMED'}
            What happens to a malformed record. ``FAILFAST``, the default, raises; ``PERMISSIVE`` gives a row with
            ``_corrupt_record`` (its bytes), ``_corrupt_reason`` and what could be read; ``DROPMALFORMED`` leaves it
            out.
        types : {'spark', 'arrow', 'delta', 'iceberg', 'duckdb', 'polars', 'pandas'}
            Whose types the columns have, as in ``scan``.
        **options
            The protocol's parameters, and the reader options that ``scan`` lists.

        Returns
        -------
        pyarrow.Table
            Has ``arrow_schema``: ``message``, the fields of the header, a nullable struct per message,
            ``_corrupt_record`` and ``_corrupt_reason``; or the part of it that the options select.

        Raises
        ------
        OptionError
            If an option, a column or a parameter is unknown, or has a wrong value.
        DecodeError
            In mode ``FAILFAST``, at the first malformed record. Its ``offset`` is in bytes from the start of the
            capture.

        See Also
        --------
        decode_by_message : One table per message, decoded in one pass.
        scan : The same for captures larger than memory.

        Examples
        --------
        >>> from wireloom_protocols import couchbase_dcp
        >>> frame = couchbase_dcp.build({"vbucket": 3, "seqno_advanced": {"by_seqno": 7}})
        >>> couchbase_dcp.decode_columnar(frame + frame, columns=["vbucket", "seqno_advanced.by_seqno"]).to_pylist()
        [{'vbucket': 3, 'seqno_advanced': {'by_seqno': 7}}, {'vbucket': 3, 'seqno_advanced': {'by_seqno': 7}}]
        """
        if isinstance(buffer, str | os.PathLike):
            return self.scan(os.fspath(buffer), columns, mode=mode, types=types, **options).read_all()
        chosen = self._options(columns, mode, options)
        consumer = self._consumer(chosen, _types(chosen, types))
        try:
            found = captured(Decoder(self.protocol, chosen, consumer.decoded), buffer)
            return pa.Table.from_batches(map(consumer.given, map(_from_zero, found)), consumer.schema)
        except DecodeError as error:
            raise error.with_traceback(None) from None  # whose frames would keep a memory map from being closed

    def decode_by_message(
        self, buffer: Any, mode: str = Mode.FAILFAST, types: str = TableTypes.SPARK, **options: Any
    ) -> dict[str, pa.Table]:
        """Decode a capture once, into one table per message.

        Parameters
        ----------
        buffer : bytes, memory map, str, path-like, or list of paths
            The capture: its bytes, or the paths of what ``scan`` reads.
        mode : {'FAILFAST', 'PERMISSIVE', 'DROPMALFORMED'}
            What happens to a malformed record, as in ``decode_columnar``.
        types : {'spark', 'arrow', 'delta', 'iceberg', 'duckdb', 'polars', 'pandas'}
            Whose types the columns have, as in ``scan``.
        **options
            The protocol's parameters, and the reader options that ``scan`` lists, except ``message`` and ``columns``.

        Returns
        -------
        dict of str to pyarrow.Table
            By name of the message, in the order of ``messages``: a table for each message that occurs, and for each
            that the option ``messages`` names. Each is what ``decode_columnar`` gives with the option ``message``.
            Malformed records are in the table of their message. Those whose message is unknown are in the last table,
            ``no-message``, which has only the columns of the header.

        Raises
        ------
        OptionError, DecodeError
            As ``decode_columnar``.

        Examples
        --------
        >>> from wireloom_protocols import couchbase_dcp
        >>> rows = [{"message": "dcp_noop"}, {"seqno_advanced": {"by_seqno": 7}}]
        >>> tables = couchbase_dcp.decode_by_message(b"".join(map(couchbase_dcp.build, rows)))
        >>> {message: table.num_rows for message, table in tables.items()}
        {'dcp_noop': 1, 'seqno_advanced': 1}
        """
        from wireloom.columnar.by_message import NarrowDecoder, message_of

        chosen = self._options(None, mode, options)
        must_be_of_all_columns(chosen, "decode_by_message")
        kind = _types(chosen, types)
        consumers = cache(lambda name: self._consumer(narrow(chosen, name), kind))
        decoder = NarrowDecoder(self.protocol, chosen, lambda name: consumers(name).decoded)
        found: dict[str, list[pa.RecordBatch]] = {name: [] for name in chosen.messages or ()}
        try:
            for batch in self._read(decoder, buffer):
                name = message_of(batch)
                found.setdefault(name, []).append(consumers(name).given(_from_zero(batch)))
        except DecodeError as error:
            raise error.with_traceback(None) from None
        return {
            name: pa.Table.from_batches(found[name], consumers(name).schema)
            for name in (*self.protocol.messages, NO_MESSAGE)
            if name in found
        }

    def _read(self, decoder: Decoder, buffer: Any) -> Iterator[pa.RecordBatch]:
        """The batches of bytes or of a memory map, or of files."""
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
        types: str = TableTypes.SPARK,
        **options: Any,
    ) -> pa.RecordBatchReader:
        """Read files as a stream of Arrow batches, in the memory of a few batches however large the files are.

        Parameters
        ----------
        paths : str, path-like, or iterable of them
            Files, directories (with everything below them) and patterns (``*``, ``?``, ``[a-z]``, ``**``, ``{a,b}``),
            on any filesystem of fsspec (``s3://...``). Files ending in ``.gz``, ``.zst``, ``.xz`` or ``.bz2`` are
            decompressed. A file holds records end to end, or recorded packets (pcap, pcapng) that carry them over TCP
            or UDP.
        columns : iterable of str, optional
            The columns to decode, in this order; ``struct.field`` selects a field. Default: all columns.
        message : str, optional
            Give only records of this message, with its fields at the top level beside the header's.
        filters : iterable of tuple
            Conditions ``(column, operator, value)`` on ``message`` or an integer of the header, all of which must hold:
            ``("opcode", "=", 0x56)``. Operators are ``=``, ``<``, ``<=``, ``>``, ``>=`` and ``in``. Other records are
            skipped before they are decoded, and so are malformed ones, unless their header cannot be read.
        mode : {'FAILFAST', 'PERMISSIVE', 'DROPMALFORMED'}
            What happens to a malformed record. ``FAILFAST``, the default, raises; ``PERMISSIVE`` gives a row with
            ``_corrupt_record`` (its bytes), ``_corrupt_reason`` and what could be read; ``DROPMALFORMED`` leaves it
            out. In the last two modes the log of ``wireloom`` reports how many were malformed.
        types : {'spark', 'arrow', 'delta', 'iceberg', 'duckdb', 'polars', 'pandas'}
            The consumer whose types the columns have. ``spark``, the default, has no unsigned integers and no
            dictionaries; ``arrow`` has both: ``uint64`` in place of ``decimal128(20, 0)``, labels as dictionaries. The
            others have what that program keeps exactly.
        **options
            The protocol's parameters (``PROTOCOL.parameters``) and reader options, whose names are those of Spark:

            messages : list of str
                Give only records of these messages; their structs stay. Excludes ``message``.
            labels : bool, default True
                Whether there are columns with the names of enum values and flags, such as ``status_name``.
            positions : bool, default False
                Add ``_file``, ``_offset`` and ``_length``: where each record is, in bytes.
            columnNameOfCorruptRecord : str, default '_corrupt_record'
                The name of the column with the bytes of malformed records.
            maxRecordBytes : int, default 64 MiB
                Records that are longer, or claim to be, are malformed. At most 1 GiB.
            resync : {'chain', 'proof'}
                Where reading continues after damage: ``chain``, the default, also where records fit one after another;
                ``proof`` only where a checksum or a terminator identifies a record.
            u64 : {'declared', 'decimal', 'long'}
                The type of unsigned 64-bit integers: ``int64`` for those that the source document bounds below 2^63,
                else ``decimal128(20, 0)``; ``decimal`` or ``long`` for all. Values that do not fit ``int64`` make
                their record malformed.
            capture : {'auto', 'raw', 'pcap', 'pcapng'}
                What files hold. By default, their first bytes determine it.
            connections : bool, default False
                Add ``_time``, ``_connection``, ``_from_client`` and ``_gap_before``; null for records end to end.
            ports, hosts : list of int, list of str
                Read only packets from or to these server ports, or from or to these addresses or networks. By default,
                the ports that the protocol declares (``'all'`` for any), and all hosts.
            direction : {'both', 'client', 'server'}
                Whose packets to read.
            tunnels : bool, default False
                Read the packets inside tunnels (GRE, VXLAN, GENEVE, GTP-U, IP in IP) instead of the tunnels' own.
            rotated : bool, default False
                Treat the files, in the order of their names, as one recording whose connections continue across files.
            maxStreamBytes : int, default 64 MiB
                How many bytes of all connections may wait for missing packets, before those are given up as lost.

        Returns
        -------
        pyarrow.RecordBatchReader
            Rows in the order of the files and their records. The schema is ``arrow_schema``, or the part of it that the
            options select.

        Raises
        ------
        OptionError
            If an option, a column or a parameter is unknown, or has a wrong value; if a path has no files.
        DecodeError
            While batches are read in mode ``FAILFAST``: at the first malformed record. It names the file, and its
            ``offset`` is in bytes from the start of the file.
        OSError
            While batches are read: if a file cannot be read.

        Examples
        --------
        >>> from wireloom_protocols import couchbase_dcp
        >>> capture = "examples/captures/couchbase_dcp/session.bin"
        >>> reader = couchbase_dcp.scan(capture, columns=["vbucket", "by_seqno"], message="mutation", u64="long")
        >>> reader.schema.names
        ['vbucket', 'by_seqno']
        >>> reader.read_all().num_rows
        24

        Skip records by a field of their header, before they are decoded:

        >>> markers = couchbase_dcp.scan(capture, filters=[("opcode", "=", 0x56)], mode="DROPMALFORMED")
        >>> markers.read_all()["message"].unique().to_pylist()
        ['snapshot_marker']
        """
        told = options if message is None else {**options, "message": message}
        chosen = self._options(columns, mode, told)
        consumer, conditions = self._consumer(chosen, _types(chosen, types)), filters_of(filters, self.protocol)
        files = _paths(paths)
        found = _scanned(Decoder(self.protocol, chosen, consumer.decoded, conditions), files)
        return pa.RecordBatchReader.from_batches(consumer.schema, map(consumer.given, map(_from_zero, found)))

    def dataset(
        self, paths: str | Path | Iterable[str | Path], columns: Iterable[str] | None = None, **options: Any
    ) -> "CaptureDataset":
        """Read files as a dataset of pyarrow, as often as queries need them.

        DuckDB and Polars read from it only the columns that a query uses. A reader of ``scan`` can be read once.

        Parameters
        ----------
        paths, columns, **options
            As in ``scan``.

        Returns
        -------
        pyarrow.dataset.Dataset
            Its columns are those of ``scan``, with times in microseconds, since DuckDB has no functions for finer ones.
            It has ``schema``, ``scanner``, ``to_batches``, ``to_table``, ``head`` and ``count_rows``; all other methods
            raise ``NotImplementedError``.

        Raises
        ------
        OptionError
            As ``scan``.

        Examples
        --------
        >>> import duckdb
        >>> from wireloom_protocols import couchbase_dcp
        >>> frames = couchbase_dcp.dataset("examples/captures/couchbase_dcp/session.bin", mode="DROPMALFORMED")
        >>> duckdb.sql("select count(*) from frames where opcode = 86").fetchall()
        [(8,)]
        >>> duckdb.sql("select count(distinct vbucket) from frames").fetchall()
        [(4,)]
        """
        from wireloom.columnar.dataset import CaptureDataset

        files, known = _repeatable(paths), {name: _repeatable(value) for name, value in options.items()}
        return CaptureDataset(lambda names: self.scan(files, columns=names, **known), _repeatable(columns))

    def summary(
        self,
        paths: str | Path | Iterable[str | Path],
        message: str | None = None,
        filters: Iterable[Condition] = (),
        **options: Any,
    ) -> pa.Table:
        """Count the records of files and the damage in them, a row per file.

        Parameters
        ----------
        paths : str, path-like, or iterable of them
            Files, directories and patterns, as in ``scan``.
        message : str, optional
            Count only records of this message.
        filters : iterable of tuple
            Count only records for which these conditions hold, as in ``scan``.
        **options
            The protocol's parameters, and the reader options that ``scan`` lists. Those about columns have no effect.

        Returns
        -------
        pyarrow.Table
            A row per file, or one for all files if they are ``rotated``: ``_file``, ``kind``, ``records``,
            ``malformed``, ``malformed_bytes``, ``first_reason``, and what became of recorded packets (``packets``,
            ``read``, ``gaps``, ``missing_bytes``, ...), which is null for records end to end. ``damage`` says why a
            file could not be read to its end.

        Raises
        ------
        OptionError
            As ``scan``.
        OSError
            If a file cannot be read.

        Examples
        --------
        >>> from wireloom_protocols import couchbase_dcp
        >>> found = couchbase_dcp.summary("examples/captures/couchbase_dcp/session.bin")
        >>> found.select(["kind", "records", "malformed"]).to_pylist()
        [{'kind': 'raw', 'records': 49, 'malformed': 2}]
        """
        from wireloom.columnar import summaries

        told = options if message is None else {**options, "message": message}
        chosen, conditions = self._options(None, Mode.PERMISSIVE, told), filters_of(filters, self.protocol)

        def rows() -> Iterator[Row]:
            files = _paths(paths)
            if chosen.rotated:
                decoder = summaries.counting(self.protocol, chosen, conditions)
                yield summaries.of_packets(decoder, recordings(files, self.protocol.name, chosen))
                return
            for file in files:
                with opened(file, ahead=0) as stream:
                    yield summaries.of(summaries.counting(self.protocol, chosen, conditions), stream.readinto, file)

        return pa.Table.from_pylist(list(rows()), summaries.SCHEMA)

    def encode_columnar(
        self, table: pa.Table | pa.RecordBatchReader, capture: str = CaptureKind.RAW, **parameters: Any
    ) -> pa.Buffer:
        """Encode all rows of a table into one capture.

        Parameters
        ----------
        table : pyarrow.Table or pyarrow.RecordBatchReader
            Rows with the columns of ``decode_columnar``, or some of them, as in ``encode_records``.
        capture : {'raw', 'pcap', 'pcapng'}
            Whether to write the records end to end, the default, or a capture file of TCP packets that carry them. The
            packets follow the columns that the option ``connections`` adds, as far as the table has them.
        **parameters
            The protocol's parameters.

        Returns
        -------
        pyarrow.Buffer
            The bytes. A malformed row is written as its ``_corrupt_record``, so decoding in mode ``PERMISSIVE`` and
            encoding again gives the same bytes.

        Raises
        ------
        EncodeError
            For the first row that cannot be encoded; its ``row`` is the number of that row, from 0.
        OptionError
            If a parameter or ``capture`` has a wrong value.

        Examples
        --------
        >>> from wireloom_protocols import couchbase_dcp
        >>> frame = couchbase_dcp.build({"vbucket": 3, "seqno_advanced": {"by_seqno": 7}})
        >>> couchbase_dcp.encode_columnar(couchbase_dcp.decode_columnar(frame * 2)).to_pybytes() == frame * 2
        True
        """
        if (kind := written_kind(capture)) is not CaptureKind.RAW:
            return pa.py_buffer(b"".join(self._recorded(table, kind, parameters)))
        found = Growing(table.num_rows if isinstance(table, pa.Table) else 0)
        for part in self._encoded(table, parameters, found.room):
            found.add(part)
        return found.whole()

    def encode_records(self, table: pa.Table | pa.RecordBatchReader, **parameters: Any) -> pa.ChunkedArray:
        """Encode each row of a table into the bytes of its record.

        Parameters
        ----------
        table : pyarrow.Table or pyarrow.RecordBatchReader
            Rows of one capture, in order, with the columns of ``decode_columnar``, or some of them; not with those of
            the option ``message``. Label and position columns are ignored. Derived fields, such as lengths and
            checksums, may be missing.
        **parameters
            The protocol's parameters.

        Returns
        -------
        pyarrow.ChunkedArray of binary
            The record of each row, as ``build`` gives it.

        Raises
        ------
        EncodeError
            For the first row that cannot be encoded; its ``row`` is the number of that row, from 0.
        OptionError
            If a parameter has a wrong value.

        See Also
        --------
        encode_columnar : The same records end to end, as a capture.

        Examples
        --------
        >>> from wireloom_protocols import couchbase_dcp
        >>> frame = couchbase_dcp.build({"vbucket": 3, "seqno_advanced": {"by_seqno": 7}})
        >>> table = couchbase_dcp.decode_columnar(frame * 2)
        >>> couchbase_dcp.encode_records(table).to_pylist() == [frame, frame]
        True
        """
        return pa.chunked_array(self._encoded(table, parameters), pa.binary())

    def _encoded(
        self, table: pa.Table | pa.RecordBatchReader, parameters: Mapping[str, Any], room: Allocate = own_room
    ) -> Iterator[pa.Array]:
        from wireloom.columnar.encoding import Encoder

        encoder = Encoder(self.protocol, parameters, room=room)
        return (part for batch in self._batches(table) for part in encoder.parts(batch))

    def _batches(self, table: pa.Table | pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
        from wireloom.columnar.encoding import ended, gathered

        batches = table.to_batches() if isinstance(table, pa.Table) else table
        return ended(self.protocol, gathered(self.protocol, batches))

    def _recorded(
        self, table: pa.Table | pa.RecordBatchReader, kind: CaptureKind, parameters: Mapping[str, Any]
    ) -> Iterator[bytes]:
        from wireloom.columnar.packet_files import TrafficEncoder

        encoder = TrafficEncoder(self.protocol, parameters, kind)
        yield encoder.recorder.begin
        for batch in self._batches(table):
            yield from encoder.parts(batch)
        yield from encoder.recorder.end()

    def to_batches(self, rows: Iterable[Mapping[str, Any]], types: str = TableTypes.SPARK) -> pa.RecordBatchReader:
        """Convert rows of ``parse`` or ``iter_records`` into Arrow batches.

        Parameters
        ----------
        rows : iterable of mapping
            The rows. They are consumed as batches are read.
        types : {'spark', 'arrow', 'delta', 'iceberg', 'duckdb', 'polars', 'pandas'}
            Whose types the columns have, as in ``scan``.

        Returns
        -------
        pyarrow.RecordBatchReader
            The rows in batches of ``arrow_schema``, each of at most 8192 rows.

        Raises
        ------
        ValueError
            As batches are read, for a text that the dictionary of its column lacks.

        Examples
        --------
        >>> from wireloom_protocols import couchbase_dcp
        >>> frame = couchbase_dcp.build({"message": "dcp_noop"})
        >>> couchbase_dcp.to_batches(couchbase_dcp.iter_records(frame)).read_all()["message"].to_pylist()
        ['dcp_noop']
        """
        consumer = self._consumer(ReadOptions(), TableTypes.of(types))
        found = map(consumer.given, batches(rows, consumer.decoded))
        return pa.RecordBatchReader.from_batches(consumer.schema, found)

    def _consumer(self, options: ReadOptions, types: TableTypes) -> Consumer:
        """Who gets the table that ``options`` leave."""
        columns = View(self.protocol, options).columns
        known = self._consumers.get(types) if columns is self.protocol.columns else None
        if known is None:
            known = Consumer(columns, self.view(options, types))
            if columns is self.protocol.columns:
                self._consumers[types] = known
        return known

    def _options(self, columns: Iterable[str] | None, mode: str, options: Mapping[str, Any]) -> ReadOptions:
        if isinstance(columns, str):
            raise OptionError(f"columns must be a list of names, not {columns!r}")
        read = ReadOptions.of({"mode": mode, **options}, self.protocol.parameters, self.protocol.messages)
        return read if columns is None else read._replace(columns=tuple(columns))


def _types(options: ReadOptions, types: str) -> TableTypes:
    """The types of a table that ``options`` describe; a warning says what they do not keep. Raises ``OptionError``."""
    found = TableTypes.of(types)
    warn_of_losses(options, found)
    return found


def _paths(given: Any) -> list[str]:
    """The files that a path, or several, refer to."""
    paths = [given] if isinstance(given, str | os.PathLike) else given
    return [file.path for file in listed(map(str, paths))]


def _repeatable(given: Any) -> Any:
    """The same; what can be read only once as a list."""
    return list(given) if isinstance(given, Iterator) else given


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
    """The schema with ``comments`` as metadata of its fields, under the key that Spark also uses."""
    return pa.schema([_commented(field, field.name, comments) for field in schema])


def _commented(field: pa.Field, path: str, comments: Mapping[str, str]) -> pa.Field:
    told = comments.get(path)
    return pa.field(field.name, _inside(field.type, path, comments), metadata={"comment": told} if told else None)


def _inside(kind: pa.DataType, path: str, comments: Mapping[str, str]) -> pa.DataType:
    """The type with comments of the fields in it. The items of a list have the path of the list."""
    if pa.types.is_struct(kind):
        return pa.struct([_commented(field, f"{path}.{field.name}", comments) for field in kind])
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_inside(kind.value_type, path, comments)))
    return kind
