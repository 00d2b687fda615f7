"""Records of copybooks one behind the other, with descriptor words, and in blocks."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from support import compiled

from importers.copybooks import ACCOUNT, imported, instead, replaced

# Record formats


def _built(folder: Path, which: int | None, *pairs: tuple[str, str], text: str = ACCOUNT) -> Any:
    protocol = imported(folder, text, "account.cpy")
    if which is not None:
        instead(protocol / "protocol.yaml", which)
        if which:
            instead(protocol / "account_record.yaml", 0)
    replaced(protocol, *pairs)
    return compiled.compiled(protocol)


def _account(holder: str, amount: int) -> bytes:
    entry = bytes.fromhex(f"{amount:09}c") + "rent".ljust(12).encode("cp037")
    return holder.ljust(20).encode("cp037") + bytes.fromhex("00000012345d c1 0001 000000") + entry * 2


def _holders(rows: Any) -> list[str]:
    return [row.account_record.holder for row in rows]


def test_records_of_a_fixed_size_follow_each_other(tmp_path: Path) -> None:
    found = _built(tmp_path, None)
    data = _account("Anna", 5) + _account("Bert", 6)
    rows = list(found.codec.iter_records(data))
    assert _holders(rows) == ["Anna", "Bert"]
    assert (rows[0].account_record.balance, rows[1].account_record.entries[1].amount) == (
        Decimal("-123.45"),
        Decimal("0.06"),
    )
    assert b"".join(map(found.codec.build, rows)) == data
    assert found.columnar.decode_columnar(data).num_rows == 2


SHORT = """
       01 ACCOUNT-RECORD.
          05 HOLDER PIC X(2).
          05 N PIC 9.
          05 ITEM PIC X OCCURS 0 TO 9 DEPENDING ON N.
"""


@pytest.mark.parametrize(
    ("pairs", "header"),
    [
        # z/OS: the length is big endian, and that of the descriptor is in it.
        ((), "0009 0000"),
        # Cobrix without options, and what FTP clients for PCs write: little endian, and without the descriptor.
        (
            (
                ("length: rdw_length", "length: 4 + rdw_length"),
                (
                    "{name: rdw_length, type: u16, derive: size(record)}",
                    "{name: rdw_length, type: u16, byte_order: little, derive: size(body)}",
                ),
                ("    - {name: rdw_segment, type: u16, const: 0}\n", ""),
                ("    - {name: rdw_length", "    - {name: rdw_segment, type: u16, const: 0}\n    - {name: rdw_length"),
            ),
            "0000 0500",
        ),
        # Cobrix with is_rdw_big_endian, and GnuCOBOL.
        (
            (
                ("length: rdw_length", "length: 4 + rdw_length"),
                ("derive: size(record)", "derive: size(body)"),
            ),
            "0005 0000",
        ),
    ],
)
def test_records_with_a_descriptor_word(tmp_path: Path, pairs: tuple[tuple[str, str], ...], header: str) -> None:
    found = _built(tmp_path, 0, ("# Not with an RDW.\nlength: 3 + n\n", ""), *pairs, text=SHORT)
    record = bytes.fromhex(header) + "Ab2xy".encode("cp037")
    rows = list(found.codec.iter_records(record * 3))
    assert [row.account_record.item for row in rows] == [["x", "y"]] * 3
    assert found.codec.build({"account_record": {"holder": "Ab", "item": ["x", "y"]}}) == record
    assert found.columnar.decode_columnar(record * 3).num_rows == 3


def test_blocks_with_a_descriptor_word_are_rows_of_records(tmp_path: Path) -> None:
    """Of z/OS DFSMS Using Data Sets, "Variable-Length Record Formats": both words count themselves."""
    found = _built(tmp_path, 1)
    anna, bert, carl = (bytes.fromhex("0046 0000") + _account(name, 5) for name in ("Anna", "Bert", "Carl"))
    data = bytes.fromhex("0090 0000") + anna + bert + bytes.fromhex("004a 0000") + carl
    rows = list(found.codec.iter_records(data))
    assert [[each.holder for each in row.account_record.records] for row in rows] == [["Anna", "Bert"], ["Carl"]]
    assert b"".join(map(found.codec.build, rows)) == data
    records = found.columnar.decode_columnar(data).to_pylist()[0]["account_record"]["records"]
    assert [each["entries"][0]["amount"] for each in records] == [Decimal("0.05")] * 2
