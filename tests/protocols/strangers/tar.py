"""Archives as the standard library's tarfile writes and reads them."""

import io
import tarfile
from collections.abc import Iterator
from random import Random
from typing import Any

from protocols.strangers import Capture

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


FORMATS = (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT)
KINDS = (
    *(tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.CONTTYPE, tarfile.LNKTYPE, tarfile.SYMTYPE, tarfile.DIRTYPE),
    *(tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE),
)


def varied(random: Random) -> Iterator[Capture]:
    """Archives of each format, with files of each kind, long names, large numbers, and headers as other programs write
    them.
    """
    while True:
        made, format = io.BytesIO(), random.choice(FORMATS)
        names = ["a.txt", "größe", "x" * 100, "d/" * 40 + "x", *(["n" * 180] if format != tarfile.USTAR_FORMAT else [])]
        with tarfile.open(fileobj=made, mode="w", format=format, encoding="utf-8") as writing:
            for _ in range(random.randrange(4)):
                info, data = tarfile.TarInfo(random.choice(names)), random.randbytes(random.choice((0, 1, 512, 700)))
                info.type, info.mode = random.choice(KINDS), random.getrandbits(12)
                info.size = len(data) if info.isreg() else 0
                info.linkname = random.choice(("", "to", "t" * 100)) if info.islnk() or info.issym() else ""
                info.uname, info.gname, info.devmajor = random.choice(("", "änna")), "users", random.getrandbits(9)
                if format != tarfile.USTAR_FORMAT:
                    info.mtime, info.uid = random.choice((0, 1.5, -1, 2**40)), random.choice((0, 2**21, 2**40))
                writing.addfile(info, io.BytesIO(data))
        archive = _by_others(random, bytearray(made.getvalue())) if format == tarfile.USTAR_FORMAT else made.getvalue()
        yield Capture(f"format {format}", archive, tuple(_files(archive)), told=_whole_name)


def _by_others(random: Random, archive: bytearray) -> bytes:
    """The archive with numbers that end with blanks, without a magic, and with sizes where there is no content."""
    at = 0
    while archive[at]:
        header = archive[at : at + 512]
        size = int(bytes(header[124:135]), 8)
        if random.random() < 0.3:
            header[100:108] = f"{int(bytes(header[100:107]), 8):6o} \0".encode()
            header[124:136] = b"%11o " % size
        if random.random() < 0.3 and not header[345]:
            header[257:512] = bytes(255)
        if random.random() < 0.5 and header[156:157] in b"123456":
            header[124:136] = b"00000001000\0"
        header[148:156] = b" " * 8
        header[148:156] = b"%06o\0 " % sum(header)
        archive[at : at + 512] = header
        at += 512 + -(-size // 512) * 512
    return bytes(archive)


def _files(archive: bytes) -> Iterator[dict[str, Any]]:
    """What tarfile reads in an archive, member by member, and the contents of headers that it reads for others."""
    end = 0
    with tarfile.open(fileobj=io.BytesIO(archive), encoding="utf-8") as reading:
        for found in reading:
            before = archive[found.offset : found.offset_data - 512]
            while before:
                size = int(before[124:135], 8)
                yield {"message": "entry", "typeflag": before[156], "entry": {"data": before[512 : 512 + size]}}
                before = before[512 + -(-size // 512) * 512 :]
            content = reading.extractfile(found).read() if found.isreg() else b""
            own = {"message": "entry", "chksum": found.chksum, "entry": {"data": content}, "mode": found.mode}
            yield own | ({} if found.pax_headers or len(found.name) > 100 else {"name": found.name})
            end = found.offset_data + -(-len(content) // 512) * 512
    yield from [{"message": "end"}] * ((len(archive) - end) // 512)
