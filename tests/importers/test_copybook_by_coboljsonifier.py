"""Copybooks: coboljsonifier reads the same values."""

import struct
from pathlib import Path
from random import Random
from typing import Any

import pytest

from importers.copybooks import running

JSONIFIER = """\
       01 POSTING.
          05 ACCOUNT-NAME        PIC X(12).
          05 KIND                PIC X(1).
             88 KIND-A           VALUE 'A'.
          05 PLACE               PIC 9(5).
          05 SMALL-AMOUNT        PIC S9(5).
          05 AMOUNT              PIC S9(7)V99.
          05 BALANCE             PIC S9(9)V99 COMP-3.
          05 NUMBER-A            PIC S9(4) COMP.
          05 NUMBER-B            PIC S9(9) COMP.
          05 NUMBER-C            PIC S9(18) BINARY.
          05 RATE                PIC S9(3)V99 COMP.
          05 ENTRIES OCCURS 3 TIMES.
             10 POSTED           PIC 9(8).
             10 ENTRY-AMOUNT     PIC S9(5)V99 COMP-3.
          05 REMARK              PIC X(5).
"""


def test_coboljsonifier_reads_the_same(tmp_path: Path) -> None:
    parser_type = pytest.importorskip("coboljsonifier.config.parser_type_enum").ParseType
    extractor = pytest.importorskip("coboljsonifier.copybookextractor").CopybookExtractor
    parser = pytest.importorskip("coboljsonifier.parser").Parser
    path = tmp_path / "posting.cpy"
    path.write_text(JSONIFIER)
    other = parser(extractor(str(path)).dict_book_structure, parser_type.BINARY_EBCDIC).build()
    found = running(tmp_path, JSONIFIER)
    random = Random("coboljsonifier")
    for _ in range(100):
        data = _posting(random)
        other.parse(data)
        row = found.codec.parse(data)
        assert _as_read(row.posting) == other.value
        assert found.codec.build(row) == data


def _posting(random: Random) -> bytes:
    def zoned(digits: int, zones: str) -> bytes:
        data = bytearray(f"{random.randrange(10**digits):0{digits}}".encode("cp037"))
        data[-1] = data[-1] & 0x0F | int(random.choice(zones), 16) << 4
        return bytes(data)

    def packed(digits: int) -> bytes:
        return bytes.fromhex(f"{random.randrange(10**digits):0{digits}}{random.choice('cdf')}")

    def text(size: int) -> bytes:
        return "".join(random.choices("ABCxyz123 -,", k=size)).rstrip().ljust(size).encode("cp037")

    numbers = struct.pack(">hiqi", *(random.randrange(-(10**digits), 10**digits) for digits in (4, 9, 18, 5)))
    entries = b"".join(zoned(8, "f") + packed(7) for _ in range(3))
    name = ("N" + text(11).decode("cp037").rstrip()).ljust(12).encode("cp037")
    return (
        name
        + b"\xc1"
        + zoned(5, "f")
        + zoned(5, "cdf")
        + zoned(9, "cdf")
        + packed(11)
        + numbers
        + entries
        + b"\xd9"
        + text(4)
    )


def _as_read(row: Any) -> dict[str, Any]:
    """A row with the other library's names."""
    return {
        name.upper().replace("_", "-"): [_as_read(each) for each in value] if isinstance(value, list) else value
        for name, value in row.items()
        if not name.endswith("_bytes")
    }
