"""Runs all code of a page, where there is what the page names: ``python -m support.page_runner PAGE FOLDER``.

Blocks write below the folder, not ``/tmp``. Those in Spark have a session as ``spark``. That for Ray, which would open
ports to all, is left to test_outside.py.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

from support.pages import ELSEWHERE, IN_GIT, RUNS, blocks


def run(page: str, folder: str) -> None:
    names: dict[str, Any] = {"__name__": "page"}
    for language, code in blocks(page, RUNS):
        here = code.replace("/tmp/", f"{folder}/")
        if code.startswith(ELSEWHERE) or "import ray" in code:
            continue
        if language != "console" and "spark" not in names and _needs_spark(page, language, code):
            names["spark"] = _session(folder)
        if language == "console":
            _commands(here)
            _commands(IN_GIT if "init" in here and page != "README.md" else "")
        elif language == "sql":
            for statement in here.strip().removesuffix(";").split(";\n"):
                names["spark"].sql(statement).collect()
        else:
            exec(compile(here, page, "exec"), names)
    if "spark" in names:
        names["spark"].stop()


def _needs_spark(page: str, language: str, code: str) -> bool:
    return language in ("python spark", "sql") or re.search(r"\bspark\b", code) is not None


def _session(folder: str) -> Any:
    from pyspark.sql import SparkSession

    from support.spark_sessions import configured
    from wireloom.spark import register

    builder = configured(SparkSession.builder.master("local[2]")).config("spark.sql.session.timeZone", "UTC")
    session = builder.config("spark.sql.warehouse.dir", f"{folder}/warehouse").getOrCreate()
    register(session)
    return session


def _commands(block: str) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for command in re.findall(r"^\$ (.*)$", block, re.MULTILINE):
        program, *arguments = shlex.split(command)
        if program == "wireloom" and not set(command) & set("|*"):  # what the shell has no part in needs no process
            _wireloom(command, arguments)
            continue
        shell = ["bash", "-o", "pipefail", "-c", command]
        done = subprocess.run(shell, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{command}\n{done.stdout}{done.stderr}")


def _wireloom(command: str, arguments: list[str]) -> None:
    from wireloom.__main__ import main

    own, sys.argv = sys.argv, ["wireloom", *arguments]
    status: Any = None
    try:
        main()
    except SystemExit as end:
        status = end.code
    finally:
        sys.argv = own
    if status:
        sys.exit(f"{command}\nended with {status}")


run(*sys.argv[1:])
