"""Programs read and write numbers in digits that are not as they would be written, whose bytes are kept beside them."""

from random import Random

from support import accelerator, compiled, specialised
from support.cases import often
from support.lockstep import Pair, records_alike, rows_alike

from wireloom.columnar.tables import Table

KEPT = """
protocol: kept_digits
byte_order: big
record:
  until: "0a"
  fields: [{section: body, size: rest}]
---
message: line
match: {}
sections:
  body:
    - {name: plain, type: ascii, until: "2c", raw: plain_text}
    - {name: two, type: ascii, until: "2c", digits: 2, raw: two_text}
    - {name: hexadecimal, type: ascii, size: 4, base: 16, raw: hexadecimal_text}
    - {name: signed, type: ascii, until: "2c", sign: signed, digits: 2, raw: signed_text}
    - {name: last, type: ascii, size: rest, raw: last_text}
"""
PLAIN = ("0", "7", "08", "0012", "000", "0000", "0001", "00001", "000000012", "", " 5", "5 ", "+5", "x", "0x", "99999")
SIGNED = ("-05", "-5", "05", "5", "-00", "00", "-005", "12", "")
OF_PROGRAMS = ("0", "7", "08", "0012", "000", "0000", "0001", "", "99999")
"""Those that have no blank, no sign, and three zeros at most that would not be written."""


def line(plain: str, two: str, hexadecimal: str, signed: str, last: str) -> bytes:
    return f"{plain},{two},{hexadecimal}{signed},{last}\n".encode()


def lines(random: Random, count: int) -> list[bytes]:
    hexadecimals = "00ff", "000a", "0fab", "abcd", "ABcd", "0000", "  1f", "00g0"
    kinds = PLAIN, PLAIN, hexadecimals, SIGNED, PLAIN
    return [line(*map(random.choice, kinds)) for _ in range(count)]


@accelerator.off_and_on
def test_digits_in_any_form(accelerated: bool) -> None:
    pair, random = Pair.of(compiled.of(KEPT).columnar), Random(1)
    records_alike(pair, lines(random, often(300, 5000)))
    table = Table(pair.codec, {}).decode_columnar(b"".join(lines(random, 300)))
    rows_alike(pair, table)


@accelerator.off_and_on
def test_programs_read_numbers_behind_a_few_zeros(accelerated: bool, accepted: list[int]) -> None:
    pair = Pair.of(compiled.of(KEPT).columnar)
    records = [
        line(one, other, "00ab", "-5", one[:4]) for one in OF_PROGRAMS for other in ("", "00", "0012", "12", "123")
    ]
    records_alike(pair, records)
    assert max(accepted) == len(records)
    rows = Table(pair.codec, {}).decode_columnar(b"".join(records))
    (first,) = rows.filter(rows["line"].combine_chunks().field("plain_text").is_valid()).slice(0, 1).to_pylist()
    assert (first["line"]["plain"], first["line"]["plain_text"]) == (8, b"08,")


def test_single_lines() -> None:
    codec, random = compiled.of(KEPT).codec, Random(2)
    for data in lines(random, often(150, 2000)):
        specialised.parse_alike(codec, data)
        row = codec.parse(data)
        for changed in (row, *specialised.changed(row, random, 2)):
            specialised.build_alike(codec, changed)
