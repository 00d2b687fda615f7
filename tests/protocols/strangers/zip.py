"""Archives as the standard library writes and reads them."""

import struct
from collections.abc import Iterator
from io import BufferedIOBase, BytesIO
from random import Random
from typing import Any
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_LZMA, ZIP_STORED, ZipFile, ZipInfo

from protocols.strangers import Capture

METHODS = (ZIP_STORED, ZIP_DEFLATED, ZIP_BZIP2, ZIP_LZMA)
NAMES = ("a.txt", "Füße/größer.txt", "häß.bin", "empty")
_DESCRIBED = 0x0008
_LOCAL = 30
"""Bytes of a local file header in front of its name."""


class _Pipe(BufferedIOBase):
    """What cannot be sought in, so that sizes stand behind the data."""

    def __init__(self) -> None:
        self.written = b""

    def write(self, data: Any) -> int:
        self.written += bytes(data)
        return len(data)


def captures() -> Iterator[Capture]:
    """Archives with every method, in files and in pipes, behind other bytes, and empty."""
    random = Random("zip")
    pipe, file, empty = _Pipe(), BytesIO(b"#!/usr/bin/env python3\n"), BytesIO()
    file.seek(0, 2)
    _write(ZipFile(pipe, "w"), random)
    _write(ZipFile(file, "a"), random)
    ZipFile(empty, "w").close()
    for name, data in (("piped", pipe.written), ("behind a line", file.getvalue()), ("empty", empty.getvalue())):
        yield Capture(name, data, (_row(data),))


def _write(archive: ZipFile, random: Random) -> None:
    with archive:
        for method in METHODS:
            for name in NAMES:
                info = ZipInfo(f"{method}/{name}", (1980 + method, 2, 3, 4, 5, 6))
                info.compress_type, info.comment = method, b"of a test" * (method % 2)
                info.extra = struct.pack("<HH2s", 0x7777, 2, b"xy") * random.randint(0, 1)
                archive.writestr(info, b"" if name == "empty" else random.randbytes(3) * random.randint(1, 40))


def _row(data: bytes, stub: int = 0) -> dict[str, Any]:
    """What the standard library reads, which adds to places the bytes in front that they do not count."""
    with ZipFile(BytesIO(data)) as archive:
        entries = [_entry(info, data, stub) for info in archive.infolist()]
        directory = {"entries_count": len(entries), "directory_offset": archive.start_dir - stub}
    return {"archive": {"directory": directory, "entries": entries}}


def _entry(info: ZipInfo, data: bytes, stub: int) -> dict[str, Any]:
    behind = info.header_offset + _LOCAL + sum(struct.unpack_from("<HH", data, info.header_offset + 26))
    sizes = {"crc": info.CRC, "compressed_size": info.compress_size, "original_size": info.file_size}
    local = (
        {"crc": info.CRC} if data[info.header_offset + 18 :][:4] == b"\xff" * 4 else sizes
    )  # those of ZIP64 are extras
    stored = {"data": data[behind : behind + info.compress_size], "method": info.compress_type}
    return {
        "made_by": info.create_version | info.create_system << 8,
        "needs": info.extract_version,
        "entry_flags": info.flag_bits,
        "method": info.compress_type,
        **sizes,
        "external_attributes": info.external_attr,
        "file_offset": info.header_offset - stub,
        "file_name": info.filename,
        "extra": info.extra,
        "comment": info.comment,
        "file": stored | ({"descriptor": sizes} if info.flag_bits & _DESCRIBED else local | {"descriptor": None}),
    }


def varied(random: Random) -> Iterator[Capture]:
    """Archives with comments, behind other bytes that their offsets count or not, with ZIP64's sizes and without, from
    pipes and files, with and without the signature of a descriptor.
    """
    while True:
        made: _Pipe | BytesIO = random.choice((_Pipe, BytesIO))()
        prefix, comment = random.choice((b"", b"#!/bin/sh\n")), random.choice((b"", b"of all", b"x" * 65535))
        if isinstance(made, BytesIO):
            made.write(prefix)
        with ZipFile(made, "a" if isinstance(made, BytesIO) and prefix else "w") as archive:
            for name in random.sample(NAMES, random.randrange(4)):
                info = ZipInfo(name, (1980, 2, 3, 4, 5, 6))
                info.compress_type, info.comment = random.choice(METHODS), random.choice((b"", b"of a file"))
                info.extra = random.choice((b"", struct.pack("<HH2s", 0x7777, 2, b"xy")))
                content = random.choice((b"", b"a" * 99, random.randbytes(9), b"PK\5\6" + bytes(30)))
                with archive.open(info, "w", force_zip64=random.random() < 0.3) as file:
                    file.write(content)
            if random.random() < 0.3:
                archive.writestr(ZipInfo("folder/"), b"")
            archive.comment = comment
        data = made.written if isinstance(made, _Pipe) else made.getvalue()
        stub = random.choice((b"", b"stub of a program"))
        yield Capture("any", stub + data, (_row(stub + data, len(stub)),))
