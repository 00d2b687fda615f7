"""Programs write numbers in as many bytes, digits or characters as they need."""

from copy import deepcopy
from decimal import Decimal
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from support import accelerator, compiled
from support.lockstep import Pair, rows_alike
from support.specialised import build_alike

from wireloom.columnar import encoding as tabular
from wireloom.columnar.tables import Table


def _protocol(message: str, body: str) -> str:
    """A protocol of one message with these fields, in YAML."""
    return f"""\
protocol: {message}
byte_order: big
record:
  length: 2 + size
  fields:
    - {{name: size, type: u16, derive: size(body)}}
    - {{section: body, size: size}}
---
message: {message}
match: {{}}
sections:
  body:
{body}"""


def _written_alike(
    columnar: Any, rows: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> tuple[pa.Table, list[bytes]]:
    """The rows in a table, and their records, which programs and the codec write alike."""
    pair = Pair.of(columnar)
    records = [pair.codec.build(row) for row in rows]
    table = Table(pair.codec, {}).decode_columnar(b"".join(records))
    for row in rows:
        build_alike(pair.codec, row)
    monkeypatch.setattr(tabular.Encoder, "_built", None)
    assert columnar.encode_records(table).to_pylist() == records
    return table, records


VARINTS = (
    *("leb128_u28", "leb128_u64", "leb128_i32", "leb128_i64", "zigzag_i16", "zigzag_i64"),
    *("protobuf_i32", "protobuf_i64", "vlq_u28", "vlq_u64", "quic_u62"),
)
FIELDS = "\n".join(f"    - {{name: n{number}, type: {kind}}}" for number, kind in enumerate(VARINTS))


@accelerator.off_and_on
@accelerator.of_all_and_own
def test_numbers_of_variable_length_of_every_size(
    pays: int, accelerated: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of those that need one byte more than others, and those next to them."""
    accelerator.pay(monkeypatch, pays)
    near = [sign * (1 << bits) + beside for bits in range(64) for beside in (-1, 0, 1) for sign in (1, -1)]
    rows, bounds = [], [_bounds(kind) for kind in VARINTS]
    for number in near:
        fields = {f"n{place}": number if least <= number <= most else 0 for place, (least, most) in enumerate(bounds)}
        rows.append({"message": "numbers", "numbers": fields})
    table, _ = _written_alike(compiled.of(_protocol("numbers", FIELDS)).columnar, rows, monkeypatch)
    assert table.column("numbers").to_pylist() == [row["numbers"] for row in rows]


def _bounds(kind: str) -> tuple[int, int]:
    """The least and the most number of a type."""
    sign, bits = kind.partition("_")[2][0], int(kind.partition("_")[2][1:])
    return (0, (1 << bits) - 1) if sign == "u" else (-1 << bits - 1, (1 << bits - 1) - 1)


DIGITS = """\
    - {name: fixed, type: ascii, size: 4}
    - {name: octal, type: ascii, base: 8, digits: 7, until: "20"}
    - {name: short, type: ascii, until: "0d0a", sign: signed}
    - {name: low, type: ascii, base: 16, until: "00"}
    - {name: high, type: ascii, base: 16, case: upper, prefix: u8}
    - {name: wide, type: ascii, digits: 4, sign: signed, prefix: u16}
    - {name: length, type: ascii, until: "20", derive: size(data)}
    - {name: data, type: bytes, size: length}
    - {name: packed, type: bcd, digits: 5}
    - {name: money, type: bcd, digits: 9, scale: 2, sign: signed}
    - {name: whole, type: bcd, digits: 4, sign: unsigned}
    - {name: last, type: ascii, size: rest}
"""


@accelerator.off_and_on
def test_digits_of_every_count(accelerated: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers with one digit more than others, and those next to them; a length that follows from what is behind it."""
    columnar, rows = compiled.of(_protocol("numbers", DIGITS)).columnar, []
    for number in (base**count + beside for base in (10, 16) for count in range(11) for beside in (-1, 0, 1)):
        fields: dict[str, Any] = {
            "fixed": number % 10**4, "octal": number % 8**7, "short": (-1) ** number * (number % 10**9),
            "low": number % 16**8, "high": number % 16**7, "wide": -(number % 10**6), "data": bytes(number % 1001),
            "packed": number % 10**5, "money": Decimal(-number % 10**9 * (-1) ** (number // 2)).scaleb(-2),
            "whole": number % 10**4, "last": number % 10**9,
        }  # fmt: skip
        rows.append({"message": "numbers", "numbers": fields})
    table, records = _written_alike(columnar, rows, monkeypatch)
    numbers = table.column("numbers").combine_chunks()
    fields = {field.name: numbers.field(field.name) for field in numbers.type if field.name != "length"}
    left = {"message": table.column("message"), "numbers": pa.StructArray.from_arrays([*fields.values()], [*fields])}
    assert columnar.encode_records(pa.table(left)).to_pylist() == records


SPELLED = """\
    - {name: from, type: bytes, size: 4, as: ipv4}
    - {name: to, type: bytes, size: 16, as: ipv6}
    - {name: station, type: bytes, size: 6, as: mac}
    - {name: id, type: bytes, size: 16, as: uuid}
"""


@accelerator.off_and_on
@accelerator.of_all_and_own
def test_texts_are_written_as_the_bytes_that_they_spell(
    pays: int, accelerated: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """IPv6 addresses with each of their groups 0 or not; then texts that are changed in one character."""
    accelerator.pay(monkeypatch, pays)
    columnar, random = compiled.of(_protocol("addresses", SPELLED)).columnar, Random("spelled")
    pair, bodies = Pair.of(columnar), []
    for zeros in range(256):
        groups = [0 if zeros >> place & 1 else random.choice((1, 0x20, 0x300, 0xA000)) for place in range(8)]
        address = b"".join(group.to_bytes(2) for group in groups)
        bodies.append(bytes(random.choices((0, 9, 10, 99, 100, 255), k=4)) + address + random.randbytes(22))
    records = [len(body).to_bytes(2) + body for body in bodies]
    table = Table(pair.codec, {}).decode_columnar(b"".join(records))
    rows = table.to_pylist()
    for number in range(0, len(rows), 7):
        build_alike(pair.codec, rows[number])
    with monkeypatch.context() as patched:
        patched.setattr(tabular.Encoder, "_built", None)
        assert columnar.encode_records(table).to_pylist() == records
    strange = [
        *("1:2:3:4:5:6:7:8::", "1:2:3:4:5:6:7::", "::1::", ":", "::", ":::", "1:2:3:4:5:6:7", "0:0:0:0:0:0:0:0"),
        *("1.2.3.4", "1.2.3", "1.2.3.4.", "01.2.3.4", "256.1.1.1", "1.2.3.4444", "", "1:0:0:2::", "1::2:0:0:0:3"),
    ]
    for number in range(120):
        row = deepcopy(rows[number])
        name = random.choice(list(row["addresses"]))
        text = row["addresses"][name]
        place = random.randrange(len(text))
        text = (
            text[:place]
            + random.choice(("", "0", ":", ".", "f", "F", "-", "é"))
            + text[place + random.choice((0, 1)) :]
        )
        row["addresses"][name] = strange[number] if number < len(strange) else text
        build_alike(pair.codec, row)
        rows_alike(pair, pa.Table.from_pylist([*rows[:3], row], table.schema))
