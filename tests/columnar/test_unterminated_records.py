"""Captures whose last record lacks its terminator, many records at a time: as the codec reads and writes them."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from support import compiled
from support.lockstep import Pair, captures_alike, records_alike, tables_alike

from columnar.searched_parts import exact, searching
from wireloom.columnar import decoder, encoding
from wireloom.columnar.tables import Table

LINES = """
protocol: lines
byte_order: big
record:
  until: [{ends}]
  unterminated: allowed
  raw: line_end
  fields:
    - {{name: kind, type: u8}}
    - {{section: body, size: rest}}
---
message: text
match: {{kind: 0x54}}
sections: {{body: [{{name: text, type: bytes, size: rest}}]}}
---
message: number
match: {{kind: 0x4e}}
sections: {{body: [{{name: number, type: ascii, size: rest}}]}}
"""
ENDS = {"one": [b"\r\n"], "two": [b"\r\n", b"\n"]}
LASTS = [b"Tab", b"Tab\r", b"N12", b"T"]


@pytest.fixture(params=ENDS)
def ends(request: pytest.FixtureRequest) -> list[bytes]:
    return ENDS[request.param]


@pytest.fixture
def lines(ends: list[bytes]) -> Pair:
    return Pair(compiled.of(LINES.format(ends=", ".join(f'"{end.hex()}"' for end in ends))).codec)


def capture_of(ends: list[bytes], count: int) -> bytes:
    """So many lines with their ends."""
    return b"".join((b"Tab\rc", b"N%d" % number)[number % 2] + ends[number // 2 % len(ends)] for number in range(count))


def table_of(lines: Pair, data: bytes) -> pa.Table:
    table: pa.Table = Table(lines.codec, {}).decode_columnar(data)
    return table


def encoded(lines: Pair, table: Any) -> bytes:
    data: bytes = Table(lines.codec, {}).encode_columnar(table).to_pybytes()
    return data


@pytest.mark.parametrize("last", LASTS)
@pytest.mark.parametrize("count", [0, 5, 300])
def test_captures_come_back_without_the_last_end(lines: Pair, ends: list[bytes], count: int, last: bytes) -> None:
    capture = capture_of(ends, count) + last
    found = captures_alike(lines, capture)
    assert found.column("_corrupt_reason").null_count == found.num_rows == count + 1
    assert found.column("line_end").to_pylist()[-1] == b""
    tables_alike(lines, capture)
    assert encoded(lines, table_of(lines, capture)) == capture


def test_lines_before_the_last_are_read_and_written_by_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    ends = ENDS["one"]
    lines = Pair(compiled.of(LINES.format(ends='"0d0a"')).codec)
    capture = capture_of(ends, 400)
    monkeypatch.setattr(decoder.Decoder, "row", lambda *given: pytest.fail("left to the codec"))
    monkeypatch.setattr(encoding.Encoder, "_built", lambda *given: pytest.fail("left to the codec"))
    assert encoded(lines, table_of(lines, capture)) == capture


def test_a_malformed_last_line_comes_back_as_it_was(lines: Pair, ends: list[bytes]) -> None:
    capture = b"N1" + ends[0] + b"Nx"
    found = captures_alike(lines, capture)
    assert found.column("line_end").to_pylist() == [None, None]
    assert found.column("_corrupt_reason").to_pylist()[1].startswith("invalid: number.number at byte ")
    table = pa.Table.from_batches(lines.decoder(lines.options({})).capture(capture))
    assert encoded(lines, table) == capture


@pytest.mark.parametrize("types", [pa.binary(), pa.large_binary(), pa.dictionary(pa.int8(), pa.binary())])
def test_rows_of_several_captures_are_apart(lines: Pair, ends: list[bytes], types: pa.DataType) -> None:
    one, other = (table_of(lines, data) for data in (b"Ta", b"Tb" + ends[0] + b"Tc"))
    table = pa.concat_tables([one, other, one])
    place = table.schema.get_field_index("line_end")
    table = table.set_column(place, "line_end", table.column(place).cast(types))
    whole = b"Ta" + ends[0] + b"Tb" + ends[0] + b"Tc" + ends[0] + b"Ta"
    assert encoded(lines, table) == whole
    assert encoded(lines, table.combine_chunks()) == whole
    records = Table(lines.codec, {}).encode_records(table).to_pylist()
    assert records == [b"Ta" + ends[0], b"Tb" + ends[0], b"Tc" + ends[0], b"Ta"]


def test_batches_without_rows_are_no_rows_behind_it(lines: Pair) -> None:
    (batch,) = table_of(lines, b"Ta").to_batches()
    given = pa.RecordBatchReader.from_batches(batch.schema, [batch.slice(0, 0), batch, batch.slice(0, 0)])
    assert encoded(lines, given) == b"Ta"


def test_single_values_are_read_as_the_codec_does(lines: Pair, ends: list[bytes]) -> None:
    records_alike(lines, [b"Ta", b"N1", b"", b"Q", ends[0], b"Ta" + ends[0], b"Ta" + ends[0] + b"Tb", b"\r"])


def test_parts_of_any_size_have_each_line_once(
    lines: Pair, ends: list[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    capture = capture_of(ends, 8)
    for data in (capture + b"Tx", capture[1:] + b"Nx", capture[:-1]):
        for every in (1, 7, 40, len(data) - 1):
            with searching(30, 600):
                assert exact(lines, data, every)
