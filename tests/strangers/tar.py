"""Archives as the standard library's tarfile writes and reads them."""

import io
import tarfile
from collections.abc import Iterator
from typing import Any

from strangers import Capture

FILES: tuple[tuple[str, bytes, dict[str, Any]], ...] = (
    ("hello.txt", b"Hello\n", {"mode": 0o640, "uid": 1000, "gid": 100, "uname": "anna", "gname": "users"}),
    ("empty", b"", {"mtime": 1_700_000_000}),
    ("größe", bytes(512), {"mtime": 0o77777777777}),
    ("a/" + "long/" * 30 + "name", b"\0" * 513, {}),
    ("folder", b"", {"type": tarfile.DIRTYPE, "mode": 0o755}),
    ("link", b"", {"type": tarfile.SYMTYPE, "linkname": "hello.txt"}),
    ("null", b"", {"type": tarfile.CHRTYPE, "devmajor": 1, "devminor": 3}),
)


def captures() -> Iterator[Capture]:
    """Files, folders, links and devices, and a name that only an attribute can hold."""
    yield _capture("ustar", tarfile.USTAR_FORMAT, FILES)
    yield _capture("pax", tarfile.PAX_FORMAT, (("n" * 200, b"text", {}), ("short", b"", {})))


def _capture(name: str, format: int, files: tuple[tuple[str, bytes, dict[str, Any]], ...]) -> Capture:
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=format, encoding="utf-8") as writing:
        for path, data, given in files:
            info = tarfile.TarInfo(path)
            info.size = len(data)
            for key, value in given.items():
                setattr(info, key, value)
            writing.addfile(info, io.BytesIO(data))
    return Capture(name, archive.getvalue(), tuple(_read(archive.getvalue())), told=_whole_name)


def _read(archive: bytes) -> Iterator[dict[str, Any]]:
    """What tarfile reads in an archive, with the headers that it reads for others, and the blocks behind the last."""
    end = 0
    with tarfile.open(fileobj=io.BytesIO(archive), encoding="utf-8") as reading:
        for found in reading:
            if found.offset_data - found.offset > tarfile.BLOCKSIZE:
                yield {"typeflag": ord(tarfile.XHDTYPE)}
            content = reading.extractfile(found) if found.isfile() else None
            same = ("mode", "uid", "gid", "chksum", "linkname", "uname", "gname")
            own = {key: getattr(found, key) for key in same}
            name = {} if found.pax_headers else {"name": found.name}
            data = {"entry": {"data": content.read() if content else b""}}
            yield own | name | data | {"length": found.size, "mtime": int(found.mtime), "typeflag": ord(found.type)}
            end = found.offset_data + -(-found.size // tarfile.BLOCKSIZE) * tarfile.BLOCKSIZE
    yield from [{"message": "end", "name": "", "mode": None}] * ((len(archive) - end) // tarfile.BLOCKSIZE)


def _whole_name(row: Any) -> Any:
    name = f"{row['prefix']}/{row['name']}" if row["prefix"] else row["name"]
    return {**row, "name": name.rstrip("/")}
