#!/usr/bin/env bash
# Casting a struct column to a struct type with the same fields under other names.
# Guess: an error, or the fields in their order, as casting a whole table to a schema of other names is an error.
# What happens: fields are looked up by name, case included; each that is not found becomes a new field of nulls, and the
#   values of the old one are dropped, without a word. In lists of structs, too.
# Version: pyarrow 26.0.1 (a table whose own columns are called otherwise is an error, as guessed).
# Why it matters: schemas of tables in Spark, Hive and Snowflake spell names in another case; a reader that casts its batches to
#   such a schema passes nulls for values. Array.view to the type renames without looking at names.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "pyarrow==26.0.1"
"$folder/venv/bin/python" - <<'PYTHON'
import sys

import pyarrow as pa

print("guess: an error, or [{'SEQNO': 7}]")
print("pyarrow", pa.__version__)
column = pa.array([{"seqno": 7}])
renamed = pa.struct([("SEQNO", pa.int64())])
found = column.cast(renamed).to_pylist()
print("struct<seqno> cast to struct<SEQNO>:", found)
listed = pa.array([[{"seqno": 7}]]).cast(pa.list_(renamed)).to_pylist()
print("list of them:", listed)
table = pa.table({"c": column})
nested = table.cast(pa.schema([("c", renamed)])).to_pylist()
print("in a table:", nested)
try:
    print("top level:", table.cast(pa.schema([("C", column.type)])).to_pylist())
    refused = False
except ValueError as error:
    print("top level: refused,", error)
    refused = True
print("view:", column.view(renamed).to_pylist())
sys.exit(
    not (
        found == [{"SEQNO": None}]
        and listed == [[{"SEQNO": None}]]
        and nested == [{"c": {"SEQNO": None}}]
        and refused
        and column.view(renamed).to_pylist() == [{"SEQNO": 7}]
    )
)
PYTHON
