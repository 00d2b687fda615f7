#!/usr/bin/env bash
# Guess: isin of a column of bytes finds the values that it is given.
# What happens: the list becomes an array of numpy with the type S, in which bytes end before their last zeros. So isin([b"\0\0"]) finds
#   the empty value and not its own, and isin([b"a\0"]) finds b"a"; the same in columns of Python objects and of Arrow's binary, while
#   == is right. An array of the column's type, pandas.array(values, dtype=column.dtype), helps.
# Versions: pandas 2.3.3, pyarrow 26.0.1.
# Why it matters: keys, addresses and digests in binary end with zeros now and then. Wrong rows are found, without an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pandas==2.3.3 pyarrow==26.0.1
echo "guess: isin finds what == finds"
venv/bin/python - <<'PYTHON'
import sys

import pandas
import pyarrow as pa

values = [b"", b"\0\0", b"a", b"a\0"]
kinds = {"object": object, "binary of Arrow": pandas.ArrowDtype(pa.binary())}
found = {}
for name, kind in kinds.items():
    column = pandas.Series(values, dtype=kind)
    found[name] = {value: list(column[column.isin([value])]) for value in (b"\0\0", b"a\0")}
    equal = [list(column[column == value]) for value in (b"\0\0", b"a\0")]
    print(f"pandas {pandas.__version__}, {name}: isin {found[name]}, == {equal}")
column = pandas.Series(values, dtype=kinds["binary of Arrow"])
right = list(column[column.isin(pandas.array([b"\0\0"], dtype=column.dtype))])
print(f"with an array of the type of the column: {right}")
wrong = {b"\0\0": [b""], b"a\0": [b"a"]}
sys.exit((found, right) != (dict.fromkeys(kinds, wrong), [b"\0\0"]))
PYTHON
