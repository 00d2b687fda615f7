"""Spark Connect: the same calls, the session being in another process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.paths import TESTS


@pytest.mark.spark
@pytest.mark.sweep
def test_everything_works_through_spark_connect(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "support.connect_query", str(tmp_path)]
    env = {**os.environ, "PYTHONPATH": str(TESTS)}
    run = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    assert run.returncode == 0, run.stderr[-4000:]
