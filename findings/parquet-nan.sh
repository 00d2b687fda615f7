#!/usr/bin/env bash
# Guess: DuckDB finds a NaN in a Parquet file as it does in the same table in memory.
# What happens: statistics of Parquet leave NaN out, as its specification wants. DuckDB takes NaN for the greatest number, and still
#   answers by these statistics: x > 5, isnan(x) and max(x) do not see it.
# Versions: pyarrow 26.0.1, duckdb 2.0.0.
# Why it matters: NaN is what instruments write for 'not measured'. A query that looks for it says that there is none.
#   ParquetWriter(..., write_statistics=[columns that are no floats]) helps.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pyarrow==26.0.1 duckdb==2.0.0
echo "guess: isnan(x) counts 1, in the table and in its file"
venv/bin/python - <<'PYTHON'
import sys

import duckdb
import pyarrow as pa
from pyarrow import parquet

rows = pa.table({"x": [0.5, 1.0, float("nan")]})
parquet.write_table(rows, "t.parquet")
where = ["isnan(x)", "x > 5"]
connection = duckdb.connect()
connection.register("memory", rows)


def ask(source):
    counts = [connection.sql(f"select count(*) from {source} where {each}").fetchall()[0][0] for each in where]
    return counts, str(connection.sql(f"select max(x) from {source}").fetchall()[0][0])


memory, file = ask("memory"), ask("'t.parquet'")
print(f"duckdb {duckdb.__version__}, pyarrow {pa.__version__}: {where} and max(x) in memory {memory}, in Parquet {file}")
sys.exit((memory, file) != (([1, 1], "nan"), ([0, 0], "1.0")))
PYTHON
