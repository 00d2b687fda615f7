"""Decimals in every place that has columns: the types, the values, there and back."""

import json
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from support import compiled
from support.lockstep import Pair, records_alike

from wireloom.codec import EncodeError
from wireloom.columnar import arrow_schema, table
from wireloom.json_rows import json_writer, row_reader
from wireloom_generator.emitters import spark as schemas
from wireloom_generator.emitters.docs import emit as pages

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COLUMNS = {
    "account": "decimal(8,0)",
    "branch": "decimal(3,0)",
    "amount": "decimal(7,2)",
    "pieces": "decimal(4,0)",
    "note": "short",
    "rate": "decimal(3,3)",
    "total": "decimal(31,10)",
    "balance": "decimal(20,0)",
    "rates": "array<decimal(5,1)>",
}
ROW: dict[str, Any] = {
    "account": 1,
    "branch": 2,
    "amount": Decimal("-12.50"),
    "pieces": 2,
    "note": 255,
    "rate": Decimal("0.005"),
    "total": Decimal("-123456789012345678901.2345678901"),
    "balance": -42,
    "rates": [Decimal("-1234.5"), Decimal("1.0")],
}
for name in ("amount", "pieces", "total", "balance", "rates"):  # those with a sign, which is an ordinary one here
    COLUMNS[f"{name}_bytes"], ROW[f"{name}_bytes"] = "binary", None


@pytest.fixture(scope="module")
def payments() -> compiled.Compiled:
    return compiled.feature("bcd")


@pytest.fixture(scope="module")
def record(payments: compiled.Compiled) -> bytes:
    return next(example.data for _, example in compiled.worked(payments.protocol) if example.name.startswith("Two"))


def test_rows_have_whole_numbers_and_decimals(payments: compiled.Compiled, record: bytes) -> None:
    row = payments.codec.parse(record)["payment"]
    assert row == ROW
    assert {name: type(row[name]) for name in ROW} == {name: type(value) for name, value in ROW.items()}


def test_arrow_has_decimals_of_their_size(payments: compiled.Compiled, record: bytes) -> None:
    kind = payments.columnar.arrow_schema.field("payment").type
    assert kind.field("amount").type == pa.decimal128(7, 2)
    assert kind.field("rates").type == pa.list_(pa.decimal128(5, 1))
    assert payments.columnar.arrow_schema == arrow_schema(payments.codec.columns)
    found = payments.columnar.decode_columnar(record * 3)
    assert found["payment"].to_pylist() == [{**ROW, "balance": Decimal(ROW["balance"])}] * 3
    assert found.equals(table(payments.codec.iter_records(record * 3), payments.columnar.arrow_schema))


def test_a_table_s_rows_are_written_back(payments: compiled.Compiled, record: bytes) -> None:
    (row,) = payments.columnar.decode_columnar(record).to_pylist()
    assert payments.codec.build(row) == record


def test_json_has_text_where_there_is_a_fraction(payments: compiled.Compiled, record: bytes) -> None:
    text = json.dumps(json_writer(payments.codec.columns)(payments.codec.parse(record)))
    said = json.loads(text)["payment"]
    assert said == {
        **ROW,
        "amount": "-12.50",
        "rate": "0.005",
        "total": "-123456789012345678901.2345678901",
        "rates": ["-1234.5", "1.0"],
    }
    assert payments.codec.build(row_reader(payments.codec)(json.loads(text))) == record


@pytest.mark.parametrize("value", [12.5, 12, "12,5", "1e3", "", "NaN", True, ["1"]])
def test_other_json_is_no_decimal(payments: compiled.Compiled, value: Any) -> None:
    with pytest.raises(EncodeError, match=r"^payment\.amount: a decimal as text expected, such as '12\.50', not "):
        row_reader(payments.codec)({"message": "payment", "payment": {"amount": value}})


def test_the_documentation_says_how_large_they_are(payments: compiled.Compiled) -> None:
    told = "".join(file.text for file in pages(payments.protocol, {}) if file.path.name == "payment.md")
    assert all(f"`{kind}`" in told for kind in COLUMNS.values())
    assert "bcd of 7 digits, 2 after the point, signed" in told


WIDE = """
protocol: wide
byte_order: big
record:
  length: 32
  fields:
    - {name: kind, type: u8}
    - {section: body, size: rest}
---
message: one
match: {kind: 1}
sections:
  body:
    - {name: total, type: bcd, digits: 20, sign: signed, valid: total != 5}
    - {name: more, type: u8, when: total > 100}
    - {name: next, type: i64, compute: total + 1}
    - {name: large, type: bcd, digits: 21, when: more > 5 and present(total), valid: large % 2 == 0}
    - {name: other, type: bytes, size: rest}
"""


def wide(total: int, more: str, large: int) -> bytes:
    """A record of these values."""
    sign, more = "c" if total >= 0 else "d", more if total > 100 else ""
    return bytes.fromhex(f"01 0{abs(total):020}{sign}{more} {large:022}").ljust(32, b"x")


def test_expressions_ask_for_numbers_of_any_size() -> None:
    pair = Pair.of(compiled.of(WIDE).columnar)
    totals = (0, 5, 7, -7, 100, 101, 2**63 - 2, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 10**20 - 1, 1 - 10**20)
    records_alike(pair, [wide(*values) for values in product(totals, ("00", "09"), (4, 5, 10**20))])
    decoder = pair.decoder(pair.options({}))
    list(decoder.capture(b"".join(wide(total, "09", 4) for total in (7, -7, 101, 10**17))))
    assert decoder.tally.redone == 0  # as those are which 64 bits do not hold


def schema(payments: compiled.Compiled, folder: Path) -> Any:
    """The Spark schema as it is written for the protocol."""
    (file,) = schemas.emit(payments.protocol)
    namespace: dict[str, Any] = {}
    exec(compile(file.text, str(folder / "spark.py"), "exec"), namespace)
    return namespace["SCHEMA"]


def test_spark_has_decimals_of_their_size(payments: compiled.Compiled, tmp_path: Path) -> None:
    fields = schema(payments, tmp_path)["payment"].dataType
    assert {field.name: field.dataType.simpleString() for field in fields} == {**COLUMNS, "note": "smallint"}


@pytest.mark.spark
def test_spark_has_the_same_values(
    payments: compiled.Compiled, record: bytes, spark: "SparkSession", tmp_path: Path
) -> None:
    found = payments.columnar.decode_columnar(record)
    frame = spark.createDataFrame(found.to_pandas(), schema(payments, tmp_path))
    row = frame.select("payment.*").first()
    assert row is not None
    whole = {name: Decimal(ROW[name]) for name in ("account", "branch", "pieces", "balance")}
    assert row.asDict() == {**ROW, **whole}
