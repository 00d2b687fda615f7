"""From what is decoded to the table that was asked for: columns that rows have from their file's path, wider types."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
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
