#!/usr/bin/env bash
# Guess: DuckDB returns a duration that it has read from Arrow, or raises if its interval type for Arrow cannot hold it.
# What happens: durations come back as month_day_nano intervals with all of their time in the 64-bit nanoseconds, although the type also has
#   days. From 292 years on these wrap around: 10^16 microseconds come back as a negative interval, and inside DuckDB the value is right.
# Versions: duckdb 2.0.0, pyarrow 26.0.1.
# Why it matters: "no limit" and uninitialised fields are large numbers of microseconds; a copy through DuckDB changes them in silence.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pyarrow==26.0.1 duckdb==2.0.0
echo "guess: the same duration, as days and nanoseconds, or an error"
venv/bin/python - <<'PYTHON'
import sys

import duckdb
import pyarrow as pa

rows = pa.table({"d": pa.array([9 * 10**15, 10**16], pa.duration("us"))})
inside = [row[0] for row in duckdb.sql("select epoch_us(d) from rows").fetchall()]
back = [tuple(each) for each in duckdb.sql("select d from rows").to_arrow_table()["d"].to_pylist()]
print(f"duckdb {duckdb.__version__}: microseconds inside {inside}, (months, days, nanoseconds) back {back}")
sys.exit((inside, back) != ([9 * 10**15, 10**16], [(0, 0, 9 * 10**18), (0, 0, 10**19 - 2**64)]))
PYTHON
