"""The floor of Spark: what it takes when nothing is decoded. Ready-made batches, read again and again, from a file.

``FloorSource`` yields them as a data source does, and writes as many bytes as are wanted of what it is given;
``ready`` gives them as the result of a function of a column. Workers import this module by name.
"""

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from uuid import uuid4

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column
from pyspark.sql.datasource import (
    DataSource,
    DataSourceArrowWriter,
    DataSourceReader,
    InputPartition,
    WriterCommitMessage,
)
from pyspark.sql.functions import arrow_udf
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType


def prepare(table: pa.Table, schema: StructType, path: Path) -> Path:
    """Write ``table`` as one batch of those columns that ``schema`` has, as Spark wants them."""
    wanted = to_arrow_schema(schema, timezone="UTC")
    arrays = [_narrowed(table.column(field.name).combine_chunks(), field.type) for field in wanted]
    with pa.ipc.new_file(str(path), wanted) as file:
        file.write_batch(pa.RecordBatch.from_arrays(arrays, schema=wanted))
    return path


def _narrowed(array: pa.Array, kind: pa.DataType) -> pa.Array:
    """The array without the fields of structs that ``kind`` does not have."""
    if not pa.types.is_struct(kind):
        return array.cast(kind)
    if not kind.num_fields:
        return array
    fields = list(kind)
    arrays = [_narrowed(pc.struct_field(array, field.name), field.type) for field in fields]
    return pa.StructArray.from_arrays(arrays, fields=fields, mask=array.is_null())


@lru_cache
def _batch(path: str) -> pa.RecordBatch:
    with pa.memory_map(path) as file:
        return pa.ipc.open_file(file).get_batch(0)


@lru_cache
def _structs(path: str, least: int) -> pa.Array:
    one = _batch(path).to_struct_array()
    return pa.concat_arrays([one] * -(-least // len(one)))


def ready(column: str, path: Path, schema: StructType) -> Column:
    """A column of ready-made structs, as many as ``column`` has values."""
    name = str(path)

    def give(values: pa.Array) -> pa.Array:
        return _structs(name, max(len(values), 10_000))[: len(values)]

    return arrow_udf(give, returnType=schema)(column)


class FloorSource(DataSource):
    """``rows`` rows in ``partitions`` partitions, of the batch in ``path``, which is of ``schema``, JSON."""

    @classmethod
    def name(cls) -> str:
        return "floor"

    def schema(self) -> StructType:
        return StructType.fromJson(json.loads(self.options["schema"]))

    def reader(self, schema: StructType) -> DataSourceReader:
        return FloorReader(self.options["path"], int(self.options["rows"]), int(self.options["partitions"]))

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceArrowWriter:
        return FloorWriter(self.options["path"], float(self.options["row_bytes"]))


@dataclass(frozen=True, slots=True)
class Share(InputPartition):
    """So many rows."""

    rows: int


class FloorReader(DataSourceReader):
    """Yields the same batch until it is enough."""

    def __init__(self, path: str, rows: int, partitions: int) -> None:
        self.path = path
        self.rows = rows
        self.count = partitions

    def partitions(self) -> list[InputPartition]:
        ends = [self.rows * number // self.count for number in range(self.count + 1)]
        return [Share(end - start) for start, end in itertools.pairwise(ends)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, Share)
        batch, left = _batch(self.path), partition.rows
        while left > 0:
            yield batch[:left] if left < batch.num_rows else batch
            left -= batch.num_rows


class FloorWriter(DataSourceArrowWriter):
    """Writes each task's rows to a file in ``folder``: so many bytes a row, whatever is in it."""

    def __init__(self, folder: str, row_bytes: float) -> None:
        self.folder = Path(folder)
        self.row_bytes = row_bytes

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        self.folder.mkdir(exist_ok=True)
        with (self.folder / str(uuid4())).open("wb") as file:
            for batch in iterator:
                file.write(_octets(round(len(batch) * self.row_bytes)))
        return WriterCommitMessage()


@lru_cache
def _octets(count: int) -> bytes:
    return b"\x80" * count
