"""Spark sessions for tests: small, of this machine alone, and patient when it is busy."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LOCAL = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.log.level": "ERROR",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.python.authenticate.socketTimeout": "600s",  # a worker may take long to get there
    "spark.network.timeout": "600s",
    # A query of a test is run once, on a few rows: what makes it fast the second time takes longer than the query.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-UsePerfData",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.shuffle.partitions": "1",
}


def configured(builder: SparkSession.Builder) -> SparkSession.Builder:
    """A session in the making, for this machine."""
    os.environ["WIRELOOM_PYTHON"] = sys.executable
    os.environ["PYSPARK_PYTHON"] = str(Path(__file__).with_name("spark_worker.sh"))
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    for name, value in _LOCAL.items():
        builder = builder.config(name, value)
    return builder
