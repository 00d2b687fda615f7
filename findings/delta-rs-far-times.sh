#!/usr/bin/env bash
# Guess: a time that was written to a Delta table is found by its value, whichever year it is in.
# What happens: the log of a Delta table keeps the greatest time of a file in whole milliseconds, so that readers have to add one.
#   deltalake does so in a float of 64 bits, and from 2^56 microseconds after 1970 on, in the year 4253, the millisecond is lost for one
#   file in four to eight: rows with microseconds in the last millisecond of their file are not found. Earlier times are.
# Versions: deltalake 1.6.6, pyarrow 26.0.1.
# Why it matters: damaged captures and open ends have such times, and they are what one looks for. No error is raised.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check deltalake==1.6.6 pyarrow==26.0.1
echo "guess: each of the three times is found once"
venv/bin/python - <<'PYTHON'
import sys
from datetime import UTC, datetime

import deltalake
import pyarrow as pa
from deltalake import DeltaTable, write_deltalake

found = []
for number, year in enumerate((2389, 4389, 9137)):
    time = datetime(year, 4, 10, 5, 46, 7, 721405, UTC) if year < 9000 else datetime(year, 5, 16, 20, 2, 24, 82707, UTC)
    write_deltalake(f"t{number}", pa.table({"time": pa.array([time], pa.timestamp("us", "UTC"))}))
    found.append(DeltaTable(f"t{number}").to_pyarrow_table(filters=[("time", "=", time)]).num_rows)
print(f"deltalake {deltalake.__version__}: of the years 2389, 4389 and 9137, found {found}")
sys.exit(found != [1, 0, 0])
PYTHON
