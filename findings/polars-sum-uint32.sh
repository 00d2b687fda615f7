#!/usr/bin/env bash
# Guess: a sum of 32-bit integers is a 64-bit one, as in pyarrow, DuckDB and pandas, or fails if it does not fit.
# What happens: Polars keeps 32 bits and starts again from 0, in select and in group_by, while it widens integers of 8 and 16 bits to 64.
#   A cast before the sum helps.
# Versions: polars 2.1.0, pyarrow 26.0.1.
# Why it matters: lengths of packets and counters of bytes are u32, and four gigabytes of traffic sum to nothing, without an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check polars==2.1.0 pyarrow==26.0.1
echo "guess: 4294967296 everywhere, or an error"
venv/bin/python - <<'PYTHON'
import sys

import polars
import pyarrow as pa
import pyarrow.compute as pc

rows = pa.table({"small": pa.array([200] * 4, pa.uint8()), "bytes": pa.array([2**30] * 4, pa.uint32())})
frame = polars.from_arrow(rows)
found = {
    "pyarrow": pc.sum(rows["bytes"]).as_py(),
    "select": frame.select(polars.col("bytes").sum()).item(),
    "group_by": frame.group_by(polars.lit(1)).agg(polars.col("bytes").sum())["bytes"].item(),
    "of 8 bits": frame["small"].sum(),
}
print(f"polars {polars.__version__}: sums {found}")
sys.exit(list(found.values()) != [2**32, 0, 0, 800])
PYTHON
