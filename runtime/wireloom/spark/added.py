"""From what is decoded to the table that was asked for: columns that rows have from their file's path, wider types."""

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import (
    EqualNullSafe,
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsNotNull,
    IsNull,
    LessThan,
    LessThanOrEqual,
)
from pyspark.sql.types import StructField, StructType

from wireloom.files import CaptureFile
from wireloom.options import OptionError, unknown
from wireloom.spark.listing import partition_of
from wireloom.spark.metadata import METADATA, metadata
from wireloom.spark.options import SourceOptions
from wireloom.spark.partitions import columns, value
from wireloom.spark.schemas import arrow_schema, decoded


def offered(files: Iterable[CaptureFile], source: SourceOptions, taken: Iterable[str]) -> dict[str, StructField]:
    """The partition columns of files by name, and ``_metadata`` if it is asked for.

    Raises ``OptionError`` if the name of one is ``taken`` by a column.
    """
    known = {name.lower() for name in taken}
    found = columns({file.path: partition_of(file, source) for file in files})
    for field in found:
        if field.name.lower() in known:
            raise OptionError(
                f"directories are called {field.name}=…, and records have a column {field.name}: "
                "with recursiveFileLookup=true there are no partition columns"
            )
    return {field.name: field for field in (*found, *((METADATA,) if source.metadata else ()))}


@dataclass(frozen=True, slots=True)
class Added:
    """Those ``fields`` of a table's ``schema`` that are not columns of the protocol, which are called ``known``."""

    schema: StructType
    fields: tuple[StructField, ...]
    known: tuple[str, ...]
    source: SourceOptions

    def must_be_of(self, files: Sequence[CaptureFile]) -> None:
        """Raises ``OptionError`` if the files, should there be any, lack one of the columns."""
        if not self.fields or not files:
            return
        found = offered(files, self.source, ())
        for field in self.fields:
            if field.name not in found:
                raise OptionError(unknown("column", field.name, (*self.known, *found)))
            if self._is_metadata(field):
                decoded(StructType([METADATA]), StructType([field]))

    def values(self, file: CaptureFile, start: int = 0, stop: int | None = None) -> tuple[object, ...]:
        """What the fields are in the rows of a file, or of the part from ``start`` to ``stop``."""
        if not self.fields:
            return ()
        texts = partition_of(file, self.source)
        return tuple(
            metadata(file, start, stop) if self._is_metadata(field) else value(field, texts.get(field.name))
            for field in self.fields
        )

    def _is_metadata(self, field: StructField) -> bool:
        return self.source.metadata and field.name == METADATA.name

    def onto(self, batches: Iterator[pa.RecordBatch], values: tuple[object, ...]) -> Iterator[pa.RecordBatch]:
        """Batches of the protocol's columns as ones of the whole schema, with its types."""
        schema = arrow_schema(self.schema)
        scalars = {
            field.name: pa.scalar(value, schema.field(field.name).type)
            for field, value in zip(self.fields, values, strict=True)
        }
        for batch in batches:
            if batch.schema == schema:
                yield batch
                continue
            arrays = [
                pa.repeat(scalars[field.name], len(batch))
                if field.name in scalars
                else batch.column(field.name).cast(field.type)
                for field in schema
            ]
            yield pa.RecordBatch.from_arrays(arrays, schema=schema)

    def may_hold(self, file: CaptureFile, filters: Iterable[Filter]) -> bool:
        """Whether rows of a file may be what a query's filters want, by its partition columns."""
        values = dict(zip((field.name for field in self.fields), self.values(file), strict=True))
        for filter in filters:
            name, *inner = getattr(filter, "attribute", ("",))
            if not inner and name in values and not _holds(filter, values[name]):
                return False
        return True


def _holds(filter: Filter, value: Any) -> bool:
    """Whether a filter holds for the value of its column; true of one that is not known here."""
    match filter:
        case IsNull():
            return value is None
        case IsNotNull():
            return value is not None
        case EqualNullSafe(value=wanted):
            return bool(value == wanted)
        case In(value=wanted):
            return value is not None and value in wanted
    order = _ORDERS.get(type(filter))
    return order is None or (value is not None and order(value, filter.value))  # type: ignore[attr-defined]


_ORDERS: dict[type, Callable[[Any, Any], bool]] = {
    EqualTo: operator.eq,
    GreaterThan: operator.gt,
    GreaterThanOrEqual: operator.ge,
    LessThan: operator.lt,
    LessThanOrEqual: operator.le,
}
