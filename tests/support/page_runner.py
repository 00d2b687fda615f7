"""Runs all code of a page, where there is what the page names: ``python -m support.page_runner PAGE FOLDER``.

Blocks write below the folder, not ``/tmp``. Those in Spark have a session as ``spark``. That for Ray, which would open
ports to all, is left to test_outside.py. A block of text after one of Python is what that prints.
"""

import io
import os
import re
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from support import console
from support.pages import ELSEWHERE, IN_GIT, RUNS, blocks


def run(page: str, folder: str) -> None:
    names: dict[str, Any] = {"__name__": "page"}
    printed = ""
    for language, code in blocks(page, f"{RUNS}|text"):
        here = code.replace("/tmp/", f"{folder}/")
        if code.startswith(ELSEWHERE) or "import ray" in code:
            continue
        if language not in ("console", "text") and "spark" not in names and _needs_spark(page, language, code):
            names["spark"] = _session(folder)
        if language == "text":
            assert console.shows(code, printed), f"prints\n{printed}"
        elif language == "console":
            console.run(here, Path.cwd())
            if "$ wireloom init" in here:
                console.run(IN_GIT, Path.cwd())
        elif language == "sql":
            for statement in here.strip().removesuffix(";").split(";\n"):
                names["spark"].sql(statement).collect()
        else:
            with redirect_stdout(io.StringIO()) as out:
                exec(compile(here, page, "exec"), names)
            printed = out.getvalue()
    if "spark" in names:
        names["spark"].stop()


def _needs_spark(page: str, language: str, code: str) -> bool:
    return language in ("python spark", "sql") or re.search(r"\bspark\b", code) is not None


def _session(folder: str) -> Any:
    from pyspark.sql import SparkSession

    from support.spark_sessions import configured
    from wireloom.spark import register

    os.environ["PYTHONPATH"] += f"{os.pathsep}{folder}"  # Spark's own workers look in the folder they start in
    builder = configured(SparkSession.builder.master("local[2]")).config("spark.sql.session.timeZone", "UTC")
    session = builder.config("spark.sql.warehouse.dir", f"{folder}/warehouse").getOrCreate()
    register(session)
    return session


run(*sys.argv[1:])
