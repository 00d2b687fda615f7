"""Spark Connect: the same calls, the session being in another process."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("connect_query.py")


@pytest.mark.spark
@pytest.mark.sweep
def test_everything_works_through_spark_connect(tmp_path: Path) -> None:
    command = [sys.executable, str(SCRIPT), str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-4000:]
