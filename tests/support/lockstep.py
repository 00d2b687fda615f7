"""The columnar decoder beside the codec: the same bytes through both, and the same table, or the same error.

``captures_alike`` and ``alike_in_turn`` read captures, ``records_alike`` records that are cut already, so that many can
be wrong at once.
"""

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from itertools import compress
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from support.cases import often
from wireloom import buffers, columnar
from wireloom.codec import DecodeError, EncodeError, Protocol
from wireloom.codec.captures import CaptureBuilder, ended
from wireloom.codec.cutting import Cut
from wireloom.columnar import decoder, encoding, read_buffers
from wireloom.columnar.by_message import NarrowDecoder, message_of
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.scanning import Cuts, Window
from wireloom.columnar.tables import Table
from wireloom.options import Mode, ReadOptions
from wireloom.views import NO_MESSAGE, Row, View, narrow

buffers._MANY = 64  # missing values are slices of so many nulls, all of which are validated with each slice
read_buffers.SMALL = 0  # pieces of streams are pages, as large ones are


@dataclass(frozen=True)
class Pair:
    """A protocol, which both engines read: the codec one record at a time, the columnar decoder many."""

    codec: Protocol

    @classmethod
    def of(cls, module: Any) -> "Pair":
        """The protocol of a generated module."""
        return cls(module.PROTOCOL)

    def options(self, options: dict[str, Any]) -> ReadOptions:
        """Options by the names that users write, with positions."""
        return ReadOptions.of({"positions": True, **options}, self.codec.parameters, self.codec.messages)

    def decoder(self, chosen: ReadOptions) -> Decoder:
        """What decodes into the whole view that was ``chosen``."""
        return Decoder(self.codec, chosen, columnar.arrow_schema(View(self.codec, chosen).columns))


@lru_cache(maxsize=16)
def table_of(codec: Protocol) -> Table:
    """The Arrow side of a protocol, whose schema takes longer to make than a few rows do to write."""
    return Table(codec, {})


Way = Callable[[bytes, pa.Table, dict[str, Any]], object]
"""Sees that a capture is read alike in one of the ways to read it; given the table that it is in the usual way."""


def captures_alike(pair: Pair, capture: bytes, **options: Any) -> pa.Table:
    """See that a capture is the same table in some modes, for some messages, without labels, and piece by piece.

    Which ones is drawn for each size of a capture; ``make fuzz`` takes all of them.
    """
    found = capture_alike(pair, capture, **options)
    rows_alike(pair, found, **options)
    random, ways = Random(len(capture)), _ways(pair)
    alone = [way for message, way in ways if message is not None]
    others = [way for message, way in ways if message is None]
    for way in random.sample(others, often(7, len(others))) + random.sample(alone, min(often(5, 99), len(alone))):
        way(capture, found, options)
    return found


def alike_in_turn(pair: Pair, captures: Iterable[tuple[bytes, Mapping[str, Any]]]) -> None:
    """As ``captures_alike`` of captures with their options, each in some of the ways, and in each way some of them.

    One message alone is read in a capture that has it, if there is one.
    """
    read = [(capture, dict(options)) for capture, options in captures]
    tables = [capture_alike(pair, capture, **options) for capture, options in read]
    for (_, options), table in zip(read, tables, strict=True):
        rows_alike(pair, table, **options)
    named = [set(table.column("message").to_pylist()) for table in tables]
    ways = _ways(pair)
    for turn in range(max(len(ways), len(read)) if read else 0):
        message, way = ways[turn % len(ways)]
        able = [place for place, names in enumerate(named) if message in names] or range(len(read))
        place = able[turn % len(able)]
        capture, options = read[place]
        way(capture, tables[place], options)


def _ways(pair: Pair) -> list[tuple[str | None, Way]]:
    """The ways to read a capture but for the usual one, each with the message that is read alone in it."""

    def alike(**chosen: Any) -> Way:
        return lambda capture, _, options: capture_alike(pair, capture, **chosen, **options)

    def by_message(mode: Mode) -> Way:
        return lambda capture, _, options: tables_alike(pair, capture, mode=mode, **options)

    def selected(columns: slice) -> Way:
        def way(capture: bytes, found: pa.Table, options: dict[str, Any]) -> None:
            chosen, given = found.schema.names[columns], {"positions": True, **options}
            part = table_of(pair.codec).decode_columnar(capture, chosen, "PERMISSIVE", **given)
            assert_equal(part, found.select(chosen))

        return way

    messages = list(pair.codec.messages)
    return [
        (None, alike(mode="DROPMALFORMED")),
        (None, alike(mode="FAILFAST")),
        (None, alike(in_pieces=False, labels="false")),
        *((message, alike(in_pieces=False, message=message)) for message in messages),
        (None, alike(in_pieces=False, messages=messages[::2])),
        *((None, by_message(mode)) for mode in Mode),
        *((None, selected(columns)) for columns in (slice(None, None, 2), slice(1, None, 3), slice(1))),
    ]


