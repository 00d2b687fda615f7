"""Vectors, bytes and what they mean, as parameters of tests: the committed part of them, and all of them.

The committed part, ``tests/data``, always runs. All of them are in the directory that WIRELOOM_VECTORS names, laid out
alike; without it, tests that need more than the committed part are skipped.
"""

import json
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from support.paths import DATA

Vector = dict[str, Any]
"""A line of a vectors file; ``source``, the directory it is from, is added."""

COMMITTED = DATA
EXTERNAL = os.environ.get("WIRELOOM_VECTORS")


@cache
def _read(path: Path, source: Path) -> tuple[Vector, ...]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return tuple({**json.loads(line), "source": source} for line in lines)


def committed(*files: str) -> list[Vector]:
    """The rows of ``files`` in the committed part."""
    return [row for file in files for row in _read(COMMITTED / file, COMMITTED)]


def external(*files: str) -> list[Vector]:
    """All rows of ``files``; none without WIRELOOM_VECTORS."""
    if not EXTERNAL:
        return []
    return [row for file in files for row in _read(Path(EXTERNAL) / file, Path(EXTERNAL))]


def parameters(*files: str, keep: Callable[[Vector], bool] = lambda row: True) -> list[Any]:
    """The rows of ``files`` that ``keep`` wants, all that there are, each under its name."""
    found = [
        pytest.param(row, id=(row.get("id") or row["hex"] or "empty")[:100])
        for row in filter(keep, external(*files) or committed(*files))
    ]
    skip = pytest.mark.skip("external vectors: WIRELOOM_VECTORS is not set")
    return found or [pytest.param({}, id="all", marks=skip)]


def data_of(row: Vector) -> bytes:
    """The row's bytes, its lengths made true where the document draws them wrong."""
    return bytes.fromhex(row.get("repaired_hex") or row["hex"])
