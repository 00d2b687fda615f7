"""The committed part of the vectors: a true copy of what it is a part of."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.vectors import COMMITTED

FILES = sorted(path.relative_to(COMMITTED) for path in COMMITTED.rglob("*") if path.is_file() and path.suffix != ".md")


def rows(path: Path) -> list[dict[str, Any]]:
    """The objects in a file of lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("file", FILES, ids=str)
def test_the_committed_part_is_a_part(file: Path, vectors: Path) -> None:
    if COMMITTED.joinpath(file).read_bytes() == vectors.joinpath(file).read_bytes():
        return
    all_rows = rows(vectors / file)
    for row in rows(COMMITTED / file):
        assert any(row.items() <= other.items() for other in all_rows), row.get("id", row)
