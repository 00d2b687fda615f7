"""Parts of a file that is cut anywhere: they give the rows of the whole, or say that it has records within records."""

import io
import logging
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from codec.proven_frames import FRAME, PACKETS, UNSUMMED, pair
from codec.proven_frames import frame as summed
from hypothesis import given
from hypothesis import strategies as st
from support.lockstep import Pair

from columnar.captures_to_divide import CAPTURES, UNKNOWN, event
from columnar.searched_parts import WITHIN, exact, rows, searching
from wireloom import registry
from wireloom.codec import DecodeError
from wireloom.columnar import index, splits
from wireloom.columnar.scans import FilePart
from wireloom.files import CaptureFile, listed
from wireloom.options import ReadOptions
from wireloom.spark.partition_planning import Divider, tell
from wireloom_protocols import couchbase_dcp, databus

DATABUS = Pair.of(databus)


@pytest.fixture(autouse=True)
def _in_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def tellable(of: Pair, capture: bytes, chosen: ReadOptions) -> Iterator[int]:
    """Where a whole record is proven in one byte order alone and not in doubt, by the codec, position by position."""
    framing = of.codec.framing
    given = dict(chosen.parameters)
    orders = ["big", "little"] if given.get("byte_order") == "auto" else [given.get("byte_order")]
    for position in range(len(capture)):
        found = []
        for order in orders:
            parameters = {**given, "byte_order": order} if order else given
            with suppress(DecodeError):
                found.append(framing.first(capture, position, len(capture), parameters, bound=chosen.max_record_bytes))
        if len(found) != 1:
            continue
        (length, little), end = found[0], len(capture)
        if 0 < length <= min(chosen.max_record_bytes, end - position) and (
            not framing.doubted(capture, position, end, given, little=little)
            or framing.followed(
                capture, position + length, end, given, final=True, bound=chosen.max_record_bytes, order=little
            )
        ):
            yield position


def passed(of: Pair, capture: bytes, every: int, **options: Any) -> bool:
    """Whether all records behind cuts that can be told are records of the whole."""
    chosen = of.options(options)
    whole = pa.Table.from_batches(of.decoder(chosen).capture(capture), of.decoder(chosen).schema)
    found = list(tellable(of, capture, chosen))
    wanted = (next((each for each in found if each >= start), None) for start in range(every, len(capture), every))
    return {place for place in wanted if place is not None} <= set(whole["_offset"].to_pylist())


DAMAGED = event(b"a")[:-2] + b"zz" + event(b"x" * 30)[:40]
PLAIN = event(b"a") + event(b"", "little") * 3 + event(b"x" * 300) + event(b"c", "little") + bytes(200) + event(b"d")
BROKEN = event(b"a") + DAMAGED + b"\xff" * 150 + event(b"b", "little") + event(b"e") * 4 + DAMAGED + event(b"c")[:-1]
OVERLONG = event(b"a") + event(b"x" * 200)[:90] + event(b"b") * 5


SIZES = (17, 61, 333, 420, 700)
DIVIDED = pytest.mark.parametrize("sizes", [SIZES[1:], pytest.param(SIZES[:1], marks=pytest.mark.long)], ids=str)


@DIVIDED
@pytest.mark.parametrize("capture", [PLAIN, BROKEN, OVERLONG * 3], ids=["plain", "broken", "overlong"])
@pytest.mark.parametrize(
    ("before", "order"),
    [
        (20, "auto"),
        pytest.param(20, "big", marks=pytest.mark.sweep),
        *(pytest.param(size, "auto", marks=pytest.mark.sweep) for size in (None, 150, 5000)),
    ],
)
def test_parts_of_any_size_give_the_rows_of_the_whole(
    capture: bytes, before: int | None, order: str, sizes: tuple[int, ...]
) -> None:
    with searching(before, 70):
        for every in sizes:
            assert exact(DATABUS, capture, every, byte_order=order)


