"""Parquet files and Delta tables whose statistics are exact, so that readers find every row that is there.

Readers skip files by the least and greatest value of a column, which are inexact for some types: Parquet files leave
NaN out, and delta-rs calculates with decimals and times as floats. Such columns have no statistics here
(docs/decisions/0099).
"""

import logging
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from wireloom.extras import needed

with needed("wireloom.lakes", "arrow"):
    import pyarrow as pa
    from pyarrow import parquet

if TYPE_CHECKING:
    from deltalake import DeltaTable, WriterProperties
    from deltalake.table import TableMerger

STATISTICS_COLUMNS = "delta.dataSkippingStatsColumns"
"""The property of a Delta table that names the columns with statistics."""

_log = logging.getLogger("wireloom")


class ArrowStream(Protocol):
    """Batches in Arrow's C stream interface: tables and readers of pyarrow, Polars, DuckDB and others."""

    def __arrow_c_stream__(self, requested_schema: object | None = None, /) -> object:
        """The batches, in Arrow's C stream interface."""
        ...


def parquet_options(schema: pa.Schema) -> dict[str, Any]:
    """Arguments for Parquet writers of pyarrow that keep filters from missing rows.

    Floating-point columns get no statistics, which would leave NaN out, and no dictionary, in which Spark does not find
    0.0 for -0.0.

    Parameters
    ----------
    schema : pyarrow.Schema
        The schema of the table that is written.

    Returns
    -------
    dict
        Keyword arguments of ``pyarrow.parquet.ParquetWriter`` and ``write_table``; empty if there are no such columns.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from wireloom.lakes import parquet_options
    >>> parquet_options(pa.schema({"id": pa.int64(), "latitude": pa.float64()}))
    {'write_statistics': ['id'], 'use_dictionary': ['id']}
    """
    if not any(map(_has_floats, schema.types)):
        return {}
    file = pa.BufferOutputStream()
    parquet.write_table(pa.Table.from_batches([], schema), file)
    leaves = parquet.ParquetFile(pa.BufferReader(file.getvalue())).schema
    exact = [leaf.path for leaf in leaves if not _is_floating(leaf)]
    return {"write_statistics": exact, "use_dictionary": exact}


def delta_properties(schema: pa.Schema) -> dict[str, str]:
    """Table properties that limit the statistics of a Delta table to columns whose statistics are exact.

    Parameters
    ----------
    schema : pyarrow.Schema
        The schema of the table.

    Returns
    -------
    dict of str to str
        The property ``delta.dataSkippingStatsColumns``.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from wireloom.lakes import delta_properties
    >>> delta_properties(pa.schema({"id": pa.int64(), "latitude": pa.float64()}))
    {'delta.dataSkippingStatsColumns': 'id'}
    """
    names = (field.name for field in schema if _is_exact(field.type))
    return {STATISTICS_COLUMNS: ",".join(map(_quoted, names))}


def delta_writer_properties(schema: pa.Schema) -> "WriterProperties | None":
    """How delta-rs is to write the Parquet files of a Delta table, so that filters miss no rows.

    ``DeltaTable.delete``, ``update`` and ``optimize`` also write files, and take the result as ``writer_properties``.

    Parameters
    ----------
    schema : pyarrow.Schema
        The schema of the table.

    Returns
    -------
    deltalake.WriterProperties or None
        None, the defaults of delta-rs, if there are no floating-point columns.
    """
    if not any(map(_has_floats, schema.types)):
        return None
    with needed("delta_writer_properties", "delta"):
        from deltalake import ColumnProperties, WriterProperties
    # The default is for columns inside of structs, whose names delta-rs does not know.
    unnamed = ColumnProperties(statistics_enabled="NONE")
    exact = ColumnProperties(statistics_enabled="PAGE")
    floating = ColumnProperties(statistics_enabled="NONE", dictionary_enabled=False)
    return WriterProperties(
        default_column_properties=unnamed,
        column_properties={field.name: exact for field in schema if _is_exact(field.type)}
        | {field.name: floating for field in schema if pa.types.is_floating(field.type)},
    )


def write_delta(path: str | Path, data: ArrowStream, **options: Any) -> None:
    """Write to a Delta table, which is created if it does not exist, with exact statistics.

    Times with nanoseconds are cut to microseconds, the unit of Delta.

    Parameters
    ----------
    path : str or pathlib.Path
        The table.
    data : ArrowStream
        The rows, such as the reader of ``scan``, which are written batch by batch.
    **options
        Arguments of ``deltalake.write_deltalake``, such as ``mode``, ``partition_by`` and ``storage_options``.

    Raises
    ------
    ModuleNotFoundError
        If deltalake is not installed; the extra ``delta`` has it.

    Notes
    -----
    A warning in the log names columns for which an existing table has inexact statistics.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> from wireloom.lakes import write_delta
    >>> from wireloom_protocols import databus
    >>> table = mkdtemp()
    >>> write_delta(table, databus.scan("examples/captures/databus", message="dbus_event", mode="DROPMALFORMED"))
    """
    with needed("write_delta", "delta"):
        from deltalake import DeltaTable, write_deltalake
    rows = _in_microseconds(pa.RecordBatchReader.from_stream(data))
    storage, schema = options.get("storage_options"), rows.schema
    options["configuration"] = delta_properties(schema) | (options.get("configuration") or {})
    if DeltaTable.is_deltatable(str(path), storage):
        table = DeltaTable(path, storage_options=storage)
        schema = _schema_after(table, schema, options.get("schema_mode"))
        _keep_exact(table, schema)
    options.setdefault("writer_properties", delta_writer_properties(schema))
    write_deltalake(path, rows, **options)


