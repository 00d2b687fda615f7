#!/usr/bin/env bash
# Guess: a column of Arrow's uint64 compares with a Python integer as the integers that both are, whether other rows are null or not.
# What happens: pandas makes int64 of the Python integer, pyarrow refuses to compare a larger number with that, and pandas then compares
#   arrays of numpy: with uint64 if there is no null, with floats if there is one. So == 2**63 - 1 finds 2^63 as well, as soon as any row
#   is null. Any integer from 2^63 on is an OverflowError. numpy.uint64(number) helps.
# Versions: pandas 2.3.3, pyarrow 26.0.1.
# Why it matters: ids and clocks of protocols are u64 and may be absent, and Arrow's types are what one takes to keep them exact.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pandas==2.3.3 pyarrow==26.0.1
echo "guess: 2^63 - 1 is found once, with and without a null"
venv/bin/python - <<'PYTHON'
import sys

import numpy
import pandas
import pyarrow as pa

kind = pandas.ArrowDtype(pa.uint64())
columns = {
    "without": pandas.Series([2**63 - 1, 2**63], dtype=kind),
    "with": pandas.Series([2**63 - 1, 2**63, None], dtype=kind),
}
plain = {name: int((column == 2**63 - 1).sum()) for name, column in columns.items()}
typed = {name: int((column == numpy.uint64(2**63 - 1)).sum()) for name, column in columns.items()}
print(f"pandas {pandas.__version__}: rows equal to 2^63 - 1, without a null and with one: {plain}, as numpy.uint64 {typed}")
sys.exit((list(plain.values()), list(typed.values())) != ([1, 2], [1, 1]))
PYTHON
