"""Records that end at a terminator: torn ends, terminators that come near, parts, streams, and many at once."""

import io
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from columnar.searched_parts import exact, searching
from files.growing_captures import check
from files.growing_captures import decoder as grown
from hypothesis import example, given
from hypothesis import strategies as st
from support import compiled
from support.lockstep import Pair, capture_alike

from wireloom.codec import DecodeError, EncodeError
from wireloom.codec.cutting import Cutter, cuts
from wireloom.columnar import cells
from wireloom.columnar.framings import framing_of
from wireloom.columnar.hopping import Hop

NUMBERS, TEXT, LINE = bytes.fromhex("01 09 61 2c 0102 9a 0d0a"), bytes.fromhex("02 07 6162 cc 0d0a"), b"\r\n"
PIECES = [NUMBERS, TEXT, LINE, b"\r", b"\n", b"\r\r\n", bytes.fromhex("02 05 07"), b"a" * 40]
captures = st.lists(st.sampled_from(PIECES) | st.binary(max_size=6), max_size=8).map(b"".join)


def of(until: str) -> compiled.Compiled:
    """Records of any bytes with such a terminator."""
    return compiled.of(f"""
protocol: ended
byte_order: big
record:
  until: "{until}"
  fields: [{{section: body, size: rest}}]
---
message: all
match: {{}}
sections: {{body: [{{name: data, type: bytes, size: rest}}]}}
""")


def pair() -> Pair:
    return Pair.of(compiled.feature("record_until").columnar)


def told(framing: Any, capture: bytes, bound: int) -> list[tuple[int, int, str]]:
    found = cuts(framing, capture, {}, max_record_bytes=bound)
    return [(cut.offset, cut.length, cut.error.reason if cut.error else "") for cut in found]


def in_pieces(framing: Any, capture: bytes, bound: int, random: Random) -> list[tuple[int, int, str]]:
    """The cuts of a capture of which ever more is there, and whose beginning is forgotten."""
    cutter, found, start, end = Cutter(framing, {}, bound), [], 0, 0
    while start < len(capture):
        held, final = capture[start:end], end == len(capture)
        cut = cutter.cut(held, 0, len(held), base=start, final=final) if held else None
        if cut is None:
            assert end < len(capture)
            end = min(len(capture), end + random.randint(1, 9))
            continue
        found.append((start, cut.length, cut.error.reason if cut.error else ""))
        start += cut.length
    return found


@pytest.mark.parametrize("until", ["0a", "0d0a", "0a0a", "0a0d0a"])
@given(capture=captures, seed=st.integers(0, 1000), bound=st.sampled_from([5, 20, 1 << 20]))
def test_cuts_do_not_depend_on_the_pieces_that_come(until: str, capture: bytes, seed: int, bound: int) -> None:
    framing = of(until).codec.framing
    assert in_pieces(framing, capture, bound, Random(seed)) == told(framing, capture, bound)


@pytest.mark.parametrize("until", ["0a", "0d0a", "0a0a", "0a0d0a"])
@given(capture=captures)
def test_a_record_ends_with_the_first_terminator_in_it(until: str, capture: bytes) -> None:
    lines = [line + bytes.fromhex(until) for line in capture.split(bytes.fromhex(until))]
    lines[-1] = lines[-1].removesuffix(bytes.fromhex(until))
    lengths = [length for _, length, _ in told(of(until).codec.framing, capture, 1 << 20)]
    assert lengths == [len(line) for line in lines if line]


@given(capture=captures)
@example(capture=NUMBERS * 3 + b"a" * 30 + TEXT)
def test_many_at_once_are_what_the_codec_finds(capture: bytes) -> None:
    capture_alike(pair(), capture)
    capture_alike(pair(), capture, maxRecordBytes="8")


@pytest.mark.parametrize("until", ["0a", "0d0a", "0a0a", "0a0d0a"])
@given(capture=captures)
def test_any_terminator_is_found_by_both(until: str, capture: bytes) -> None:
    capture_alike(Pair.of(of(until).columnar), capture)


def test_a_malformed_line_costs_itself_alone() -> None:
    codec = compiled.feature("record_until").codec
    capture = b"".join([NUMBERS, LINE, b"\x01\x02\r\n", TEXT, b"\x01" * 50, LINE, TEXT, b"\x02\x05"])
    rows = list(codec.iter_records(capture, "PERMISSIVE", max_record_bytes=20))
    codes = [(row["_corrupt_reason"] or "").partition(":")[0] for row in rows]
    assert codes == ["", "truncated", "invalid-size", "", "too-long", "", "unterminated"]
    assert b"".join(codec.build(row) for row in rows) == capture
    reason = f"unterminated: record at byte {len(capture) - 2}: no terminator 0d0a"
    assert rows[-1]["_corrupt_reason"] == reason


def test_a_long_line_is_bounded() -> None:
    codec = compiled.feature("record_until").codec
    capture = bytes(1 << 20) + LINE + TEXT
    rows = list(codec.iter_records(capture, "PERMISSIVE", max_record_bytes=1000))
    assert [row["_corrupt_reason"] for row in rows] == [
        "too-long: record at byte 0: a record of more than the 1000 bytes allowed",
        None,
    ]
    with pytest.raises(DecodeError, match="no terminator 0d0a"):
        codec.parse_stream(io.BytesIO(bytes(1 << 16)))


