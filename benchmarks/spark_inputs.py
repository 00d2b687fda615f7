"""What the Spark measurements read: captures in files, their frames as a column of Parquet, ready-made batches."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import by_struct
import captures
import protocols
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import totals
from captures import Block, Capture

from wireloom.columnar.decoder import BATCH_ROWS

FILES = 4
FILTERED = "system_event"


@dataclass(frozen=True, slots=True)
class Files:
    """A capture in several files of one folder, and what they add up to together."""

    folder: Path
    first: Capture
    totals: dict[str, int]

    @property
    def rows(self) -> int:
        """All records."""
        return FILES * self.first.records

    @property
    def size(self) -> int:
        """All bytes."""
        return FILES * self.first.size


def write(block: Block, name: str, rows: int) -> Files:
    """So many rows of ``block`` in the folder ``name``."""
    folder = empty(name)
    found = [block.capture(f"{name}/{number}.bin", records=rows // FILES) for number in range(FILES)]
    return Files(folder, found[0], found[0].expected(FILES * found[0].blocks))


def empty(name: str) -> Path:
    """A new folder below ``build/bench``; what was there is gone."""
    folder = captures.BUILD / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def write_frames(block: Block, name: str, rows: int) -> Path:
    """The same frames as the binary column ``frame`` of a Parquet table."""
    folder = empty(name)
    one = pa.table({"frame": pa.array(block.frames, pa.binary())})
    table = pa.concat_tables([one] * max(1, round(rows / FILES / len(block.frames))))
    for number in range(FILES):
        pq.write_table(table, folder / f"{number}.parquet", row_group_size=len(block.frames))
    return folder


def sample(capture: Capture, message: str | None = None) -> pa.Table:
    """A batch of rows of the capture, or of one message in it."""
    blocks = -(-BATCH_ROWS // capture.block_records)
    with Path(capture.path).open("rb") as file:
        data = file.read(blocks * capture.block_bytes)
    table = protocols.load(capture.protocol).decode_columnar(data)
    if message is not None:
        table = table.filter(pc.equal(table["message"], message))
    return table[:BATCH_ROWS]


def filtered_totals(files: Files) -> dict[str, int]:
    """What the frames of the filtered message add up to, as the hand-written loop has them."""
    data = Path(files.first.path).read_bytes()[: files.first.block_bytes]
    found = totals.of_rows(row for row in by_struct.mixed(data) if row["message"] == FILTERED)
    return {name: FILES * files.first.blocks * total for name, total in found.items()}
