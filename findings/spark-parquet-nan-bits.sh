#!/usr/bin/env bash
# Guess: Spark writes a float column to Parquet bit for bit, as it hands it to Arrow and as pyarrow writes it.
# What happens: Spark's own rows and its Arrow output keep the sign and payload of a NaN; its Parquet writer replaces
#   every NaN by the canonical quiet one (7fc00000, 7ff8000000000000). pyarrow writes the bits it was given.
# Version: pyspark 4.1.0 with pyarrow 22.0.0, Java 17.
# Why it matters: a float of the wire that carries a diagnostic in its NaN payload is gone after a Parquet hop in Spark,
#   and bytes encoded again from that file differ from the capture.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pyspark==4.1.0 pyarrow==22.0.0 pandas==2.3.3 numpy==2.3.5
cat >"$folder/run.py" <<'PY'
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
from pyspark.sql import SparkSession

FOLDER = Path(sys.argv[1])
BITS = [0x7FC00000, 0x7F812345, 0xFFC00001]


def bits(column):
    return [f"{number:08x}" for number in pa.concat_arrays(column.chunks).view(pa.uint32()).to_pylist()]


table = pa.table({"x": pa.array(BITS, pa.uint32()).view(pa.float32())})
pq.write_table(table, FOLDER / "arrow.parquet")
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
rows = spark.createDataFrame(table).coalesce(1)
kept = bits(rows.toArrow().column("x"))
rows.write.parquet(str(FOLDER / "spark"))
written = bits(pq.read_table(FOLDER / "spark").column("x"))
by_pyarrow = bits(pq.read_table(FOLDER / "arrow.parquet").column("x"))
spark.stop()
given = [f"{number:08x}" for number in BITS]
print("guess: Spark's Parquet file has the bits that were given")
print("pyspark", pyspark.__version__, "pyarrow", pa.__version__)
print("given             ", given)
print("Parquet of pyarrow", by_pyarrow)
print("Arrow of Spark    ", kept)
print("Parquet of Spark  ", written)
assert by_pyarrow == given
assert kept == given
assert written == ["7fc00000"] * 3
PY
"$folder/venv/bin/python" "$folder/run.py" "$folder" 2>"$folder/log" || { tail -5 "$folder/log"; exit 1; }
