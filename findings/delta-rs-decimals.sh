#!/usr/bin/env bash
# Guess: a row that was written to a Delta table is found by its value.
# What happens: delta-rs keeps the least and greatest decimal of each file as a 64-bit float, at most 2^63 - 1, and skips files
#   by these. A decimal(20,0) that is an end of its file's range is not found, filtered or deleted if it is above 2^63, and
#   mostly not if it is above 2^53. Scaled decimals are concerned as well: decimal(18,3) has 18 digits.
# Versions: deltalake 1.6.6, pyarrow 26.0.1.
# Why it matters: unsigned 64-bit numbers (ids, nanoseconds, CAS values) have no other lossless type in Delta Lake. Rows are lost
#   without an error; the table property delta.dataSkippingStatsColumns without these columns helps.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check deltalake==1.6.6 pyarrow==26.0.1
echo "guess: 2^64 - 1, the only row, is found by a filter and by DELETE"
venv/bin/python - <<'PYTHON'
import json
import sys
from decimal import Decimal
from pathlib import Path

import deltalake
import pyarrow as pa
from deltalake import DeltaTable, write_deltalake

most = 2**64 - 1
rows = pa.table({"id": pa.array([Decimal(most)], pa.decimal128(20, 0))})
write_deltalake("t", rows)
stored = [json.loads(line) for line in Path("t/_delta_log/00000000000000000000.json").open()]
(statistics,) = (entry["add"]["stats"] for entry in stored if "add" in entry)
table = DeltaTable("t")
whole = table.to_pyarrow_table().num_rows
found = table.to_pyarrow_table(filters=[("id", "=", Decimal(most))]).num_rows
deleted = table.delete(f"id = {most}")["num_deleted_rows"]
print(f"deltalake {deltalake.__version__}: {whole} row there, {found} found, {deleted} deleted; statistics {statistics}")
sys.exit((whole, found, deleted) != (1, 0, 0))
PYTHON
