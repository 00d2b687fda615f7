"""From decoded columns to the requested table: columns from the files' paths, and wider types."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql.types import StructField, StructType

from wireloom.files import CaptureFile
from wireloom.options import OptionError, unknown
from wireloom.spark.listing import partition_of
from wireloom.spark.metadata import METADATA, metadata
from wireloom.spark.names import Resolver, rename_fields
from wireloom.spark.options import SourceOptions
from wireloom.spark.partitions import columns, value
from wireloom.spark.schemas import arrow_schema, decoded
from wireloom.views import beside, option_of


def offered(files: Iterable[CaptureFile], source: SourceOptions, taken: Iterable[str]) -> dict[str, StructField]:
    """The partition columns of files by name, and ``_metadata`` if it is requested.

    Raises ``OptionError`` if the name of one is ``taken`` by a column.
    """
    known = {name.lower() for name in taken}
    found = columns({file.path: partition_of(file, source) for file in files})
    for field in found:
        if field.name.lower() in known:
            raise OptionError(
                f"directories are called {field.name}=…, and records have a column {field.name}; "
                "recursiveFileLookup=true reads without partition columns"
            )
    return {field.name: field for field in (*found, *((METADATA,) if source.metadata else ()))}


@dataclass(frozen=True, slots=True)
class Added:
    """Those ``fields`` of a table's ``schema`` that are not columns of the protocol, which are called ``known``."""

    schema: StructType
    fields: tuple[StructField, ...]
    known: tuple[str, ...]
    source: SourceOptions
    resolver: Resolver

    def must_be_of(self, files: Sequence[CaptureFile]) -> None:
        """Raises ``OptionError`` if the files, should there be any, lack one of the columns."""
        if not self.fields or not files:
            return
        found = offered(files, self.source, ())
        for field in self.fields:
            if self.resolver.name(field.name, found) not in found:
                raise OptionError(self._missing(field.name, found))
            if self._is_metadata(field):
                known = StructType([METADATA])
                decoded(known, self.resolver.schema(StructType([field]), known))

    def _missing(self, name: str, found: Iterable[str]) -> str:
        """The message for a column that there is not, or not without an option."""
        option = "metadata" if name.lower() == METADATA.name else option_of(name.lower())
        return unknown("column", name, (*self.known, *found)) if option is None else beside(name, option)

    def values(self, file: CaptureFile, start: int = 0, stop: int | None = None) -> tuple[object, ...]:
        """What the fields are in the rows of a file, or of the part from ``start`` to ``stop``."""
        if not self.fields:
            return ()
        texts = partition_of(file, self.source)
        return tuple(
            self._metadata(field, metadata(file, start, stop))
            if self._is_metadata(field)
            else value(field, texts.get(self.resolver.name(field.name, texts)))
            for field in self.fields
        )

    def _metadata(self, field: StructField, found: Mapping[str, object]) -> dict[str, object]:
        """The fields of the column ``_metadata`` of a file, by name."""
        assert isinstance(field.dataType, StructType)
        return {name: found[self.resolver.name(name, found)] for name in field.dataType.names}

    def _is_metadata(self, field: StructField) -> bool:
        return self.source.metadata and self.resolver.name(field.name, (METADATA.name,)) == METADATA.name

    def onto(self, batches: Iterator[pa.RecordBatch], values: tuple[object, ...]) -> Iterator[pa.RecordBatch]:
        """Batches of the protocol's columns, in the order of the schema, as ones of the schema."""
        schema = arrow_schema(self.schema)
        scalars = {
            field.name: pa.scalar(value, schema.field(field.name).type)
            for field, value in zip(self.fields, values, strict=True)
        }
        for batch in batches:
            if batch.schema == schema:
                yield batch
                continue
            columns = iter(batch.columns)
            arrays = [
                pa.repeat(scalars[field.name], len(batch))
                if field.name in scalars
                else rename_fields(next(columns), field.type).cast(field.type)
                for field in schema
            ]
            yield pa.RecordBatch.from_arrays(arrays, schema=schema)
