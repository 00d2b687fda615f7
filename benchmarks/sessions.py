"""Spark sessions to measure in: on two cores of this machine, or on a cluster of a master and its two workers."""

import os
import re
import shutil
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import captures
import protocols
import pyspark
from pyspark.sql import SparkSession

LOCAL = "local[2]"
_WORKERS = 2
_PATIENCE = 120
"""Seconds that a master or a worker may take to start."""


def started(master: str = LOCAL, memory: str = "2g") -> SparkSession:
    """A session, its workers warm."""
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
    _environment()
    protocols.load("mutations")
    spark = (
        SparkSession.builder.master(master)
        .appName("wireloom-bench")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.memory", memory)
        .config("spark.executor.memory", memory)
        .config("spark.log.level", "ERROR")
        .config("spark.network.timeout", "600s")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", 2)
        .config("spark.sql.warehouse.dir", str(captures.BUILD / "warehouse"))
        .config("spark.ui.enabled", False)
        .config("spark.ui.showConsoleProgress", False)
        .getOrCreate()
    )
    spark.range(100_000).write.format("noop").mode("overwrite").save()
    return spark


def _environment() -> None:
    """What all processes of Spark get."""
    os.environ["PYTHONPATH"] = protocols.search_path()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")


@contextmanager
def cluster(memory: str = "2g") -> Iterator[str]:
    """The URL of a standalone master with two workers of a core each, processes of this machine that end behind it."""
    _environment()
    folder = captures.BUILD / "cluster"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    running: list[subprocess.Popen[bytes]] = []

    def start(name: str, kind: str, *arguments: str) -> Path:
        log = folder / f"{name}.log"
        program = Path(pyspark.__file__).parent / "bin" / "spark-class"
        command = [str(program), f"org.apache.spark.deploy.{kind}", "--host", "127.0.0.1", "--webui-port", "0"]
        with log.open("wb") as output:
            running.append(subprocess.Popen([*command, *arguments], stdout=output, stderr=output, cwd=folder))
        return log

    try:
        url = _told(start("master", "master.Master", "--port", "0"), r"Starting Spark master at (\S+)")
        for number in range(_WORKERS):
            work = ("--cores", "1", "--memory", memory, "--work-dir", str(folder / f"work{number}"))
            _told(start(f"worker{number}", "worker.Worker", *work, url), r"Successfully registered with (master \S+)")
        yield url
    finally:
        for process in reversed(running):
            process.terminate()
        for process in running:
            with suppress(subprocess.TimeoutExpired):
                process.wait(30)
            process.kill()


def _told(log: Path, pattern: str) -> str:
    """What a program says in its log when it has started. Ends the run if it does not."""
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        if found := re.search(pattern, log.read_text()):
            return found[1]
        time.sleep(0.2)
    sys.exit(f"it has not started: {log.read_text()[-2000:]}")
