#!/usr/bin/env bash
# Guess: after update_schema has added a column, upsert merges rows that have it, as append takes them.
# What happens: upsert compares with the columns of the last snapshot, and fails until something is appended, if only a table without rows.
#   It also fails if the columns of the rows are in another order than those of the table, which append does not mind.
# Versions: pyiceberg 0.12.0, pyarrow 26.0.1.
# Why it matters: tables that grow with a schema are merged into; the same job works again after any append, so tests rarely see it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'pyiceberg[sql-sqlite]==0.12.0' pyarrow==26.0.1
echo "guess: the row is updated at once, in any order of columns"
venv/bin/python -W ignore - <<'PYTHON'
import sys
from importlib.metadata import version
from pathlib import Path

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog

here = Path.cwd()
catalog = SqlCatalog("local", uri=f"sqlite:///{here}/catalog.db", warehouse=f"file://{here}/warehouse")
catalog.create_namespace("n")
table = catalog.create_table("n.t", schema=pa.schema({"id": pa.int64(), "a": pa.string()}))
table.append(pa.table({"id": [1], "a": ["one"]}))
rows = pa.table({"id": [1], "a": ["uno"], "b": ["new"]})
with table.update_schema() as update:
    update.union_by_name(rows.schema)


def upserted(rows):
    try:
        return table.upsert(rows, join_cols=["id"]).rows_updated
    except ValueError as error:
        return type(error).__name__


at_once = upserted(rows)
table.append(rows.slice(0, 0))
answers = [at_once, upserted(rows.select(["b", "id", "a"])), upserted(rows)]
print(f"pyiceberg {version('pyiceberg')}: at once, in another order, then: {answers}; {table.scan().to_arrow().to_pylist()}")
sys.exit(answers != ["ValueError", "ValueError", 1])
PYTHON
