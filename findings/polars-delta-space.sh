#!/usr/bin/env bash
# Guess: polars.scan_delta reads a table whose folder has a space in its name, as deltalake does.
# What happens: the path is given on percent-encoded (%20), and there is no such file.
# Versions: polars 2.1.0, deltalake 1.6.6.
# Why it matters: folders of recordings are named by people, and the error names a path that nobody wrote.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check deltalake==1.6.6 pyarrow==26.0.1 polars==2.1.0
echo "guess: both readers see 1 row"
venv/bin/python - <<'PYTHON'
import sys

import polars
import pyarrow as pa
from deltalake import DeltaTable, write_deltalake

write_deltalake("my table", pa.table({"x": [1]}))
rows = DeltaTable("my table").to_pyarrow_table().num_rows
try:
    seen = str(polars.scan_delta("my table").collect().height)
except Exception as error:
    seen = f"{type(error).__name__}: {error}"
print(f"polars {polars.__version__}: deltalake reads {rows} row, polars: {seen}")
sys.exit(not (rows == 1 and "%20" in seen))
PYTHON
