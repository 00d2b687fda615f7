"""The Python that Spark starts for its workers in tests: it connects back before it imports anything, and what it forks
has all that it imports.

Spark gives a streaming source's process ten seconds to connect back, which is no setting, and the process imports
PySpark, pyarrow and numpy first. On a busy machine that takes longer. What follows the connection is waited for as long
as ``spark.python.authenticate.socketTimeout`` says.

Spark's daemon imports nothing before it forks, as some libraries start threads, which forks lack. Those that Wireloom
needs do without, and tests make it fork a hundred times. Spark's own daemon runs in test_stranger.py.

spark_worker.sh ARGUMENTS OF PYTHON…
"""

from __future__ import annotations

import gc
import importlib
import os
import runpy
import socket
import sys
from contextlib import suppress
from typing import IO, Any


def main() -> None:
    """Be the Python that is asked for."""
    without_archives()
    match sys.argv[1:]:
        case ["-m", "pyspark.daemon", worker]:
            fork_with_libraries(worker)
        case ["-m", module, *arguments] if "PYTHON_WORKER_FACTORY_SECRET" in os.environ:
            run(module, arguments, connected())
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])


def without_archives() -> None:
    """Take PySpark from where it is installed, and not from the archives that Spark puts in front, jars among them.

    What is in an archive is compiled by each process, and whatever looks for modules reads its directory again.
    """
    sys.path[:] = [entry for entry in sys.path if not os.path.isfile(entry)]  # noqa: PTH113 - pathlib takes time to import
    os.environ["PYTHONPATH"] = os.pathsep.join(
        entry
        for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep)
        if not os.path.isfile(entry)  # noqa: PTH113
    )
    sys.path_importer_cache.clear()


def fork_with_libraries(worker: str) -> None:
    """Be the daemon that forks processes which run the module ``worker``, with all imported that they need."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    for name in ("pandas", "wireloom.spark.sources", worker):
        with suppress(ModuleNotFoundError):  # pandas is used where it is there
            importlib.import_module(name)
    gc.freeze()  # each process collects garbage after each query
    sys.argv = ["pyspark.daemon", worker]
    runpy.run_module("pyspark.daemon", run_name="__main__", alter_sys=True)
    sys.exit()


def connected() -> socket.socket:
    """The connection to who started this process."""
    path = os.environ.get("PYTHON_WORKER_FACTORY_SOCK_PATH")
    if path is not None:
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(path)
        return connection
    host = "::1" if os.environ.get("SPARK_PREFER_IPV6", "").lower() == "true" else "127.0.0.1"
    return socket.create_connection((host, int(os.environ["PYTHON_WORKER_FACTORY_PORT"])))


def run(module: str, arguments: list[str], connection: socket.socket) -> None:
    """Run a worker with a connection that is there already."""
    from pyspark import util, worker_util

    def connect(_: object, secret: str | None) -> tuple[IO[bytes], socket.socket]:
        file: Any = connection.makefile("rwb", 65536)
        if secret is not None:
            util._do_server_auth(file, secret)
        return file, connection

    for asked in (util, worker_util):  # by Spark 4.0 and 4.1, and by newer ones
        asked.local_connect_and_auth = connect
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
    sys.exit()


if __name__ == "__main__":
    main()
