#!/usr/bin/env bash
# A data source in Python that implements pushFilters, and a DataFrame over it that is queried more than once.
# Guess: each query is planned by itself, so the filters of one query have nothing to do with another.
# What happens: what the reader planned with the filters of the first query is kept in the table. A later query without a filter
#   that can be pushed, or the other branch of a union, reads through them and lacks rows, without a word.
# Version: PySpark 4.3.0, with spark.sql.python.filterPushdown.enabled; needs Java 17.
# Why it matters: a source that skips files or records by a query's filters gives other queries wrong counts.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "pyspark==4.3.0" "pyarrow==26.0.1"
export PYSPARK_PYTHON="$folder/venv/bin/python" SPARK_LOCAL_IP=127.0.0.1
cd "$folder"
"$folder/venv/bin/python" - 2>"$folder/log" <<'PYTHON' || { tail -5 "$folder/log"; exit 1; }
import sys

import pyspark
from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, EqualTo, InputPartition


class Reader(DataSourceReader):
    """Ten rows; those that are equal to a number are all that is read, and Spark checks the filter again."""

    def __init__(self):
        self.only = None

    def pushFilters(self, filters):
        for each in filters:
            if isinstance(each, EqualTo):
                self.only = each.value
        return filters

    def partitions(self):
        return [InputPartition(0)]

    def read(self, partition):
        yield from ((number,) for number in range(10) if self.only in (None, number))


class Source(DataSource):
    @classmethod
    def name(cls):
        return "ten"

    def schema(self):
        return "n int"

    def reader(self, schema):
        return Reader()


builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
spark = builder.config("spark.sql.python.filterPushdown.enabled", "true").getOrCreate()
spark.dataSource.register(Source)
rows = spark.read.format("ten").load()
print("guess: 10 before, 1 with the filter, 10 afterwards, 2 of a union of two filters")
print("pyspark", pyspark.__version__)
filtered = rows.where("n = 3").count()
afterwards = rows.count()
union = spark.read.format("ten").load()
both = union.where("n = 3").union(union.where("n = 5")).count()
before = spark.read.format("ten").load().count()
print(f"seen: {before} before, {filtered} with the filter, {afterwards} afterwards, {both} of a union of two filters")
spark.stop()
sys.exit((before, filtered, afterwards, both) != (10, 1, 1, 1))
PYTHON
