"""Records of a mainframe, as COBOL lays them out, and as the package ``coboljsonifier`` reads them with the copybook.

The package only reads; a packed decimal is its digits in hexadecimal with a letter for the sign behind them.
"""

from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from coboljsonifier.config.parser_type_enum import ParseType
from coboljsonifier.copybookextractor import CopybookExtractor
from coboljsonifier.parser import Parser

from protocols.strangers import Capture

HEADER = """\
       01 ACCOUNT-RECORD.
          05 RDW-LENGTH          PIC S9(4) COMP.
          05 RDW-SEGMENT         PIC S9(4) COMP.
          05 ACCOUNT-NUMBER      PIC S9(9) COMP.
          05 RECORD-TYPE         PIC X(1).
"""
ACCOUNT = """\
          05 HOLDER              PIC X(20).
          05 BALANCE             PIC S9(9)V99 COMP-3.
          05 INTEREST-RATE       PIC S9(1)V9(4) COMP-3.
          05 OPENED              PIC 9(8).
          05 BRANCH              PIC S9(5) COMP-3.
"""
COUNT = """\
          05 TRANSACTION-COUNT   PIC S9(4) COMP.
"""
TRANSACTION = """\
          05 POSTED-{0}          PIC 9(8).
          05 AMOUNT-{0}          PIC S9(7)V99 COMP-3.
          05 PURPOSE-{0}         PIC X(12).
"""


def captures() -> Iterator[Capture]:
    """Accounts, each with its transactions."""
    random = Random("mainframe")
    data = [record for number in range(6) for record in _account(random, number)]
    yield Capture("accounts", b"".join(data), tuple(map(_read, data)))


def _account(random: Random, count: int) -> Iterator[bytes]:
    number = random.randrange(10**9).to_bytes(4, "big")
    holder = _ebcdic("Anna König".ljust(20))
    amounts = _packed(random.randrange(10**11), 11, "cd"[count % 2]) + _packed(random.randrange(1, 10**5), 5, "c")
    yield _record(number + _ebcdic("A") + holder + amounts + _ebcdic("20310704") + _packed(42, 5, "f"))
    posted = (
        _ebcdic(f"203108{day + 1:02}") + _packed(random.randrange(1, 10**9), 9, "d") + _ebcdic("rent [in %]".ljust(12))
        for day in range(count)
    )
    yield _record(number + _ebcdic("T") + count.to_bytes(2, "big") + b"".join(posted))


def _record(content: bytes) -> bytes:
    return (4 + len(content)).to_bytes(2, "big") + bytes(2) + content


def _ebcdic(text: str) -> bytes:
    return text.encode("cp500")


def _packed(number: int, digits: int, sign: str) -> bytes:
    return bytes.fromhex(f"{number:0{digits}}{sign}")


def _read(record: bytes) -> dict[str, Any]:
    """What the package reads in a record."""
    is_account = record[8:9] == _ebcdic("A")
    count = (len(record) - 11) // 25
    body = ACCOUNT if is_account else COUNT + "".join(TRANSACTION.format(number) for number in range(count))
    parser = _parser(HEADER + body)
    parser.parse(record)
    found = {name.lower().replace("-", "_"): value for name, value in parser.value.items()}
    header = {name: found.pop(name) for name in ("rdw_length", "rdw_segment", "account_number")}
    del found["record_type"]
    if is_account:
        own = {**found, "opened": str(found["opened"])}
        return {**header, "record_type": 0xC1, "account": {**own, "branch": int(found["branch"])}}
    posted = [
        {
            "posted": str(found[f"posted_{number}"]),
            "amount": Decimal(found[f"amount_{number}"]),
            "purpose": found[f"purpose_{number}"],
        }
        for number in range(count)
    ]
    own = {"transaction_count": found["transaction_count"], "transactions": posted}
    return {**header, "record_type": 0xE3, "transactions": own}


@cache
def _parser(copybook: str) -> Any:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "record.cob"
        path.write_text(copybook)
        return Parser(CopybookExtractor(str(path)).dict_book_structure, ParseType.BINARY_EBCDIC).build()


def varied(random: Random) -> Iterator[Capture]:
    """Records with each sign that machines write, and with zeros of either sign."""
    while True:
        number, sign = random.randrange(10**9).to_bytes(4, "big"), lambda: random.choice("abcdef")
        if random.random() < 0.5:
            amounts = _packed(random.choice((0, random.randrange(10**11))), 11, sign()) + _packed(5, 5, sign())
            holder = _ebcdic("X" + "".join(random.choices("ABC äöß#", k=19)))
            content = _ebcdic("A") + holder + amounts + _ebcdic("20310704") + _packed(42, 5, random.choice("acef"))
        else:
            count = random.randrange(4)
            posted = (
                _ebcdic("20310805") + _packed(random.choice((0, 99)), 9, sign()) + _ebcdic("x" * 12)
                for _ in range(count)
            )
            content = _ebcdic("T") + count.to_bytes(2, "big") + b"".join(posted)
        data = _record(number + content)
        yield Capture(data.hex(), data, (_read(_usual(data)),))


def _usual(record: bytes) -> bytes:
    """The record with signs that the package knows in place of others that z/Architecture takes for the same."""
    signs = (34, 37, 48) if record[8:9] == _ebcdic("A") else range(23, len(record), 25)
    found = bytearray(record)
    for at in signs:
        found[at] = found[at] & 0xF0 | {0xA: 0xC, 0xE: 0xC, 0xB: 0xD}.get(found[at] & 0x0F, found[at] & 0x0F)
    return bytes(found)
