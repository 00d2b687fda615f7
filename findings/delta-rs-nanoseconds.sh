#!/usr/bin/env bash
# Guess: DeltaTable.create with a schema of Arrow gives a table that deltalake itself reads, as write_deltalake of the same data does.
# What happens: write_deltalake cuts timestamp[ns] to microseconds; DeltaTable.create keeps nanoseconds as the table feature
#   timestampNanos, which to_pyarrow_table refuses to read. So the usual way to prepare a table for merges makes one that cannot be read.
# Versions: deltalake 1.6.6, pyarrow 26.0.1.
# Why it matters: packets and CDC events have times in nanoseconds, and pandas has had no other for long.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check deltalake==1.6.6 pyarrow==26.0.1
echo "guess: both tables can be read by to_pyarrow_table"
venv/bin/python - <<'PYTHON'
import sys

import deltalake
import pyarrow as pa
from deltalake import DeltaTable, write_deltalake

rows = pa.table({"time": pa.array([1], pa.timestamp("ns", "UTC"))})
write_deltalake("written", rows)
DeltaTable.create("created", schema=rows.schema)
seen = {}
for name in ("written", "created"):
    try:
        seen[name] = str(DeltaTable(name).to_pyarrow_table().schema.field("time").type)
    except Exception as error:
        seen[name] = f"{type(error).__name__}: {error}"
print(f"deltalake {deltalake.__version__}: {seen}")
sys.exit(seen["written"] != "timestamp[us, tz=UTC]" or "timestampNanos" not in seen["created"])
PYTHON
