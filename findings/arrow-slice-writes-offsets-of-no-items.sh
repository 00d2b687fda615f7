#!/usr/bin/env bash
# Writing a slice of a record batch, one row whose list is empty, to an Arrow stream.
# Guess: some hundred bytes, as slices are cut before they are written: an empty slice of numbers takes 120 bytes, however
#   long the array is that it is of.
# What happens: of texts and lists in the items, which have no values in the slice, the whole buffer of offsets is written: the
#   array of values is sliced to no rows, and of arrays without rows buffers of offsets are written as they are.
# Version: pyarrow 26.0.1.
# Why it matters: readers that share out batches row by row, or cut them to a number of rows (as Spark does for pandas), send the
#   offsets of the whole batch with each row. One row of 742 columns, whose empty lists shared long buffers, took
#   1.1 GB, and Spark's process ended.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "pyarrow==26.0.1"
"$folder/venv/bin/python" - <<'PYTHON'
import sys

import pyarrow as pa

print("guess: some hundred bytes for each")
print("pyarrow", pa.__version__)


def written(items: pa.Array) -> int:
    """The bytes of the second of two rows, a list without items; the first has all of them."""
    lists = pa.ListArray.from_arrays([0, len(items), len(items)], items)
    return pa.ipc.get_record_batch_size(pa.record_batch([lists], ["items"]).slice(1, 1))


numbers = pa.array(range(100_000))
found = {str(items.type): written(items) for items in (numbers, numbers.cast(pa.string()))}
print("a row with no items:", found)
sys.exit(not (found["int64"] < 1_000 and found["string"] > 400_000))
PYTHON
