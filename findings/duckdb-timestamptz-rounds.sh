#!/usr/bin/env bash
# Guess: a cast of a time with nanoseconds to one with microseconds cuts it, as Polars and Spark do.
# What happens: DuckDB rounds to the nearest microsecond, so the last 500 ns of a year are in the next one.
#   No function but epoch_ns takes TIMESTAMPTZ_NS (date_trunc, year, epoch_us and subtraction are binder errors), so the cast is what people write.
# Versions: duckdb 2.0.0, pyarrow 26.0.1.
# Why it matters: packets have nanoseconds; grouped by day, month or year they move to the next. make_timestamptz(epoch_ns(t) // 1000) cuts.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pyarrow==26.0.1 duckdb==2.0.0
echo "guess: 2024-12-31 23:59:59.9999996 stays in 2024"
venv/bin/python - <<'PYTHON'
import sys

import duckdb
import pyarrow as pa

connection = duckdb.connect()
connection.sql("set timezone = 'UTC'")
connection.register("rows", pa.table({"t": pa.array([1735689599999999600], pa.timestamp("ns", "UTC"))}))
(row,) = connection.sql("select typeof(t), year(t::timestamptz), year(make_timestamptz(epoch_ns(t) // 1000)) from rows").fetchall()
print(f"duckdb {duckdb.__version__}: type {row[0]}, year by the cast {row[1]}, by epoch_ns {row[2]}")
sys.exit(row[1:] != (2025, 2024))
PYTHON
