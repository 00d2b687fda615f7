"""Records that end with one of several terminators, many at a time: as the codec reads and writes them."""

from pathlib import Path
from random import Random

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
ENDS = {
    "longer_first": [b"\r\n", b"\n"],
    "shorter_first": [b"\n", b"\r\n"],
    "any_of_two": [b";", b","],
    "three": [b"\r\n", b"\n", b"-+"],
}


@pytest.fixture(params=ENDS)
def ends(request: pytest.FixtureRequest) -> list[bytes]:
    return ENDS[request.param]


@pytest.fixture
def lines(ends: list[bytes]) -> Pair:
    return Pair(compiled.of(LINES.format(ends=", ".join(f'"{end.hex()}"' for end in ends))).codec)


def capture_of(ends: list[bytes], count: int, *, first_only: bool = False) -> bytes:
    """So many lines, of which some contain parts of terminators."""
    random, parts = Random(count), []
    for number in range(count):
        text = b"T" + bytes(random.choices(b"ab\r-", k=random.choice([0, 1, 5, 300])))
        if random.random() < 0.2:
            text = f"N{number}".encode()
        end = ends[0] if first_only else random.choice(ends)
        parts.append((text.rstrip(b"\r") if first_only else text) + end)
    return b"".join(parts)


def test_lines_with_the_first_terminator_are_read_by_programs(
    lines: Pair, ends: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    capture = capture_of(ends, 400, first_only=True)
    monkeypatch.setattr(decoder.Decoder, "row", lambda *given: pytest.fail("left to the codec"))
    found = pa.Table.from_batches(lines.decoder(lines.options({})).capture(capture))
    assert found.num_rows == found.column("line_end").null_count == 400


def test_lines_with_the_first_terminator_are_written_by_programs(
    lines: Pair, ends: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    capture = capture_of(ends, 400, first_only=True)
    table = Table(lines.codec, {}).decode_columnar(capture)
    monkeypatch.setattr(encoding.Encoder, "_built", lambda *given: pytest.fail("left to the codec"))
    assert Table(lines.codec, {}).encode_columnar(table).to_pybytes() == capture


def test_captures_come_back_with_their_terminators(lines: Pair, ends: list[bytes]) -> None:
    for count in (5, 200):
        capture = capture_of(ends, count)
        found = captures_alike(lines, capture)
        assert found.column("_corrupt_reason").null_count == found.num_rows == count
        tables_alike(lines, capture)
        assert Table(lines.codec, {}).encode_columnar(Table(lines.codec, {}).decode_columnar(capture)) == pa.py_buffer(
            capture
        )


def test_what_is_cut_off_is_malformed(lines: Pair, ends: list[bytes]) -> None:
    found = captures_alike(lines, capture_of(ends, 3) + b"Tx\r")
    reason = found.column("_corrupt_reason").to_pylist()[3]
    assert reason.startswith("unterminated: record at byte ")
    assert reason.endswith(f"no terminator {' or '.join(end.hex() for end in ends)}")


def test_single_values_are_read_as_the_codec_does(lines: Pair, ends: list[bytes]) -> None:
    whole = [b"Tab" + end for end in ends] + [b"N12" + end for end in ends] + [b"Q" + end for end in ends]
    records_alike(lines, [*whole, b"", *(end for end in ends), b"Nx" + ends[0]])
    several = [b"Tab" + end + b"Tc" + ends[0] for end in ends]
    found = Table(lines.codec, {}).decode_columnar(b"".join(several))
    assert found.num_rows == 2 * len(ends)


def test_parts_of_any_size_have_each_line_once(
    lines: Pair, ends: list[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    capture = capture_of(ends, 8)
    for data in (capture, capture[1:], capture + b"Tx"):
        for every in (1, 7, 40, len(data) - 1):
            with searching(30, 600):
                assert exact(lines, data, every)
