"""Files that tests write, and what of them is listed and read."""

from __future__ import annotations

import bz2
import gzip
import lzma
from functools import partial
from pathlib import Path

import pyarrow as pa

from wireloom.files import created, listed, opened

CONTENT = b"".join(number.to_bytes(4, "big") for number in range(100_000))


def filled(directory: Path | str, *names: str, content: bytes = b"content") -> None:
    """Files of these names, with the directories they need."""
    for name in names:
        with created(f"{directory}/{name}") as file:
            file.write(content)


def names(directory: Path | str, *paths: str) -> list[str]:
    """What paths below a directory mean, as names below it."""
    return [file.path.removeprefix(f"{directory}/") for file in listed(f"{directory}/{path}" for path in paths)]


def content(path: Path | str, offset: int = 0) -> bytes:
    with opened(str(path), offset) as file:
        return file.read()


def compressed(name: str, data: bytes) -> bytes:
    """``data`` as one member of a file of this name."""
    ways = {".gz": partial(gzip.compress, compresslevel=1), ".bz2": bz2.compress, ".xz": lzma.compress}
    return ways.get(Path(name).suffix, partial(pa.Codec("zstd").compress, asbytes=True))(data)
