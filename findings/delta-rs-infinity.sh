#!/usr/bin/env bash
# Guess: in a Delta table with a column of floats, a filter on an ordinary value finds its rows, whatever else the file has.
# What happens: delta-rs writes the greatest value of a file as null if it is infinity (JSON has no such number), and
#   to_pyarrow_dataset and to_pyarrow_table(filters=...) take a null end for a column that is all null. So one infinity hides every
#   row of its file from filters on that column.
# Versions: deltalake 1.6.6, pyarrow 26.0.1.
# Why it matters: sensors and telemetry (MAVLink, for one) say 'unknown' or 'overflow' by infinity, and rows are lost without an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check deltalake==1.6.6 pyarrow==26.0.1
echo "guess: x = 1.0 finds the one row that has it, beside an infinity"
venv/bin/python - <<'PYTHON'
import sys

import deltalake
import pyarrow as pa
from deltalake import DeltaTable, write_deltalake

found = {}
for name, values in {"finite": [1.0, 2.0], "infinite": [1.0, float("inf")]}.items():
    write_deltalake(name, pa.table({"x": values}))
    found[name] = DeltaTable(name).to_pyarrow_table(filters=[("x", "=", 1.0)]).num_rows
print(f"deltalake {deltalake.__version__}: rows with x = 1.0 found {found}")
sys.exit(found != {"finite": 1, "infinite": 0})
PYTHON
