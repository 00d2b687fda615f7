#!/usr/bin/env bash
# Guess: EqualTo('x', inf) finds an infinity in an Iceberg table, be the column a double or a float.
# What happens: in a column of 32-bit floats, pyiceberg takes infinity for a number out of the type's range: EqualTo finds nothing, and
#   GreaterThan('x', -inf) finds all rows, those with null and NaN as well.
# Versions: pyiceberg 0.12.0, pyarrow 26.0.1.
# Why it matters: rows are there and are not found, or are found and should not be, without an error, and only for one of two types.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'pyiceberg[sql-sqlite,pyarrow]==0.12.0' pyarrow==26.0.1
echo "guess: 1 row equals inf, in both columns; 2 rows are above -inf"
venv/bin/python - <<'PYTHON'
import sys
from importlib.metadata import version

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.expressions import EqualTo, GreaterThan

catalog = SqlCatalog("local", uri="sqlite:///catalog.db", warehouse="warehouse")
catalog.create_namespace("n")
found = {}
for name, kind in {"double": pa.float64(), "float": pa.float32()}.items():
    rows = pa.table({"x": pa.array([1.0, float("inf"), None], kind)})
    table = catalog.create_table(f"n.{name}", schema=rows.schema)
    table.append(rows)
    asked = EqualTo("x", float("inf")), GreaterThan("x", float("-inf"))
    found[name] = [table.scan(row_filter=each).to_arrow().num_rows for each in asked]
print("pyiceberg", version("pyiceberg"), "= inf, > -inf:", found)
sys.exit(found != {"double": [1, 2], "float": [0, 3]})
PYTHON
