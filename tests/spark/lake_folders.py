"""Folders of captures as lakes have them, and which of their files our source reads, and one of Spark's own."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from support.paths import DATA

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EVENTS = (DATA / "databus" / "stream_scn_regress.bin").read_bytes() * 10
EVENT = EVENTS[:68]


def filled(folder: Path, *names: str) -> str:
    """The folder with a capture under each name, changed an hour after the one before, from midnight 2026-01-01 on."""
    for hour, name in enumerate(names):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(EVENT)
        os.utime(folder / name, (1767225600 + 3600 * hour,) * 2)
    return str(folder)


def ours(session: SparkSession, path: str | list[str], **options: object) -> set[str]:
    read = session.read.format("databus").options(columns="_file", positions=True).options(**options)
    return {row._file for row in read.load(path).collect()}


def theirs(session: SparkSession, path: str | list[str], **options: object) -> set[str]:
    rows = session.read.format("binaryFile").options(**options).load(path).select("path").collect()
    return {row.path.removeprefix("file:") for row in rows}