INSIDE = CAPTURES["events in events"][1] * 3


@DIVIDED
@pytest.mark.parametrize("order", ["auto", pytest.param("big", marks=pytest.mark.sweep)])
def test_records_within_records_are_passed_where_the_search_begins_before_them(
    order: str, sizes: tuple[int, ...]
) -> None:
    with searching(400, 70):
        for every in sizes:
            assert exact(DATABUS, INSIDE, every, byte_order=order)


@pytest.mark.parametrize("order", ["auto", pytest.param("big", marks=pytest.mark.sweep)])
def test_records_within_records_are_told_where_it_begins_among_them(order: str) -> None:
    with searching(None, 70):
        found = [exact(DATABUS, INSIDE, every, byte_order=order) for every in SIZES]
        assert set(found) == {True, False}
        assert found == [passed(DATABUS, INSIDE, every, byte_order=order) for every in SIZES]


pieces = st.sampled_from(
    [
        event(b"a"),
        event(b"bc" * 40),
        event(b"", "little"),
        event(b"d" * 90, "little"),
        event(event(b"a")),
        event(event(b"z", "little")[:-1]),
        event(b"x" * 200)[:90],
        event(b"e")[:-1],
        DAMAGED,
        bytes(70),
        b"\xff",
    ]
)


befores = st.one_of(st.none(), st.integers(1, 1000))


@pytest.mark.sweep
@given(
    capture=st.lists(pieces, max_size=8).map(b"".join),
    every=st.integers(1, 600),
    order=st.sampled_from(["auto", "auto", "little"]),
    bound=st.sampled_from([64 * 1024 * 1024, 150, 60]),
    before=befores,
    size=st.integers(1, 200),
)
def test_parts_of_any_capture_are_exact_or_told(
    capture: bytes, every: int, order: str, bound: int, before: int | None, size: int
) -> None:
    with searching(before, size):
        found = exact(DATABUS, capture, every, byte_order=order, maxRecordBytes=bound)
    if before is None:
        assert found is passed(DATABUS, capture, every, byte_order=order, maxRecordBytes=bound)
    assert found or before is None or before < len(capture)


@given(
    capture=st.lists(
        st.sampled_from([summed(1), summed(2, "x" * 90), summed(3)[:-2], b"WL\1\xff\xff", b"WL", bytes(9)]), max_size=8
    ).map(b"".join),
    every=st.integers(1, 150),
    before=befores,
    size=st.integers(1, 200),
)
def test_parts_of_records_with_checksums_at_the_end_are_exact(
    capture: bytes, every: int, before: int | None, size: int
) -> None:
    with searching(before, size):
        assert exact(pair(FRAME), capture, every)


def test_a_record_that_two_byte_orders_prove_begins_no_part() -> None:
    framing, parameters = databus.PROTOCOL.framing, {"byte_order": "auto", "repl_dbus": False}
    one = event(b"a")
    assert framing.alone(one, 0, len(one), parameters, final=True, bound=None) == len(one)
    assert framing.alone(one, 1, len(one), parameters, final=True, bound=None) is None


def test_only_records_with_long_checksums_can_be_told_anywhere() -> None:
    assert [each.codec.framing.telling for each in (DATABUS, pair(FRAME), pair(PACKETS), pair(UNSUMMED))] == [
        True,
        True,
        False,
        False,
    ]
    assert not couchbase_dcp.PROTOCOL.framing.telling


# How files are divided


def divided(protocol: str, capture: bytes, most: int, name: str = "capture") -> list[tuple[FilePart, int]]:
    Path(name).write_bytes(capture)
    (file,) = listed([name])
    codec = registry.protocol(protocol)
    return Divider(protocol, ReadOptions.of({}, codec.parameters, codec.messages)).parts(file, most)


