"""DataFrames written to folders of captures, and what is in these then."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def save(frame: DataFrame, path: Path | str, name: str = "couchbase_dcp", mode: str = "append", **options: Any) -> None:
    """Write the rows."""
    frame.write.format(name).mode(mode).options(**options).save(str(path))


def seen(folder: Path) -> list[Path]:
    """The files in a folder that readers see, in order of their names."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return sorted(path for path in files if not any(each.startswith("_") for each in path.relative_to(folder).parts))


def everything(folder: Path) -> list[str]:
    """All that is in a folder, hidden or not."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def content(folder: Path) -> bytes:
    """What the files hold, one behind the other."""
    return b"".join(path.read_bytes() for path in seen(folder))