def merge_delta(
    path: str | Path,
    data: ArrowStream,
    predicate: str,
    *,
    storage_options: Mapping[str, str] | None = None,
    **options: Any,
) -> "TableMerger":
    """Merge rows into a Delta table, which is created if it does not exist, with exact statistics.

    Parameters
    ----------
    path : str or pathlib.Path
        The table.
    data : ArrowStream
        The rows. Times with nanoseconds are cut to microseconds.
    predicate : str
        The condition of the merge, as in ``DeltaTable.merge``.
    storage_options : mapping, optional
        Options of the storage backend.
    **options
        Further arguments of ``DeltaTable.merge``, such as ``source_alias`` and ``target_alias``.

    Returns
    -------
    deltalake.table.TableMerger
        The merge. Add its clauses (``when_matched_update_all`` and so on) and call ``execute``.
    """
    with needed("merge_delta", "delta"):
        from deltalake import DeltaTable
    rows = _in_microseconds(pa.RecordBatchReader.from_stream(data))
    storage = dict(storage_options) if storage_options else None
    made = delta_properties(rows.schema)
    table = DeltaTable.create(path, rows.schema, mode="ignore", configuration=made, storage_options=storage)
    schema = _schema_after(table, rows.schema, "merge" if options.get("merge_schema") else None)
    _keep_exact(table, schema)
    options.setdefault("writer_properties", delta_writer_properties(schema))
    return table.merge(rows, predicate, **options)


def _schema_after(table: "DeltaTable", rows: pa.Schema, schema_mode: str | None) -> pa.Schema:
    """The schema of a table after rows of a schema are written to it in this mode of delta-rs."""
    if schema_mode == "overwrite":
        return rows
    schema = _schema(table)
    return pa.schema([*schema, *(field for field in rows if schema_mode == "merge" and field.name not in schema.names)])


def _keep_exact(table: "DeltaTable", after: pa.Schema) -> None:
    """Keep the statistics of a table exact, also with the schema that it has after a write.

    Columns that its property names lose their statistics if the write makes them inexact. If they are inexact already,
    that was somebody's decision, and a warning names them.
    """
    exact = delta_properties(after)
    names = table.metadata().configuration.get(STATISTICS_COLUMNS)
    if names is None:
        table.alter.set_table_properties(exact)
        return
    listed = {_unquoted(part.strip()): part for part in re.findall(r"(?:`[^`]*`|[^,`])+", names)}
    inexact = _inexact(after) & listed.keys()
    wanted = inexact & _inexact(_schema(table))
    if inexact > wanted:
        kept = (part for name, part in listed.items() if name not in inexact - wanted)
        table.alter.set_table_properties({STATISTICS_COLUMNS: ",".join(kept)})
    if wanted:
        _log.warning(
            "%s: filters on %s may miss rows, because the statistics of these columns are inexact; set %s to %r",
            table.table_uri,
            ", ".join(sorted(wanted)),
            STATISTICS_COLUMNS,
            exact[STATISTICS_COLUMNS],
        )


def _schema(table: "DeltaTable") -> pa.Schema:
    return pa.schema(table.schema().to_arrow())


def _inexact(schema: pa.Schema) -> set[str]:
    return {field.name for field in schema if not _is_exact(field.type)}


def _in_microseconds(rows: pa.RecordBatchReader) -> pa.RecordBatchReader:
    """Rows whose times are cut to microseconds: delta-rs makes tables with nanoseconds that its own readers refuse."""
    schema = pa.schema(map(_cut, rows.schema), rows.schema.metadata)
    if schema == rows.schema:
        return rows
    _log.warning("Delta Lake has no nanoseconds, so times are cut to microseconds")
    return pa.RecordBatchReader.from_batches(schema, (batch.cast(schema, safe=False) for batch in rows))


def _cut(field: pa.Field) -> pa.Field:
    kind = field.type
    if pa.types.is_timestamp(kind) and kind.unit == "ns":
        return field.with_type(pa.timestamp("us", kind.tz))
    if pa.types.is_struct(kind):
        return field.with_type(pa.struct(list(map(_cut, kind))))
    return field.with_type(pa.list_(_cut(kind.value_field))) if pa.types.is_list(kind) else field


def _is_exact(kind: pa.DataType) -> bool:
    """Whether the statistics of a column in a Delta table are exact."""
    types = pa.types
    tests = (types.is_integer, types.is_boolean, types.is_string, types.is_large_string, types.is_date)
    return any(test(kind) for test in tests)


def _is_floating(leaf: Any) -> bool:
    return leaf.physical_type in ("FLOAT", "DOUBLE") or leaf.logical_type.type == "FLOAT16"


def _has_floats(kind: pa.DataType) -> bool:
    """Whether a type is floating-point, or contains such a type."""
    inner = (kind.field(index).type for index in range(kind.num_fields))
    return pa.types.is_floating(kind) or any(map(_has_floats, inner))


def _quoted(name: str) -> str:
    return name if re.fullmatch(r"\w+", name) else "`" + name.replace("`", "``") + "`"


def _unquoted(name: str) -> str:
    return name[1:-1].replace("``", "`") if re.fullmatch("`.*`", name) else name
