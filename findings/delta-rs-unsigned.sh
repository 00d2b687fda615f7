#!/usr/bin/env bash
# Guess: Delta has no unsigned integers, so write_deltalake widens a column of uint8 to 16 bits, as Spark does for such Parquet files, or
#   refuses it.
# What happens: the column becomes a byte, of the same width. Rows are written and read as long as no value is above 127; the first one
#   that is fails in the append that brings it, and the type of the table cannot be changed by then.
# Versions: deltalake 1.6.6, pyarrow 26.0.1.
# Why it matters: lengths, flags and counters of protocols are unsigned. A pipeline that has worked for weeks fails on a valid value.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check deltalake==1.6.6 pyarrow==26.0.1
echo "guess: a short, or an error about the type"
venv/bin/python - <<'PYTHON'
import sys

import deltalake
import pyarrow as pa
from deltalake import DeltaTable, write_deltalake

write_deltalake("table", pa.table({"n": pa.array([1, 127], pa.uint8())}))
kind = DeltaTable("table").schema().fields[0].type.type
try:
    write_deltalake("table", pa.table({"n": pa.array([128], pa.uint8())}), mode="append")
    appended = "written"
except Exception as error:
    appended = type(error).__name__
read = DeltaTable("table").to_pyarrow_table()["n"].to_pylist()
print(f"deltalake {deltalake.__version__}: a column of type {kind} with {read}; 128: {appended}")
sys.exit((kind, read, appended) != ("byte", [1, 127], "DeltaError"))
PYTHON
