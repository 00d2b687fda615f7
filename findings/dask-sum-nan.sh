#!/usr/bin/env bash
# Guess: a sum of floats in Dask is that of pandas for the same column: with Arrow's types, NaN if there is one.
# What happens: a partition with a NaN sums to NaN, and the sum over partitions leaves NaN out as missing: all numbers of that partition
#   are lost. 1 + NaN and 2 in another partition give 2: neither NaN, as pandas says, nor 3, the sum of all that is a number.
# Versions: dask 2026.8.0, pandas 2.3.3, pyarrow 26.0.1.
# Why it matters: NaN is what instruments write for 'not measured'. The result looks right, and depends on how the file was divided.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'dask[dataframe]==2026.8.0' pandas==2.3.3 pyarrow==26.0.1
echo "guess: NaN, as pandas has it, or 3, however many partitions there are"
venv/bin/python - <<'PYTHON'
import math
import sys

import dask
import dask.dataframe
import pandas
import pyarrow as pa

rows = pa.table({"x": [1.0, math.nan, 2.0, 0.0]})
column = rows.to_pandas(types_mapper=pandas.ArrowDtype)["x"]
own = column.sum()
sums = {}
for parts in (1, 2):
    divided = dask.dataframe.from_pandas(column, npartitions=parts)
    sums[divided.npartitions] = divided.sum().compute(scheduler="synchronous")
print(f"dask {dask.__version__}, pandas {pandas.__version__}: pandas {own}, Dask by number of partitions {sums}")
sys.exit(not (math.isnan(own) and sums[2] == 2.0))
PYTHON
