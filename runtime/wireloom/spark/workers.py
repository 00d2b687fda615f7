"""The Python of Spark's workers, which needs Wireloom, too."""

import shutil
import subprocess
import sys
import warnings
from functools import cache

from pyspark.sql import SparkSession

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
    if context is None or _has_wireloom(context.pythonExec):
        return  # in Spark Connect there is no context, and what Python its server runs cannot be seen
    if context.master.startswith("local"):
        context.pythonExec = sys.executable
    else:
        warnings.warn(
            f"the Python of Spark's workers, {context.pythonExec}, has no Wireloom on this machine; set PYSPARK_PYTHON "
            f"to one that has, here and on the executors, before the session is made",
            stacklevel=3,
        )


@cache
def _has_wireloom(python: str) -> bool:
    found = shutil.which(python)
    if found is None or found == sys.executable:
        return found is not None
    try:
        return subprocess.run([found, "-c", _PROBE], capture_output=True, check=False).returncode == 0
    except OSError:
        return False
