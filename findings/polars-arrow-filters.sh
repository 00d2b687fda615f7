#!/usr/bin/env bash
# Guess: a lazy frame of scan_pyarrow_dataset answers a filter as the same frame in memory does.
# What happens: Polars passes the filter to pyarrow, for which NaN is no number. Polars orders NaN above all others, so x < NaN is true of
#   every number in memory and of none in the dataset, and x > 5 loses its NaNs. No error is raised, and the plan does not show it.
#   allow_pyarrow_filter=False helps.
# Versions: polars 2.1.0, pyarrow 26.0.1.
# Why it matters: NaN is what instruments write for 'not measured', and the answer changes when a frame becomes a lazy one.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check polars==2.1.0 pyarrow==26.0.1
echo "guess: both count the same rows"
venv/bin/python - <<'PYTHON'
import math
import sys

import polars
import pyarrow as pa
from pyarrow import dataset

rows = pa.table({"x": [0.5, 10.0, math.nan]})
x = polars.col("x")
conditions = {"x = NaN": x == math.nan, "x > 5": x > 5, "x < NaN": x < math.nan}


def counts(frame):
    return {name: frame.filter(condition).collect().height for name, condition in conditions.items()}


memory = counts(polars.from_arrow(rows).lazy())
scanned = counts(polars.scan_pyarrow_dataset(dataset.dataset(rows)))
own = counts(polars.scan_pyarrow_dataset(dataset.dataset(rows), allow_pyarrow_filter=False))
print(f"polars {polars.__version__}: in memory {memory}, scanned {scanned}, with its own filters {own}")
sys.exit((list(memory.values()), list(scanned.values()), own) != ([1, 2, 2], [0, 1, 0], memory))
PYTHON
