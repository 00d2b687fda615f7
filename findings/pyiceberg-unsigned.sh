#!/usr/bin/env bash
# Guess: Iceberg has no unsigned integers, so pyiceberg makes a long of uint32, or refuses it, wherever it is.
# What happens: it makes an int, and its data files keep uint32. At top level a value from 2^31 on fails when it is appended, by an error
#   of Python's struct about its format; in a list or a struct nothing checks it, and the file has values that the table's schema does not
#   allow. Polars reads no such table, whatever the values.
# Versions: pyiceberg 0.12.0, pyarrow 26.0.1, polars 2.1.0.
# Why it matters: tables of protocols are full of u32, often in structs, and other engines read such files by the table's schema.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'pyiceberg[sql-sqlite]==0.12.0' pyarrow==26.0.1 polars==2.1.0
echo "guess: a long, or an error about the type"
venv/bin/python -W ignore - <<'PYTHON'
import sys
from importlib.metadata import version
from pathlib import Path

import polars
import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog

here = Path.cwd()
catalog = SqlCatalog("local", uri=f"sqlite:///{here}/catalog.db", warehouse=f"file://{here}/warehouse")
catalog.create_namespace("n")


def seen(name, values, kind):
    rows = pa.table({"n": pa.array(values, kind)})
    table = catalog.create_table(f"n.{name}", schema=rows.schema)
    try:
        table.append(rows)
    except Exception as error:
        return f"{type(error).__name__}"
    found = table.scan().to_arrow()["n"].to_pylist()
    try:
        polars.scan_iceberg(table).collect()
        also = "read"
    except Exception as error:
        also = type(error).__name__
    return f"{table.schema().fields[0].field_type} {found} {also}"


answers = [
    seen("small", [1], pa.uint32()),
    seen("large", [2**32 - 1], pa.uint32()),
    seen("inside", [[2**32 - 1]], pa.list_(pa.uint32())),
]
print(f"pyiceberg {version('pyiceberg')}, polars {polars.__version__}: {answers}")
sys.exit(answers != ["int [1] SchemaError", "error", "list<int> [[4294967295]] SchemaError"])
PYTHON
