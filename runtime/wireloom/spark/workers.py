"""The Python of Spark's workers, which also needs Wireloom."""

import gc
import os
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from pyspark import SparkContext
from pyspark.sql import SparkSession

from wireloom.codec import DecodeError, EncodeError
from wireloom.columnar.splits import UnfitError
from wireloom.options import OptionError

_PROBE = f"""
import sys
from importlib.util import find_spec
there = all(map(find_spec, ("wireloom", "construct", "pyarrow", "numpy")))
sys.exit(not there or sys.version_info[:2] != {sys.version_info[:2]})
"""


def provide(spark: SparkSession | None) -> None:
    """Let workers run a Python that has Wireloom. On this machine it is set; for a cluster there is a warning.

    Spark uses ``python3`` if ``PYSPARK_PYTHON`` was not set when its context was made. Each source and function gets
    what the context names at that time.
    """
    context = getattr(spark, "sparkContext", None)
    if context is None:  # in Spark Connect, where the Python of most servers cannot be seen
        _warn_of_server(_server_context())
    elif _has_wireloom(context.pythonExec):
        return
    elif context.master.startswith("local"):
        context.pythonExec = sys.executable
    else:
        warnings.warn(
            f"the Python of Spark's workers, {context.pythonExec}, has no Wireloom on this machine; set PYSPARK_PYTHON "
            f"to one that has, here and on the executors, before the session is made",
            stacklevel=3,
        )


def _server_context() -> SparkContext | None:
    """The context of a Spark Connect server that this process started, as ``.remote("local")`` does."""
    return SparkContext._active_spark_context if "SPARK_LOCAL_REMOTE" in os.environ else None


def _warn_of_server(context: SparkContext | None) -> None:
    """Warn if a server runs a Python that has no Wireloom. Which one it runs is settled when it starts."""
    if context is not None and not _has_wireloom(context.pythonExec):
        warnings.warn(
            f"the Spark Connect server that this program started runs {context.pythonExec}, which has no Wireloom: "
            f"load will fail with 'Failed to create Python data source instance'. Set PYSPARK_PYTHON={sys.executable} "
            f"in the environment before the session is made",
            stacklevel=4,
        )


@contextmanager
def brief() -> Iterator[None]:
    """Let a worker report an error about files, values and options without its traceback.

    Spark reads an environment variable for that when a worker fails. The worker ends then, so the variable affects
    nothing else.
    """
    try:
        yield
    except (DecodeError, EncodeError, OptionError, OSError, UnfitError):
        if _is_worker():
            os.environ["SPARK_HIDE_TRACEBACK"] = "1"
        raise


def _is_worker() -> bool:
    """Whether Spark began this process to run Python."""
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    return spec is not None and spec.name.startswith("pyspark.")


def discovered() -> bool:
    """Whether Spark may find formats without ``register``: unless the environment says ``WIRELOOM_DISCOVERY=off``."""
    return os.environ.get("WIRELOOM_DISCOVERY", "").lower() != "off"


@cache
def settle() -> None:
    """In a worker that has finished a task: exclude all present objects from garbage collection.

    Spark collects garbage after each task, and would scan all modules each time, which takes longer than a small file.
    """
    gc.collect()
    gc.freeze()


@cache
def _has_wireloom(python: str) -> bool:
    found = shutil.which(python)
    if found is None or found == sys.executable:
        return found is not None
    try:
        return subprocess.run([found, "-c", _PROBE], capture_output=True, check=False).returncode == 0
    except OSError:
        return False
