"""The examples of docs/cdc.md, run one after the other as they stand."""

import contextlib
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "cdc.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Those that the examples without Spark define, run where the captures are."""
    folder = tmp_path_factory.mktemp("cdc")
    (folder / "examples").symlink_to(ROOT / "examples")
    found: dict[str, Any] = {"__name__": "examples"}
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    with contextlib.chdir(folder):
        exec(compile("\n".join(blocks).replace("/tmp/wireloom", str(folder)), "docs/cdc.md", "exec"), found)
    return found


def test_the_changes_of_the_session_are_in_snapshots(names: dict[str, Any]) -> None:
    assert set(names["changes"]["problem"].to_pylist()) == {None}
    assert names["changes"].num_rows == 29