def capture_alike(pair: Pair, capture: bytes, *, in_pieces: bool = True, **options: Any) -> pa.Table:
    """See that a capture is the same table, or the same error, whole and in pieces; the table."""
    chosen = pair.options(options)
    decoding = pair.decoder(chosen)
    refusal: DecodeError | None = None
    try:
        expected = columnar.table(View(pair.codec, chosen).rows(capture, ""), decoding.schema)
    except DecodeError as error:
        refusal = error
    sizes = Random(len(capture))
    sources = (
        lambda: pair.decoder(chosen).capture(capture),
        lambda: streamed(pair.decoder(chosen), capture, sizes),
    )
    for batches in sources[: 1 + in_pieces]:
        if refusal is not None:
            with pytest.raises(DecodeError) as raised:
                list(batches())
            assert raised.value.reason == refusal.reason, (raised.value.reason, refusal.reason)
            continue
        found = pa.Table.from_batches(batches(), decoding.schema)
        assert_equal(found, expected)
    return decoding.schema.empty_table() if refusal else expected


def rows_alike(pair: Pair, rows: pa.Table, **options: Any) -> None:
    """See that rows of one capture are written to the same bytes, or cannot be for the same reason."""
    given = {name: value for name, value in options.items() if name in {each.name for each in pair.codec.parameters}}
    table, expected, refusal = table_of(pair.codec), [], None
    builder = CaptureBuilder(pair.codec, given)
    plain = (row for batch in rows.combine_chunks().to_batches() for row in encoding.plain(batch))
    for _, row in ended(pair.codec, enumerate(plain)):
        try:
            expected.append(builder.build(row))
        except EncodeError as error:
            refusal = refusal or (str(error), len(expected))
    if refusal is None:
        assert table.encode_records(rows, **given).to_pylist() == expected
        assert table.encode_columnar(rows, **given).to_pybytes() == b"".join(expected)
        return
    with pytest.raises(EncodeError) as raised:
        table.encode_records(rows, **given)
    assert (str(raised.value), raised.value.row) == refusal


def misleading(table: pa.Table, message: str, name: str) -> pa.Table:
    """A table whose bytes under that name lead out of their memory, as a file of Arrow's may have them."""
    table = table.combine_chunks()
    (struct,) = table.column(message).chunks
    offsets = np.array([0, 1 << 20, *[4] * (len(struct) - 1)], np.int32)
    held = pa.Array.from_buffers(pa.binary(), len(struct), [None, pa.py_buffer(offsets), pa.py_buffer(bytes(20))])
    fields = {field.name: struct.field(place) for place, field in enumerate(struct.type)} | {name: held}
    return pa.table(
        {"message": table.column("message"), message: pa.StructArray.from_arrays([*fields.values()], [*fields])}
    )


def tables_alike(pair: Pair, capture: bytes, **options: Any) -> dict[str, pa.Table]:
    """See that each row of the codec is in the table of its message, or that there is the same error; the tables."""
    chosen = pair.options(options)
    expected: dict[str, list[Row]] = {}
    refusal: DecodeError | None = None
    try:
        for row in View(pair.codec, chosen).rows(capture, ""):
            name = row["message"]
            expected.setdefault(name or NO_MESSAGE, []).append({**row, **(row.get(name) or {})})
    except DecodeError as error:
        refusal = error
    table, given = table_of(pair.codec), {"positions": True, **options}
    sizes = Random(len(capture))
    if refusal is not None:
        with pytest.raises(DecodeError) as raised:
            table.decode_by_message(capture, **given)
        assert raised.value.reason == refusal.reason
        return {}
    found = table.decode_by_message(capture, **given)
    assert list(found) == [name for name in (*pair.codec.messages, NO_MESSAGE) if name in expected]
    pieces: dict[str, list[pa.RecordBatch]] = {name: [] for name in found}
    narrowing = NarrowDecoder(pair.codec, chosen, lambda name: table.view(narrow(chosen, name)))
    for batch in streamed(narrowing, capture, sizes):
        pieces[message_of(batch)].append(batch)
    for name, rows in expected.items():
        schema = columnar.arrow_schema(View(pair.codec, narrow(chosen, name)).columns)
        for every in (found[name], pa.Table.from_batches(pieces[name], schema)):
            assert_equal(every, columnar.table(rows, schema))
    return found