def test_a_file_is_cut_anywhere_where_records_can_be_told() -> None:
    found = divided("databus", event(b"a") * 10, 300)
    assert [(part.start, part.stop, part.searched, size) for part, size in found] == [
        (0, 300, 620, 300),
        (300, 600, 620, 300),
        (600, None, 620, 20),
    ]
    assert rows(DATABUS.decoder(DATABUS.options({})), [part for part, _ in found]).num_rows == 10


def test_a_file_of_no_more_than_a_share_is_not_cut() -> None:
    assert [(part.searched, size) for part, size in divided("databus", event(b"a") * 10, 620)] == [(None, 620)]


def test_a_file_whose_records_cannot_be_told_is_one_part(caplog: pytest.LogCaptureFixture) -> None:
    found = divided("couchbase_dcp", UNKNOWN * 200_000, 1000)
    assert [(part.start, part.stop, size) for part, size in found] == [(0, None, 4_800_000)]
    tell(found * 3, 1000)
    (record,) = caplog.records
    assert record.getMessage() == (
        "wireloom: 14400000 bytes in 3 files without an index, each read by one task; wireloom index lets more share"
    )


def test_nothing_is_told_of_files_that_no_index_would_divide(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        tell([(FilePart("capture.bin.gz"), 5_000_000)], 1000)
        tell(divided("couchbase_dcp", UNKNOWN * 100, 100), 100)
        tell(divided("couchbase_dcp", UNKNOWN * 200_000, 5_000_000), 5_000_000)
        tell(divided("databus", event(b"a") * 100_000, 1000), 1000)
    assert not caplog.records


def test_an_index_goes_before_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "EVERY", 100)
    capture = event(event(b"a")) * 10
    with searching(None, 70), pytest.raises(ValueError, match=WITHIN):
        rows(DATABUS.decoder(DATABUS.options({})), [part for part, _ in divided("databus", capture, 80)])
    (file,) = listed(["capture"])
    decoding = DATABUS.decoder(DATABUS.options({}))
    reading = index.Reading.of("databus", registry.digest("databus"), decoding.options)
    index.write(CaptureFile(file.path, file.size, 0), reading, decoding.scanner())
    found = [part for part, _ in divided("databus", capture, 80)]
    assert len(found) > 5
    assert all(one.stop == other.start and one.indexed and one.searched is None for one, other in pairwise(found))
    assert rows(DATABUS.decoder(DATABUS.options({})), found).num_rows == 10


def test_what_is_appended_is_read_by_one_part() -> None:
    found = divided("databus", event(b"a") * 10, 300)
    with Path("capture").open("ab") as file:
        file.write(event(b"b") * 3)
    counts = [rows(DATABUS.decoder(DATABUS.options({})), [part]).num_rows for part, _ in found]
    assert counts == [5, 8, 0]  # no record began in the last part


@pytest.mark.parametrize("size", [0, 1, 200, 299, 301, 340, 371, 400, 619])
def test_a_file_that_shrank_is_read_as_far_as_it_goes(size: int) -> None:
    found = divided("databus", event(b"a") * 10, 300)
    Path("capture").write_bytes((event(b"a") * 10)[:size])
    whole = rows(DATABUS.decoder(DATABUS.options({})), [FilePart(str(Path("capture").absolute()))])
    parts = [rows(DATABUS.decoder(DATABUS.options({})), [part]) for part, _ in found]
    assert pa.concat_tables(parts).equals(whole)


def test_no_part_begins_in_an_incomplete_record_that_waits_behind_garbage() -> None:
    capture = event(b"a") + bytes(500) + event(event(b"b") * 5)[:-10]
    found = []
    with searching(1, 1000):
        for final in (True, False):
            scanner, base = DATABUS.decoder(DATABUS.options({})).scanner(), splits.before(200)
            readinto = io.BytesIO(capture[base:]).readinto
            found.append(splits.begun(scanner, readinto, base, 200, len(capture), len(capture), final=final))
    assert found == [capture.index(event(b"b")), len(capture)]
