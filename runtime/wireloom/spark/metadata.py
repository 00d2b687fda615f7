"""The column ``_metadata``: facts about the file of a row, as Spark's own file sources give them."""

import re
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime, timedelta

from pyspark.sql.types import LongType, StringType, StructField, StructType, TimestampType

from wireloom.codec.meanings import EPOCH
from wireloom.files import CaptureFile, local
from wireloom.options import OptionError, unknown

_STRUCT = StructType(
    [
        StructField("file_path", StringType()),
        StructField("file_name", StringType()),
        StructField("file_size", LongType()),
        StructField("file_block_start", LongType()),
        StructField("file_block_length", LongType()),
        StructField("file_modification_time", TimestampType()),
    ]
)
METADATA = StructField("_metadata", _STRUCT)
_FIELDS = {f"{METADATA.name}.{field.name}": field for field in _STRUCT}
_ILLEGAL = re.compile(r'[\x00-\x20"#%<>?\[\]\\^`{|}\x7f]')


def part(paths: Iterable[str]) -> StructField:
    """The fields that ``paths`` name as ``_metadata.file_name``, or all of ``METADATA`` if one names it.

    Raises ``OptionError`` for a field that is not there.
    """
    named = set(paths)
    if METADATA.name in named:
        return METADATA
    for path in sorted(named - _FIELDS.keys()):
        raise OptionError(unknown("column", path, _FIELDS))
    return StructField(METADATA.name, StructType([field for path, field in _FIELDS.items() if path in named]))


def metadata(file: CaptureFile, start: int, stop: int | None) -> dict[str, object]:
    """What ``METADATA`` says of rows from byte ``start`` of a file on; they are in a block that ends at ``stop``."""
    path = _escaped(file.path)
    return {
        "file_path": path if local(file.path) is None else f"file:{path}",
        "file_name": path.rpartition("/")[2],
        "file_size": file.size,
        "file_block_start": start,
        "file_block_length": (file.size if stop is None else stop) - start,
        "file_modification_time": _time(file.modified),
    }


def _time(modified: int) -> datetime | None:
    """A time in nanoseconds since the epoch; None if it is unknown, or after the year 9999."""
    with suppress(OverflowError):
        return EPOCH + timedelta(milliseconds=modified // 1_000_000) if modified else None
    return None


def _escaped(path: str) -> str:
    """A path as Spark writes it: only what no URI may have is escaped."""
    text = path.encode(errors="surrogateescape").decode(errors="replace")
    return _ILLEGAL.sub(lambda found: f"%{ord(found[0]):02X}", text)