def streamed(decoding: Decoder, capture: bytes, sizes: Random) -> Iterator[pa.RecordBatch]:
    """The batches of a capture that comes a few bytes at a time, or if it is long a few parts of it."""
    stream, least = BytesIO(capture), 1 + len(capture) // 100
    piece, rows, size = (least * sizes.randint(1, most) for most in (60, 5, 90))
    with small(piece=piece, rows=rows, size=size):
        yield from decoding.stream(lambda memory: stream.readinto(memory[: least * sizes.randint(1, 20)]))


@contextmanager
def small(*, piece: int, rows: int, size: int) -> Iterator[None]:
    """Pieces of streams and batches no larger than this."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("PIECE_BYTES", piece), ("BATCH_ROWS", rows), ("BATCH_BYTES", size)):
            patch.setattr(decoder, name, value)
        yield


def records_alike(pair: Pair, records: Sequence[bytes], little: Sequence[bool] | bool = False, **options: Any) -> None:
    """See that records are the same rows, whatever is wrong with them, one by one and as one batch."""
    chosen = pair.options(options)
    orders = [little] * len(records) if isinstance(little, bool) else list(little)
    for end in (ends := pair.codec.framing.longest_first):
        records = [data.replace(end, b"") for data in records]
    if ends:
        records = [data + ends[number % len(ends)] for number, data in enumerate(records)]
    if ends or any(lengths.checksum for lengths in pair.codec.framing.lengths):
        sound = [_proves(pair, data, order, chosen) for data, order in zip(records, orders, strict=True)]
        records, orders = list(compress(records, sound)), list(compress(orders, sound))
        little = orders
    view = View(pair.codec, chosen)
    rows, offset = [], 0
    for data, order in zip(records, orders, strict=True):
        cut = Cut(offset, len(data), order)
        row = pair.codec.row(cut, data, offset, dict(chosen.parameters), Mode.PERMISSIVE, chosen.only)
        if row is not None:
            row["_offset"], row["_length"] = offset, len(data)
            rows.append(row)
        offset += len(data)
    decoding = pair.decoder(chosen)
    expected = columnar.table(view.of(rows, ""), decoding.schema)
    sizes = np.array([len(data) for data in records], np.int64)
    stop = np.cumsum(sizes)
    start = stop - sizes
    little = little if isinstance(little, bool) else np.array(orders, bool)
    cuts = Cuts(Window(b"".join(records)), start, stop, little, chosen.parameters)
    assert_equal(pa.Table.from_batches(decoding.cuts(cuts, ""), decoding.schema), expected)


def _proves(pair: Pair, data: bytes, order: bool, chosen: ReadOptions) -> bool:
    """Whether the framing would give these bytes as a record; what it has proven is not proven again."""
    try:
        return pair.codec.framing.first(data, 0, len(data), dict(chosen.parameters)) == (len(data), order)
    except DecodeError:
        return False


def assert_equal(found: pa.Table, expected: pa.Table) -> None:
    """See that two tables have the same rows; one NaN is as good as another, but -0.0 is not 0.0."""
    found.validate(full=True)
    assert found.schema.equals(expected.schema)
    if found.equals(expected) and not _has_floats(found.schema):
        return
    assert found.num_rows == expected.num_rows
    for one, other in zip(found.to_pylist(), expected.to_pylist(), strict=True):
        assert exact(one) == exact(other), (one, other)


def _has_floats(kinds: Iterable[Any]) -> bool:
    text = str(list(kinds))
    return "float" in text or "double" in text


def exact(value: Any) -> Any:
    """A value of which equal ones have the same bits, but for NaN."""
    match value:
        case float():
            return "NaN" if value != value else struct.pack(">d", value)
        case list():
            return [exact(item) for item in value]
        case dict():
            return {name: exact(item) for name, item in value.items()}
    return value


def damaged(record: bytes, random: Random, count: int) -> Iterator[bytes]:
    """The record ``count`` times, with some bytes changed in each, or some left out, or some more."""
    for _ in range(count):
        data = bytearray(record)
        for _ in range(random.choice((1, 1, 1, 2, 4)) if data else 0):
            at = random.randrange(len(data))
            data[at] = random.choice((0, 1, 0x7F, 0x80, 0xFF, random.randrange(256), data[at] ^ 1, data[at] + 1 & 0xFF))
        if random.random() < 0.3:
            at = random.randint(0, len(data))
            data[at : at + random.choice((0, 0, 1, 3))] = random.randbytes(random.choice((0, 0, 1, 2)))
        yield bytes(data)
