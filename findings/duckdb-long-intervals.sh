#!/usr/bin/env bash
# Guess: an INTERVAL of DuckDB leaves it as Arrow with its value, or fails if Arrow cannot have it.
# What happens: DuckDB counts microseconds, Arrow's month_day_nano_interval nanoseconds, and the product overflows: an interval of more
#   than 292 years, which DuckDB shows and compares rightly, becomes a negative or a small one. DuckDB takes Arrow's duration[us] as
#   INTERVAL, so such values are changed on their way through it.
# Versions: duckdb 2.0.0, pyarrow 26.0.1.
# Why it matters: a clock that was never set is decades or centuries off, and open ends are the largest number; no error is raised.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check duckdb==2.0.0 pyarrow==26.0.1
echo "guess: 300 years of hours come back, or an error"
venv/bin/python - <<'PYTHON'
import sys

import duckdb
import pyarrow as pa

hours = 300 * 365 * 24
connection = duckdb.connect()
connection.register("rows", pa.table({"d": pa.array([hours * 3_600_000_000], pa.duration("us"))}))
((inside,),) = connection.sql("select d::varchar from rows").fetchall()
(value,) = connection.sql("select d from rows").to_arrow_table()["d"].to_pylist()
print(f"duckdb {duckdb.__version__}: {hours} hours are {inside} inside, and {value} as Arrow")
exact = hours * 3600 * 10**9
sys.exit((inside, value.nanoseconds) != (f"{hours}:00:00", exact - 2**64))
PYTHON