def test_a_stream_is_read_no_further_than_the_record() -> None:
    codec = compiled.feature("record_until").codec
    stream = io.BytesIO(NUMBERS + TEXT + b"\x02")
    assert codec.parse_stream(stream)["length"] == 9
    assert stream.tell() == len(NUMBERS)
    assert codec.parse_stream(stream)["message"] == "text"
    with pytest.raises(DecodeError, match="no terminator"):
        codec.parse_stream(stream)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"text": {"text": "a\r\nb"}}, "text.text: contains the terminator 0d0a"),
        ({"text": {"text": "a\r"}}, None),
        ({"numbers": {"name": "", "first": 0x0D0A}}, "numbers.first: contains the terminator 0d0a"),
        ({"numbers": {"name": "\r", "first": 0x0A0D}}, None),
    ],
)
def test_what_contains_the_terminator_is_not_written(row: Any, reason: str | None) -> None:
    codec = compiled.feature("record_until").codec
    if reason is None:
        assert codec.parse(codec.build(row))["message"] == next(iter(row))
        return
    with pytest.raises(EncodeError) as caught:
        codec.build(row)
    assert str(caught.value) == reason


def test_a_terminator_over_two_fields_names_the_first() -> None:
    with pytest.raises(EncodeError, match=r"^all.data: contains the terminator 0a0a$"):
        of("0a0a").codec.build({"all": {"data": b"a\n"}})


def test_values_of_a_column_are_read_together() -> None:
    decoding = pair().decoder(pair().options({"mode": "PERMISSIVE"}))
    values = pa.array([NUMBERS, None, TEXT, NUMBERS[:-1], TEXT + TEXT, b"", LINE], pa.binary())
    found = cells.one(decoding, values).to_pylist()
    assert [row and row["message"] for row in found] == ["numbers", None, "text", None, "text", None, None]
    codes = [((row and row["_corrupt_reason"]) or "").partition(":")[0] for row in found]
    assert codes == ["", "", "", "unterminated", "trailing-bytes", "unterminated", "truncated"]
    decoding = pair().decoder(pair().options({"mode": "FAILFAST"}))
    assert len(cells.one(decoding, pa.array([NUMBERS, TEXT] * 50, pa.binary()))) == 100
    lists = cells.many(decoding, pa.array([NUMBERS + TEXT, b"", None, TEXT], pa.binary())).to_pylist()
    assert [None if row is None else len(row) for row in lists] == [2, 0, None, 1]
    assert not decoding.tally.redone


@given(capture=captures, every=st.integers(1, 60), before=st.sampled_from([2, 20]), size=st.integers(1, 60))
def test_parts_of_any_size_give_the_rows_of_the_whole(
    tmp_path_factory: pytest.TempPathFactory, capture: bytes, every: int, before: int, size: int
) -> None:
    with pytest.MonkeyPatch.context() as patch, searching(before, size):
        patch.chdir(tmp_path_factory.getbasetemp())
        for bound in (8, 1 << 20):
            assert exact(pair(), capture, every, maxRecordBytes=bound)


@given(
    capture=captures,
    sizes=st.lists(st.integers(0, 60), max_size=6),
    remembered=st.lists(st.booleans(), min_size=8, max_size=8),
    largest=st.sampled_from([None, 8]),
)
def test_a_file_that_grows_gives_what_the_whole_gives(
    tmp_path_factory: pytest.TempPathFactory,
    capture: bytes,
    sizes: list[int],
    remembered: list[bool],
    largest: int | None,
) -> None:
    module = compiled.feature("record_until").columnar
    sizes = [min(size, len(capture)) for size in sizes]
    check(lambda: grown(module, largest), capture, sizes, remembered, tmp_path_factory.getbasetemp() / "grown.bin")


@pytest.mark.parametrize("size", [1, 4096, 1 << 20])
def test_long_and_short_lines_are_followed(size: int) -> None:
    lines = [bytes(size) + b"\n", b"\n"] * 5
    hop = Hop(framing_of(of("0a").codec), {}, little=False)
    capture, found, at = b"".join(lines), [], 0
    while at < len(capture):
        start, at = hop.follow(capture, at, len(capture), 3)
        found += start.tolist()
    assert found == [0, *np.cumsum([len(line) for line in lines])[:-1].tolist()]


@pytest.mark.parametrize(("until", "anywhere"), [("0a", True), ("0d0a", True), ("0a0d0a", False), ("0000", False)])
def test_a_file_is_cut_anywhere_unless_terminators_can_overlap(until: str, *, anywhere: bool) -> None:
    assert of(until).codec.framing.telling is anywhere


@pytest.mark.parametrize("terminator", ["2c", "00"])
def test_what_follows_a_value_may_be_filled_in_at_the_end(terminator: str) -> None:
    found = compiled.of(
        f"""
protocol: filled
byte_order: big
record: {{length: rest, fields: [{{section: body, size: rest}}]}}
---
message: one
match: {{}}
sections:
  body:
    - {{name: word, type: bytes, until: "{terminator}", terminator: leave}}
    - {{name: mark, type: u8}}
    - {{name: sum, type: u8, checksum: {{algorithm: sum8, from: offset(mark), to: offset(sum)}}}}
"""
    )
    mark = bytes.fromhex(terminator)
    data = b"ab" + mark + mark
    assert found.codec.build({"one": {"word": b"ab", "mark": mark[0]}}) == data
    assert found.codec.build(found.codec.parse(data)) == data
    with pytest.raises(EncodeError, match=r"one\.word.*does not begin with its terminator"):
        found.codec.build({"one": {"word": b"ab", "mark": 7}})
