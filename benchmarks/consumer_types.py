"""Tables with the natural types of Arrow beside those with Spark's: how fast they are made, and what they weigh."""

import io
from collections.abc import Iterator
from pathlib import Path

import captures
import pyarrow as pa
from in_process import Effort
from pyarrow.parquet import ParquetWriter
from report import Measured, Report, spread
from timing import alternating, middle

from wireloom.lakes import parquet_options
from wireloom_protocols import couchbase_dcp

SPARK, ARROW, LONGS = "spark", "arrow", "spark, u64=long"
_OPTIONS = {SPARK: {"types": "spark"}, ARROW: {"types": "arrow"}, LONGS: {"types": "spark", "u64": "long"}}


def tables(effort: Effort) -> Iterator[Report]:
    """A session, and the unsigned 64-bit numbers in it: as tables, and as files of Parquet."""
    data = Path(captures.session().capture("session.bin", records=effort.records).path).read_bytes()
    yield _report("A session of DCP, all columns", data, {}, "types_session", effort)
    numbers = {"message": "mutation", "columns": ["cas", "rev_seqno"]}
    yield _report("Its unsigned 64-bit numbers", data, numbers, "types_u64", effort)


def _report(title: str, data: bytes, chosen: dict[str, object], target: str, effort: Effort) -> Report:
    made = {name: couchbase_dcp.decode_columnar(data, **chosen, **options) for name, options in _OPTIONS.items()}
    decode = {
        name: lambda options=options: couchbase_dcp.decode_columnar(data, **chosen, **options)
        for name, options in _OPTIONS.items()
    }
    decoded = dict(zip(decode, alternating(decode, effort.rounds, effort.least), strict=True))
    write = {name: lambda table=table: _parquet(table) for name, table in made.items()}
    written = dict(zip(write, alternating(write, effort.rounds, effort.least), strict=True))
    rows, reached = [], ()
    for name, table in made.items():
        over, faster = decoded[SPARK].over(decoded[name]), written[SPARK].over(written[name])
        size = table.get_total_buffer_size() / table.num_rows
        cells = [f"{each.value:.2f} {spread(each.spread)}".rstrip() for each in (over, faster)]
        rows.append((name, cells[0], f"{size:,.0f}", cells[1], f"{_parquet(table) / table.num_rows:,.1f}"))
    beside = decoded[SPARK if target == "types_session" else LONGS].over(decoded[ARROW])
    weight = made[ARROW].get_total_buffer_size() / made[SPARK].get_total_buffer_size()
    reached = (Measured(target, False, beside), Measured(f"{target}_bytes", False, middle([weight])))
    columns = ("types", "rate × spark", "bytes a row", "Parquet: rate × spark", "bytes a row")
    times = {f"{title}: {name}": each.shared(made[name].num_rows).seconds for name, each in decoded.items()}
    caption = f"{made[SPARK].num_rows:,} rows. Bytes are those of the buffers that a table refers to."
    return Report(title, columns, tuple(rows), caption, rows, times, reached)


def _parquet(table: pa.Table) -> int:
    """Write a table as Parquet; how many bytes it has. Parquet has no structs without fields."""
    kept = [field.name for field in table.schema if not (pa.types.is_struct(field.type) and not field.type.num_fields)]
    some, sink = table.select(kept), io.BytesIO()
    with ParquetWriter(sink, some.schema, **parquet_options(some.schema)) as writer:
        writer.write_table(some)
    return sink.tell()
